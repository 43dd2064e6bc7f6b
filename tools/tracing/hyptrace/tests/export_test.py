#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Usage: export_test.py HYPTRACE [RECORDING]...

Exports files to Perfetto's format, decodes the result with protoc, and compares it
event by event: that of a synthetic file with the known events, that of each RECORDING
with the output of "hyptrace report". TAP.
"""
import os
import re
import sys

import pftrace
import repack
import synth
from tap import attempt, attempt_each, equal, finish, result, run

HYPTRACE = sys.argv[1]
REASONS = {"hvc": "host_hcall", "smc": "host_smc", "host_abort": "host_mem_abort"}
NAMING = set(REASONS.values()) | {"psci_mem_protect", "vcpu_illegal_trap"}
# Fields that Perfetto's messages do not have
NO_FIELD = {"hyp_enter": {"reason", "vcpu"}, "hyp_exit": {"reason", "vcpu"},
            "host_hcall": {"a1", "a2", "a3", "a4"}, "host_mem_abort": {"outcome"}}
STATES = {1: "S", 2: "D", 4: "T", 8: "t", 16: "X", 32: "Z", 64: "P", 128: "I"}
RETS = {0: "IRQ", 1: "SERROR", 2: "TRAP", 0xbadca11: "HYP_GONE"}

# --- the export, decoded ------------------------------------------------------

def flat(event):
    """A FtraceEvent => (ts, pid, name, fields)"""
    (_, ts), (_, pid), (name, body) = event
    if name != "generic":
        return ts, pid - (pid >> 31 << 32), name, dict(body)
    fields = {}
    for key, value in body[1:]:
        assert key == "field", key
        fields[value[0][1]] = value[1][1]
    return ts, pid - (pid >> 31 << 32), body[0][1], fields


def generic_kinds(packets):
    """=> {name: {field: kind of its value}} of the events that Perfetto has no message for"""
    found = {}
    for packet in packets:
        for key, event in packet.get("ftrace_events", []):
            if key == "event" and event[-1][0] == "generic":
                body = event[-1][1]
                fields = {f[0][1]: f[1][0] for _, f in body[1:]}
                assert fields == found.setdefault(body[0][1], fields), fields
    return found


def decode(packets):
    """=> [(cpu, lost, [event, ...])]"""
    bundles = []
    for packet in packets:
        if "ftrace_events" not in packet:
            continue
        assert len(packet) == 1, packet
        bundle = packet["ftrace_events"]
        head = dict(b for b in bundle if b[0] != "event")
        assert set(head) <= {"cpu", "lost_events"}, head
        bundles.append((head["cpu"], head.get("lost_events", False),
                        [flat(e) for key, e in bundle if key == "event"]))
    return bundles


def export(path, *options):
    return pftrace.export(HYPTRACE, path, *options)


# --- a synthetic file ---------------------------------------------------------

ENTER = {"smc": 0, "hvc": 1, "host_abort": 4, "guest_exit": 5}
SHIFT = 5000000


def enter(ts, reason):
    return ts, "hyp_enter", 7, {"reason": ENTER[reason]}


def leave(ts):
    return ts, "hyp_exit", 7, {"reason": 6}


def synthetic_pages():
    hcall = {"id": 12, "invalid": 1, "a1": 1 << 63}
    cpu0 = [
        synth.page([
            leave(100),
            enter(200, "hvc"), (210, "host_hcall", 7, hcall), leave(220),
            enter(300, "hvc"), leave(320),
            enter(400, "smc"), leave(420),
            enter(500, "host_abort"), leave(510),
            enter(600, "guest_exit"), (610, "vm_create", 7, {"ret": -12, "tiny": 65535}),
            leave(620), enter(700, "hvc")]),
        synth.page([
            enter(800, "smc"), (805, "host_smc", 7, {"id": 1 << 63, "forwarded": 1}), leave(810),
            enter(900, "smc"), (905, "trace_off", 7, {"flags": 2})], lost=5),
        synth.page([
            (1000, "trace_on", 7, {"flags": 3}), leave(1010),
            enter(1100, "hvc"),
            enter(1150, "guest_exit"), (1160, "vcpu_illegal_trap", 7, {"esr": 0x5a000000}),
            leave(1170),
            enter(1200, "hvc"), leave(1220),
            (1230, "undescribed", 7, {}),
            enter(1240, "host_abort"),
            (1250, "host_mem_abort", 7, {"esr": 1, "addr": (1 << 64) - 1}), leave(1260),
            enter(1400, "smc")])]
    host = [
        synth.page([(1120, "kvm_entry", -1, {"vcpu_pc": 1}),
                    (1220, "kvm_entry", 9, {"vcpu_pc": 2})]),
        synth.page([(1300, "kvm_entry", 9, {"vcpu_pc": 3})], lost=None)]
    many = [(2000 + i, "kvm_entry", 1, {"vcpu_pc": i}) for i in range(1200)]
    cpu3 = [synth.page(many[i:i + 200]) for i in range(0, 1200, 200)]
    return {0: host, 3: cpu3}, {0: cpu0}


def known_cpu0():
    """(loss before it, ts, pid, name, fields) of CPU 0"""
    hcall, smc, abort, exits = "host_hcall", "host_smc", "host_mem_abort", "hyp_exit"
    return [
        (0, 100, 7, exits, {}),
        (0, 200, 7, "hyp_enter", {}), (0, 210, 7, hcall, {"id": 12, "invalid": 1}),
        (0, 220, 7, exits, {}),
        (0, 300, 7, "hyp_enter", {}), (0, 320, 7, hcall, {}), (0, 320, 7, exits, {}),
        (0, 400, 7, "hyp_enter", {}), (0, 420, 7, smc, {}), (0, 420, 7, exits, {}),
        (0, 500, 7, "hyp_enter", {}), (0, 510, 7, abort, {}), (0, 510, 7, exits, {}),
        (0, 600, 7, "hyp_enter", {}), (0, 610, 7, "vm_create", {"ret": -12, "tiny": 65535}),
        (0, 620, 7, exits, {}),
        (0, 700, 7, "hyp_enter", {}), (0, 700, 7, hcall, {}), (0, 700, 7, exits, {}),
        (1, 800, 7, "hyp_enter", {}), (0, 805, 7, smc, {"id": 1 << 63, "forwarded": 1}),
        (0, 810, 7, exits, {}),
        (0, 900, 7, "hyp_enter", {}), (0, 905, 7, "trace_off", {"flags": 2}),
        (0, 905, 7, smc, {}), (0, 905, 7, exits, {}),
        (0, 1000, 7, "trace_on", {"flags": 3}), (0, 1010, 7, exits, {}),
        (0, 1100, 7, "hyp_enter", {}), (0, 1120, -1, "kvm_entry", {"vcpu_pc": 1}),
        (0, 1120, 7, hcall, {}), (0, 1120, 7, exits, {}),
        (0, 1150, 7, "hyp_enter", {}), (0, 1160, 7, "vcpu_illegal_trap", {"esr": 0x5a000000}),
        (0, 1170, 7, exits, {}),
        (0, 1200, 7, "hyp_enter", {}), (0, 1220, 9, "kvm_entry", {"vcpu_pc": 2}),
        (0, 1220, 7, hcall, {}), (0, 1220, 7, exits, {}),
        (0, 1240, 7, "hyp_enter", {}), (0, 1250, 7, abort, {"esr": 1, "addr": (1 << 64) - 1}),
        (0, 1260, 7, exits, {}),
        (1, 1300, 9, "kvm_entry", {"vcpu_pc": 3}),
        (0, 1400, 7, "hyp_enter", {}),
    ]


def flatten(bundles, cpu, shift):
    """=> [(loss before it, ts, pid, name, fields)] of a CPU"""
    events = []
    for number, lost, bundle in bundles:
        if number == cpu:
            events += [(int(lost and not i), e[0] - shift) + e[1:] for i, e in enumerate(bundle)]
    return events


def differences(got, want):
    problems = ["got %s, want %s" % (g, w) for g, w in zip(got, want) if g != w]
    if len(got) != len(want):
        problems.append("%d events, want %d" % (len(got), len(want)))
    return problems


def test_synthetic(directory):
    path = directory + "/synthetic.dat"
    host, hyp = synthetic_pages()
    snap = b"hyptrace: clock=local now=1000000 boot=%d\n" % (1000000 + SHIFT)
    synth.write(path, host, hyp, (b"local", b"local"), (snap,))
    out, status, said = export(path)
    result("synthetic: status, and one line", [] if not status and said.count("\n") == 1 else [said])
    bundles = decode(pftrace.packets(out))
    equal("synthetic: types of fields", generic_kinds(pftrace.packets(out)), {
        "vm_create": {"ret": "int_value", "tiny": "uint_value"},
        "trace_on": {"flags": "uint_value"}, "trace_off": {"flags": "uint_value"}})
    result("synthetic: events with losses", differences(flatten(bundles, 0, SHIFT), known_cpu0()))
    want = [(0, 2000 + i, 1, "kvm_entry", {"vcpu_pc": i}) for i in range(1200)]
    result("synthetic: many events", differences(flatten(bundles, 3, SHIFT), want))
    counts = "1234 events, 3 of them generic, 10 added, 2 losses, shifted by 5000000 ns; 1 unknown"
    result("synthetic: what it says", [] if counts in said else [said.strip()])
    only = decode(pftrace.packets(export(path, "-P", "3")[0]))
    result("synthetic: -P", [] if {b[0] for b in only} == {3} else ["CPUs other than 3"])


def test_clocks(directory):
    host, hyp = synthetic_pages()
    cases = {
        "boot": ((b"boot", b"boot"), (), 0, "shifted by 0 ns"),
        "no boot time": ((b"local", b"local"), (b"hyptrace: clock=mono now=1 boot=2\n",), 1,
                         "its clock 'local' to boot time: record again with -C boot"),
        "two clocks": ((b"boot", b"mono"), (), 1, "the clocks 'boot' and 'mono': expected one"),
    }
    for name, (clocks, texts, want, text) in cases.items():
        path = directory + "/clock.dat"
        synth.write(path, host, hyp, clocks, texts)
        out, status, said = export(path)
        good = status == want and text in said and said.count("\n") == 1
        good = good and os.path.exists(out) == (not want)
        result("clock: " + name, [] if good else ["status %d: %s" % (status, said.strip())])
        if os.path.exists(out):
            os.unlink(out)


def test_corrupt(directory):
    """A sub-buffer that claims more than it can hold is a loss, with a message"""
    path = directory + "/corrupt.dat"
    bad = bytearray(synth.page([enter(300, "hvc"), leave(400)]))
    bad[8:12] = (4096).to_bytes(4, "little")
    good = [synth.page([enter(100, "smc"), (110, "host_smc", 7, {"id": 1, "forwarded": 0})]),
            bytes(bad), synth.page([leave(500)])]
    synth.write(path, {}, {0: good})
    out, status, said = export(path)
    result("corrupt: status", [] if status == 1 and "1 corrupt sub-buffers" in said else [said])
    want = [(0, 100, 7, "hyp_enter", {}), (0, 110, 7, "host_smc", {"id": 1, "forwarded": 0}),
            (0, 110, 7, "hyp_exit", {}), (1, 500, 7, "hyp_exit", {})]
    result("corrupt: events", differences(flatten(decode(pftrace.packets(out)), 0, 0), want))


MESSAGES = {
    **{"sched_" + name: ("sched", number, [(synth.TEXT, "comm[16]"), (synth.S32, "pid"),
                                           (synth.S32, "prio"), (synth.S32, "target_cpu")],
                         '"%d", REC->pid')
       for name, number in (("waking", 401), ("wakeup", 402), ("wakeup_new", 403))},
    "irq_handler_entry": ("irq", 404, [(synth.S32, "irq"), (synth.TEXT, "name[16]")],
                          '"%d", REC->irq'),
    "irq_handler_exit": ("irq", 405, [(synth.S32, "irq"), (synth.S32, "ret")], '"%d", REC->irq'),
    **{"softirq_" + name: ("irq", number, [(synth.U32, "vec")], '"%u", REC->vec')
       for name, number in (("entry", 406), ("exit", 407), ("raise", 408))},
}


def test_messages(directory):
    """Events for which Perfetto has slices and states of threads, with all their fields"""
    task = {"comm": "seven", "pid": 7, "prio": 120, "target_cpu": -1}
    want = [("sched_waking", task), ("sched_wakeup", task), ("sched_wakeup_new", task),
            ("irq_handler_entry", {"irq": 11, "name": "timer"}),
            ("irq_handler_exit", {"irq": 11, "ret": -1}), ("softirq_raise", {"vec": 1}),
            ("softirq_entry", {"vec": 1}), ("softirq_exit", {"vec": 1})]
    every, synth.EVENTS = synth.EVENTS, dict(synth.EVENTS, **MESSAGES)
    events = []
    for i, (name, fields) in enumerate(want):
        raw = {"%s[16]" % k if isinstance(v, str) else k:
               synth.text(v.encode()) if isinstance(v, str) else v for k, v in fields.items()}
        events.append((100 + i, name, 9, raw))
    path = directory + "/messages.dat"
    synth.write(path, {0: [synth.page(events)]}, {})
    synth.EVENTS = every
    out, status, said = export(path)
    result("messages: none is generic", [] if "8 events, 0 of them generic" in said else [said])
    equal("messages: fields", [e[3:] for e in flatten(decode(pftrace.packets(out)), 0, 0)], want)


def test_errors(directory):
    path = directory + "/synthetic.dat"
    cases = [(("export", path), 2, "no output format: expected --perfetto, --html, --folded or --rows"),
             (("export", "--perfetto"), 2, "expected one file"),
             (("export", "--perfetto", "--nonsense", path), 2, "unrecognized option '--nonsense'"),
             (("export", "--perfetto", directory + "/none"), 1, "No such file"),
             (("export", "--perfetto", "-P", "99", path), 1, "CPU 99 was not recorded"),
             (("export", "--perfetto", "-o", directory + "/no/dir", path), 1, "cannot create")]
    odd = directory + "/odd"
    os.makedirs(odd + "/directory")
    os.symlink("nothing", odd + "/dangling")
    os.mkfifo(odd + "/fifo")
    cases += [(("export", "--perfetto", "-o", os.path.join(odd, name), path), 1,
               "/%s exists and is not a regular file" % name) for name in sorted(os.listdir(odd))]
    for arguments, status, text in cases:
        done = run(HYPTRACE, *arguments)
        said = done.stderr.decode()
        good = done.returncode == status and text in said and said.count("\n") == 1
        result("error: " + text, [] if good else [said])


def test_link(directory):
    """The target of a symbolic link is replaced, the link is not"""
    link, target = directory + "/link", directory + "/target"
    open(target, "w").close()
    os.symlink("target", link)
    done = run(HYPTRACE, "export", "--perfetto", "-q", "-o", link, directory + "/synthetic.dat")
    equal("link", (done.returncode, os.path.islink(link), os.path.getsize(target) > 0), (0, True, True))


# --- recordings ---------------------------------------------------------------

LINE = re.compile(r"\[(\d+)\] +(\d+)\.(\d{9}) (host|hyp) +(.*)")
EVENT = re.compile(r"(.*?)-(-?\d+) +(\w+): +(.*)$")


def report(path):
    """=> {cpu: [(side, loss before it, ts, pid, name, text)]}"""
    cpus, loss = {}, {}
    done = run(HYPTRACE, "report", path)
    assert not done.returncode, done.stderr
    for line in done.stdout.decode(errors="replace").splitlines():
        match = LINE.match(line)
        if not match:
            assert line.startswith("total: "), line
            continue
        cpu, side, rest = int(match[1]), match[4], match[5]
        if rest.startswith("*** "):
            loss[cpu, side] = 1
            continue
        event = EVENT.match(rest)
        cpus.setdefault(cpu, []).append(
            (side, loss.pop((cpu, side), 0), int(match[2]) * 10**9 + int(match[3]),
             int(event[2]), event[3], event[4].rstrip()))
    return cpus


def split_arguments(text):
    parts, depth, quoted, at = [], 0, False, 0
    for i, c in enumerate(text):
        quoted ^= c == '"'
        if not quoted:
            depth += (c in "({") - (c in ")}")
        if c == "," and not depth and not quoted:
            parts.append(text[at:i].strip())
            at = i + 1
    return parts + [text[at:].strip()]


def format_text(path):
    """The formats of all events, from the file itself"""
    with open(path, "rb") as dat:
        sections = repack.Recording(dat.read()).sections
    return b"".join(sections.values()).decode("latin-1")


def formats(path):
    """=> {event: (format string, [argument, ...])}"""
    found = {}
    pattern = r"name: (\w+)\nID: \d+\nformat:\n(?:\t.*\n|\n)*print fmt: (.*)\n"
    for match in re.finditer(pattern, format_text(path)):
        arguments = split_arguments(match[2])
        found[match[1]] = arguments[0][1:-1], arguments[1:]
    return found


def field_kinds(path):
    """=> {event: {field: what its type is exported as}}"""
    found = {}
    pattern = r"name: (\w+)\nID: \d+\nformat:\n((?:\t.*\n|\n)*)"
    for match in re.finditer(pattern, format_text(path)):
        kinds = found[match[1]] = {}
        for declared, signed in re.findall(r"\tfield:(.*?);.*\tsigned:(\d);", match[2]):
            name = re.search(r"(\w+)(\[\w*\])?$", declared)[1]
            if name.startswith("common_"):
                continue
            kinds[name] = "str_value" if "[" in declared else \
                "int_value" if int(signed) else "uint_value"
    return found


def value_of(argument, fields):
    """Return: the value, or None if the export lacks a field of it"""
    symbolic = re.match(r"__print_symbolic\((.*?), (\{.*)\)$", argument)
    text = symbolic[1] if symbolic else argument
    if not all(name in fields for name in re.findall(r"REC->(\w+)", text)):
        return None
    text = re.sub(r"REC->(\w+)", lambda m: str(fields[m[1]]), text)
    if text == '""':
        return ""
    assert re.match(r"[-0-9 <>&]+$", text), text
    value = eval(text)
    if not symbolic:
        return value
    names = {int(n, 0): s for n, s in re.findall(r'\{ (\w+), "([^"]*)" \}', symbolic[2])}
    return names.get(value, "0x%x" % value)


def print_one(spec, value):
    if spec == "%s":
        return str(value)
    if spec.endswith("x"):
        return "%x" % (value & (1 << (64 if "l" in spec else 32)) - 1)
    return "%d" % value


def check_words(name, fields, text, fmt):
    """Compare word by word, except for fields that Perfetto does not have"""
    lacking, arguments = NO_FIELD.get(name, set()), iter(fmt[1])
    words, got = fmt[0].split(), text.split()
    if len(words) != len(got):
        return "%d words, want %d" % (len(got), len(words))
    for word, shown in zip(words, got):
        specs = re.findall(r"%l*[sxdu]", word)
        used = [next(arguments) for _ in specs]
        values = [value_of(argument, fields) for argument in used]
        if None in values:
            names = {n for a in used for n in re.findall(r"REC->(\w+)", a.split(", {")[0])}
            if not names & lacking:
                return "no value for " + word
            continue
        for spec, value in zip(specs, values):
            word = word.replace(spec, print_one(spec, value), 1)
        if word != shown:
            return "%s, want %s" % (word, shown)
    return None


def switch_text(f):
    bits = [STATES[b] for b in STATES if f["prev_state"] & b]
    f = dict(f, state="|".join(bits) or "R", plus="+" if f["prev_state"] & 256 else "")
    return ("prev_comm=%(prev_comm)s prev_pid=%(prev_pid)d prev_prio=%(prev_prio)d "
            "prev_state=%(state)s%(plus)s ==> next_comm=%(next_comm)s next_pid=%(next_pid)d "
            "next_prio=%(next_prio)d" % f)


def check_fields(name, fields, text, known):
    """Return: what differs, or None"""
    if name == "sched_switch":
        want = switch_text(fields)
    elif name == "kvm_entry":
        want = "PC: 0x%016x" % fields["vcpu_pc"]
    elif name == "kvm_exit":
        ec = re.search(r"\((\w+)\)", text)[1]
        want = "%s: HSR_EC: 0x%04x (%s), PC: 0x%016x" % (
            RETS[fields["ret"]], fields["esr_ec"], ec, fields["vcpu_pc"])
    elif name == "bprint":
        want = fields["text"].rstrip()
    else:
        return check_words(name, fields, text, known[name])
    return None if want == text else "%s, want %s" % (want, text)


class Cpu:
    """Compares the events of a CPU, in order; notes what the export added."""

    def __init__(self, events, known):
        self.events, self.known = events, known
        self.at = self.added = self.last = 0
        self.open = self.named = self.loss = False
        self.reason = self.hyp = ""

    def next_hyp(self):
        return next((e for e in self.events[self.at:] if e[0] == "hyp"), None)

    def may_add(self, name):
        """An added event names a slice, or ends one whose end is not in the file"""
        if not self.open:
            return False
        if name == REASONS.get(self.reason):
            return not self.named
        after = self.next_hyp()
        return name == "hyp_exit" and (
            self.hyp == "trace_off" or
            after and (after[1] or after[4] in ("trace_on", "hyp_enter")))

    def follow(self, name, text=""):
        if name == "hyp_enter":
            if self.open:
                return "two hyp_enter in a row"
            self.open, self.named = True, False
            self.reason = re.match(r"reason=(\w+)", text)[1]
        elif name == "hyp_exit":
            if self.open and not self.named and self.reason in REASONS:
                return "nothing names an entry by " + self.reason
            self.open = False
        elif name in NAMING:
            self.named = True
        return None

    def compare(self, event):
        """Return: what is wrong, or None"""
        lost, ts, pid, name, fields = event
        if ts < self.last:
            return "%d is before %d" % (ts, self.last)
        self.last = ts
        self.loss |= bool(lost)
        want = self.events[self.at] if self.at < len(self.events) else None
        if want and want[2:5] == (ts, pid, name) and \
                not (not fields and name in REASONS.values()):
            self.at += 1
            loss, self.loss = self.loss, False
            if loss != bool(want[1]):
                return "%s at %d: lost_events is %s" % (name, ts, loss)
            if want[0] == "hyp":
                self.hyp = name
            return self.follow(name, want[5]) or \
                check_fields(name, fields, want[5], self.known)
        if fields or not self.may_add(name):
            return "%s, want %s" % (event, want)
        self.added += 1
        return self.follow(name)


def test_recording(path):
    name = os.path.basename(path)
    out, status, said = export(path)
    shift = int(re.search(r"shifted by (-?\d+) ns", said)[1]) if not status else 0
    result(name + ": status, and one line", [] if not status and said.count("\n") == 1 else [said])
    packets, cpus, known = pftrace.packets(out), report(path), formats(path)
    bundles = decode(packets)
    os.unlink(out)
    got, kinds = generic_kinds(packets), field_kinds(path)
    for event in got:    # those of ftrace itself, such as bprint, have their text as well
        got[event].pop("text", None)
    equal("%s: types of the fields of %d events" % (name, len(got)), got,
          {event: kinds[event] for event in got})
    problems, added, total = [], 0, 0
    for number in sorted(cpus):
        cpu = Cpu(cpus[number], known)
        wrong = (cpu.compare(e) for e in flatten(bundles, number, shift))
        problems += ["CPU %d: %s" % (number, w) for w in wrong if w]
        if cpu.at != len(cpu.events):
            problems.append("CPU %d: %d events, want %d" % (number, cpu.at, len(cpu.events)))
        added += cpu.added
        total += cpu.at
    if {b[0] for b in bundles} != set(cpus):
        problems.append("other CPUs")
    result("%s: %d events as in the report, %d added" % (name, total, added), problems)
    want = "%d events, " % total, " %d added, " % added
    result(name + ": what it says", [] if all(w in said for w in want) else [said.strip()])


def main():
    print("TAP version 13")
    if run("sh", "-c", "command -v protoc").returncode:
        sys.exit("export_test.py: no protoc: install protobuf-compiler ('make setup')")
    attempt_each((test_synthetic, test_clocks, test_corrupt, test_messages, test_errors, test_link))
    for path in sys.argv[2:]:
        attempt(test_recording, path)
    finish()


main()
