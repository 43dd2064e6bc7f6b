# SPDX-License-Identifier: GPL-2.0
"""Makes recordings of events whose formats and records a test spells out."""
import struct

import synth

FIRST_ID = 1000
IN_A_PAGE = 16


class Made:
    """An event with one record"""

    def __init__(self, name, fields, print_fmt, values, system="made"):
        """fields: (declaration, offset, size, signed); values: the bytes from offset 8 on"""
        self.name, self.fields, self.print_fmt = name, fields, print_fmt
        self.values, self.system = values, system

    def text(self, number):
        """What a kernel has in its file "format" """
        lines = "".join(synth.FIELD.replace("%s %s", "%s") % field for field in self.fields)
        return ("name: %s\nID: %d\nformat:\n%s\n%s\nprint fmt: %s\n" %
                (self.name, number, synth.COMMON, lines, self.print_fmt)).encode()

    def record(self, number, pid):
        data = struct.pack("<HHi", number, 0, pid) + self.values
        return data + bytes(-len(data) % 4)


# An export needs these
HYP = [(1000, "hyp_enter", 100, {"reason": 1}), (2000, "hyp_exit", 100, {"reason": 6})]


def write(path, events, pid=100, **more):
    """The host has one record of each of events, a microsecond apart; more: see synth.write()"""
    numbered = list(enumerate(events, FIRST_ID))
    records = [(number * 1000, event.record(number, pid)) for number, event in numbered]
    pages = [synth.raw_page(records[at:at + IN_A_PAGE])
             for at in range(0, len(records), IN_A_PAGE)]
    synth.write(path, {0: pages}, {0: [synth.page(HYP)]}, texts=synth.enabled("hyp_enter", "hyp_exit"),
                formats=[(event.system, event.text(number)) for number, event in numbered], **more)
