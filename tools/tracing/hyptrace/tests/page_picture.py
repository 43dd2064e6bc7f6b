#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Usage: page_picture.py page|guest|compare|crash PAGE OUT

Takes a screenshot for the README:

  page     a page of "hyptrace export --html", at the time when most guests run, with an EL2
           entry selected: page_picture.py page build/run/trace.html hyptrace.png
  guest    the same of a recording with the events of a guest (make run GUEST=linux), where
           these are: hyptrace-guest.png
  compare  a page of "hyptrace compare --html", with the slowest KVM_RUN of both:
           hyptrace-compare.png
  crash    the end of a recording that "hyptrace record --last-boot" has made after a panic of
           EL2: hyptrace-crash.png
"""
import sys

import browser

# The start of the time with many of something on many CPUs, in ns; of guest entries, or events
BUSIEST = """(() => {
    const bins = new Map();
    page.data.cpus.forEach((cpu) => {
        const { n, start } = %s;
        const seen = new Map();
        for (let i = 0; i < n; i++) {
            const bin = Math.floor(start[i] / %d);
            seen.set(bin, Math.min(6, (seen.get(bin) || 0) + 1));
        }
        for (const [bin, n] of seen)
            bins.set(bin, (bins.get(bin) || 0) + n);
    });
    return [...bins].reduce((best, bin) => bin[1] > best[1] ? bin : best, [0, 0])[0] * %d;
})()"""
ENTRIES = "cpu.slices[2]"
EVENTS = "{ n: cpu.points[2].marks.n, start: cpu.points[2].marks.t }"


def look(b, path, of, ns):
    b.open(path)
    begin = b.js(BUSIEST % (of, ns, ns))
    b.js("page.setTheme('light'); page.setView(%d, %d)" % (begin, begin + ns))


def show_page(b, path):
    look(b, path, ENTRIES, 250000)
    b.js("page.hits.search('vcpu_exit ec=DABT_LOW')")
    for _ in range(2):
        b.key("]")


def show_guest(b, path):
    look(b, path, EVENTS, 500000)
    b.js("page.showLanes('vcpu')")
    b.js("""(() => {
        const { marks } = page.lanes.lanes[0].points[2];
        const { t0, t1 } = page.view;
        const i = marks.t.findIndex((t) => t > (t0 + t1) / 2);
        page.selectEvent(marks.event[i]);
        page.tabs.show(0);
        page.setView(t0, t1);
    })()""")


def show_compare(b, path):
    b.call("Page.navigate", url="file://" + path)
    b.until("document.readyState === 'complete' && !!window.compare")
    b.js("compare.setTheme('light'); [...document.querySelectorAll('#table tbody tr')].find("
         "(tr) => tr.firstChild.textContent === '__kvm_vcpu_run').click()")
    b.frames()


def show_crash(b, path):
    b.open(path)
    b.js("""(() => {
        const { end } = page.data;
        page.setTheme('light');
        page.hits.search('hyp_panic');
        page.hits.next(1);
        page.tabs.show(0);
        page.setView(end - 10e6, end + 2e5);
    })()""")


SHOW = {"page": show_page, "guest": show_guest, "compare": show_compare, "crash": show_crash}


def main(kind, path, out):
    with browser.Browser(1320, 800) as b:
        SHOW[kind](b, path)
        b.frames()
        with open(out, "wb") as picture:
            picture.write(b.screenshot())


if __name__ == "__main__":
    if len(sys.argv) != 4 or sys.argv[1] not in SHOW:
        sys.exit(__doc__.splitlines()[0])
    main(*sys.argv[1:])
