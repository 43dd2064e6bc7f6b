#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Usage: assemble.py LIBRARIES LICENCES PAGE COMPARE

Makes PAGE, one file, from the page of "export --html", its style, its scripts and the parts of
D3 that it uses, d3-*/dist in the directory LIBRARIES, with their licences, node-d3-*/copyright
in LICENCES (Debian's /usr/share/nodejs and /usr/share/doc). Makes COMPARE, the page of "compare
--html", which has PAGE in it. A page may run only these scripts: their hashes are in its
Content-Security-Policy.
"""
import base64
import hashlib
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
# In the order in which they need each other
D3 = ("array", "color", "dispatch", "selection", "drag", "ease", "format", "interpolate",
      "timer", "time", "time-format", "transition", "scale", "zoom")
SCRIPTS = ("data.js", "painter.js", "lanes.js", "rows.js", "groups.js",
           "grouplanes.js", "vmlanes.js", "arrows.js", "timeline.js", "overview.js", "totals.js",
           "visits.js", "search.js", "sorting.js", "tables.js", "flame.js", "tabs.js", "hits.js", "details.js",
           "keys.js", "range.js", "link.js", "page.js")
COMPARE_SCRIPTS = "data.js", "sorting.js", "tables.js", "compare.js"
MARK = "@DATA@"


def read(*path):
    with open(os.path.join(*path), encoding="utf-8") as text:
        return text.read()


def ours(name):
    return read(HERE, name)


def foreign(path, variable):
    if not os.path.exists(path):
        sys.exit("assemble.py: no %s: install node-d3, or give its directory with %s=DIR"
                 % (path, variable))
    return read(path).strip()


def library(directory):
    paths = [os.path.join(directory, "d3-" + p, "dist", "d3-%s.min.js" % p) for p in D3]
    return "\n".join(foreign(path, "D3") for path in paths)


def licences(directory):
    """Who has the copyright of each part, and each licence once"""
    owners, terms = [], []
    for part in D3:
        path = os.path.join(directory, "node-d3-" + part, "copyright")
        for paragraph in foreign(path, "D3_LICENCES").split("\n\n"):
            if paragraph.startswith("License:") and paragraph not in terms:
                terms.append(paragraph)
            elif paragraph.startswith("Files: *\n"):
                owners.append("d3-%s\n%s" % (part, paragraph.split("\n", 1)[1]))
    text = "\n\n".join(owners + terms)
    assert len(owners) == len(D3) and terms and "*/" not in text
    return "/*\n%s\n*/\n" % text


def source_hash(text):
    digest = hashlib.sha256(text.encode()).digest()
    return "'sha256-%s'" % base64.b64encode(digest).decode()


def scripts(names):
    return "\n" + "\n".join(ours(name) for name in names)


def fill(page, hashed, others):
    """The parts of a page; a hash for each of those that are hashed"""
    for name, text in hashed.items():
        page = page.replace("@HASH-%s@" % name, source_hash(text))
    for name, text in {**hashed, **others}.items():
        assert page.count("@%s@" % name) <= 1 and "</script" not in text.lower(), name
        page = page.replace("@%s@" % name, text)
    assert page.count(MARK) == 1 and "@HASH-" not in page
    return page


def write(out, page):
    with open(out, "w", encoding="utf-8") as done:
        done.write(page)


def main(libraries, texts, page_out, compare_out):
    parts = {
        "style": "\n" + ours("page.css"),
        "library": "\n" + licences(texts) + library(libraries) + "\n",
        "script": scripts(SCRIPTS),
    }
    page = fill(ours("page.html"), parts, {})
    write(page_out, page)
    # What runs in its frames is under its own policy as well
    compare = {"page-" + name: text for name, text in parts.items()}
    compare["style"] = parts["style"] + ours("compare.css")
    compare["script"] = scripts(COMPARE_SCRIPTS)
    encoded = base64.b64encode(page.encode()).decode()
    write(compare_out, fill(ours("compare.html"), compare, {"page": encoded}))


if __name__ == "__main__":
    if len(sys.argv) != 5:
        sys.exit(__doc__.splitlines()[0])
    main(*sys.argv[1:])
