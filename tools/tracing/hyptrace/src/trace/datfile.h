/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the writer and the reader of trace.dat share. The format is described in
 * trace-cmd.dat.v7(5).
 *
 * The option and the section DAT_GUEST are hyptrace's own; other readers skip them. The
 * section is not compressed, and has the trace.dat file of a guest, as it was recorded there.
 * The option has the offset of the section (u64), the guest's name (string), its CNTVOFF
 * (u64), what is added to its timestamps (s64, ns), and the largest error of that (u64, ns).
 * A recording that was sent has version 6: see sidecpus.h.
 */
#ifndef HYPTRACE_DATFILE_H
#define HYPTRACE_DATFILE_H

#define DAT_MAGIC		"\x17\x08\x44tracing"
#define DAT_MAGIC_SIZE		10
#define DAT_VERSION		"7"
#define DAT_NOT_PACKED		"none"	/* instead of the name of a compression */
#define DAT_VERSION_6		"6"	/* trace-cmd.dat.v6(5) */

/* Names of clocks are shorter, with the 0 */
#define DAT_MAX_CLOCK		32

/* In version 6, what follows; with the 0 behind it */
#define DAT_OPTIONS_6		"options  "
#define DAT_LATENCY_6		"latency  "
#define DAT_FLYRECORD_6		"flyrecord"

/* u16 id, u16 flags, u32 string id, u64 size */
#define DAT_SECTION_HEADER	16
#define DAT_FLAG_COMPRESSED	1

/* Before compressed data: u32 compressed size, u32 size of the result */
#define DAT_CHUNK_HEADER	8

/* Texts in options CPUSTAT of "record --last-boot": a line of last_boot_info, and all of the log */
#define DAT_LAST_BOOT	"hyptrace: last boot: "
#define DAT_LAST_LOG	"hyptrace: last boot log:\n"

/* Sections and options have one number space */
enum dat_id {
	DAT_OPTIONS		= 0,	/* the section */
	DAT_DONE		= 0,	/* the option that ends it */
	DAT_CPUSTAT		= 2,
	DAT_BUFFER		= 3,
	DAT_TRACECLOCK		= 4,
	DAT_UNAME		= 5,
	DAT_CPUCOUNT		= 8,
	DAT_VERSION_TEXT	= 9,
	DAT_HEADER_INFO		= 16,
	DAT_FTRACE_EVENTS	= 17,
	DAT_EVENT_FORMATS	= 18,
	DAT_KALLSYMS		= 19,
	DAT_PRINTK		= 20,
	DAT_CMDLINES		= 21,
	DAT_BUFFER_TEXT		= 22,
	DAT_NR_SECTIONS		= DAT_CMDLINES + 1,
	DAT_GUEST		= 0x6877,
};

#endif
