#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Usage: html_test.py HYPTRACE [RECORDING]...

Exports files to pages, and compares their data with the output of "hyptrace report" and
"hyptrace stat": synthetic files, then each RECORDING. Needs no browser. TAP.
"""
import base64
import collections
import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile

import htmlpage
import synth
from tap import finish, result

HYPTRACE = sys.argv[1]
ON = synth.enabled("hyp_enter", "hyp_exit")
# The longest name of a task; it may have any byte except these
EVIL = b"</script><script>alert(1)</script>"
COMMS = b"7 </script><b>&\"\n9 " + EVIL[:40] + b"\n"
ENTER = {"smc": 0, "hvc": 1, "host_abort": 4, "guest_exit": 5}


def run(*arguments):
    return subprocess.run([HYPTRACE, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def export(path, *options):
    """=> (the page or None, exit status, messages)"""
    out = path + ".html"
    if os.path.exists(out):
        os.unlink(out)
    done = run("export", "--html", "-o", out, *options, path)
    page = htmlpage.Page(out) if os.path.exists(out) else None
    return page, done.returncode, done.stderr.decode()


# --- synthetic files ----------------------------------------------------------

def enter(ts, reason, pid=7):
    return ts, "hyp_enter", pid, {"reason": ENTER[reason]}


def leave(ts, guest=False, pid=7):
    return ts, "hyp_exit", pid, {"reason": 7 if guest else 6, "vcpu": 9 if guest else 0}


def synthetic(path, **more):
    hyp = {0: [
        synth.page([enter(1000, "hvc"), (1040, "host_hcall", 7, {"id": 12}), leave(1100),
                    enter(1500, "smc"), leave(1650),
                    enter(2000, "hvc"), leave(2300, True), enter(2800, "guest_exit", 9),
                    (2810, "markup", 9, {"x": 5}), leave(2900)]),
        synth.page([enter(4000, "hvc"), (4010, "undescribed", 7, {}), leave(4064)], lost=37)],
        2: [synth.page([enter(1200, "host_abort"), leave(1264)]),
            synth.page([leave(3000), enter(3100, "hvc")], lost=None)]}
    host = {0: [synth.page([(900, "kvm_entry", 9, {"vcpu_pc": 1})])]}
    synth.write(path, host, hyp, texts=ON, comms=COMMS, uname=b"Linux <i>test</i> 6.12", **more)


def hand_computed():
    """{cpu: {place: ns}}; by hand, from the file above"""
    return {0: {"unknown": 100 + 1100, "el2": 100 + 150 + 300 + 100 + 64,
                "task": 400 + 350, "guest": 500},
            2: {"unknown": 300 + 1736, "el2": 64 + 964, "task": 100}}


def test_synthetic(directory):
    path = directory + "/synthetic.dat"
    synthetic(path)
    page, status, said = export(path)
    good = not status and said.count("\n") == 1 and "18 events, 2 losses" in said
    result("synthetic: status, and one line", [] if good else [status, said])
    sums = {cpu: dict(collections.Counter()) for cpu in page.spans}
    for cpu, spans in page.spans.items():
        for start, end, place, *_ in spans:
            sums[cpu][place] = sums[cpu].get(place, 0) + end - start
    result("synthetic: times, computed by hand",
           [] if sums == hand_computed() else [sums, hand_computed()])
    stays = [(s[2], s[3], s[1] - s[0]) for s in page.stays[0]]
    want = [("hvc", "12", 100), ("smc", None, 150), ("hvc", None, 300),
            ("guest_exit", None, 100), ("hvc", None, 64)]
    result("synthetic: EL2 entries", [] if stays == want else [stays])
    head = (page.file, page.kernel, page.clock, page.base)
    result("synthetic: head", [] if head == (b"synthetic.dat", b"Linux <i>test</i> 6.12", b"boot", 900)
           else [head])
    compare(path, page, "synthetic")


def test_hostile(directory):
    """Whatever is in a recording, the page around its data is the same"""
    path, harmless = directory + "/synthetic.dat", directory + "/harmless.dat"
    synth.write(harmless, {}, {0: [synth.page([enter(1, "hvc"), leave(2)])]}, texts=ON)
    page, other = export(path)[0], export(harmless)[0]
    hostile = [line for line in page.lines if b"<img src=x onerror=alert(5)>" in line]
    tasks = dict(page.tasks)
    result("hostile: the texts are there", [] if len(hostile) == 1 and
           tasks[7] == b'</script><b>&"' and tasks[9].startswith(b"</script><script>")
           else [hostile, tasks])
    result("hostile: and nowhere in the markup", [] if page.shell == other.shell else ["it differs"])


def test_shell(directory):
    """The page may run its own scripts, and load nothing"""
    shell = export(directory + "/harmless.dat")[0].shell.decode()
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', shell)[1]
    blocks = re.findall(r"<(script|style)>(.*?)</\1>", shell, re.S)
    want = {"script": [], "style": []}
    for name, text in blocks:
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        want[name].append("'sha256-%s'" % digest)
    want = {"default-src": ["'none'"], "base-uri": ["'none'"], "form-action": ["'none'"],
            "style-src": want["style"], "script-src": want["script"]}
    got = {part.split()[0]: part.split()[1:] for part in policy.split(";")}
    result("shell: the policy", [] if got == want and len(blocks) == 3 else [got, want])
    markup = re.sub(r"<(script|style)>.*?</\1>", "", shell, flags=re.S)
    found = re.findall(r"""\b(?:src|href|srcset|action|on\w+)\s*=""", markup)
    result("shell: it refers to nothing", found)
    licence = "Redistribution and use in source and binary forms" in shell and "Mike Bostock" in shell
    result("shell: the library's licence", [] if licence else ["it is not there"])


def test_corrupt(directory):
    path = directory + "/corrupt.dat"
    bad = bytearray(synth.page([enter(300, "hvc"), leave(400)]))
    bad[8:12] = (4096).to_bytes(4, "little")
    first, last = synth.page([enter(100, "smc")]), synth.page([leave(500)])
    for at, pages, base in (1, [first, bytes(bad), last], 100), (0, [bytes(bad), last], 500):
        synth.write(path, {}, {0: pages}, texts=ON)
        page, status, said = export(path)
        lines = run("report", path).stdout.splitlines()[:-1]
        result("corrupt: status", [] if status == 1 and "1 corrupt sub-buffers" in said else [said])
        result("corrupt: the place", [] if page.lines == lines and b"corrupt" in lines[at]
               else [page.lines])
        result("corrupt: the base", [] if page.base == base else [page.base])


def test_errors(directory):
    path = directory + "/synthetic.dat"
    silent = directory + "/silent.dat"
    pages = [synth.page([enter(1, "hvc"), leave(2)])]
    synth.write(silent, {}, {0: pages})
    some = directory + "/some.dat"
    synth.write(some, {}, {0: pages}, texts=synth.enabled("hyp_enter", "hyp_exit", how="filtered"))
    cases = [(("export", "--html", "--perfetto", "-o", directory + "/x", path), 2, "expected one of them"),
             (("export", "--html", directory + "/none"), 1, "No such file"),
             (("export", "--html", silent), 1, "were not recorded"),
             (("export", "--html", some), 1, "were filtered"),
             (("export", "--html", "-P", "1", path), 1, "CPU 1 was not recorded"),
             (("export", "--html", "-o", directory, path), 1, "exists and is not a regular file"),
             (("export", "--html", "-o", directory + "/no/dir", path), 1, "cannot create")]
    for arguments, status, text in cases:
        done = run(*arguments)
        said = done.stderr.decode()
        good = done.returncode == status and text in said and said.count("\n") == 1
        result("error: " + text, [] if good else [said])
    left = [f for f in os.listdir(directory)
            if f.startswith(("silent", "some", "none")) and not f.endswith(".dat")]
    result("error: nothing is left", left)


def test_names(directory):
    """Both formats in one call, each with its name"""
    done = run("export", "--html", "--perfetto", "-q", directory + "/synthetic.dat")
    files = sorted(f for f in os.listdir(directory) if f.startswith("synthetic.") and
                   not f.endswith(".dat.html"))
    want = ["synthetic.dat", "synthetic.html", "synthetic.pftrace"]
    result("names: both formats", [] if not done.returncode and files == want and not done.stderr
           else [files, done.stderr])
    only = export(directory + "/synthetic.dat", "-P", "2")[0]
    result("names: -P", [] if set(only.spans) == {2} and
           all(line.startswith(b"[002]") for line in only.lines) else [only.lines])
    result("names: -P: the base is the recording's", [] if only.base == 900 else [only.base])


def test_tiny(directory):
    """A recording of one event takes no time, but has a lane; one of none has no lane"""
    for pages, lanes in ([synth.page([enter(5, "hvc")])], {0: []}), ([], {}):
        path = directory + "/tiny.dat"
        synth.write(path, {}, {0: pages}, texts=ON)
        page, status, said = export(path)
        result("tiny: %d events" % len(pages), [] if not status and page.spans == lanes and
               len(page.lines) == len(pages) else [said, page.spans])


# --- the output of report and stat ----------------------------------------------------

def differences(got, want):
    problems = ["got %s, want %s" % (g, w) for g, w in zip(got, want) if g != w]
    if len(got) != len(want):
        problems.append("%d, want %d" % (len(got), len(want)))
    return problems


def sums(spans, key):
    found = collections.defaultdict(lambda: dict.fromkeys(htmlpage.PLACES, 0))
    for cpu, list_of_spans in spans.items():
        for start, end, place, task, vcpu in list_of_spans:
            found[key(cpu, task, vcpu)][place] += end - start
    return found


def times_of(rows, key):
    return {key(row): {p: row[p] for p in htmlpage.PLACES} for row in rows}


def compare_times(page, stat, what):
    cpus = sums(page.spans, lambda cpu, task, vcpu: cpu)
    result(what + ": lanes add up to stat's CPUs",
           differences(sorted(cpus.items()), sorted(times_of(stat["cpus"], lambda r: r["cpu"]).items())))
    for cpu, spans in page.spans.items():
        gaps = [s for a, s in zip(spans, spans[1:]) if a[1] != s[0]]
        whole = spans[-1][1] - spans[0][0]
        result("%s: CPU %d has no gap" % (what, cpu), gaps + ([] if whole == stat["wall"] else [whole]))
    pids = sums(page.spans, lambda cpu, task, vcpu: None if task[0] == -1 else task[0])
    want = times_of(stat["tasks"], lambda r: r["pid"])
    result(what + ": lanes add up to stat's tasks",
           differences([pids[pid] for pid in want], list(want.values())) +
           [pid for pid in pids if pid not in want and sum(pids[pid].values())])
    vcpus = sums(page.spans, lambda cpu, task, vcpu: vcpu and (task[0],) + vcpu)
    want = times_of([r for r in stat["vcpus"] if r["vm"] is not None],
                    lambda r: (r["pid"], r["vm"], r["vcpu"]))
    result(what + ": lanes add up to stat's vCPUs",
           differences([vcpus[vcpu] for vcpu in want], list(want.values())))


def compare(path, page, what):
    report = run("report", path).stdout.splitlines()
    result(what + ": %d events and losses are those of report" % len(page.lines),
           differences(page.lines, report[:-1]))
    stat = json.loads(run("stat", "--json", "--histogram", path).stdout)
    page.stat.pop("functions", None)
    result(what + ": the numbers are those of stat", [] if page.stat == stat else ["they differ"])
    compare_times(page, stat, what)
    for name, lists in ("entries", page.stays), ("hypercalls", page.calls), ("switches", page.switches):
        found = collections.defaultdict(list)
        for visit in (v for visits in lists.values() for v in visits):
            found[visit[2]].append(visit[3] if name == "hypercalls" else visit[1] - visit[0])
        got = {key: (len(v), sum(v), max(v)) for key, v in found.items()}
        want = {r["name"]: (r["count"], r["total"], r["max"]) for r in stat[name]}
        result("%s: %s are those of stat" % (what, name), [] if got == want else [got, want])


def test_recording(path):
    with tempfile.TemporaryDirectory() as directory:
        link = directory + "/" + os.path.basename(path)
        os.symlink(os.path.abspath(path), link)
        page, status, said = export(link)
        result(path + ": exported", [] if not status else [said])
        compare(link, page, path)


def test_many(directory):
    """More lines than export remembers, and tasks and CPUs that it might confuse"""
    path, cpus = directory + "/many.dat", {0: [], 1024: []}
    for nr in range(6000):
        cpu, pid = 1024 * (nr // 3 % 2), 7 + 1024 * (nr // 2 % 2)
        event = 1000 + 10 * nr, "host_hcall", pid, {"id": nr * 7919 % 2500}
        if not cpus[cpu] or len(cpus[cpu][-1]) == 40:
            cpus[cpu].append([])
        cpus[cpu][-1].append(event)
    synth.write(path, {}, {cpu: [synth.page(p) for p in pages] for cpu, pages in cpus.items()},
                texts=ON)
    page = export(path)[0]
    result("many: the events are those of report",
           differences(page.lines, run("report", path).stdout.splitlines()[:-1]))


def main():
    print("TAP version 13")
    with tempfile.TemporaryDirectory() as directory:
        for test in (test_synthetic, test_hostile, test_shell, test_corrupt, test_errors,
                     test_names, test_tiny, test_many):
            test(directory)
    for path in sys.argv[2:]:
        test_recording(path)
    finish()


main()
