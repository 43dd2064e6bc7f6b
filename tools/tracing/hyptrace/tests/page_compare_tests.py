# SPDX-License-Identifier: GPL-2.0
"""A part of page_test.py: the page of "compare --html"."""
import decimal
import json
import subprocess
import sys

import synth
from page_use_tests import click_element
from pagetools import expect, near

ON = synth.enabled("hyp_enter", "hyp_exit")
# The lengths of hypercalls and host aborts, one every 10 us; B begins 777 us later
CALLS = {"a": [200, 900, 400, 300], "b": [250, 350, 2000, 500, 450]}
ABORTS = {"a": [100] * 3, "b": []}
NARROW = 700
START = {"a": 5000000, "b": 5777000}


def write(path, name):
    """The n-th hypercall is at 10000 * n behind the start, the n-th abort 5000 ns later"""
    events = []
    for reason, lengths, more in ((1, CALLS[name], 0), (4, ABORTS[name], 5000)):
        for i, ns in enumerate(lengths):
            ts = START[name] + 10000 * i + more
            events += [(ts, "hyp_enter", 7, {"reason": reason}),
                       (ts + ns, "hyp_exit", 7, {"reason": 6})]
    synth.write(path, {}, {0: [synth.page(sorted(events, key=lambda e: e[0]))]}, texts=ON)


def compare(*options):
    return subprocess.run([sys.argv[1], "compare", *options], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE)


def open_page(b, page):
    b.call("Page.navigate", url="about:blank")
    b.events.clear()
    b.call("Page.navigate", url="file://" + page)
    b.until("document.readyState === 'complete' && !!window.compare")
    b.frames()


def views(b):
    """=> start and end of each view, as timestamps"""
    return b.js("compare.sides.map(({ page }) => [page.view.t0 + Number(page.data.base),"
                " page.view.t1 + Number(page.data.base)])")


def aligned(b, moments):
    """Whether these timestamps are at the same place, in views of the same size"""
    (a0, a1), (b0, b1) = views(b)
    return near(a1 - a0, b1 - b0, 0.01) and near(moments[0] - a0, moments[1] - b0, 0.01)


def selected(b):
    return b.js("compare.sides.map(({ page }) => page.state.selected &&"
                " page.state.selected.start + Number(page.data.base))")


def moment(name, i):
    return START[name] + 10000 * i


def test_figures(b, wanted):
    """Those of the table are those of --json"""
    values = b.js("compareTable(compare.comparison).rows.map(({ cells }) => cells.map((c) => c.value))")
    rows = [row for kind in ("entries", "hypercalls", "switches") for row in wanted[kind]]
    figures = [[side["count"] for side in (row["a"], row["b"])] +
               [side[p] if side["count"] else -1 for p in ("p50", "p99", "typical")
                for side in (row["a"], row["b"])] +
               [row["change"] if row["a"]["count"] and row["b"]["count"] else None,
                (row["verdict"] or "-") + ", over the limit" * row["fails"]]
               for row in rows]
    expect("compare: the figures of %d rows are those of --json" % len(rows),
           [v[2:] for v in values] == figures, values, figures)


def test_table(b, paths):
    wanted = json.loads(compare("--json", *paths).stdout)
    rows = b.js("[...document.querySelectorAll('#table tbody tr')].map((tr) =>"
                " [...tr.children].map((td) => td.textContent))")
    names = [row["name"] for kind in ("entries", "hypercalls", "switches") for row in wanted[kind]]
    expect("compare: the rows", [row[0] for row in rows] == names and "hvc" in names, rows, names)
    expect("compare: the counts", rows[0][2:4] == ["4", "5"], rows[0])
    test_figures(b, wanted)
    click_element(b, "#table th:nth-child(3) button")
    expect("compare: sorted by a click", b.js(
        "document.querySelector('#table tbody td').textContent") == "hvc")
    differ = b.js("document.getElementById('differ').innerText")
    expect("compare: what was recorded differently", differ == "; ".join(
        d["text"] for d in wanted["differences"]) and differ, differ)
    doubt = b.js("document.getElementById('doubt').innerText")
    expect("compare: why there is no verdict", doubt == "No verdict: " + wanted["no_verdict"], doubt)
    shares = b.js("document.getElementById('facts').innerText")
    expect("compare: the shares", "%.2f %%" % wanted["percent"]["el2"][1] in shares, shares)


def test_alignment(b):
    expect("compare: the first events are aligned", aligned(b, [START["a"], START["b"]]), views(b))
    click_element(b, "#table tbody tr")
    both = [moment("a", 1), moment("b", 2)]
    expect("compare: the slowest are aligned", aligned(b, both) and selected(b) == both, views(b),
           selected(b))
    (a0, a1), _ = views(b)
    expect("compare: with what was around them", near(a0, both[0] - 2000, 1) and
           near(a1, both[0] + 4000, 1), a0, a1)
    for button, wanted in (("faster", (2, 3)), ("faster", (3, 4)), ("slower", (2, 3)),
                           ("median", (3, 4)), ("slowest", (1, 2))):
        click_element(b, "#" + button)
        both = [moment("a", wanted[0]), moment("b", wanted[1])]
        expect("compare: " + button, aligned(b, both) and selected(b) == both, selected(b), both)


def test_views(b):
    both = [moment("a", 1), moment("b", 2)]
    for side in 0, 1:
        for what in "scaleView(4)", "pan(0.3)", "scaleView(1 / 64)", "pan(-5)", "setView(-1e9, 1e9)":
            b.js("compare.sides[%d].page.%s" % (side, what))
            b.frames()
            b.frames()
            expect("compare: %s of %s moves both" % (what, "AB"[side]), aligned(b, both), views(b))
        (a0, a1), (b0, b1) = views(b)
        expect("compare: both are whole in view", a0 < moment("a", 0) + 1 and b0 < moment("b", 0) + 1 and
               a1 > moment("a", 3) and b1 > moment("b", 4) + 400, views(b))
    frame = b.js("(() => { const r = compare.sides[0].frame.getBoundingClientRect();"
                 " return [r.left, r.top, r.width, r.height]; })()")
    before = views(b)
    b.wheel(frame[0] + frame[2] / 2, frame[1] + frame[3] / 2, -300)
    b.frames()
    expect("compare: the wheel zooms both", aligned(b, both) and views(b)[1] != before[1], views(b))


def test_nth(b):
    """In the order of time; of the numbers that both have"""
    click_element(b, "#table tbody tr")
    for typed, number in (("3", 2), ("0", 0), ("5", 3), ("1", 0), ("99", 3), ("-7", 0), ("4", 3), ("2", 1)):
        b.js("(() => { const nth = document.getElementById('nth'); nth.value = '%s';"
             " nth.dispatchEvent(new Event('input')); })()" % typed)
        both = [moment("a", number), moment("b", number)]
        expect("compare: number " + typed, aligned(b, both) and selected(b) == both, selected(b), both)
    expect("compare: as many as both have", b.js("document.getElementById('nth').max") == "4")
    b.js("document.getElementById('nth').focus()")
    b.key("ArrowUp")
    expect("compare: the next number by a key", selected(b) == [moment("a", 2), moment("b", 2)], selected(b))
    click_element(b, "#slowest")
    expect("compare: no number", b.js("document.getElementById('nth').value") == "")


UNITS = {"ns": 1, "\u00b5s": 10**3, "ms": 10**6, "s": 10**9}


def ns_of(text):
    """=> ns of a time as the axis has it"""
    number, unit = text.split()
    return decimal.Decimal(number) * UNITS[unit]


def test_axis(b):
    """Both have round times from the alignment on, at the same places, at any zoom"""
    b.js("compare.showSlowest(0)")
    problems = []
    for size in [m * 10**n // 10 for n in range(3, 7) for m in (10, 17, 23, 41, 76)]:
        for begin in -size // 3, -40 - size, 15007, 0:
            b.js("compare.setView(%d, %d)" % (begin, begin + size))
            b.frames()
            (t0, t1), (ticks, others) = views(b)[0], b.js(
                "compare.sides.map(({ page }) => page.timeline.ticks.map((t) => [Math.round(t.x), t.text]))")
            start, end = t0 - moment("a", 1), t1 - moment("a", 1)
            at = [ns_of(text) for _, text in ticks]
            step = at[1] - at[0] if len(at) > 1 else 0
            places = b.js("[%s].map((ns) => Math.round(compare.sides[0].page.shown().x("
                          "compare.anchor[0] + ns)))" % ",".join(map(str, at)))
            good = ticks == others and 2 <= len(at) <= 20 and \
                str(step.normalize()).split("E")[0].strip("0.") in ("1", "2", "5") and \
                all(x % step == 0 for x in at) and at[0] - step < start <= at[0] + 1 and \
                at[-1] <= end + 1 < at[-1] + step + 2 and places == [x for x, _ in ticks] and \
                all(text.startswith("+") == (ns > 0) for ns, (_, text) in zip(at, ticks))
            problems += [] if good else [(begin, size, ticks, others, start, end)]
    expect("compare: axes from the alignment on", not problems, *problems[:3])


def place_of(b, side, lane, row, ns):
    """=> where on the page something is, ns behind the alignment"""
    return b.js("""(() => {
        const { page, frame } = compare.sides[%d];
        const outer = frame.getBoundingClientRect();
        const inner = page.timeline.canvas.getBoundingClientRect();
        const lane = page.lanes.lanes[%d];
        return [outer.left + inner.left + page.shown().x(compare.anchor[%d] + %d),
                outer.top + inner.top + AXIS_AND_GAP + page.lanes.tops[%d] + lane.tops[%d] + 8];
    })()""".replace("AXIS_AND_GAP", "38") % (side, lane, side, ns, lane, row))


def test_tips(b):
    """Times from the alignment on; what is selected has a tip as well"""
    b.js("compare.showSlowest(0)")
    for side, ns, wants in ((1, 100, ("EL2: hvc", "from\n0 ns (0.005797000 s)", "to\n+2.000 \u00b5s (")),
                            (0, 3000, ("from\n+900 ns (", "to\n+5.000 \u00b5s (0.005015000 s)")),
                            (0, -1500, ("from\n-4.900 \u00b5s (", "to\n0 ns ("))):
        b.js("compare.setView(-12000, 12000)")
        b.frames()
        b.mouse("mouseMoved", *place_of(b, side, 0, 1 if ns == 100 else 0, ns))
        b.frames()
        tip = b.js("compare.sides[%d].frame.contentDocument.getElementById('tip').innerText" % side)
        expect("compare: the tip of %s at %d ns" % ("AB"[side], ns), all(w in tip for w in wants), tip)


def test_keys(b):
    """They zoom wherever the focus is; the theme is that of all"""
    b.js("compare.showSlowest(0)")
    b.js("document.querySelector('#table tbody tr').focus()")
    before = views(b)[1]
    b.key("+")
    after = views(b)[1]
    expect("compare: a key zooms", near((after[1] - after[0]) * 1.6, before[1] - before[0], 1) and
           aligned(b, [moment("a", 1), moment("b", 2)]), before, after)
    b.js("document.getElementById('nth').focus()")
    b.key("-")
    expect("compare: not while a number is typed", views(b)[1] == after, after)
    for where in "document.body.tabIndex = 0; document.body", "compare.sides[1].page.timeline.canvas":
        b.js("compare.setTheme('light'); %s.focus()" % where)
        b.key("t")
        themes = b.js("[document, ...compare.sides.map(({ frame }) => frame.contentDocument)]"
                      ".map((d) => d.documentElement.dataset.theme)")
        expect("compare: a key changes the theme of all", themes == ["dark"] * 3, where, themes)


def test_narrow(b, width, height):
    """All can be reached and is large enough; the moment is marked"""
    b.resize(NARROW, height)
    b.js("compare.showSlowest(0)")
    b.frames()
    outside = b.js("Array.from(document.querySelectorAll('button, input, output, #facts div'))"
                   ".filter((e) => { const r = e.getBoundingClientRect(); return r.left < 0 ||"
                   " r.right > innerWidth; }).map((e) => e.outerHTML)")
    expect("compare: narrow: nothing is outside", not outside and
           b.js("document.documentElement.scrollWidth") == NARROW, outside)
    rooms = b.js("compare.sides.map(({ page }) => page.timeline.height)")
    expect("compare: narrow: there is room for the lanes", min(rooms) > 120, rooms)
    marked = b.js("""compare.sides.map(({ page }, i) => {
        const c = page.timeline.canvas.getContext("2d");
        const x = Math.round(page.shown().x(compare.anchor[i]));
        const at = (x) => c.getImageData(x, 34, 1, 1).data.join();
        return at(x) !== at(x + 3) && page.timeline.ticks.every((tick) =>
            Math.round(tick.x) === x || at(x) !== at(Math.round(tick.x)));
    })""")
    expect("compare: a line at the moment", marked == [True, True], marked)
    b.resize(width, height)


# Of hypercalls: ns at EL2 before a run of a guest, of the guest, and at EL2 after it
NESTED = {"a": [(100, 5000, 50), (400, 0, 0), (200, 0, 0)],
          "b": [(300, 0, 0), (100, 9000, 100), (700, 0, 0), (150, 0, 0), (10, 500, 90)]}


def write_nested(path, calls):
    events = []
    for i, (before, guest, after) in enumerate(calls):
        ts = 1000000 + 20000 * i
        events += [(ts, "hyp_enter", 7, {"reason": 1}), (ts + 5, "host_hcall", 7, {"id": 12})]
        if guest:
            events += [(ts + before, "hyp_exit", 7, {"reason": 7}),
                       (ts + before + guest, "hyp_enter", 7, {"reason": 5})]
        events += [(ts + before + guest + after, "hyp_exit", 7, {"reason": 6})]
    synth.write(path, {}, {0: [synth.page(events)]}, texts=ON)


def test_nested(b, directory):
    """The time of a hypercall is that at EL2, as in the table"""
    paths = [directory + "/nested-%s.dat" % name for name in "ab"]
    for path, name in zip(paths, "ab"):
        write_nested(path, NESTED[name])
    page = directory + "/nested.html"
    done = compare("--html=" + page, "--json", *paths)
    row = json.loads(done.stdout)["hypercalls"][0]
    open_page(b, page)
    b.js("[...document.querySelectorAll('#table tbody tr')].find((tr) => tr.cells[0].textContent === '12').click()")
    for button, wanted, figure in (("slowest", (1, 2), "max"), ("median", (2, 1), "p50")):
        click_element(b, "#" + button)
        expect("compare: nested, " + button, selected(b) == [1000000 + 20000 * i for i in wanted], selected(b))
        for i, name in enumerate("ab"):
            title = b.js("document.getElementById('name-%s').textContent" % name)
            expect("compare: nested, %s of %s" % (button, name), ", %d ns " % row[name][figure] in title,
                   title, row[name])
    expect("compare: nested, all of it", "200 ns at EL2 in 9.200 \u00b5s" in title, title)
    none = b.js("compare.sides[0].frame.contentWindow.visitBoxes({ words: ['x'], cpus: [{ stays:"
                " { n: 1, what: [0], start: [0], end: [5] } }] }, { list: 'stays', name: 'y' })")
    expect("compare: no name is not every name", none == [], none)


def test_missing(b):
    click_element(b, "#table tbody tr:nth-child(2)")
    title = b.js("document.getElementById('name-b').textContent")
    expect("compare: what only A has", selected(b) == [START["a"] + 5000, None] and
           "does not occur" in title, selected(b), title)
    click_element(b, "#starts")
    expect("compare: back to the starts", aligned(b, [START["a"], START["b"]]) and
           selected(b) == [None, None], views(b))
    b.js("compare.setTheme('dark')")
    themes = b.js("compare.sides.map(({ frame }) =>"
                  " frame.contentDocument.documentElement.dataset.theme)")
    expect("compare: one theme", themes == ["dark", "dark"], themes)


def test_limit(b, directory):
    """What is slower by more than --fail-over is marked"""
    paths = [directory + "/limit-%s.dat" % name for name in "ab"]
    for path, more in zip(paths, (0, 500)):
        write_nested(path, [(1000 + more + i, 0, 0) for i in range(20)])
    page = directory + "/limit.html"
    for limit, verdict in ("60%", "slower"), ("20%", "slower, over the limit"):
        done = compare("--independent", "--fail-over", limit, "--html", page, *paths)
        open_page(b, page)
        test_figures(b, json.loads(compare("--independent", "--fail-over", limit, "--json", *paths).stdout))
        seen = b.js("Array.from(document.querySelectorAll('#table td.slower'), (td) => td.textContent)")
        expect("compare: slower by more than " + limit, seen == [verdict] * 2 and
               done.returncode == (3 if "," in verdict else 0), seen, done.returncode)


def test_all(b, directory, width, height):
    paths = [directory + "/%s.dat" % name for name in "ab"]
    for path, name in zip(paths, "ab"):
        write(path, name)
    page = directory + "/compare.html"
    done = compare("--html=" + page, *paths)
    expect("compare: the tables as well", done.returncode == 0 and
           done.stdout == compare(*paths).stdout, done.stderr)
    open_page(b, page)
    test_table(b, paths)
    open_page(b, page)
    test_alignment(b)
    test_views(b)
    test_nth(b)
    for test in test_axis, test_tips, test_keys:
        test(b)
    test_narrow(b, width, height)
    test_missing(b)
    # an address would be written now
    b.js("compare.sides[0].page.scaleView(4)")
    b.js("new Promise((done) => setTimeout(() => done(true), 2 * 300))")
    expect("compare: nothing is loaded, no complaint", not b.complaints() and not [
        url for url in b.requests() if not url.startswith("about:")], b.complaints(), b.requests())
    test_nested(b, directory)
    test_limit(b, directory)
