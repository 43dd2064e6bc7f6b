#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Usage: metrics_test.py HYPTRACE PROGRAMS [TRACEFS]...

What "hyptrace metrics" and "hyptrace top --counters" print of made-up counters, and their errors;
that promtool accepts the metrics and the alerts; and that Prometheus has exactly the figures that
are in the counters, by way of the textfile collector of node_exporter. PROGRAMS is a directory
where the packages prometheus and prometheus-node-exporter were unpacked; both run meanwhile, on
ports of the loopback device. Each TRACEFS is a directory with real counters, in
remotes/hypervisor/counters. If it has a file metrics.prom, that is what was printed where they
are from, and before.prom what was printed before anything was counted. A recording agree.dat there
is of what was counted between from.prom and to.prom. TAP.
"""
import json
import os
import pty
import re
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.parse
import urllib.request

from tap import attempt, attempt_each, equal, finish, result, run

HYPTRACE, PROGRAMS = sys.argv[1:3]
RULES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../prometheus/hyptrace.rules.yml")

# Nothing takes as long, on any machine
LIMIT = 300
HEAD = struct.Struct("=6I5Q")
BUCKETS = 30
ROW = struct.Struct("=%dQ" % (2 + BUCKETS))
KINDS = "0 reason smc", "1 reason hvc", "2 reason guest_exit", "4 hypercall __kvm_vcpu_run", "5 hypercall __never"


def program(name):
    return os.path.join(PROGRAMS, "usr/bin", name)


def row(ticks=0, longest=0, **buckets):
    """b3=1: one time in bucket 3"""
    return ROW.pack(ticks, longest, *[buckets.get("b%d" % i, 0) for i in range(BUCKETS)])


def counters(*rows, version=1, head=HEAD.size, size=ROW.size, buckets=BUCKETS, hz=62500000):
    """The file of a CPU. Between what is known of the head and of rows, there may be more"""
    return (HEAD.pack(version, head, size, len(rows), buckets, 0, hz, 7, 7, 0, 0) + b"\xff" * (head - HEAD.size) +
            b"".join(data + b"\xff" * (size - ROW.size) for data in rows))


def write(path, data):
    """Whoever reads it sees all of it"""
    with open(path + ".new", "wb") as out:
        out.write(data.encode() if isinstance(data, str) else data)
    os.replace(path + ".new", path)


def remote(directory, name, cpus, on=1, kinds=KINDS):
    """A directory like that of a remote, with {CPU: its file}"""
    path = os.path.join(directory, name)
    os.makedirs(os.path.join(path, "counters"))
    write(path + "/counters/enable", "%d\n" % on)
    write(path + "/counters/format", "".join(kind + "\n" for kind in kinds))
    for cpu, data in cpus.items():
        write(path + "/counters/cpu%d" % cpu, data)
    return path


def metrics(path, *options):
    done = run(HYPTRACE, "metrics", "--remote=" + path, *options, timeout=LIMIT)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def printed(path, *options):
    status, out, said = metrics(path, *options)
    assert (status, said) == (0, ""), (status, said)
    return out


# The same figures in three ways: in the files, as they are printed, as Prometheus has them. Each
# is {(metric, labels): number}, where a label without a value is none

def sample(name, labels, number):
    if "le" in labels:
        labels = dict(labels, le=float(labels["le"]))
    return (name, frozenset((k, v) for k, v in labels.items() if v != "")), number


def in_files(path):
    """As documented in include/uapi/linux/trace_counters.h"""
    path += "/counters/"
    total, kinds, hz = {}, {}, None
    lines = [line.split() for line in open(path + "format")]
    for cpu in [name for name in os.listdir(path) if name.startswith("cpu")]:
        data = open(path + cpu, "rb").read()
        _, head, size, _, _, _, hz = HEAD.unpack_from(data)[:7]
        for number, kind, name in lines:
            ticks, longest, *buckets = ROW.unpack_from(data, head + int(number) * size)
            labels = ("hvc", name) if kind == "hypercall" else (name, "")
            sums = kinds.setdefault(labels, [0, 0, [0] * BUCKETS])
            kinds[labels] = [sums[0] + ticks, max(sums[1], longest), [a + b for a, b in zip(sums[2], buckets)]]
            total[cpu[3:]] = total.get(cpu[3:], 0) + ticks
    figures = [("counting", {}, int(open(path + "enable").read()))]
    figures += [("seconds_total", {"cpu": cpu}, ticks / hz) for cpu, ticks in total.items()]
    for (reason, hypercall), (ticks, longest, buckets) in kinds.items():
        labels = {"reason": reason, "hypercall": hypercall}
        bounds = [(2 ** (n + 1) - 1) / hz for n in range(BUCKETS - 1)] + ["+Inf"]
        if sum(buckets):
            figures += [("visit_seconds_bucket", dict(labels, le=le), sum(buckets[:n + 1]))
                        for n, le in enumerate(bounds)]
            figures += [("visit_seconds_sum", labels, ticks / hz), ("visit_seconds_count", labels, sum(buckets)),
                        ("visit_max_seconds", labels, longest / hz)]
    return dict(sample("hyptrace_el2_" + name, labels, number) for name, labels, number in figures)


def number_of(text):
    return int(text) if text.isdigit() else float(text)


def in_text(text):
    figures = {}
    for line in text.splitlines():
        if line.startswith("#"):
            continue
        name, labels, value = re.fullmatch(r"(\w+)(?:\{(.*)\})? (\S+)", line).groups()
        key, number = sample(name, dict(re.findall(r'(\w+)="([^"]*)"', labels or "")), number_of(value))
        assert key not in figures, line
        figures[key] = number
    return figures


def differences(got, want):
    return ["%s: %r, not %r" % (key, got.get(key), want.get(key)) for key in sorted(got.keys() | want.keys(), key=repr)
            if got.get(key) != want.get(key)]


def same(what, got, want):
    result(what, differences(got, want) + ["no figures"] * (not want))


# What is printed

def bucket_lines(labels, bounds, counts):
    return "".join('hyptrace_el2_visit_seconds_bucket{%s,le="%s"} %d\n' % (labels, le, n)
                   for le, n in zip(bounds, counts))


HUNDREDTHS = ["%.2f" % ((2 ** (n + 1) - 1) / 100) for n in range(BUCKETS - 1)]
BOUNDS = [re.sub(r"\.?0+$", "", le) for le in HUNDREDTHS] + ["+Inf"]
EXAMPLE = """\
# HELP hyptrace_el2_counting Whether visits to EL2 are counted at this time.
# TYPE hyptrace_el2_counting gauge
hyptrace_el2_counting 1
# HELP hyptrace_el2_seconds_total Time that the CPU was at EL2 while it was counted.
# TYPE hyptrace_el2_seconds_total counter
hyptrace_el2_seconds_total{cpu="2"} 0.07
hyptrace_el2_seconds_total{cpu="10"} 8589934.59
# HELP hyptrace_el2_visit_seconds How long visits to EL2 took, on all CPUs.
# TYPE hyptrace_el2_visit_seconds histogram
""" + bucket_lines('reason="smc",hypercall=""', BOUNDS, [1, 1] + [3] * 27 + [4611686018427387908]) + """\
hyptrace_el2_visit_seconds_sum{reason="smc",hypercall=""} 8589934.57
hyptrace_el2_visit_seconds_count{reason="smc",hypercall=""} 4611686018427387908
""" + bucket_lines('reason="hvc",hypercall="__kvm_vcpu_run"', BOUNDS, [0] + [2] * 29) + """\
hyptrace_el2_visit_seconds_sum{reason="hvc",hypercall="__kvm_vcpu_run"} 0.09
hyptrace_el2_visit_seconds_count{reason="hvc",hypercall="__kvm_vcpu_run"} 2
# HELP hyptrace_el2_visit_max_seconds The longest visit to EL2 since the system was booted.
# TYPE hyptrace_el2_visit_max_seconds gauge
hyptrace_el2_visit_max_seconds{reason="smc",hypercall=""} 5368709.12
hyptrace_el2_visit_max_seconds{reason="hvc",hypercall="__kvm_vcpu_run"} 0.06
"""


def test_text(directory):
    """100 ticks are a second"""
    path = remote(directory, "text", {
        2: counters(row(4, 3, b0=1, b2=1), row(), row(), row(9, 9, b3=1), row(3, 3, b1=1), row(), hz=100),
        10: counters(row(858993453, 536870912, b2=1, b29=2 ** 62 + 1), row(), row(), row(), row(6, 6, b1=1), row(),
                     hz=100, head=HEAD.size + 8, size=ROW.size + 16)})
    equal("the text, of sums and the largest of two CPUs", printed(path), EXAMPLE)


def test_numbers(directory):
    for hz in 1, 7, 19200000, 24000000, 31250000, 54000000, 62500000, 100000000, 1000000000, 3333333333:
        path = remote(directory, "hz%d" % hz, {
            0: counters(row(123456789, 99999999, b26=1), row(1, 1, b0=1), row(3, 2, b0=1, b1=1), row(), row(), row(),
                        hz=hz),
            1: counters(row(2 ** 53 - 123456790, 2 ** 52 + 1, b29=3), *[row()] * 5, hz=hz)})
        text = printed(path)
        same("numbers at %d Hz" % hz, in_text(text), in_files(path))
        bounds = set(re.findall(r'le="([^"]*)"', text))
        equal("%d Hz: bounds, which all have" % hz, (len(bounds), text.count("le=")), (BUCKETS, 3 * BUCKETS))
    path = remote(directory, "names", {0: counters(row(1, 1, b0=1))}, kinds=['0 reason a"b\\c'])
    equal("a name is escaped", 'reason="a\\"b\\\\c",' in printed(path), True)


OFF = EXAMPLE.split("\n", 3)


def test_off(directory):
    never = "\n".join(OFF[:2] + ["hyptrace_el2_counting 0", ""])
    equal("counting was never on", printed(remote(directory, "never", {}, on=0)), never)
    path = remote(directory, "off", {0: counters(row(2, 2, b1=1), *[row()] * 5)}, on=0)
    same("counting is off", in_text(printed(path)), in_files(path))
    path = remote(directory, "new", {3: counters(*[row()] * 6)})
    same("nothing happened", in_text(printed(path)), in_files(path))
    for option, value in ("--enable", 1), ("--disable", 0):
        text = printed(path, option)
        equal(option, (open(path + "/counters/enable").read(), OFF[2][:-1] + str(value) in text.splitlines()),
              (str(value), True))


# Errors

HEADS = "head_size=%d row_size=%d nr_buckets=%d ticks_per_sec=%d"


def bad_files(directory):
    """(name, remote, the error)"""
    good = counters(*[row()] * 6)
    unlike = "%s is not as version 1 is: " + HEADS
    for name, data, text in (
            ("version", counters(*[row()] * 6, version=2), "%s has version 2: this hyptrace knows version 1 only"),
            ("short", good[:63], "%s has 63 bytes: expected 64"),
            ("empty", b"", "%s has 0 bytes: expected 64"),
            ("rows", good[:-1], "%%s has %d bytes: expected %d" % (len(good) - 1, len(good))),
            ("many", HEAD.pack(1, 64, 2 ** 32 - 8, 2 ** 32 - 1, 30, 0, 1, 0, 0, 0, 0),
             "%%s has 64 bytes: expected %d" % (64 + (2 ** 32 - 8) * (2 ** 32 - 1))),
            ("head", HEAD.pack(1, 56, 256, 0, 30, 0, 5, 0, 0, 0, 0), unlike.replace(HEADS, HEADS % (56, 256, 30, 5))),
            ("row", HEAD.pack(1, 64, 248, 0, 30, 0, 5, 0, 0, 0, 0), unlike.replace(HEADS, HEADS % (64, 248, 30, 5))),
            ("buckets", HEAD.pack(1, 64, 256, 0, 31, 0, 5, 0, 0, 0, 0),
             unlike.replace(HEADS, HEADS % (64, 256, 31, 5))),
            ("hz", HEAD.pack(1, 64, 256, 0, 30, 0, 0, 0, 0, 0, 0), unlike.replace(HEADS, HEADS % (64, 256, 30, 0))),
            ("few", counters(*[row()] * 5), "%s has 5 rows, but counters/format names row 5"),
            ("other", counters(*[row()] * 6, hz=9),
             "%s has 9 ticks per second, another CPU 62500000: expected the same")):
        path = remote(directory, "bad-" + name, {0: good, 1: data})
        yield name, path, text % (path + "/counters/cpu1")
    for name, line in ("kind", "0 event smc"), ("number", "x reason smc"), ("nothing", "0 reason "), ("word", "0"):
        yield (name, remote(directory, "bad-" + name, {0: good}, kinds=["1 reason hvc", line]),
               "bad line in counters/format: '%s': expected ROW reason|hypercall NAME" % line)
    path = remote(directory, "bad-cpu", {0: good})
    os.mkdir(path + "/counters/cpu1")
    yield "directory", path, "cannot read %s/counters/cpu1: Is a directory" % path
    path = remote(directory, "bad-enable", {0: good})
    os.remove(path + "/counters/enable")
    yield "enable", path, "cannot read %s/counters/enable: No such file or directory" % path
    path = os.path.join(directory, "bad-none")
    yield "no counters", path, "no %s/counters: needs a kernel with CONFIG_NVHE_EL2_COUNTERS" % path


def test_errors(directory):
    out = os.path.join(directory, "errors")
    os.mkdir(out)
    write(out + "/x.prom", "old")
    for name, path, text in bad_files(directory):
        equal("error: " + name, metrics(path, "-o", out + "/x.prom"), (1, "", "hyptrace: %s\n" % text))
    path = remote(directory, "good", {})
    for status, text, arguments in (
            (2, "--enable with --disable: expected one of them", ["--enable", "--disable"]),
            (2, "expected options only, got 'x': see hyptrace metrics --help", ["x"]),
            (1, "%s exists and is not a regular file" % out, ["-o", out])):
        equal(text, metrics(path, *arguments), (status, "", "hyptrace: %s\n" % text))
    status, _, said = metrics(path, "-o", out + "/none/x.prom")
    equal("a directory that is not there", (status, said),
          (1, "hyptrace: cannot create %s/none/x.prom: No such file or directory\n" % out))
    with open("/dev/full", "w") as full:
        done = run(HYPTRACE, "metrics", "--remote=" + path, stdout=full, timeout=LIMIT)
    equal("no space", (done.returncode, done.stderr),
          (1, b"hyptrace: cannot write the output: No space left on device\n"))
    equal("errors leave the file as it was", (os.listdir(out), open(out + "/x.prom").read()), (["x.prom"], "old"))


def test_output(directory):
    path = remote(directory, "output", {0: counters(row(2, 2, b1=1), *[row()] * 5)})
    out = os.path.join(directory, "out")
    os.mkdir(out)
    write(out + "/x.prom", "old" * 10000)
    with open(out + "/x.prom") as old:
        equal("-o prints nothing", metrics(path, "-o", out + "/x.prom"), (0, "", ""))
        equal("who reads the old file has all of it", len(old.read()), 30000)
    equal("the file is replaced, and nothing else is there",
          (os.listdir(out), open(out + "/x.prom").read()), (["x.prom"], printed(path)))


# Live

class Live:
    """hyptrace top --counters, which is killed at last"""

    def __init__(self, path, *options, **more):
        self.process = subprocess.Popen([HYPTRACE, "top", "--counters", "--remote=" + path, *options],
                                        **{"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **more})
        self.guard = threading.Timer(LIMIT, self.process.kill)
        self.guard.start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.guard.cancel()
        self.process.kill()
        self.process.wait()

    def table(self):
        """(length of the interval in s, visits/s, {name: columns})"""
        head, rows = "", {}
        while not head.startswith("hyptrace top:"):
            head = self.process.stdout.readline().decode()
            assert head, self.process.stderr.read()
        assert self.process.stdout.readline() == b"\n"
        assert self.process.stdout.readline().startswith(b"EL2 VISIT ")
        length, rate = re.search(r"last ([\d.]+) s: (\d+) visits/s to EL2", head).groups()
        for line in iter(self.process.stdout.readline, b""):
            if not line.strip():
                break
            name, *columns = line.decode().split()
            rows[name] = columns
        return float(length), int(rate), rows

    def end(self, sig=None):
        """(status, messages)"""
        if sig:
            self.process.send_signal(sig)
        said = self.process.communicate()[1].decode()
        return self.process.returncode, said


def test_top(directory):
    before = [row(), row(), row(50, 50, b5=1), row(), row(500000, 400000, b18=2), row()]
    after = [row(125, 100, b5=1, b6=1), row(), row(50, 50, b5=1), row(),
             row(500000 + 990 * 625, 400000, b9=990, b18=2 + 10), row()]
    path = remote(directory, "top", {0: counters(*before), 1: counters(*before)})
    with Live(path, "-i", "500ms") as live:
        equal("a table of an interval without visits", live.table()[1:], (0, {}))
        write(os.path.join(directory, "cpu1"), counters(*after))
        os.rename(os.path.join(directory, "cpu1"), path + "/counters/cpu1")
        rows = {}
        while not rows:
            length, rate, rows = live.table()
        equal("rows by time: mean, p99 and longest", [(name, *columns[2:]) for name, columns in rows.items()],
              [("__kvm_vcpu_run", "9.900us", "16.37us", "6.400ms"), ("smc", "1.000us", "1.600us", "1.600us")])
        result("visits per second", [] if 1002 / (length + 0.001) - 1 <= rate <= 1002 / (length - 0.001) + 1
               else [rate, length])
        equal("and again nothing", live.table()[1:], (0, {}))
        equal("Ctrl-C", live.end(signal.SIGINT), (0, ""))
    with Live(path, "-i", "200ms", "-n", "2") as live:
        equal("two tables, and no more", [live.table()[1], live.table()[1], live.end()], [0, 0, (0, "")])
    with Live(path, "-d", "300ms") as live:
        equal("a duration that is less than the interval", [0.3 <= live.table()[0], live.end()], [True, (0, "")])
    with Live(path, "-i", "200ms") as live:
        live.table()
        equal("SIGTERM", live.end(signal.SIGTERM), (143, ""))


def test_top_errors(directory):
    path = remote(directory, "toperrors", {0: counters(*[row()] * 6)})
    off = "hyptrace: counting is off: switch it on with 'hyptrace metrics --enable'\n"
    with Live(path, "-i", "200ms") as live:
        live.table()
        write(path + "/counters/enable", "0\n")
        equal("counting is switched off", live.end(), (1, off))
    with Live(path) as live:
        equal("counting is off", live.end(), (1, off))
    for option in "--json", "--cumulative", "--cpus=0", "--event=x", "--hyp-event=x", "--clock=x":
        text = "hyptrace: --counters with %s: expected one of them\n" % option.split("=")[0]
        with Live(path, option) as live:
            equal("--counters with " + option, live.end(), (2, text))


def controlling():
    """Standard input becomes the terminal of the session"""
    os.close(os.open(os.ttyname(0), os.O_RDWR))


def test_terminal(directory):
    path = remote(directory, "terminal", {0: counters(*[row()] * 6)})
    ours, terminal = pty.openpty()
    with Live(path, stdin=terminal, stdout=terminal, env=dict(os.environ, TERM="linux"), start_new_session=True,
              preexec_fn=controlling) as live:
        os.close(terminal)
        seen = b""
        while b"EL2 VISIT" not in seen:
            seen += os.read(ours, 4096)
        os.write(ours, b"q")
        equal("on a terminal, q ends it", live.end(), (0, ""))
        equal("a table replaces the one before", seen.startswith(b"\033[H"), True)
    os.close(ours)


# Prometheus

def test_promtool(directory):
    path = remote(directory, "promtool", {0: counters(row(2, 2, b1=1), *[row()] * 3, row(9, 9, b3=1), row())})
    tool = program("promtool")
    for path in [path] + REAL:
        done = run(tool, "check", "metrics", input=printed(path).encode(), timeout=LIMIT)
        equal("promtool check metrics", (done.returncode, done.stdout, done.stderr), (0, b"", b""))
    for what, file in ("check", RULES), ("test", RULES.replace(".yml", ".test.yml")):
        done = run(tool, what, "rules", file, timeout=LIMIT)
        result("promtool %s rules" % what,
               [] if done.returncode == 0 and b"SUCCESS" in done.stdout else [done.stdout, done.stderr])


CONFIG = """
global: {scrape_interval: 1s, evaluation_interval: 1s}
rule_files: ["%s"]
scrape_configs:
  - job_name: node
    static_configs: [{targets: ["%s"]}]
"""


class Server:
    """A program that answers at an address of the loopback device"""

    def __init__(self, directory, name, *options):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.address = "127.0.0.1:%d" % free.getsockname()[1]
        self.log = os.path.join(directory, name + ".log")
        with open(self.log, "w") as log:
            self.process = subprocess.Popen([program(name), "--web.listen-address=" + self.address, *options],
                                            stdout=log, stderr=log, stdin=subprocess.DEVNULL, cwd=directory)

    def get(self, path):
        """The answer; None if there is none yet"""
        assert self.process.poll() is None, open(self.log).read()[-2000:]
        try:
            no_proxy = urllib.request.build_opener(urllib.request.ProxyHandler({}))
            with no_proxy.open("http://%s%s" % (self.address, path), timeout=LIMIT) as answer:
                return answer.read()
        except (urllib.error.URLError, ConnectionError):
            return None

    def end(self):
        self.process.terminate()
        try:
            self.process.wait(LIMIT)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


def until(get, wanted):
    """What get() gives when it is wanted, or at last"""
    end = time.monotonic() + LIMIT
    while True:
        got = get()
        if wanted(got) or time.monotonic() > end:
            return got
        time.sleep(0.2)


class Prometheus:
    """Prometheus and node_exporter, which reads the files in a directory"""

    def __init__(self, directory):
        self.textfiles = os.path.join(directory, "textfiles")
        os.makedirs(self.textfiles)
        self.servers = []
        try:
            self.start(directory)
        except BaseException:
            self.end()
            raise

    def start(self, directory):
        exporter = Server(directory, "prometheus-node-exporter", "--collector.disable-defaults",
                          "--collector.textfile", "--collector.textfile.directory=" + self.textfiles)
        self.servers.append(exporter)
        config = os.path.join(directory, "prometheus.yml")
        with open(config, "w") as out:
            out.write(CONFIG % (RULES, exporter.address))
        self.server = Server(directory, "prometheus", "--config.file=" + config,
                             "--storage.tsdb.path=" + os.path.join(directory, "data"))
        self.servers.append(self.server)

    def ask(self, path):
        answer = json.loads(self.server.get("/api/v1/" + path) or b"{}")
        return answer.get("data", {})

    def query(self, text):
        return self.ask("query?" + urllib.parse.urlencode({"query": text})).get("result", [])

    def figures(self):
        figures = {}
        for answer in self.query('{__name__=~"hyptrace_.*"}'):
            labels = {k: v for k, v in answer["metric"].items() if k not in ("__name__", "instance", "job")}
            key, number = sample(answer["metric"]["__name__"], labels, number_of(answer["value"][1]))
            figures[key] = number
        return figures

    def check(self, what, path):
        """Prometheus gets the figures in the files, and no others"""
        assert metrics(path, "-o", self.textfiles + "/hyptrace.prom") == (0, "", "")
        want = in_files(path)
        same(what, until(self.figures, lambda got: got == want), want)

    def alerts(self):
        """Those that fire, or will if it lasts"""
        return [alert["labels"]["alertname"] for alert in self.ask("alerts").get("alerts", [])]

    def rules(self):
        return {rule["name"]: rule["health"]
                for group in self.ask("rules").get("groups", []) for rule in group["rules"]}

    def end(self):
        for server in self.servers:
            server.end()


def check_alerts(prometheus):
    names = re.findall(r"alert: (\w+)", open(RULES).read())
    equal("Prometheus evaluates the rules",
          until(prometheus.rules, lambda rules: rules and set(rules.values()) == {"ok"}),
          {name: "ok" for name in names})
    name = "HyptraceNotCounting"
    equal("counting is off: %s" % name, name in until(prometheus.alerts, lambda alerts: name in alerts), True)


def test_prometheus(directory):
    first = counters(row(5, 3, b0=1, b1=1), row(), row(3, 3, b1=1), row(),
                     row(2 ** 40, 2 ** 39, b2=10 ** 9, b29=2), row())
    more = counters(row(5, 3, b0=1, b1=1), row(7, 7, b2=1), row(3, 3, b1=1), row(),
                    row(2 ** 41, 2 ** 40, b2=2 * 10 ** 9, b29=4), row())
    path = remote(directory, "chain", {0: first})
    prometheus = Prometheus(os.path.join(directory, "prometheus"))
    try:
        prometheus.check("Prometheus has the figures", path)
        write(path + "/counters/cpu0", more)
        write(path + "/counters/cpu5", first)
        prometheus.check("Prometheus has new figures, and those of another CPU", path)
        equal("no alert that counting is off", "HyptraceNotCounting" in prometheus.alerts(), False)
        write(path + "/counters/enable", "0\n")
        prometheus.check("Prometheus has that counting is off", path)
        check_alerts(prometheus)
        for real in REAL:
            prometheus.check("Prometheus has the figures of %s" % real, real)
    finally:
        prometheus.end()


# Real counters

REAL = [os.path.join(path, "remotes/hypervisor") for path in sys.argv[3:]]


def check_real(path):
    text, figures = printed(path + "/remotes/hypervisor"), in_files(path + "/remotes/hypervisor")
    same("figures of " + path, in_text(text), figures)
    counts = [number for (name, _), number in figures.items() if name.endswith("_count")]
    result("there were visits", [] if len(counts) > 3 and sum(counts) > 100 else [counts])
    there, before = path + "/metrics.prom", path + "/before.prom"
    if os.path.exists(there):
        equal("it was the same where they are from", open(there).read(), text)
    if os.path.exists(before):
        equal("before anything was counted", in_text(open(before).read()), {("hyptrace_el2_counting", frozenset()): 0})


OTHERS = "smc", "hvc", "sys", "psci", "host_abort"
AGREE = "__kvm_vcpu_run", "__hyp_trace_selftest", "guest_exit"


def recorded(path):
    """{kind: [ticks of each visit]} of a recording, where a tick is 16 ns"""
    done = run(HYPTRACE, "query", "--json", path, "SELECT reason, hypercall, ns FROM entry")
    assert done.returncode == 0, done.stderr
    visits = {}
    for line in done.stdout.splitlines():
        entry = json.loads(line)
        kind = entry["hypercall"] or (entry["reason"] if entry["reason"] in OTHERS else "guest_exit")
        visits.setdefault(kind, []).append(entry["ns"] / 16)
    return visits


def check_agreement(path):
    """Events and counters of the same visits are the same, to the tick"""
    then, now = (in_text(open("%s/%s.prom" % (path, name)).read()) for name in ("from", "to"))
    visits = recorded(path + "/agree.dat")
    for kind in AGREE:
        labels = {"reason": kind, "hypercall": ""} if kind == "guest_exit" else {"reason": "hvc", "hypercall": kind}

        def more(name, **le):
            key, _ = sample("hyptrace_el2_visit_seconds_" + name, dict(labels, **le), 0)
            return now[key] - then.get(key, 0)

        ticks = visits[kind]
        equal("number of %s" % kind, more("count"), len(ticks))
        equal("time of %s" % kind, round(more("sum") * 62500000), sum(ticks))
        bounds = [2 ** (n + 1) - 1 for n in range(BUCKETS - 1)]
        equal("histogram of %s" % kind, [more("bucket", le=n / 62500000) for n in bounds],
              [sum(t <= n for t in ticks) for n in bounds])


def test_real(_):
    for path in sys.argv[3:]:
        attempt(check_real, path)
        if os.path.exists(path + "/agree.dat"):
            attempt(check_agreement, path)


print("TAP version 13")
attempt_each((test_text, test_numbers, test_off, test_errors, test_output, test_top, test_top_errors, test_terminal,
              test_promtool, test_real, test_prometheus))
finish()
