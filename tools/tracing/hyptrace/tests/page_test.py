#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Usage: page_test.py HYPTRACE [EVENTS]

Opens pages of "hyptrace export --html" in a headless Chromium, and does what a user
does: zooms, pans, points, clicks, searches, and presses keys. The recordings are
synthetic; the large one has EVENTS events (200000). TAP; the time to draw is printed,
but not checked.
"""
import base64
import decimal
import os
import re
import subprocess
import sys
import tempfile
import time

import browser
import page_compare_tests
import page_flame_tests
import page_guest_tests
import page_lanes_tests
import page_range_tests
import page_use_tests
import synth
from pagetools import canvas_at, colour, contrast, expect, look, near, pixel, text, view
from tap import finish, result

HYPTRACE = sys.argv[1]
EVENTS = int(sys.argv[2]) if len(sys.argv) > 2 else 200000
ON = synth.enabled("hyp_enter", "hyp_exit")
COMMS = b"7 qemu\n9 </script><b>&\"\n"
ENTER = {"smc": 0, "hvc": 1, "guest_exit": 5}
CPUS = 4
WIDTH, HEIGHT = 1400, 900
SHIFT = 8		# the modifier key
PERIOD = 10000		# ns of one round


# --- the recordings -----------------------------------------------------------

def one_round(ts, number):
    """host 5000 ns | EL2 1000 (hvc) | guest 3000 | EL2 1000, as 7 events"""
    reason = "smc" if number % 1000 == 3 else "hvc"
    return [(ts + 5000, "hyp_enter", 7, {"reason": ENTER[reason]}),
            (ts + 5100, "host_hcall", 7, {"id": 12, "a1": number}),
            (ts + 6000, "hyp_exit", 7, {"reason": 7, "vcpu": 7}),
            (ts + 9000, "hyp_enter", 7, {"reason": 5}),
            (ts + 9200, "vm_create", 7, {"ret": -12, "tiny": number & 0xffff}),
            (ts + 9300, "vcpu_illegal_trap", 7, {"esr": number}),
            (ts + 10000, "hyp_exit", 7, {"reason": 6})]


def write_large(path):
    """CPUs do the same rounds, 100 ns apart; in the middle of CPU 1, events are lost"""
    rounds = EVENTS // 7 // CPUS
    hyp = {}
    for cpu in range(CPUS):
        pages, events = [], [(cpu * 100 + 1, "hyp_exit", 7, {"reason": 6})]
        for number in range(rounds):
            events += one_round(number * PERIOD + cpu * 100, number)
            if len(events) > 90:
                lost = 37 if cpu == 1 and len(pages) == rounds // 26 else 0
                pages.append(synth.page(events, lost))
                events = []
        hyp[cpu] = pages + ([synth.page(events)] if events else [])
    synth.write(path, {}, hyp, texts=ON, comms=COMMS)
    return rounds


def write_hostile(path):
    events = [(1000, "hyp_enter", 9, {"reason": 1}), (1100, "markup", 9, {"x": 5}),
              (2000, "hyp_exit", 9, {"reason": 6}), (3000, "hyp_enter", 9, {"reason": 0})]
    synth.write(path, {}, {0: [synth.page(events)]}, texts=ON, comms=COMMS,
                uname=b"Linux </script><img src=x onerror=alert(1)> 6.12")


def export(path):
    subprocess.run([HYPTRACE, "export", "-q", "--html", path], check=True)
    return path[:-4] + ".html"


def report(path):
    done = subprocess.run([HYPTRACE, "report", path], stdout=subprocess.PIPE, check=True)
    return done.stdout.decode().splitlines()


# --- the tests ----------------------------------------------------------------

def test_whole(b, lines):
    expect("whole: nothing is loaded", not b.requests(), b.requests())
    expect("whole: no complaint", not b.complaints(), b.complaints())
    events = sum(" *** " not in line for line in lines[:-1])
    facts = re.sub(r"\s+", " ", text(b, "facts").replace("\u202f", ""))
    expect("whole: the head", all(f in facts for f in (
        "clock boot", "CPUs 4", "hypervisor events %d" % events, "lost 37 in 1 place")), facts)
    drawn, width, milliseconds = b.js("[page.timeline.primitives, page.timeline.width, page.frameMs]")
    print("# %d events: %d primitives, %.1f ms" % (events, drawn, milliseconds))
    expect("whole: what is drawn is bounded by pixels", 1000 < drawn < 11 * CPUS * width, drawn)
    times = b.js("""(() => {
        const times = [];
        for (let i = 0; i < 60; i++) {
            page.scaleView(i < 30 ? 1.3 : 1 / 1.3);
            page.frame();
            times.push(page.frameMs);
        }
        return times.sort((x, y) => x - y);
    })()""")
    print("# zoom in and out, 60 frames: median %.1f ms, worst %.1f ms" % (times[30], times[59]))
    seen = b.js("""(() => {
        let most = 0;
        for (let i = 0; i < 45; i++) {
            page.scaleView(1.5);
            page.frame();
            most = Math.max(most, page.timeline.primitives);
        }
        return most;
    })()""")
    expect("whole: at every zoom", seen < 11 * CPUS * width, seen)


def test_zoom(b, end):
    b.key("0")
    first, last = view(b)
    x, y = canvas_at(b, end // 3, 0, 0)
    b.wheel(x, y, -400)
    begin, finish = view(b)
    size = finish - begin
    at = canvas_at(b, end // 3, 0, 0)[0]
    expect("zoom: the wheel, around the pointer", size < 0.8 * (last - first) and near(at, x, 2),
           size, at, x)
    b.wheel(x, y, 300, SHIFT)
    after = view(b)
    expect("zoom: the wheel with Shift moves", after[0] > begin and near(after[1] - after[0], size, 1), after)
    b.drag(900, 700, y)
    moved = view(b)
    pixel_ns = size / b.js("page.inside()")
    expect("zoom: a drag moves", near(moved[0] - after[0], 200 * pixel_ns, 5 * pixel_ns), moved, after)
    for key, test in (("+", lambda old, new: near((old[1] - old[0]) / 1.6, new[1] - new[0], 2)),
                      ("ArrowLeft", lambda old, new: new[0] < old[0]),
                      ("ArrowRight", lambda old, new: new[0] > old[0]),
                      ("-", lambda old, new: new[1] - new[0] > old[1] - old[0]),
                      ("Home", lambda old, new: near(new[0], first, 2)),
                      ("End", lambda old, new: near(new[1], last, 2)),
                      ("0", lambda old, new: near(new[0], first, 2) and near(new[1], last, 2))):
        old = view(b)
        b.key(key)
        expect("zoom: key " + key, test(old, view(b)), old, view(b))
    b.js("page.scaleView(1e12)")
    expect("zoom: no closer than 100 ns", near(view(b)[1] - view(b)[0], 100, 1), view(b))


def test_lanes(b, start, theme):
    """Colours where it is known what runs"""
    if b.js("document.documentElement.dataset.theme") != theme:
        b.key("t")
    look(b, start - 1000, start + 11000)
    want = {"host": (4900, 0), "el2": (5900, 1), "guest": (8900, 2)}
    for name, (t, row) in want.items():
        seen = [pixel(b, start + t, 0, r) for r in range(3)]
        others = [s for r, s in enumerate(seen) if r != row]
        good = seen[row] == colour(b, name) and all(s == colour(b, "lane") for s in others)
        expect("lanes: %s, %s" % (name, theme), good, seen, colour(b, name), colour(b, "lane"))


def test_hover(b, start):
    look(b, start - 1000, start + 11000)
    for what, t, row, wants in (
            ("host", 2500, 0, ("unknown task", "5.000 \u00b5s", "CPU\n0")),
            ("EL2", 5500, 1, ("EL2: hvc 12", "1.000 \u00b5s", "reason\nhvc", "hypercall\n12", "qemu-7",
                              "%d.%09d s" % divmod(start + 5000, 10**9))),
            ("guest", 7500, 2, ("vCPU", "3.000 \u00b5s", "qemu-7"))):
        b.mouse("mouseMoved", *canvas_at(b, start + t, 0, row))
        b.frames()
        tip = text(b, "tip")
        expect("hover: " + what, all(w in tip for w in wants), tip)
    b.mouse("mouseMoved", *canvas_at(b, start + 9200, 0, 3))
    b.frames()
    tip = re.sub(r"\s+", " ", text(b, "tip"))
    expect("hover: an event", "hypervisor:vm_create" in tip and "ret -12" in tip and
           "vm_create: ret=-12 tiny=" in tip, tip)
    b.mouse("mouseMoved", WIDTH / 2, HEIGHT - 20)
    b.frames()
    expect("hover: gone", b.js("document.getElementById('tip').hidden"))


def test_select(b, start):
    look(b, start - 3000, start + 11000)
    b.click(*canvas_at(b, start + 5500, 0, 1))
    expect("select: a click", "EL2: hvc 12" in text(b, "details"), text(b, "details"))
    b.key("]")
    expect("select: next EL2 entry", "EL2: guest_exit" in text(b, "details"), text(b, "details"))
    b.key("[")
    b.key("[")
    expect("select: previous EL2 entry", "EL2: guest_exit" in text(b, "details"), text(b, "details"))
    b.click(*canvas_at(b, start + 9200, 0, 3))
    b.key(".")
    expect("select: next event", "vcpu_illegal_trap" in text(b, "details"), text(b, "details"))
    b.key(",")
    b.key(",")
    expect("select: previous event", "hyp_enter" in text(b, "details"), text(b, "details"))
    b.key("ArrowDown")
    b.key("]")
    expect("select: next CPU", "CPU\n1" in text(b, "details"), text(b, "details"))
    b.key("Enter")
    expect("select: zoom to it", near(view(b)[1] - view(b)[0], 1500, 5), view(b))
    b.key("Escape")
    expect("select: nothing", "Click a slice" in text(b, "details"), text(b, "details"))


def test_search(b, lines):
    def hits(*words):
        return sum(all(w in line for w in words) for line in lines)

    b.key("0")
    b.key("/")
    b.type("reason=smc")
    n = hits("reason=smc")
    expect("search: a field", text(b, "hits") == "%d hits" % n, text(b, "hits"), n)
    b.key("Enter")
    expect("search: the first", "smc" in text(b, "details") and text(b, "hits").startswith("1 of"),
           text(b, "hits"), text(b, "details"))
    b.key("Enter", SHIFT)
    expect("search: the one before is the last", text(b, "hits").startswith("%d of" % n), text(b, "hits"))
    for query, n in (("HOST_HCALL cpu2", hits(" host_hcall: ", "[002]")),
                     ("qemu-7 hyp hypervisor:vm_create tiny=77",
                      hits(" vm_create: ", "tiny=77")), ("lost", 1), ("xyzzy", 0)):
        b.key("Escape")
        b.key("/")
        b.type(query)
        said = text(b, "hits").replace("\u202f", "")
        want = "no event found" if not n else "%d hit%s" % (n, "s" if n > 1 else "")
        expect("search: " + query, said == want, said, want)
    b.key("Escape")
    expect("search: cleared", text(b, "hits") == "", text(b, "hits"))


def test_tables(b):
    for title, want in (("CPUs", r"CPU 3\t"), ("Tasks", r"qemu-7\t"), ("EL2 entries", r"guest_exit\t"),
                        ("Hypercalls", r"12\t"), ("Events", r"\[00\d\] +\d+\.\d{9} hyp ")):
        b.js("Array.from(document.querySelectorAll('#tabs button'))"
             ".find((t) => t.textContent === '%s').click()" % title)
        expect("tables: " + title, re.search(want, text(b, "table")), text(b, "table")[:200])
    inside = b.js("(() => { const row = document.querySelector('tr.current').getBoundingClientRect();"
                  " const table = document.getElementById('table').getBoundingClientRect();"
                  " return row.top >= table.top && row.bottom <= table.bottom &&"
                  " table.bottom <= innerHeight && !document.body.scrollTop; })()")
    expect("tables: the selected event is in view", inside)
    b.js("page.tabs.show(4)")
    box = b.js("(() => { const r = document.querySelector('#table tbody tr').getBoundingClientRect();"
               " return [r.left + 30, r.top + 8]; })()")
    b.click(*box)
    expect("tables: a row searches", "hyp_enter reason=" in b.js("document.getElementById('query').value")
           and "of" in text(b, "hits"), text(b, "hits"))


def test_loss(b, lines):
    """The loss is where report says, and time before it is unknown, hatched"""
    line = next(line for line in lines if "*** 37 events lost" in line)
    stamp = int(re.match(r"\[001\] +(\d+)\.(\d{9})", line)[1] +
                re.match(r"\[001\] +(\d+)\.(\d{9})", line)[2])
    b.js("page.hits.search('')")
    look(b, stamp - 6000, stamp + 6000)
    b.mouse("mouseMoved", *canvas_at(b, stamp, 1, 3))
    b.frames()
    expect("loss: hover", "37 events lost" in text(b, "tip"), text(b, "tip"))
    expect("loss: its colour", pixel(b, stamp, 1, 2) == colour(b, "loss"), pixel(b, stamp, 1, 2))
    b.mouse("mouseMoved", *canvas_at(b, stamp - 2000, 1, 1))
    b.frames()
    expect("loss: unknown time", "Unknown" in text(b, "tip"), text(b, "tip"))
    lane = {pixel(b, stamp - 500 - 12 * i, 1, 1) for i in range(40)}
    expect("loss: hatched", len(lane) > 2, lane)


def test_screenshot(b, end):
    """What comes to the screen has the colours of the lanes"""
    look(b, 0, end)
    picture = base64.b64encode(b.screenshot()).decode()
    count = b.js("""(async () => {
        const bytes = Uint8Array.from(atob("%s"), (c) => c.charCodeAt(0));
        const picture = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
        const canvas = new OffscreenCanvas(picture.width, picture.height);
        const c = canvas.getContext("2d");
        c.drawImage(picture, 0, 0);
        const box = document.getElementById("lanes").getBoundingClientRect();
        const data = c.getImageData(box.left, box.top, box.width, box.height).data;
        const count = {};
        for (let i = 0; i < data.length; i += 4) {
            const colour = "#" + [0, 1, 2].map((k) => data[i + k].toString(16).padStart(2, "0")).join("");
            count[colour] = (count[colour] || 0) + 1;
        }
        return count;
    })()""" % picture)
    seen = {name: count.get(colour(b, name), 0) for name in ("host", "el2", "guest", "loss")}
    print("# pixels: %s" % seen)
    expect("screenshot: all lanes are there", seen["host"] > 20000 and seen["el2"] > 8000 and
           seen["guest"] > 10000 and seen["loss"] > 50, seen)


def test_access(b):
    """Contrast as WCAG 2 defines it, names of what can be operated"""
    for _ in range(2):
        low = ["%s on %s" % pair for pair in (
            ("text", "background"), ("text", "panel"), ("muted", "panel"), ("muted", "background"),
            ("on-slice", "host"), ("on-slice", "el2"), ("on-slice", "guest"), ("on-slice", "irq"),
            ("on-slice", "softirq"), ("text", "idle"))
            if contrast(colour(b, pair[0]), colour(b, pair[1])) < 4.5]
        expect("access: contrast, " + b.js("document.documentElement.dataset.theme"), not low, low)
        b.key("t")
    unnamed = b.js("Array.from(document.querySelectorAll('button, input, select, canvas[tabindex]')).filter("
                   "(e) => !e.textContent.trim() && !e.ariaLabel).map((e) => e.outerHTML)")
    expect("access: all have names", not unnamed, unnamed)
    b.key("?")
    expect("access: help opens", b.js("document.getElementById('help').open"))
    b.key("Escape")
    expect("access: help closes", not b.js("document.getElementById('help').open"))


def test_overview(b, start, end):
    look(b, start, start + 10 * PERIOD)
    box = b.js("(() => { const r = document.getElementById('overview').getBoundingClientRect();"
               " return [r.left + LABELS, r.right, r.top + r.height / 2]; })()")
    middle = (box[0] + box[1]) / 2
    b.click(middle, box[2])
    seen = view(b)
    expect("overview: a click", near(sum(seen) / 2, end / 2, end / 500) and
           near(seen[1] - seen[0], 10 * PERIOD, 2), seen, end / 2)
    b.drag(middle, middle + (box[1] - box[0]) / 4, box[2])
    seen = view(b)
    expect("overview: a drag", near(sum(seen) / 2, end * 3 / 4, end / 500), seen, end * 3 / 4)


def test_many_cpus(b, directory):
    """Only what is in the window is drawn, and the keys reach the last CPU"""
    path = directory + "/many.dat"
    hyp = {cpu: [synth.page([(cpu * 10 + 1, "hyp_exit", 7, {"reason": 6})] + one_round(0, cpu))]
           for cpu in range(200)}
    synth.write(path, {}, hyp, texts=ON, comms=COMMS)
    b.open(export(path))
    drawn = b.js("page.timeline.primitives")
    expect("many CPUs: what is not seen is not drawn", drawn < 700, drawn)
    for _ in range(199):
        b.js("page.stepLane(1)")
    b.key("]")
    t, y = b.js("page.state.selected.start"), canvas_at(b, 5500, 199, 1)[1]
    lanes = b.js("(() => { const r = document.getElementById('lanes').getBoundingClientRect();"
                 " return [r.top, r.bottom]; })()")
    expect("many CPUs: the last one", "CPU\n199" in text(b, "details") and lanes[0] < y < lanes[1],
           text(b, "details"), t, y, lanes)
    before = b.js("document.getElementById('lanes').scrollTop")
    width = view(b)
    b.wheel(30, (lanes[0] + lanes[1]) / 2, -300)
    end = time.monotonic() + 10
    while b.js("document.getElementById('lanes').scrollTop") >= before and time.monotonic() < end:
        b.frames()
    after = b.js("document.getElementById('lanes').scrollTop")
    expect("many CPUs: the wheel over the names scrolls", after < before and view(b) == width,
           before, after, width, view(b))


def test_tiny(b, directory):
    """Pages with one event and with none can be operated"""
    path = directory + "/tiny.dat"
    for pages in [synth.page([(5, "hyp_enter", 7, {"reason": 1})])], []:
        synth.write(path, {}, {0: pages}, texts=ON, comms=COMMS)
        b.open(export(path))
        for key in (*"][.,+-0nN", "ArrowDown", "ArrowRight", "End", "Enter"):
            b.key(key)
        b.mouse("mouseMoved", *canvas_at(b, 5, 0, 1))
        b.click(*canvas_at(b, 5, 0, 3))
        b.js("page.hits.search('hyp_enter')")
        b.js("page.tabs.show(0)")
        expect("tiny: %d events" % len(pages), not b.complaints() and
               ("reason=hvc" in text(b, "table")) == bool(pages), b.complaints())


def test_axis(b, directory):
    """At any zoom, ticks are at all multiples of 1, 2 or 5 times a power of ten"""
    path = directory + "/axis.dat"
    begin, length = 1234567890123, 10**12
    synth.write(path, {}, {0: [synth.page([(ts, "hyp_exit", 7, {"reason": 6})])
                               for ts in (begin, begin + length)]}, texts=ON)
    b.open(export(path))
    problems = []
    for size in [m * 10**n // 10 for n in range(3, 13) for m in (10, 17, 23, 41, 76)
                 if m * 10**n // 10 <= length]:
        for start in begin, begin + (length - size) // 3:
            look(b, start, start + size)
            shown = b.js("page.timeline.ticks.map(t => t.text)")
            ns = [int(decimal.Decimal(tick[:-2]) * 10**9) for tick in shown]
            step = ns[1] - ns[0] if len(ns) > 1 else 0
            good = 3 <= len(ns) <= 20 and str(step).rstrip("0") in ("1", "2", "5") and \
                ns == list(range(-(-start // step) * step, start + size + 1, step))
            problems += [] if good else ["%d from %d: %s" % (size, start, shown)]
    result("axis: round values", problems)


def test_hostile(b, directory):
    path = directory + "/hostile.dat"
    write_hostile(path)
    b.open(export(path))
    b.key(".")
    b.key(".")
    b.js("page.tabs.show(0)")
    seen = text(b, "details") + text(b, "table") + text(b, "facts")
    expect("hostile: all is text", '</script><b>&"-9' in seen and "<img src=x onerror=alert(5)>" in seen
           and "<img src=x onerror=alert(1)>" in seen, seen[:400])
    markup = b.js("[document.querySelectorAll('img, #details b, #table b').length,"
                  " document.scripts.length]")
    dialogs = [e for e in b.events if e.get("method") == "Page.javascriptDialogOpening"]
    expect("hostile: nothing became markup", markup == [0, 3] and not dialogs and not b.requests(), markup)
    b.js("(() => { const s = document.createElement('script'); s.textContent = 'window.evil = 1';"
         " document.body.append(s); document.body.insertAdjacentHTML('beforeend',"
         " '<img src=\"https://example.com/x\" onerror=\"window.evil = 2\">'); })()")
    b.frames()
    expect("hostile: the policy lets nothing else run", not b.js("window.evil") and
           any("Content Security Policy" in c for c in b.complaints()), b.complaints())


def test_broken(b, page):
    """A page that is cut, as by a full disk, says so"""
    with open(page, "rb") as whole:
        content = whole.read()
    at = content.index(b'id="data">') + len(b'id="data">')
    with open(page, "wb") as broken:
        broken.write(content[:at] + content[content.index(b"</script>", at):])
    b.call("Page.navigate", url="file://" + page)
    b.until("document.readyState === 'complete' && !!document.querySelector('[role=alert]')")
    said = b.js("document.querySelector('[role=alert]').innerText")
    expect("broken: it says so", "incomplete" in said, said)


def test_all(directory):
    path = directory + "/large.dat"
    rounds = write_large(path)
    page, lines = export(path), report(path)
    start, end = rounds // 3 * PERIOD, rounds * PERIOD
    print("# %d bytes of page" % os.path.getsize(page))
    with browser.Browser(WIDTH, HEIGHT) as b:
        b.open(page)
        test_whole(b, lines)
        test_zoom(b, end)
        test_lanes(b, start, "dark")
        test_lanes(b, start, "light")
        test_hover(b, start)
        test_select(b, start)
        test_search(b, lines)
        test_tables(b)
        test_loss(b, lines)
        test_screenshot(b, end)
        test_overview(b, start, end)
        test_access(b)
        expect("all: no complaint", not b.complaints(), b.complaints())
        page_use_tests.test_link(b, page, start)
        page_use_tests.test_address(b, page, start)
        page_use_tests.test_sort(b, page)
        page_use_tests.test_maxima(b, directory)
        page_use_tests.test_arrows(b, directory)
        for recording in page, directory + "/maxima.html":
            page_range_tests.test_totals(b, recording)
        page_range_tests.test_select(b, page, start)
        page_range_tests.test_keys(b, page, start)
        page_lanes_tests.test_all(b, directory, page, start)
        page_guest_tests.test_all(b, directory)
        page_flame_tests.test_all(b, HYPTRACE, directory)
        page_compare_tests.test_all(b, directory, WIDTH, HEIGHT)
        page_use_tests.test_narrow(b, page, WIDTH, HEIGHT)
        test_many_cpus(b, directory)
        test_axis(b, directory)
        test_tiny(b, directory)
        test_hostile(b, directory)
        test_broken(b, page)


def main():
    print("TAP version 13")
    if not browser.program():
        sys.exit("page_test.py: no chromium: install it ('make setup')")
    with tempfile.TemporaryDirectory() as directory:
        test_all(directory)
    finish()


main()
