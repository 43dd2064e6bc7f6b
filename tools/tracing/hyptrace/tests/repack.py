# SPDX-License-Identifier: GPL-2.0
"""Makes trace.dat files of version 6 or 7, compressed or not, from one of version 7."""
import copy
import ctypes
import struct
import zlib

HEADER_INFO, FTRACE, FORMATS, KALLSYMS, PRINTK, CMDLINES = range(16, 22)
CPUSTAT, BUFFER, TRACECLOCK, CPUCOUNT = 2, 3, 4, 8
EMPTY = {
    HEADER_INFO: b"header_page\0" + bytes(8) + b"header_event\0" + bytes(8),
    FTRACE: bytes(4), FORMATS: bytes(4), KALLSYMS: bytes(4), PRINTK: bytes(4),
    CMDLINES: bytes(8),
}
PAGES_PER_CHUNK = 2


def zstd_block(kind, last, size, data):
    return struct.pack("<I", size << 3 | kind << 1 | last)[:3] + data


def zstd(data):
    """A frame that stores the data as it is"""
    parts = [data[i:i + 65536] for i in range(0, len(data), 65536)] or [b""]
    return b"\x28\xb5\x2f\xfd\0\x50" + b"".join(
        zstd_block(0, part is parts[-1], len(part), part) for part in parts)


def zstd_zeros(data):
    """A frame of zeros, 128 KiB in each block"""
    size = len(data)
    blocks = (size + (1 << 17) - 1) >> 17
    return b"\x28\xb5\x2f\xfd\0\x50" + b"".join(
        zstd_block(1, i == blocks - 1, min(size - (i << 17), 1 << 17), b"\0")
        for i in range(blocks))


PACKERS = {b"none": None, b"zlib": zlib.compress, b"zstd": zstd}


def unzstd(data, size):
    out = ctypes.create_string_buffer(size)
    decompress = ctypes.CDLL("libzstd.so.1").ZSTD_decompress
    decompress.restype = ctypes.c_size_t
    decompress.argtypes = ctypes.c_char_p, ctypes.c_size_t, ctypes.c_char_p, ctypes.c_size_t
    assert decompress(out, size, data, len(data)) == size
    return out.raw


UNPACKERS = {b"none": None, b"zlib": lambda data, size: zlib.decompress(data), b"zstd": unzstd}


class Recording:
    """compression: its name; sections: {id: body}; options: [(id, body)], without those that point to something;
    buffers: [(name, clock, sub-buffer size, {cpu: data})]"""

    def __init__(self, data):
        self.sections, self.options, self.buffers = dict(EMPTY), [], []
        self.compression, _, rest = data[18:].split(b"\0", 2)
        self.unpack = UNPACKERS[self.compression]
        at, = struct.unpack_from("<Q", rest)
        while at:
            at = self.take_options(data, at + 16)

    def take_options(self, data, at):
        while True:
            number, size = struct.unpack_from("<HI", data, at)
            body = data[at + 6:at + 6 + size]
            at += 6 + size
            if number == 0:
                return struct.unpack("<Q", body)[0]
            if number in EMPTY:
                self.take_section(data, number, *struct.unpack("<Q", body))
            elif number == BUFFER:
                self.take_buffer(data, body)
            else:
                self.options.append((number, body))

    def take_section(self, data, number, begin):
        packed, size = struct.unpack_from("<2xH4xQ", data, begin)
        self.sections[number] = self.unpacked(data, begin + 16)[0] if packed else \
            data[begin + 16:begin + 16 + size]

    def unpacked(self, data, at):
        """What packed() has packed, and its end"""
        small, size = struct.unpack_from("<II", data, at)
        end = at + 8 + small
        return self.unpack(data[at + 8:end], size), end

    def chunks(self, data, at):
        nr, = struct.unpack_from("<I", data, at)
        at += 4
        for _ in range(nr):
            chunk, at = self.unpacked(data, at)
            yield chunk

    def take_buffer(self, data, body):
        begin, = struct.unpack_from("<Q", body)
        packed = begin and struct.unpack_from("<H", data, begin + 2)[0]
        name, clock, rest = body[8:].split(b"\0", 2)
        page_size, nr = struct.unpack_from("<II", rest)
        cpus = {}
        for i in range(nr):
            cpu, begin, size = struct.unpack_from("<IQQ", rest, 8 + 20 * i)
            cpus[cpu] = b"".join(self.chunks(data, begin)) if packed and size else \
                data[begin:begin + size]
        self.buffers.append((name, clock, page_size, cpus))


def packed(pack, data):
    """Sizes and compressed data"""
    small = pack(data)
    return struct.pack("<II", len(small), len(data)) + small


def section(number, body, pack=None):
    if pack:
        body = packed(pack, body)
    return struct.pack("<HHIQ", number, pack is not None, 0, len(body)) + body


def option(number, body):
    return struct.pack("<HI", number, len(body)) + body


def cpu_data(data, page_size, pack):
    """What is in the file, and the size that the option has"""
    if not pack or not data:
        return data, len(data)
    step = page_size * PAGES_PER_CHUNK
    chunks = [packed(pack, data[i:i + step]) for i in range(0, len(data), step)]
    body = b"".join(chunks)
    return struct.pack("<I", len(chunks)) + body, len(body)


class Version7:
    """Writes one. data is the file; places has the offsets of what tests change: those of
    the sections by number, of the "buffers", and of the data of the "cpus" that have any"""

    def __init__(self, recording, compression, pack_options=False):
        self.pack, self.places = PACKERS[compression], {"buffers": [], "cpus": []}
        self.data = b"\x17\x08\x44tracing7\0\0\x08" + struct.pack("<I", 4096)
        self.data += compression + b"\0" + b"1\0"
        options_at = len(self.data)
        self.data += bytes(8)
        options = b"".join(option(*o) for o in recording.options)
        for number, body in sorted(recording.sections.items()):
            self.places[number] = len(self.data)
            options += option(number, struct.pack("<Q", len(self.data)))
            self.data += section(number, body, self.pack)
        for buffer in recording.buffers:
            options += self.put_buffer(*buffer)
        options += option(0, bytes(8))
        self.places[0] = len(self.data)
        self.data = self.data[:options_at] + struct.pack("<Q", len(self.data)) + \
            self.data[options_at + 8:] + section(0, options, self.pack if pack_options else None)

    def put_buffer(self, name, clock, page_size, cpus):
        body = struct.pack("<Q", len(self.data)) + name + b"\0" + clock + b"\0"
        body += struct.pack("<II", page_size, len(cpus))
        self.places["buffers"].append(len(self.data))
        self.data += struct.pack("<HHIQ", BUFFER, self.pack is not None, 0, 0)
        for cpu, data in sorted(cpus.items()):
            self.data = self.data.ljust(-(-len(self.data) // page_size) * page_size, b"\0")
            data, size = cpu_data(data, page_size, self.pack)
            body += struct.pack("<IQQ", cpu, len(self.data), size)
            if size:
                self.places["cpus"].append(len(self.data))
            self.data += data
        return option(BUFFER, body)


def sent(recording):
    """What "record --to" sends: in version 6, with the CPUs of the hypervisor behind those of the
    host"""
    made = copy.copy(recording)
    (name, clock, page_size, host), (_, _, _, hyp) = recording.buffers
    nr_cpus = 1 + max(*host, *hyp)
    cpus = {**host, **{nr_cpus + cpu: data for cpu, data in hyp.items()}}
    made.buffers = [(name, clock, page_size, cpus)]
    made.options = recording.options + [
        (CPUSTAT, b"hyptrace: sent cpus=%d clock=%s\n\0" % (nr_cpus, clock))]
    return Version6(made, ())


class Version6:
    """Writes one. data is the file; places has the offsets of what tests change: "cpus", the
    number of CPUs, and "lists", the word in front of each list of CPUs. with_clock has the
    numbers of the lists that have a clock"""

    def __init__(self, recording, with_clock=range(64)):
        buffers = recording.buffers
        self.page_size = buffers[0][2]
        self.nr_cpus = 1 + max(max(b[3], default=0) for b in buffers)
        head = b"\x17\x08\x44tracing6\0\0\x08" + struct.pack("<I", self.page_size)
        head += b"".join(body for _, body in sorted(recording.sections.items()))
        self.places = {"cpus": len(head), "lists": []}
        head += struct.pack("<I", self.nr_cpus) + b"options  \0"
        head += b"".join(option(*o) for o in recording.options if o[0] != TRACECLOCK)
        head += option(TRACECLOCK, b"") if with_clock else b""
        size, lists = len(head + self.others(buffers, [0] * len(buffers))), b""
        for number, buffer in enumerate(buffers):
            self.places["lists"].append(size + len(lists))
            lists += self.cpus(buffer, size + len(lists), number in with_clock)
        self.data = head + self.others(buffers, self.places["lists"]) + lists

    @staticmethod
    def others(buffers, lists):
        """The options for all buffers but the first, and the end of options"""
        return b"".join(option(BUFFER, struct.pack("<Q", begin) + buffer[0] + b"\0")
                        for buffer, begin in list(zip(buffers, lists))[1:]) + bytes(2)

    def cpus(self, buffer, at, with_clock):
        """The list of CPUs of a buffer, and their data"""
        _, clock, _, cpus = buffer
        clock = b"mono [%s] x86-tsc\n" % clock
        clock = struct.pack("<Q", len(clock)) + clock if with_clock else b""
        size = 10 + 16 * self.nr_cpus + len(clock)
        begin = -(-(at + size) // self.page_size) * self.page_size
        what, data = b"flyrecord\0", b""
        for cpu in range(self.nr_cpus):
            what += struct.pack("<QQ", begin + len(data), len(cpus.get(cpu, b"")))
            data += cpus.get(cpu, b"")
        return (what + clock).ljust(begin - at, b"\0") + data
