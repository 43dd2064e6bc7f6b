/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The events of the remote "test"; include/linux/trace_remote_event.h describes
 * the syntax. A value written to write_event makes one record of each event that
 * is on; all fields are derived from it.
 *
 * No include guard: included once for each use.
 */

/* The value itself */
REMOTE_EVENT(selftest,
	REMOTE_FIELDS(u64, id),
	"id=%llu", REC(id))

/* The value, truncated to each type; the record ends in padding */
REMOTE_EVENT(numbers,
	REMOTE_FIELDS(s64, q, u32, ud, s32, sd, u16, uh, s16, sh, u8, ub, s8, sb),
	"q=%lld ud=%u sd=%d uh=0x%x sh=%d ub=0x%02x sb=%d",
	REC(q), REC(ud), REC(sd), REC(uh), REC(sh), REC(ub), REC(sb))

/* The value by name; one table has a gap, and values beyond its end have no name */
REMOTE_EVENT(names,
	REMOTE_FIELDS(u16, season, u8, parity),
	"season=%s parity=%s (%u)",
	SYM(season, test_seasons), SYM(parity, test_parities), REC(parity))

/* The value's upper 20 bits, and after them so many columns of text; more is not written */
REMOTE_EVENT(line,
	REMOTE_FIELDS(u32, width),
	"width=%u%*s", REC(width), REC(width) & 0xfffff, "")
