# SPDX-License-Identifier: GPL-2.0
"""The picture of EL2's functions on a page of "hyptrace export --html"."""
from graphs import random_trace
from pagetools import expect
from tap import run

TAB = 8
BOXES = """[...document.querySelectorAll('.flame g')].map((g) => {
    const [x, y, width] = ['x', 'y', 'width'].map((a) => Number(g.querySelector('rect').getAttribute(a)));
    return [g.querySelector('title').textContent, x, y / FLAME_ROW, width,
            g.classList.contains('above')];
})"""
ROOT = "all EL2 entries"


def boxes(b):
    """=> [(path of names, width, title, above)], from top to bottom, each level from the left"""
    found = []
    for title, x, level, width, above in sorted(b.js(BOXES), key=lambda box: (box[2], box[1])):
        name = title.split(":")[0]
        parents = [box for box in found if box[0] == level - 1 and box[1] <= x + 1e-4 and
                   x + width <= box[1] + box[2] + 1e-4]
        path = (parents[-1][3] if parents else ()) + (name,)
        found.append((level, x, width, path, title, above))
    return [(path, width, title, above) for _, _, width, path, title, above in found]


def click(b, name, level):
    b.js("""[...document.querySelectorAll('.flame g')].find((g) =>
        g.querySelector('rect').y.baseVal.value === %d * FLAME_ROW &&
        g.querySelector('title').textContent.startsWith('%s:'))
        .dispatchEvent(new MouseEvent('click'))""" % (level, name))


def test_all(b, hyptrace, directory):
    path = directory + "/functions.dat"
    made = random_trace(13)
    made.write(path)
    done = run(hyptrace, "export", "--html", path)
    expect("functions: exported", not done.returncode, done.stderr)
    b.open(path.replace(".dat", ".html"), "#tab=%d" % TAB)
    total = {}
    for node, (_, ns) in made.tree.items():
        for n in range(len(node) + 1):
            total[node[:n]] = total.get(node[:n], 0) + ns
    seen = boxes(b)
    width = seen[0][1]
    least = b.js("FLAME_LEAST") * total[()] / width
    want = {(ROOT,) + node: ns for node, ns in total.items() if ns >= least}
    got = {node: w * total[()] / width for node, w, _, _ in seen}
    wrong = [(node, got.get(node), want.get(node)) for node in set(got) | set(want)
             if abs(got.get(node, -99) - want.get(node, -99)) > 1]
    expect("functions: each has the width of its time", len(seen) > 20 and not wrong, *wrong[:5])
    calls, self = made.tree["hvc 5", "handle_trap"]
    said = next(title for node, _, title, _ in seen if node == (ROOT, "hvc 5", "handle_trap"))
    plain = said.replace("\u202f", "").replace(",", "")
    expect("functions: what is said", "self: %d ns" % self in plain and
           plain.endswith("calls: %d" % calls), said, self, calls)
    click(b, "handle_trap", 2)
    zoomed = boxes(b)
    expect("functions: zoomed in", [(node[-1], w, above) for node, w, _, above in zoomed[:3]] ==
           [(ROOT, width, True), (zoomed[1][0][-1], width, True), ("handle_trap", width, False)],
           zoomed[:3])
    click(b, ROOT, 0)
    expect("functions: zoomed out", boxes(b) == seen)
    b.js("page.tabs.show(4)")
    expect("functions: another table", b.js("!document.querySelector('.flame')") and
           b.js("page.tabs.tables.length") == TAB)
    expect("functions: no complaint", not b.complaints(), b.complaints())
