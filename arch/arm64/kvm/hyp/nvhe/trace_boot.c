// SPDX-License-Identifier: GPL-2.0
/*
 * Tracing at EL2: events that happen before the host can load the buffers.
 *
 * Until a CPU's writer is switched on for the first time, its events go to a log in EL2's
 * per-CPU data, with the counter of that moment. As the writer is switched on, they are the
 * first events in the buffer, with the times that the host's clock had. All of this is for
 * events that the host wants from the boot on: it sets their ids before it sets up EL2, as long as
 * all of EL2's memory is its own.
 *
 * The log is that of its own CPU, and is not locked. If it is full, the events that follow are
 * lost, and their number is that of events dropped. It does not have the calls by which the host
 * loads the buffers and switches events on, whose number depends on the size of the buffers.
 */
#include <asm/kvm_hyp.h>
#include <asm/kvm_mmu.h>

#include "trace_core.h"

/* Set by the host before it sets up EL2 */
bool hyp_boot_logging;

/* Tracing has been switched off, or could not begin: what is in a log is too old */
static bool boot_is_over;

/* Each time that EL2 has come up on this CPU; written by hyp-init.S */
DEFINE_PER_CPU(struct hyp_boot_ups, hyp_boot_ups);

/**
 * struct hyp_boot_entry - an event in the log
 * @prev:	the entry before it; NULL if it is the first
 * @cycles:	the counter when it happened
 * @event:	enum hyp_event
 * @size:	bytes of @rec
 * @rec:	the record, without its type
 */
struct hyp_boot_entry {
	struct hyp_boot_entry	*prev;
	u64			cycles;
	u32			event;
	u32			size;
	struct remote_rec	rec[];
};

static u32 entry_bytes(u32 size)
{
	return ALIGN(sizeof(struct hyp_boot_entry) + size, sizeof(u64));
}

/* Is what this CPU does a call of tracing itself? */
enum hyp_boot_call {
	HYP_BOOT_CALL_OTHER,
	HYP_BOOT_CALL_OWN,	/* yes, it is handled now */
	HYP_BOOT_CALL_ENDS,	/* it was, and only its end may follow */
};

/**
 * struct hyp_boot_log - the events of a CPU before its writer was on
 * @closed:	the writer has been on
 * @call:	whose events are not logged
 * @used:	bytes of @data that are in use
 * @lost:	events for which there was no room
 * @last:	the last entry; NULL if there is none
 * @data:	entries, each aligned to 8
 */
struct hyp_boot_log {
	bool			closed;
	enum hyp_boot_call	call;
	u32			used;
	u32			lost;
	struct hyp_boot_entry	*last;
	u8			data[HYP_BOOT_LOG_SIZE] __aligned(8);
};

static DEFINE_PER_CPU(struct hyp_boot_log, hyp_boot_logs);

static struct hyp_boot_entry *add_entry(struct hyp_boot_log *log, u32 event, u32 size, u64 cycles)
{
	struct hyp_boot_entry *entry = (void *)log->data + log->used;

	/* None after a loss, so that it is known where that was */
	if (log->lost || entry_bytes(size) > sizeof(log->data) - log->used) {
		if (log->lost != U32_MAX)
			log->lost++;
		return NULL;
	}

	log->used += entry_bytes(size);
	entry->prev = log->last;
	log->last = entry;
	entry->cycles = cycles;
	entry->event = event;
	entry->size = size;
	return entry;
}

static void add_step(struct hyp_boot_log *log, enum hyp_boot_step step, u64 cycles)
{
	struct remote_rec_hyp_boot *rec;
	struct hyp_boot_entry *entry = add_entry(log, HYP_EVENT_hyp_boot, sizeof(*rec), cycles);

	if (!entry)
		return;
	rec = (void *)entry->rec;
	*rec = (struct remote_rec_hyp_boot){ .step = step };
}

/* EL2 had no stack when it came up, so hyp-init.S has left only the times */
static void add_ups(struct hyp_boot_log *log)
{
	struct hyp_boot_ups *ups = this_cpu_ptr(&hyp_boot_ups);
	u64 i;

	for (i = 0; i < ups->nr; i++) {
		add_step(log, HYP_BOOT_ENTERED, ups->at[i].entered);
		add_step(log, HYP_BOOT_UP, ups->at[i].up);
	}
	ups->nr = 0;
}

static bool is_wanted(u32 event)
{
	return (u16)READ_ONCE(hyp_event_ids[event]);
}

static bool is_open(const struct hyp_boot_log *log)
{
	return hyp_boot_logging && !log->closed && !READ_ONCE(boot_is_over);
}

/*
 * The calls of tracing itself
 */

static void take_back(struct hyp_boot_log *log, u32 event)
{
	if (log->lost) {
		log->lost -= is_wanted(event);
		return;
	}
	if (!log->last || log->last->event != event)
		return;
	log->used -= entry_bytes(log->last->size);
	log->last = log->last->prev;
}

/* What has been logged of this call is taken back */
void hyp_boot_own_call_begins(void)
{
	struct hyp_boot_log *log = this_cpu_ptr(&hyp_boot_logs);

	if (!is_open(log))
		return;
	take_back(log, HYP_EVENT_host_hcall);
	take_back(log, HYP_EVENT_hyp_enter);
	log->call = HYP_BOOT_CALL_OWN;
}

void hyp_boot_own_call_ends(void)
{
	this_cpu_ptr(&hyp_boot_logs)->call = HYP_BOOT_CALL_ENDS;
}

static bool is_of_own_call(struct hyp_boot_log *log, u32 event)
{
	switch (log->call) {
	case HYP_BOOT_CALL_OTHER:
		return false;
	case HYP_BOOT_CALL_OWN:
		return true;
	case HYP_BOOT_CALL_ENDS:
		break;
	}
	if (event != HYP_EVENT_host_hcall_ret || !is_wanted(HYP_EVENT_hyp_exit))
		log->call = HYP_BOOT_CALL_OTHER;
	return event == HYP_EVENT_host_hcall_ret || event == HYP_EVENT_hyp_exit;
}

void *hyp_boot_reserve(u32 event, u32 size)
{
	struct hyp_boot_log *log = this_cpu_ptr(&hyp_boot_logs);
	struct hyp_boot_entry *entry;

	if (!is_open(log) || is_of_own_call(log, event))
		return NULL;
	if (is_wanted(HYP_EVENT_hyp_boot))
		add_ups(log);
	entry = add_entry(log, event, size, read_sysreg(cntpct_el0));
	return entry ? entry->rec : NULL;
}

/*
 * EL2 becomes the owner of its memory page by page. In the log, pages that follow each other
 * are one event, with the time of the first one.
 */
static bool is_more_of_last(const struct remote_rec_host_s2_set_owner *rec)
{
	struct hyp_boot_log *log = this_cpu_ptr(&hyp_boot_logs);
	struct remote_rec_host_s2_set_owner *last;

	if (log->call != HYP_BOOT_CALL_OTHER || !log->last ||
	    log->last->event != HYP_EVENT_host_s2_set_owner)
		return false;
	last = (void *)log->last->rec;
	if (last->addr + last->bytes != rec->addr || last->owner != rec->owner ||
	    last->ret != rec->ret)
		return false;
	last->bytes += rec->bytes;
	return true;
}

void hyp_boot_log_event(u32 event, const struct remote_rec *from, u32 size)
{
	void *rec;

	/* It may be here for a trigger only */
	if (!is_wanted(event))
		return;
	if (event == HYP_EVENT_host_s2_set_owner && is_more_of_last((const void *)from))
		return;
	rec = hyp_boot_reserve(event, size);
	if (rec)
		memcpy(rec, from, size);
}

/*
 * From the log to the buffer
 */

/* Filters find the field duration of hyp_exit behind the record in @slow */
static void set_duration(struct hyp_trace_cpu *tc, const struct hyp_boot_entry *entry,
			 u64 *entered)
{
#ifdef CONFIG_NVHE_EL2_TRIGGERS
	if (entry->event == HYP_EVENT_hyp_exit) {
		tc->slow.timed_exit.duration =
			*entered ? hyp_counter_to_ns(entry->cycles - *entered) : 0;
		*entered = 0;
	}
#endif
	if (entry->event == HYP_EVENT_hyp_enter)
		*entered = entry->cycles;
}

static bool passes_filter(struct hyp_trace_cpu *tc, const struct hyp_boot_entry *entry,
			  u64 *entered)
{
	const struct remote_filter *filter = hyp_filters[entry->event];

	set_duration(tc, entry, entered);
	if (!filter || !filter->nr)
		return true;
	memcpy(&tc->slow, entry->rec, entry->size);
	return remote_filter_match(filter, &tc->slow.hdr, hyp_filter_size(entry->event));
}

static void write_entry(struct hyp_trace_cpu *tc, const struct hyp_boot_entry *entry)
{
	struct remote_rec *rec = rb_writer_reserve_slow(&tc->writer, entry->size,
							hyp_clock_read_past(&tc->clock,
									    entry->cycles));

	if (!rec)
		return;
	memcpy(rec, entry->rec, entry->size);
	rec->type = (u16)READ_ONCE(hyp_event_ids[entry->event]);
	rec->pid = 0;
	hyp_commit_slow(tc, rec, entry->size);
}

static void write_log(struct hyp_trace_cpu *tc, const struct hyp_boot_log *log)
{
	const struct hyp_boot_entry *entry;
	u64 entered = 0;
	u32 at;

	for (at = 0; at < log->used; at += entry_bytes(entry->size)) {
		entry = (const void *)log->data + at;
		if (is_wanted(entry->event) && passes_filter(tc, entry, &entered))
			write_entry(tc, entry);
	}
	if (log->lost)
		rb_writer_drop(&tc->writer, log->lost);
}

static void empty_log(struct hyp_boot_log *log)
{
	log->used = 0;
	log->lost = 0;
	log->last = NULL;
}

void hyp_boot_writer_is_on(struct hyp_trace_cpu *tc, bool came_up)
{
	struct hyp_boot_log *log = this_cpu_ptr(&hyp_boot_logs);

	if (!is_open(log))
		empty_log(log);
	if (hyp_boot_logging && is_wanted(HYP_EVENT_hyp_boot) && (came_up || is_open(log)))
		add_ups(log);
	this_cpu_ptr(&hyp_boot_ups)->nr = 0;
	write_log(tc, log);
	log->closed = true;
	empty_log(log);
}

/* What is noted from now on is of the next time that the CPU comes up */
void hyp_boot_cpu_off(void)
{
	if (!is_open(this_cpu_ptr(&hyp_boot_logs)))
		this_cpu_ptr(&hyp_boot_ups)->nr = 0;
}

void hyp_boot_end(void)
{
	WRITE_ONCE(boot_is_over, true);
}
