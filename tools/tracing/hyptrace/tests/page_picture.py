#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Usage: page_picture.py PAGE OUT

Takes a screenshot of a page of "hyptrace export --html", at the time when most guests
run, with an EL2 entry selected. For the README: page_picture.py build/run/trace.html
hyptrace.png
"""
import sys

import browser

# The start of the time with many guest entries on many CPUs, in ns
BUSIEST = """(() => {
    const bins = new Map();
    page.data.cpus.forEach((cpu) => {
        const guest = cpu.slices[2];
        const seen = new Map();
        for (let i = 0; i < guest.n; i++) {
            const bin = Math.floor(guest.start[i] / %d);
            seen.set(bin, Math.min(6, (seen.get(bin) || 0) + 1));
        }
        for (const [bin, n] of seen)
            bins.set(bin, (bins.get(bin) || 0) + n);
    });
    return [...bins].reduce((best, bin) => bin[1] > best[1] ? bin : best, [0, 0])[0] * %d;
})()"""
NS = 250000


def main(path, out):
    with browser.Browser(1320, 800) as b:
        b.open(path)
        begin = b.js(BUSIEST % (NS, NS))
        b.js("page.setTheme('light'); page.setView(%d, %d)" % (begin, begin + NS))
        b.js("page.hits.search('vcpu_exit ec=DABT_LOW')")
        for _ in range(2):
            b.key("]")
        with open(out, "wb") as picture:
            picture.write(b.screenshot())


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__.splitlines()[0])
    main(*sys.argv[1:])
