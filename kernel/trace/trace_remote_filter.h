/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Translates the program of a filter for the writer of a remote. trace_events_filter.c, which
 * alone knows what such a program is, includes this file.
 *
 * Both programs are lists of comparisons, and each goes on to a later one or to an end. An
 * entry of the kernel's program names one of the two that may be next: it branches if the
 * result is when_to_branch, and then goes on behind its target. Its ends are entries, too.
 */
#include <linux/trace_remote_filter.h>

/* The entry as a comparison of a number with a constant, if it is one */
static bool prog_entry_to_remote(const struct prog_entry *entry, struct remote_filter_insn *insn)
{
	static const u8 remote_ops[] = {
		[OP_NE]	= REMOTE_FILTER_NE, [OP_EQ]	= REMOTE_FILTER_EQ,
		[OP_LE]	= REMOTE_FILTER_LE, [OP_LT]	= REMOTE_FILTER_LT,
		[OP_GE]	= REMOTE_FILTER_GE, [OP_GT]	= REMOTE_FILTER_GT,
		[OP_BAND] = REMOTE_FILTER_AND,
	};
	const struct filter_pred *pred = entry->pred;
	int cut = 64 - 8 * pred->field->size;

	switch (pred->fn_num) {
	case FILTER_PRED_FN_64: case FILTER_PRED_FN_S64: case FILTER_PRED_FN_U64:
	case FILTER_PRED_FN_32: case FILTER_PRED_FN_S32: case FILTER_PRED_FN_U32:
	case FILTER_PRED_FN_16: case FILTER_PRED_FN_S16: case FILTER_PRED_FN_U16:
	case FILTER_PRED_FN_8: case FILTER_PRED_FN_S8: case FILTER_PRED_FN_U8:
		break;
	default:
		return false;
	}
	insn->op = remote_ops[pred->op];
	insn->offset = pred->offset;
	insn->size = pred->field->size;
	insn->is_signed = pred->field->is_signed;
	insn->value = pred->val << cut;
	insn->value = insn->is_signed ? (s64)insn->value >> cut : insn->value >> cut;
	return true;
}

/* The place of entry @i in the program of a remote, which has no entries for the ends */
static u8 prog_target_to_remote(const struct prog_entry *prog, int i)
{
	if (prog[i].pred)
		return i;
	return prog[i].target ? REMOTE_FILTER_PASS : REMOTE_FILTER_FAIL;
}

/* Translate a filter for the writer of a remote; what that cannot do is refused */
int event_filter_to_remote(struct trace_array *tr, struct event_filter *filter,
			   struct remote_filter *to)
{
	struct prog_entry *prog = rcu_dereference_protected(filter->prog,
						lockdep_is_held(&event_mutex));
	struct filter_parse_error pe = {};
	int i, yes, no;

	for (i = 0; !pe.lasterr && prog[i].pred; i++) {
		if (i == REMOTE_FILTER_MAX) {
			parse_error(&pe, FILT_ERR_TOO_MANY_PREDS, 0);
			break;
		}
		if (!prog_entry_to_remote(&prog[i], &to->insns[i]))
			parse_error(&pe, FILT_ERR_ILLEGAL_FIELD_OP, 0);
		yes = prog[i].when_to_branch ? prog[i].target + 1 : i + 1;
		no = prog[i].when_to_branch ? i + 1 : prog[i].target + 1;
		to->insns[i].yes = prog_target_to_remote(prog, yes);
		to->insns[i].no = prog_target_to_remote(prog, no);
	}
	to->nr = i;
	if (!pe.lasterr)
		return 0;
	append_filter_err(tr, &pe, filter);
	return -EINVAL;
}
