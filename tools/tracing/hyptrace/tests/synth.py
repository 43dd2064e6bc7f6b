# SPDX-License-Identifier: GPL-2.0
"""Makes trace.dat files, version 7, of events that a test chooses."""
import struct

PAGE = 4096
U8, U16, U32, U64 = (("u%d" % n, n // 8, "") for n in (8, 16, 32, 64))
S32 = ("s32", 4, "i")
TEXT = ("char", 16, "")
CALLERS = ("unsigned long", 64, "")
REASONS = ('__print_symbolic(REC->reason, { 0x0, "smc" }, { 0x1, "hvc" }, '
           '{ 0x4, "host_abort" }, { 0x5, "guest_exit" }, '
           '{ 0x6, "eret_host" }, { 0x7, "eret_guest" })')



def symbols(field, *names):
    """The text of __print_symbolic() for names of 0, 1, ..."""
    return "__print_symbolic(REC->%s, %s)" % (
        field, ", ".join('{ 0x%x, "%s" }' % pair for pair in enumerate(names)))


MEM_OPS = "share", "unshare", "donate"
OWNERS = "host", "hyp", "ffa", "guest"
GUEST_OPS = ("donate", "reclaim", "force_reclaim", "poison", "share", "unshare", "share_host",
             "unshare_host", "relax_perms", "wrprotect", "test_young", "clear_young", "mkyoung",
             "of_the_future")

# name: (system, id, fields, print fmt)
EVENTS = {
    "hyp_enter": ("hypervisor", 100, [(S32, "vcpu"), (U8, "reason")],
                  '"reason=%s vcpu=%d", ' + REASONS + ", REC->vcpu"),
    "hyp_exit": ("hypervisor", 101, [(S32, "vcpu"), (U8, "reason")],
                 '"reason=%s vcpu=%d", ' + REASONS + ", REC->vcpu"),
    "host_hcall": ("hypervisor", 102, [(U32, "id"), (U32, "invalid"), (U64, "a1")],
                   '"id=%u invalid=%u", REC->id, REC->invalid'),
    "host_smc": ("hypervisor", 103, [(U64, "id"), (U32, "forwarded")],
                 '"id=0x%llx forwarded=%u", REC->id, REC->forwarded'),
    "host_mem_abort": ("hypervisor", 104, [(U64, "esr"), (U64, "addr"), (U8, "outcome")],
                       '"esr=0x%llx addr=0x%llx", REC->esr, REC->addr'),
    "vcpu_illegal_trap": ("hypervisor", 105, [(U64, "esr")], '"esr=0x%llx", REC->esr'),
    "vm_create": ("hypervisor", 106, [(S32, "ret"), (U16, "tiny")],
                  '"ret=%d tiny=%u", REC->ret, REC->tiny'),
    "trace_on": ("hypervisor", 107, [(U32, "flags")], '"flags=0x%x", REC->flags'),
    "trace_off": ("hypervisor", 108, [(U32, "flags")], '"flags=0x%x", REC->flags'),
    "mem_transition": ("hypervisor", 110, [(U64, "pfn"), (U64, "nr_pages"), (S32, "ret"),
                                           (U8, "op"), (U8, "from"), (U8, "to")],
                       '"op=%s from=%s to=%s pfn=0x%llx nr_pages=%llu ret=%d", ' + ", ".join((
                           symbols("op", *MEM_OPS), symbols("from", *OWNERS),
                           symbols("to", *OWNERS), "REC->pfn, REC->nr_pages, REC->ret"))),
    "guest_mem": ("hypervisor", 111, [(U64, "gfn"), (U64, "pfn"), (U64, "nr_pages"),
                                      (U32, "vm"), (S32, "ret"), (U8, "op")],
                  '"op=%s vm=0x%x gfn=0x%llx pfn=0x%llx nr_pages=%llu ret=%d", ' + ", ".join((
                      symbols("op", *GUEST_OPS),
                      "REC->vm, REC->gfn, REC->pfn, REC->nr_pages, REC->ret"))),
    "vcpu_enter": ("hypervisor", 112, [(U32, "vm"), (U32, "vcpu")],
                   '"vm=0x%x vcpu=%u", REC->vm, REC->vcpu'),
    "vcpu_exit": ("hypervisor", 113, [(U64, "esr"), (U64, "far"), (U64, "hpfar"), (U32, "vm"),
                                      (U16, "vcpu"), (U8, "code"), (U8, "handled")],
                  '"code=%s ec=%s", __print_symbolic(REC->code, { 0, "IRQ" }, { 2, "TRAP" }), '
                  '__print_symbolic(REC->esr >> 26 & 63, { 0x1, "WFx" }, { 0x16, "HVC64" }, '
                  '{ 0x24, "DABT_LOW" })'),
    "kvm_entry": ("kvm", 200, [(U64, "vcpu_pc")], '"PC: 0x%llx", REC->vcpu_pc'),
    "kvm_exit": ("kvm", 201, [(U64, "vcpu_pc")], '"PC: 0x%llx", REC->vcpu_pc'),
    "sched_switch": ("sched", 202, [(S32, "prev_pid"), (S32, "next_pid")],
                     '"prev_pid=%d ==> next_pid=%d", REC->prev_pid, REC->next_pid'),
    "function": ("ftrace", 1, [(U64, "ip"), (U64, "parent_ip")],
                 '" %ps <-- %ps", (void *)REC->ip, (void *)REC->parent_ip'),
    "funcgraph_entry": ("ftrace", 11, [(U64, "func"), (S32, "depth")],
                        '"--> %ps (%d)", (void *)REC->func, REC->depth'),
    "funcgraph_exit": ("ftrace", 10, [(U64, "func"), (S32, "depth"), (U32, "overrun"),
                                      (U64, "calltime"), (U64, "rettime")],
                       '"<-- %ps (%d) (start: %llx  end: %llx) over: %d", (void *)REC->func, '
                       'REC->depth, REC->calltime, REC->rettime, REC->depth'),
    "kernel_stack": ("ftrace", 4, [(S32, "size"), (CALLERS, "caller[8]")],
                     '"\\t=> %ps\\n\\t=> %ps\\n", (void *)REC->caller[0], (void *)REC->caller[1]'),
    "undescribed": (None, 300, [(U32, "x")], ""),
    "markup": ("hypervisor", 109, [(U32, "x")],
               '"</script><img src=x onerror=alert(%u)> <b>&lt; \\"", REC->x'),
}
FIELD = "\tfield:%s %s;\toffset:%d;\tsize:%d;\tsigned:%d;\n"
COMMON = "".join(FIELD % f for f in (
    ("unsigned short", "common_type", 0, 2, 0), ("unsigned char", "common_flags", 2, 1, 0),
    ("unsigned char", "common_preempt_count", 3, 1, 0), ("int", "common_pid", 4, 4, 1)))


def layout(fields):
    """Yields type, name and offset of each field, and at last the size."""
    at = 8
    for ctype, name in fields:
        align = 8 if ctype == CALLERS else ctype[1]
        at = (at + align - 1) // align * align
        yield ctype, name, at
        at += ctype[1]


def format_text(name):
    _, number, fields, fmt = EVENTS[name]
    text = "name: %s\nID: %d\nformat:\n%s\n" % (name, number, COMMON)
    for ctype, field, at in layout(fields):
        text += FIELD % (ctype[0], field, at, ctype[1], ctype == S32)
    return (text + "\nprint fmt: %s\n" % fmt).encode()


def text(string):
    """The value of a TEXT"""
    return int.from_bytes(string, "little")


def stack(pid, callers):
    """A record ends after the last caller"""
    return struct.pack("<HHiiI", EVENTS["kernel_stack"][1], 0, pid, len(callers), 0) + \
        struct.pack("<%dQ" % len(callers), *callers)


def record(name, pid, values):
    if name == "kernel_stack":
        return stack(pid, values.get("callers", ()))
    data = bytearray(64)
    struct.pack_into("<HHi", data, 0, EVENTS[name][1], 0, pid)
    end = 8
    for ctype, field, at in layout(EVENTS[name][2]):
        mask = (1 << 8 * ctype[1]) - 1
        data[at:at + ctype[1]] = (values.get(field, 0) & mask).to_bytes(ctype[1], "little")
        end = at + ctype[1]
    return bytes(data[:(end + 3) // 4 * 4])


def page(events, lost=0):
    """events: (ts, name, pid, values); lost: a number, or None if not known."""
    return raw_page([(ts, record(name, pid, values)) for ts, name, pid, values in events], lost)


def raw_page(records, lost=0):
    """records: (ts, bytes)"""
    data, last = b"", records[0][0]
    for ts, body in records:
        if ts - last >= 1 << 27:    # a TIME_EXTEND
            data += struct.pack("<II", (ts - last & (1 << 27) - 1) << 5 | 30, ts - last >> 27)
            last = ts
        if len(body) > 112:
            data += struct.pack("<II", (ts - last) << 5, 4 + len(body)) + body
        else:
            data += struct.pack("<I", (ts - last) << 5 | len(body) // 4) + body
        last = ts
    flags = 1 << 31 if lost is None else 3 << 30 if lost else 0
    text = struct.pack("<QQ", records[0][0], len(data) | flags) + data
    text += struct.pack("<Q", lost or 0)
    return text.ljust(PAGE, b"\0")


def enabled(*names, how="enabled"):
    """The texts of record for enabled events; "filtered": for events with a filter"""
    return [("hyptrace: %s=%s/%s\n" % (how, EVENTS[name][0], name)).encode() for name in names]


def section(number, body):
    return struct.pack("<HHIQ", number, 0, 0, len(body)) + body


def option(number, body):
    return struct.pack("<HI", number, len(body)) + body


def format_section(more):
    """more: (system, text) of events that are not in EVENTS"""
    texts = [(e[0], format_text(name)) for name, e in EVENTS.items() if e[0]] + list(more)
    systems = sorted({system for system, _ in texts})
    body = struct.pack("<I", len(systems))
    for system in systems:
        chosen = [text for name, text in texts if name == system]
        body += system.encode() + b"\0" + struct.pack("<I", len(chosen))
        for text in chosen:
            body += struct.pack("<Q", len(text)) + text
    return section(18, body)


def buffer_option(name, clock, cpus):
    body = struct.pack("<Q", 0) + name + b"\0" + clock + b"\0"
    body += struct.pack("<II", PAGE, len(cpus))
    for cpu, offset, size in cpus:
        body += struct.pack("<IQQ", cpu, offset, size)
    return option(3, body)


def add_guest(data, name, file, shift=0, cntvoff=1, error=0):
    """data, the content of a file that write() has made, with the recording of a guest"""
    at = (len(data) + 15) // 16 * 16
    guest = section(0x6877, file)
    more = option(0x6877, struct.pack("<Q", at) + name + b"\0" +
                  struct.pack("<QqQ", cntvoff, shift, error)) + option(0, struct.pack("<Q", 0))
    return (data[:-8] + struct.pack("<Q", at + len(guest))).ljust(at, b"\0") + \
        guest + section(0, more)


def write(path, host, hyp, clocks=(b"boot", b"boot"), texts=(), comms=b"", uname=None,
          symbols=b"", strings=b"", formats=()):
    """host, hyp: {cpu: [page, ...]}; comms: lines of saved_cmdlines; symbols: of kallsyms;
    strings: of printk_formats; formats: (system, text)"""
    head = b"\x17\x08\x44tracing7\0\0\x08" + struct.pack("<I", PAGE) + b"none\0\0"
    formats_at = len(head) + 8
    described = format_section(formats)
    data, options = b"", option(18, struct.pack("<Q", formats_at))
    if comms:
        options += option(21, struct.pack("<Q", formats_at + len(described)))
        described += section(21, struct.pack("<Q", len(comms)) + comms)
    for number, text in (19, symbols), (20, strings):
        if text:
            options += option(number, struct.pack("<Q", formats_at + len(described)))
            described += section(number, struct.pack("<I", len(text)) + text)
    if uname:
        options += option(5, uname + b"\0")
    data_at = (formats_at + len(described) + PAGE - 1) // PAGE * PAGE
    for name, clock, pages in ((b"", clocks[0], host), (b"hypervisor", clocks[1], hyp)):
        cpus = []
        for cpu in sorted(pages):
            cpus.append((cpu, data_at + len(data), PAGE * len(pages[cpu])))
            data += b"".join(pages[cpu])
        options += buffer_option(name, clock, cpus)
    for text in texts:
        options += option(2, text + b"\0")
    options += option(0, struct.pack("<Q", 0))
    with open(path, "wb") as out:
        out.write((head + struct.pack("<Q", data_at + len(data)) + described).ljust(data_at, b"\0"))
        out.write(data + section(0, options))
