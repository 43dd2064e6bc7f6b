# SPDX-License-Identifier: GPL-2.0
"""Where things are on a page of "hyptrace export --html", and what it shows."""
from tap import result


def expect(what, good, *seen):
    result(what, [] if good else seen or ["no"])


def canvas_at(b, t, lane, row):
    """The place of a timestamp on the page; rows of a CPU are host, EL2, guest, events"""
    return b.js("""(() => {
        const box = document.getElementById("timeline").getBoundingClientRect();
        const lane = page.lanes.lanes[%d];
        const y = AXIS + GAP + (lane ? page.lanes.tops[%d] + lane.tops[%d] + lane.rows[%d].height / 2 : 0);
        return [box.left + page.shown().x(%d - Number(page.data.base)),
                box.top + y - document.getElementById("lanes").scrollTop];
    })()""" % (lane, lane, row, row, t))


def pixel_at(b, x, y):
    """=> the colour at a place of the page, as in the style"""
    return "#%02x%02x%02x" % tuple(b.js("""(() => {
        const box = document.getElementById("timeline").getBoundingClientRect();
        return Array.from(document.getElementById("timeline").getContext("2d")
            .getImageData(%f - box.left, %f - box.top, 1, 1).data.slice(0, 3));
    })()""" % (x, y)))


def pixel(b, t, lane, row):
    return pixel_at(b, *canvas_at(b, t, lane, row))


def colour(b, name):
    return b.js("getComputedStyle(document.documentElement).getPropertyValue('--%s').trim()" % name)


def view(b):
    """=> start and end of the view, as timestamps"""
    t0, t1, base = b.js("[page.view.t0, page.view.t1, Number(page.data.base)]")
    return t0 + base, t1 + base


def look(b, begin, end):
    b.js("page.setView(%d - Number(page.data.base), %d - Number(page.data.base))" % (begin, end))
    b.frames()


def text(b, ident):
    return b.js("document.getElementById('%s').innerText" % ident)


def near(a, b, tolerance):
    return abs(a - b) <= tolerance


def luminance(text):
    parts = [int(text[i:i + 2], 16) / 255 for i in (1, 3, 5)]
    r, g, b = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * r + 0.7152 * g + 0.0722 * b


def contrast(a, b):
    low, high = sorted((luminance(a), luminance(b)))
    return (high + 0.05) / (low + 0.05)
