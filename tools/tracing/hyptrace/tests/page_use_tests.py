# SPDX-License-Identifier: GPL-2.0
"""A part of page_test.py: what a user finds out with the page, and passes on as a link."""
import subprocess
import sys

import synth
from pagetools import canvas_at, colour, contrast, expect, look, near, pixel_at, text, view

PERIOD = 10000		# ns of one round


ON = synth.enabled("hyp_enter", "hyp_exit", "kvm_entry", "kvm_exit")
COMMS = b"7 qemu\n9 other\n"


def guest_run(ts, out, vm=1, vcpu=0, pid=7):
    """
    => events of the host and of EL2, with times from ts on: 0 kvm_entry, 100 EL2 (hvc),
    300 guest, 2000 EL2 (guest_exit), 2000 + out host, 2100 + out kvm_exit
    """
    return ([(ts, "kvm_entry", pid, {}), (ts + out + 2100, "kvm_exit", pid, {})],
            [(ts + 100, "hyp_enter", pid, {"reason": 1}),
             (ts + 150, "host_hcall", pid, {"id": 12}),
             (ts + 200, "vcpu_enter", pid, {"vm": vm, "vcpu": vcpu}),
             (ts + 300, "hyp_exit", pid, {"reason": 7}),
             (ts + 2000, "hyp_enter", pid, {"reason": 5}),
             (ts + 2000 + out, "hyp_exit", pid, {"reason": 6})])


def write_runs(path, runs):
    """runs: {cpu: arguments of guest_run()}; => the page"""
    host, hyp = {}, {}
    for cpu, arguments in runs.items():
        both = [guest_run(*a) for a in arguments]
        host[cpu] = [synth.page([event for run in both for event in run[0]])]
        hyp[cpu] = [synth.page([event for run in both for event in run[1]])]
    synth.write(path, host, hyp, texts=ON, comms=COMMS)
    page = path[:-4] + ".html"
    subprocess.run([sys.argv[1], "export", "-q", "--html", "-o", page, path], check=True)
    return page


def stamp(ns):
    return "%d.%09d" % divmod(ns, 10**9)


# --- links ----------------------------------------------------------------------

def written(b):
    """=> the fragment, when it is what the page shows"""
    b.until("(page.link.write(), location.hash.replace(/^#/, '') === page.link.text())")
    return b.js("location.hash")


def test_link(b, page, start):
    b.open(page, "#from=%s&to=%s&search=vm_create&theme=dark" % (stamp(start), stamp(start + PERIOD)))
    begin, end = view(b)
    expect("link: view", near(end - begin, PERIOD, 2), begin, end)
    expect("link: search, theme", "vm_create" in text(b, "details") and
           b.js("document.documentElement.dataset.theme") == "dark", text(b, "details"))
    b.open(page, "#from=%s&to=%s" % (stamp(start), stamp(start + 777)))
    expect("link: as why prints it", near(view(b)[0], start, 1) and near(view(b)[1], start + 777, 1),
           view(b))
    b.open(page, "#from=%s&to=%s&search=vm_create" % (stamp(start + 100), stamp(start + 300)))
    expect("link: a hit elsewhere does not move the view", near(view(b)[0], start + 100, 1) and
           "of" in text(b, "hits"), view(b), text(b, "hits"))
    late = b.js("(() => { const data = { base: 9007199254740993000n };"
                " return parseStamp(data, '9007199254.740993017'); })()")
    expect("link: exact, however long the machine has run", late == 17, late)


def test_address(b, page, start):
    """What is shown is in the address, by itself, and a new address is followed"""
    b.open(page)
    expect("address: none at first", written(b) == "", written(b))
    look(b, start + 5, start + 4005)
    b.js("page.tabs.show(1)")
    b.js("page.hits.search('reason=smc')")
    b.key("t")
    b.until("location.hash.includes('theme=')")
    address = b.js("location.hash")
    want = "#from=%s&to=%s&tab=1&search=reason%%3Dsmc&theme=dark" % (stamp(start + 5), stamp(start + 4005))
    expect("address: view, table, search, theme", address == want, address, want)
    b.open(page, address)
    again = view(b), b.js("page.tabs.tab"), b.js("page.hits.query"), text(b, "hits"), written(b)
    expect("address: opened", near(again[0][0], start + 5, 1) and near(again[0][1], start + 4005, 1) and
           again[1:3] == (1, "reason=smc") and " of " in again[3] and again[4] == address, again)
    b.js("location.hash = '#from=%s&to=%s'" % (stamp(start), stamp(start + PERIOD)))
    b.until("page.hits.query === ''")
    b.frames()
    expect("address: followed", near(view(b)[0], start, 1) and near(view(b)[1], start + PERIOD, 1) and
           b.js("page.tabs.tab") == 4 and text(b, "hits") == "", view(b), text(b, "hits"))
    b.js("clearTimeout(page.link.timer)")
    b.key("0")
    b.until("location.hash === ''", 10)
    for nonsense in "#from=x&to=-1&tab=99&search=%", "#from=9&to=1&tab=-3", "#&&==":
        b.open(page, nonsense)
        expect("address: " + nonsense, not b.complaints() and view(b)[1] - view(b)[0] >= 100,
               b.complaints(), view(b))


# --- tables ---------------------------------------------------------------------

def column(b, number):
    """=> the texts of a column of the table that is shown"""
    return b.js("Array.from(document.querySelectorAll('#table tbody tr'),"
                " (tr) => tr.cells[%d].textContent)" % number)


def sorts(b):
    return b.js("Array.from(document.querySelectorAll('#table th'), (th) => th.getAttribute('aria-sort'))")


def click_element(b, selector):
    b.click(*b.js("(() => { const r = document.querySelector(\"%s\").getBoundingClientRect();"
                  " return [r.left + r.width / 2, r.top + r.height / 2]; })()" % selector))


def test_sort(b, page):
    b.open(page, "#tab=1")
    usual = column(b, 0)
    entries = [int(cell.replace("\u202f", "")) for cell in column(b, 2)]
    expect("sort: CPUs come in their order", usual == ["CPU %d" % cpu for cpu in range(4)] and
           set(sorts(b)) == {None}, usual, sorts(b))
    click_element(b, "#table th:nth-child(1) button")
    expect("sort: texts, ascending", column(b, 0) == usual and sorts(b)[0] == "ascending", column(b, 0))
    click_element(b, "#table th:nth-child(1) button")
    expect("sort: texts, descending", column(b, 0) == usual[::-1] and sorts(b)[0] == "descending",
           column(b, 0))
    click_element(b, "#table th:nth-child(3) button")
    got = [int(cell.replace("\u202f", "")) for cell in column(b, 2)]
    expect("sort: numbers, descending", got == sorted(entries, reverse=True) and
           sorts(b)[:3] == [None, None, "descending"], got, sorts(b))
    expect("sort: the focus stays", b.js("document.activeElement.closest('th')?.cellIndex") == 2)
    b.js("clearTimeout(page.link.timer)")
    b.key("Enter")
    got = [int(cell.replace("\u202f", "")) for cell in column(b, 2)]
    expect("sort: by a key, ascending", got == sorted(entries) and sorts(b)[2] == "ascending", got)
    b.until("location.hash === '#tab=1&sort=3'", 10)
    expect("sort: no bars", not b.js("!!document.querySelector('#table th:nth-child(2) button')"))
    b.open(page, "#tab=4&sort=4")
    want = b.js("page.data.stat.entries.toSorted((a, b) => a.total - b.total).map((row) => row.name)")
    expect("sort: from a link, by the number and not by its text",
           column(b, 0) == want and want[-1] == "guest_exit", column(b, 0), want)
    b.open(page, "#tab=1&sort=2")
    expect("sort: not by what has no order", set(sorts(b)) == {None} and not b.complaints(), sorts(b))


def test_maxima(b, directory):
    """The second run of CPU 2 has the longest way out; later ones are as long"""
    page = write_runs(directory + "/maxima.dat",
                      {0: [(1000, 200), (50000, 900)], 2: [(5000, 300), (20000, 900)],
                       3: [(70000, 900)]})
    for tab, name, begin, length, what in (
            (4, "guest_exit", 22000, 900, "EL2: guest_exit"), (5, "12", 20100, 2800, "at EL2\n1.100"),
            (6, "guest to kvm_exit", 22000, 1000, "guest to kvm_exit")):
        b.open(page, "#tab=%d" % tab)
        row = column(b, 0).index(name) + 1
        click_element(b, "#table tbody tr:nth-child(%d) button" % row)
        said = text(b, "details")
        place = all(w in said for w in (what, "(%s ns)" % ("%d" % length if length < 1000 else "%d\u202f%03d" % divmod(length, 1000)),
                                        "from\n%d.%09d s" % divmod(begin, 10**9)))
        expect("maxima: %s is selected" % name, place, said)
        seen = view(b)
        expect("maxima: %s is in view" % name, near(seen[1] - seen[0], 5 * length, 1) and
               near(sum(seen) / 2, begin + length / 2, 2), seen)
        expect("maxima: %s is not searched" % name, text(b, "hits") == "", text(b, "hits"))
    b.open(page, "#tab=4")
    b.js("document.querySelector('#table tbody tr button').focus()")
    b.key("Escape")
    b.key("Enter")
    expect("maxima: by a key", "CPU" in text(b, "details") and text(b, "hits") == "", text(b, "details"))


# --- a narrow window --------------------------------------------------------------

NARROW = 700


def test_narrow(b, page, width, height):
    """All can be reached and is large enough"""
    b.resize(NARROW, height)
    b.open(page, "#tab=1")
    outside = b.js("Array.from(document.querySelectorAll('button, input, select, #legend li, #range, #facts div'))"
                   ".filter((e) => { const r = e.getBoundingClientRect(); return r.width &&"
                   " !e.closest('#table, #tabs') && (r.left < 0 || r.right > innerWidth); })"
                   ".map((e) => e.outerHTML)")
    expect("narrow: nothing is outside", not outside and
           b.js("document.documentElement.scrollWidth") == NARROW, outside)
    rows = b.js("new Set(Array.from(document.querySelectorAll('nav > *'),"
                " (e) => Math.round(e.getBoundingClientRect().top / 20))).size")
    expect("narrow: search and buttons are in a row, and the legend below", rows == 2, rows)
    sizes = b.js("['lanes', 'table', 'details'].map((id) => document.getElementById(id).clientHeight)")
    expect("narrow: there is room for lanes and tables", sizes[0] > 250 and sizes[1] > 100, sizes)
    left, right, name = b.js("(() => { const table = document.getElementById('table'); table.scrollLeft = 9999;"
                             " const row = table.querySelector('tbody tr');"
                             " return [row.cells[0].getBoundingClientRect().left,"
                             " row.cells[row.cells.length - 1].getBoundingClientRect().right,"
                             " document.elementFromPoint(12, row.getBoundingClientRect().top + 8).textContent];"
                             "})()")
    expect("narrow: the last column can be scrolled to, beside the names",
           left == 0 and right <= NARROW and name == "CPU 0", left, right, name)
    b.click(NARROW - 20, 400)
    expect("narrow: details leave room for the table", b.js("document.getElementById('table').clientHeight") > 60)
    b.resize(width, height)


# --- arrows -----------------------------------------------------------------------

def is_line(b, a, c, lane=1):
    """Is there an arrow from one (timestamp, row) to another one of the lane?"""
    (x0, y0), (x1, y1) = canvas_at(b, a[0], lane, a[1]), canvas_at(b, c[0], lane, c[1])
    seen = [pixel_at(b, x0 + (x1 - x0) * part, y0 + (y1 - y0) * part) for part in (0.4, 0.5, 0.6)]
    return all(contrast(s, colour(b, "selection")) < 1.5 for s in seen)


def test_arrows(b, directory):
    """The run of write_runs() at 20000: its four steps, and only where there is room"""
    b.open(directory + "/maxima.html")
    steps = [(20000, 0), (20100, 1), (20300, 2)], [(22000, 2), (22900, 1), (23000, 0)]
    look(b, 19900, 23100)
    for points in steps:
        for a, c in zip(points, points[1:]):
            expect("arrows: from row %d to %d at %d" % (a[1], c[1], a[0]), is_line(b, a, c))
    expect("arrows: none within the guest", not is_line(b, (20300, 2), (22000, 2)))
    look(b, 1000, 61000)
    expect("arrows: none without room", not any(is_line(b, a, c) for points in steps
                                                for a, c in zip(points, points[1:])))
