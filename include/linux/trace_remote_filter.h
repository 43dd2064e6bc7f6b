/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _LINUX_TRACE_REMOTE_FILTER_H
#define _LINUX_TRACE_REMOTE_FILTER_H
/*
 * Filters of a remote's events: programs that the host compiles and that the
 * writer runs on a record before it reserves space for it.
 *
 * A program is a list of comparisons of one field with one constant. Each names
 * the next comparison if it holds, and the next one if it does not. The next one
 * is always a later one, or the end. So a program takes at most as many steps as
 * it has comparisons.
 *
 * A writer that does not trust the host calls remote_filter_check() first.
 * remote_filter_match() reads only within the record and the program, even if the
 * program changes while it runs. So a filter can be replaced while a writer runs
 * it; whether the record at that time passes is undefined.
 */
#include <linux/compiler.h>
#include <linux/errno.h>
#include <linux/types.h>

/** REMOTE_FILTER_MAX - largest number of comparisons in a filter */
#define REMOTE_FILTER_MAX	32

/* The ends of a program, in place of a next comparison */
#define REMOTE_FILTER_PASS	0xfe
#define REMOTE_FILTER_FAIL	0xff

enum remote_filter_op {
	REMOTE_FILTER_EQ,
	REMOTE_FILTER_NE,
	REMOTE_FILTER_LT,
	REMOTE_FILTER_LE,
	REMOTE_FILTER_GT,
	REMOTE_FILTER_GE,
	REMOTE_FILTER_AND,	/* they have a bit in common */
	REMOTE_FILTER_NR_OPS,
};

/**
 * struct remote_filter_insn - a comparison; two words, so that a hypercall can pass it
 * @value: the constant
 * @offset: offset of the field in the record, common header included; a multiple
 *	of @size
 * @size: size of the field: 1, 2, 4 or 8
 * @is_signed: compare as signed numbers
 * @op: enum remote_filter_op
 * @yes: the next comparison if it holds
 * @no: the next comparison if it does not
 * @reserved: 0
 */
struct remote_filter_insn {
	u64	value;
	u16	offset;
	u8	size;
	u8	is_signed;
	u8	op;
	u8	yes;
	u8	no;
	u8	reserved;
};

/**
 * struct remote_filter - a program
 * @nr: number of comparisons; 0 for no filter
 * @insns: the comparisons
 */
struct remote_filter {
	u32				nr;
	struct remote_filter_insn	insns[REMOTE_FILTER_MAX];
};

static inline bool remote_filter_next_ok(u8 next, u32 index, u32 nr)
{
	return next == REMOTE_FILTER_PASS || next == REMOTE_FILTER_FAIL ||
	       (next > index && next < nr);
}

/* The field is within the record, and aligned */
static inline bool remote_filter_field_ok(u16 offset, u8 size, u32 rec_size)
{
	return offset + size <= rec_size && !(offset & (size - 1));
}

/**
 * remote_filter_check - is this a valid program for records of this size
 * @filter: from the host
 * @rec_size: bytes of the record
 *
 * Return: 0 or -EINVAL.
 */
static inline int remote_filter_check(const struct remote_filter *filter, u32 rec_size)
{
	u32 i;

	if (filter->nr > REMOTE_FILTER_MAX)
		return -EINVAL;
	for (i = 0; i < filter->nr; i++) {
		const struct remote_filter_insn *insn = &filter->insns[i];

		if (insn->op >= REMOTE_FILTER_NR_OPS || insn->reserved ||
		    (insn->size != 1 && insn->size != 2 && insn->size != 4 && insn->size != 8) ||
		    !remote_filter_field_ok(insn->offset, insn->size, rec_size) ||
		    !remote_filter_next_ok(insn->yes, i, filter->nr) ||
		    !remote_filter_next_ok(insn->no, i, filter->nr))
			return -EINVAL;
	}
	return 0;
}

static inline u64 remote_filter_load(const void *field, u8 size, bool is_signed)
{
	switch (size) {
	case 1:
		return is_signed ? (u64)*(const s8 *)field : *(const u8 *)field;
	case 2:
		return is_signed ? (u64)*(const s16 *)field : *(const u16 *)field;
	case 4:
		return is_signed ? (u64)*(const s32 *)field : *(const u32 *)field;
	case 8:
		return *(const u64 *)field;
	default:
		return 0;
	}
}

static inline bool remote_filter_holds(u8 op, u64 a, u64 b, bool is_signed)
{
	/* With the sign bit flipped, signed numbers compare as unsigned ones */
	u64 flip = is_signed ? 1ULL << 63 : 0;

	switch (op) {
	case REMOTE_FILTER_EQ:
		return a == b;
	case REMOTE_FILTER_NE:
		return a != b;
	case REMOTE_FILTER_LT:
		return (a ^ flip) < (b ^ flip);
	case REMOTE_FILTER_LE:
		return (a ^ flip) <= (b ^ flip);
	case REMOTE_FILTER_GT:
		return (a ^ flip) > (b ^ flip);
	case REMOTE_FILTER_GE:
		return (a ^ flip) >= (b ^ flip);
	default:
		return a & b;
	}
}

/**
 * remote_filter_match - does a record pass
 * @filter: checked, with at least one comparison
 * @rec: the record, common header included, aligned to 8 bytes
 * @rec_size: its size
 *
 * Return: true if it is to be written.
 */
static inline bool remote_filter_match(const struct remote_filter *filter, const void *rec,
				       u32 rec_size)
{
	u8 next = 0;

	for (;;) {
		const struct remote_filter_insn *insn = &filter->insns[next];
		u16 offset = READ_ONCE(insn->offset);
		u8 size = READ_ONCE(insn->size), old = next;
		bool is_signed = READ_ONCE(insn->is_signed);

		if (!remote_filter_field_ok(offset, size, rec_size))
			return false;
		next = remote_filter_holds(READ_ONCE(insn->op),
					   remote_filter_load(rec + offset, size, is_signed),
					   READ_ONCE(insn->value), is_signed) ?
			READ_ONCE(insn->yes) : READ_ONCE(insn->no);
		/* The ends are out of range, too */
		if (next <= old || next >= REMOTE_FILTER_MAX)
			return next == REMOTE_FILTER_PASS;
	}
}

#endif /* _LINUX_TRACE_REMOTE_FILTER_H */
