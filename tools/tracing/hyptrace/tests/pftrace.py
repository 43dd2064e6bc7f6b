# SPDX-License-Identifier: GPL-2.0
"""Exports recordings for Perfetto, and decodes the result with protoc."""
import os

from tap import run

HERE = os.path.dirname(os.path.abspath(__file__))


def unquote(text):
    return text[1:-1].encode().decode("unicode_escape").encode("latin-1").decode()


def parse(lines):
    """protoc's text => [(name, value)], values being int, str, bool or such a list"""
    fields = []
    for line in lines:
        line = line.strip()
        if line == "}":
            break
        if line.endswith(" {"):
            fields.append((line[:-2], parse(lines)))
            continue
        name, value = line.split(": ", 1)
        if value[0] == '"':
            value = unquote(value)
        elif value in ("true", "false"):
            value = value == "true"
        else:
            value = int(value)
        fields.append((name, value))
    return fields


def text_of(path):
    with open(path, "rb") as trace:
        raw = run("protoc", "--decode_raw", stdin=trace)
        trace.seek(0)
        text = run("protoc", "--decode=Trace", "--proto_path=" + HERE, "perfetto.proto",
                   stdin=trace)
    assert not raw.returncode, raw.stderr
    assert not text.returncode, text.stderr
    return text.stdout.decode()


def packets(path):
    """=> [{name: value}], one for each packet"""
    trace = parse(iter(text_of(path).splitlines()))
    assert all(name == "packet" for name, _ in trace), "not only packets"
    return [dict(packet) for _, packet in trace]


def export(hyptrace, path, *options):
    """=> output, status, what was said"""
    out = path + ".pftrace"
    done = run(hyptrace, "export", "--perfetto", "-o", out, *options, path)
    return out, done.returncode, done.stderr.decode()
