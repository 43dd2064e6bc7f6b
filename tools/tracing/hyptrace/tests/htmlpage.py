# SPDX-License-Identifier: GPL-2.0
"""Reads the data of a page of "hyptrace export --html"; its format: src/export/htmldata.c"""
import base64
import json
import re

DATA = re.compile(rb'(<script type="text/plain" id="data">)([A-Za-z0-9+/=]*)(</script>)')
PLACES = ("task", "el2", "guest", "irq", "softirq", "idle", "unknown")
EVENT, STRANGER, LOSS, CORRUPT = range(4)


class Reader:
    def __init__(self, data):
        self.data = data
        self.at = 0

    def varint(self):
        value = shift = 0
        while True:
            byte = self.data[self.at]
            self.at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    def signed(self):
        value = self.varint()
        return -(value + 1) // 2 if value & 1 else value // 2

    def text(self):
        size = self.varint()
        self.at += size
        assert self.at <= len(self.data)
        return self.data[self.at - size:self.at]

    def list(self, element):
        return [element() for _ in range(self.varint())]

    def tuple(self, size):
        return tuple(self.varint() for _ in range(size))


class Page:
    """
    shell: the page without its data
    lines: what "report" prints of each event and loss, as bytes
    spans: {cpu: [(start, end, place, task, vcpu), ...]}
    stays: {cpu: [(start, end, reason, call), ...]}
    calls: {cpu: [(start, end, call, ns at EL2), ...]}
    switches: {cpu: [(start, end, way), ...]}
    """

    def __init__(self, path):
        with open(path, "rb") as page:
            text = page.read()
        match = DATA.search(text)
        self.shell = text[:match.start(2)] + text[match.end(2):]
        r = Reader(base64.b64decode(match[2], validate=True))
        assert r.data[:4] == b"HTD1"
        r.at = 4
        self.file, self.kernel, self.clock, base, stat = (r.text() for _ in range(5))
        self.base, self.stat = int(base), json.loads(stat)
        self.words = r.list(r.text)
        texts = [b" ".join(line) for line in r.list(lambda: [self.words[w] for w in r.list(r.varint)])]
        self.tasks = [(pid, self.words[comm]) for pid, comm in
                      r.list(lambda: (r.signed(), r.varint()))]
        self.kinds = r.list(lambda: r.tuple(6))
        self.places = r.list(lambda: self.read_place(r))
        self.read_events(r, texts)
        self.spans, self.stays, self.calls, self.switches = {}, {}, {}, {}
        r.list(lambda: self.read_cpu(r))
        assert r.at == len(r.data)

    def read_place(self, r):
        place, task, named = r.tuple(3)
        vcpu = r.tuple(2) if named == 2 else () if named else None
        return PLACES[place], self.tasks[task], vcpu

    def read_events(self, r, texts):
        self.lines, self.stamps, stamp = [], [], self.base
        for _ in range(r.varint()):
            stamp += r.signed()
            kind, text = r.tuple(2)
            self.lines.append(self.line(stamp, self.kinds[kind], texts[text]))
            self.stamps.append(stamp)

    def line(self, stamp, kind, text):
        what, side, cpu, task, _, name = kind
        line = b"[%03d] %5d.%09d %-4s " % (cpu, stamp // 10**9, stamp % 10**9,
                                           (b"host", b"hyp", b"guest")[side])
        if what >= LOSS:
            return line + b"*** " + text
        pid, comm = self.tasks[task]
        if what == STRANGER and pid < 0:
            return line + b"%16s-%-7s %s: %s" % (b"?", b"?", self.words[name], text)
        return line + b"%16s-%-7d %s: %s" % (comm, pid, self.words[name], text)

    def word(self, number):
        return self.words[number - 1].decode() if number else None

    def read_cpu(self, r):
        cpu, start = r.varint(), self.base + r.signed()
        spans = []
        for ns, place in r.list(lambda: r.tuple(2)):
            spans.append((start, start + ns) + self.places[place])
            start += ns
        self.spans[cpu] = spans
        self.stays[cpu] = self.read_visits(r, self.word)
        self.calls[cpu] = self.read_visits(r, int)
        self.switches[cpu] = self.read_visits(r)

    def read_visits(self, r, *more):
        visits, at = [], self.base
        for gap, ns, what, *rest in r.list(lambda: (r.signed(),) + r.tuple(2 + len(more))):
            visits.append((at + gap, at + gap + ns, self.word(what)) +
                          tuple(read(value) for read, value in zip(more, rest)))
            at += gap + ns
        return visits
