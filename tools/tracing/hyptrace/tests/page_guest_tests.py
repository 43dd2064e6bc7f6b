# SPDX-License-Identifier: GPL-2.0
"""A part of page_test.py: events of a guest, after "hyptrace merge"."""
import subprocess
import sys

import synth
from page_use_tests import guest_run
from pagetools import colour, expect, look, pixel, text

ON = synth.enabled("hyp_enter", "hyp_exit", "kvm_entry", "kvm_exit")
CNTVOFF, SHIFT = 4711, 1000000
EVENTS = 3	# the row of a CPU


def set_cntvoff(ts, pid):
    return ts, "host_hcall", pid, {"id": 1, "a1": CNTVOFF}


def write(path):
    """
    The guest's CPU 0 is task 7's vCPU 0, on CPU 1 from 1002000 on and on CPU 0 from 1011000 on; its
    CPU 1 is task 9's vCPU 1, on CPU 0 from 1002000 on
    """
    usual = synth.EVENTS["host_hcall"]
    synth.EVENTS["host_hcall"] = ("hypervisor", 102, [(synth.U32, "id"), (synth.U32, "invalid"),
                                                      (synth.U64, "a1")],
                                  '"id=%s", ' + synth.symbols("id", "a", "__kvm_timer_set_cntvoff"))
    host, hyp = {0: [], 1: []}, {0: [], 1: []}
    for cpu, ts, vcpu, pid in (1, 1002000, 0, 7), (0, 1002000, 1, 9), (0, 1011000, 0, 7):
        both = guest_run(ts, 500, 0x1000, vcpu, pid)
        host[cpu] += both[0]
        hyp[cpu] += [set_cntvoff(ts - 500, pid)] + both[1]
    synth.write(path, {cpu: [synth.page(e)] for cpu, e in host.items()},
                {cpu: [synth.page(e)] for cpu, e in hyp.items()}, texts=ON,
                comms=b"7 qemu-a\n9 qemu-b\n")
    synth.EVENTS["host_hcall"] = usual
    guest = path + ".guest"
    synth.write(guest, {0: [synth.page([(1000, "kvm_exit", 5, {}), (3000, "kvm_entry", 5, {}),
                                        (12000, "kvm_exit", 5, {})])],
                        1: [synth.page([(3500, "kvm_entry", 6, {})])]}, {}, comms=b"5 inside\n")
    with open(path, "rb") as outer, open(guest, "rb") as inner:
        data = synth.add_guest(outer.read(), b"linux", inner.read(), SHIFT, CNTVOFF)
    with open(path, "wb") as merged:
        merged.write(data)


def test_all(b, directory):
    path, page = directory + "/guest.dat", directory + "/guest.html"
    write(path)
    done = subprocess.run([sys.argv[1], "export", "--html", "-o", page, path],
                          stderr=subprocess.PIPE, check=True)
    expect("guest: what has no place is counted", b"1 events of guests left out" in done.stderr,
           done.stderr)
    b.open(page)
    marks = b.js("page.data.cpus.map((cpu) => [...cpu.points[2].marks.t].map("
                 "(t) => t + Number(page.data.base)))")
    expect("guest: on the CPU where it ran", marks == [[1003500, 1012000], [1003000]], marks)
    b.js("page.showLanes('vcpu')")
    lanes = b.js("page.lanes.lanes.map((lane) => [lane.name, [...lane.points[2].marks.t].map("
                 "(t) => t + Number(page.data.base))])")
    expect("guest: in the lane of its vCPU", lanes == [
        ["vCPU 0x1000:0", [1003000, 1012000]], ["vCPU 0x1000:1", [1003500]]], lanes)
    b.js("page.showLanes('cpu')")
    b.js("page.hits.search('guest inside kvm_entry'); page.hits.next(1)")
    b.frames()
    expect("guest: it is found, with its own task", text(b, "hits").startswith("1 of 1") and
           "inside-5" in text(b, "details"), text(b, "hits"), text(b, "details"))
    b.js("page.tabs.show(0)")
    line = b.js("document.querySelector('#table tr.current').innerText")
    expect("guest: as in report", "] " in line and " guest " in line and "inside-5 kvm_entry:" in line,
           line)
    expect("guest: no complaint", not b.complaints(), b.complaints())
