// SPDX-License-Identifier: GPL-2.0
/*
 * What an earlier boot has left in the memory of a remote: the remote <name>_last_boot.
 *
 * It is read once, when the remote is registered, and not a byte of it is trusted: everything
 * is copied, and checked in the copy, see linux/ring_buffer_image.h. The copy is then the
 * buffer of a remote that only reads.
 *
 * It has the events that the image describes. One that this kernel has as well, by the same name
 * and format, has the same id in both remotes. Any other one is made of its description.
 *
 * Records are translated as they are checked. They get the ids that the events have now; one
 * whose event cannot be made gets the id 0, which no event has. Addresses of the old kernel's
 * image become those of this one if it is the same kernel; or else offsets in the old image, so
 * that no name of this kernel is printed for them.
 *
 * Its buffer is loaded while a file that reads is open, whether events are left or not. So what
 * was consumed is there again as soon as no file is open.
 */
#include <linux/cleanup.h>
#include <linux/ctype.h>
#include <linux/mm.h>
#include <linux/ring_buffer_writer.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/time64.h>
#include <linux/tracefs.h>

#include <asm/sections.h>

#include "trace_remote_memory.h"

/* What a record of this id is: an index of the events, or one of these */
#define NO_EVENT	0xffff	/* the old kernel has no such event */
#define BAD_EVENT	0xfffe	/* it cannot be made */
#define NR_IDS		0x10000

/* Of an address that is no kernel's */
#define USER_BITS	GENMASK_ULL(46, 0)

/**
 * struct last_cpu - the buffer of a CPU
 * @nr:		sub-buffers that have events
 * @pages:	what is known of them, in order
 * @subbufs:	these
 * @meta:	the meta page
 * @missing:	events that were written and are not there
 * @dropped:	events that were not written
 * @head:	how many sub-buffers the reader has taken
 */
struct last_cpu {
	u32				nr;
	struct rb_image_page		*pages;
	struct rb_page			**subbufs;
	struct trace_buffer_meta	*meta;
	u64				missing;
	u64				dropped;
	u32				head;
};

/**
 * struct last_boot - what an earlier boot has left
 * @desc:	the remote that shows it
 * @of:		the remote that it is of
 * @remote:	what was registered
 * @name:	its name
 * @clocks:	the clock of the timestamps
 * @events:	the events: copies of those of @of that are the same, and others
 * @cpus:	the CPUs that have a buffer
 * @cpu:	the buffers
 * @empty:	a sub-buffer without events
 * @front:	what precedes the buffers in the image
 * @layout:	of the image
 * @nr_cut:	sub-buffers that were not sound up to their end
 * @same_kernel: it was the kernel that runs now
 * @what:	by id: what a record is; only while the image is read
 */
struct last_boot {
	struct trace_remote_desc	desc;
	struct trace_remote		*of;
	struct trace_remote		*remote;
	char				name[RB_IMAGE_NAME + 16];
	struct trace_remote_clock	clocks[2];
	struct trace_remote_event	*events;
	struct cpumask			cpus;
	struct last_cpu			*cpu;
	struct rb_page			*empty;
	void				*front;
	struct rb_image_layout		layout;
	u32				nr_cut;
	bool				same_kernel;
	u16				*what;
};

static const struct rb_image_head *head_of(const struct last_boot *last)
{
	return last->front;
}

static const struct rb_image_state *state_of(const struct last_boot *last)
{
	return last->front + last->layout.state;
}

/*
 * Reading the image: records
 */

/* An address in the old kernel becomes one in this kernel, or one that is no kernel's */
static void move_address(const struct last_boot *last, u64 *address)
{
	const struct rb_image_head *head = head_of(last);
	u64 offset = *address - head->text;

	if (offset >= head->text_size)
		*address &= USER_BITS;
	else if (last->same_kernel)
		*address = (unsigned long)_text + offset;
	else
		*address = offset & USER_BITS;
}

/* The fields of records are aligned to 4 bytes only */
static void move_address_at(const struct last_boot *last, void *at)
{
	u64 address;

	memcpy(&address, at, sizeof(address));
	move_address(last, &address);
	memcpy(at, &address, sizeof(address));
}

static void move_stack(const struct last_boot *last, struct remote_stack *stack)
{
	s32 i;

	for (i = 0; i < stack->size; i++)
		move_address_at(last, &stack->caller[i]);
}

/* Is it the name of a field with addresses? */
static bool has_addresses(const struct trace_event_fields *field)
{
	static const char *const names[] = { "ip", "parent_ip", "func", "fmt", "caller" };

	return match_string(names, ARRAY_SIZE(names), field->name) >= 0;
}

/*
 * The addresses among the arguments of a message, which are stored as vbin_printf() does. Its
 * format, which this kernel has, is found by now; a writer's has integers and %p only
 */
static void move_arguments(const struct last_boot *last, struct remote_printk *rec, u32 size)
{
	const char *fmt = (const char *)(unsigned long)rec->fmt;
	u32 *word = rec->words, *end = (void *)rec + size, nr;

	if (!last->same_kernel || !trace_is_tracepoint_string(fmt))
		return;
	while ((fmt = strchr(fmt, '%'))) {
		nr = 1;
		for (fmt++; *fmt && strchr("-+ #0123456789.*lLz", *fmt); fmt++) {
			if (*fmt == '*')
				word++;
			else if (strchr("lLz", *fmt))
				nr = 2;
		}
		if (*fmt == '%') {
			fmt++;
			continue;
		}
		if (*fmt == 'p')
			nr = 2;
		else if (!*fmt || !strchr("diouxX", *fmt))
			return;
		if (end - word < nr)
			return;
		if (*fmt == 'p')
			move_address_at(last, word);
		word += nr;
	}
}

static void move_addresses(const struct last_boot *last, const struct trace_remote_event *event,
			   void *rec, u32 size)
{
	const struct trace_event_fields *field;
	u32 offset, at;

	if (remote_stack_event(event)) {
		move_stack(last, rec);
		return;
	}
	for_each_remote_field(field, offset, event) {
		if (!has_addresses(field))
			continue;
		for (at = 0; at + sizeof(u64) <= field->size; at += sizeof(u64))
			move_address_at(last, rec + offset + at);
	}
	if (remote_printk_event(event))
		move_arguments(last, rec, size);
}

/* Of rb_image_read_page() */
static bool take_record(void *data, u32 size, void *priv)
{
	const struct last_boot *last = priv;
	const struct trace_remote_event *event;
	struct remote_rec *rec = data;
	u16 what;

	if (size < sizeof(*rec))
		return false;

	what = last->what[rec->type % NR_IDS];
	if (what == NO_EVENT)
		return false;
	if (what == BAD_EVENT) {
		rec->type = 0;
		return true;
	}
	event = &last->events[what];
	rec->type = event->call.event.type;
	if (!remote_record_is_whole(last->remote, rec, size)) {
		/* A description does not say which records may be shorter */
		if (event->same_as)
			return false;
		rec->type = 0;
		return true;
	}
	move_addresses(last, event, rec, size);
	return true;
}

/*
 * Reading the image: events
 */

/* Among the first @nr */
static bool has_event(const struct last_boot *last, u32 nr, const char *name)
{
	while (nr--) {
		if (!strcmp(last->events[nr].name, name))
			return true;
	}
	return false;
}

/* This kernel's event of the same name and format, or NULL */
static const struct trace_remote_event *find_event(const struct trace_remote *of, const char *name,
						   const char *format)
{
	const struct remote_memory *m = of->memory;
	unsigned int i;

	for (i = 0; i < of->desc->nr_events; i++) {
		if (!strcmp(m->events[i].name, name) &&
		    !strcmp(m->formats + m->events[i].format, format))
			return &of->desc->events[i];
	}
	return NULL;
}

static void copy_event(struct last_boot *last, struct trace_remote_event *event,
		       const struct trace_remote_event *from)
{
	*event = *from;
	event->same_as = from;
	event->system = from->system ?: last->of->desc->name;
	event->hidden = NULL;
	event->field = NULL;
}

/* The N of a type "...[N]", for the format file; 0 if it is none */
static int array_len(const char *type)
{
	const char *bracket = strchr(type, '[');
	int len;

	return bracket && sscanf(bracket, "[%3d]", &len) == 1 ? len : 0;
}

static int make_fields(struct trace_remote_event *event, const struct rb_image_format *format)
{
	u32 i;

	event->fields = kcalloc(format->nr_fields + 1, sizeof(*event->fields), GFP_KERNEL);
	if (!event->fields)
		return -ENOMEM;
	for (i = 0; i < format->nr_fields; i++) {
		const struct rb_image_field *from = &format->fields[i];
		const struct trace_event_fields field = {
			.type		= from->type,
			.name		= from->name,
			.size		= from->size,
			.align		= from->align,
			.is_signed	= from->is_signed,
			.len		= array_len(from->type),
		};

		/* Some of its members are constant */
		memcpy(&event->fields[i], &field, sizeof(field));
	}
	return 0;
}

/* The kernel's own events keep their system, in which programs look for them */
static const char *system_of(const struct last_boot *last, const char *system)
{
	return strcmp(system, "ftrace") ? last->of->desc->name : "ftrace";
}

/* Returns 0 also if it cannot be made; then it has no name */
static noinline_for_stack int make_event(struct last_boot *last, struct trace_remote_event *event,
					 const char *name, char *text)
{
	struct rb_image_format format;
	int ret;

	if (rb_image_parse_format(text, &format))
		return 0;
	ret = make_fields(event, &format);
	if (ret)
		return ret;
	event->print_fmt = format.print_fmt;
	event->system = system_of(last, format.system);
	event->name = name;
	return 0;
}

/* Names of files that the directory of a system has */
static bool is_reserved(const char *name)
{
	return !strcmp(name, "enable") || !strcmp(name, "filter");
}

/* Adds what the image says of an event, if that makes sense */
static int add_event(struct last_boot *last, const struct rb_image_event *old)
{
	char *format = rb_image_format(last->front, &last->layout, old);
	struct trace_remote_event *event = &last->events[last->desc.nr_events];
	const struct trace_remote_event *same;
	int ret = 0;

	if (!old->id || old->id >= NR_IDS)
		return 0;
	last->what[old->id] = BAD_EVENT;
	if (!rb_image_is_name(old->name) || is_reserved(old->name) ||
	    has_event(last, last->desc.nr_events, old->name))
		return 0;
	same = find_event(last->of, old->name, format);
	if (same)
		copy_event(last, event, same);
	else
		ret = make_event(last, event, old->name, format);
	if (!ret && event->name)
		last->what[old->id] = last->desc.nr_events++;
	return ret;
}

static int make_events(struct last_boot *last)
{
	const struct rb_image_event *events = last->front + last->layout.events;
	int ret = 0;
	u32 i;

	last->what = kvmalloc_array(NR_IDS, sizeof(*last->what), GFP_KERNEL);
	/* There is always one to look at */
	last->events = kvcalloc(last->layout.nr_events + 1, sizeof(*last->events), GFP_KERNEL);
	if (!last->what || !last->events)
		return -ENOMEM;
	memset16(last->what, NO_EVENT, NR_IDS);
	for (i = 0; i < last->layout.nr_events && !ret; i++)
		ret = add_event(last, &events[i]);
	return ret;
}

/*
 * Reading the image: sub-buffers
 */

/* @to gets the sub-buffer if it has events. Returns 1 if so, 0 if not, or an errno */
static int read_subbuf(struct last_boot *last, const struct remote_memory *m, u32 index, u32 id,
		       struct rb_page **to, struct rb_image_page *page)
{
	const u64 *stale = last->front + rb_image_stale(&last->layout, index, id);

	*to = (void *)__get_free_page(RING_BUFFER_REMOTE_GFP);
	if (!*to)
		return -ENOMEM;

	page->id = id;
	if (rb_image_read_page(m->region + rb_image_subbuf(&last->layout, index, id), *stale, *to,
			       page, take_record, last)) {
		last->nr_cut += page->cut;
		return 1;
	}
	last->nr_cut += page->cut;
	free_page((unsigned long)*to);
	*to = NULL;
	return 0;
}

/* As the ids are, for the moment */
static int read_subbufs(struct last_boot *last, const struct remote_memory *m, u32 index,
			struct last_cpu *c, struct rb_page **by_id)
{
	u32 id;
	int ret;

	for (id = 0; id < last->layout.nr_subbufs; id++) {
		ret = read_subbuf(last, m, index, id, &by_id[id], &c->pages[c->nr]);
		if (ret < 0)
			return ret;
		c->nr += ret;
		cond_resched();
	}
	return 0;
}

/*
 * Bring them in order, and mark those before which something is missing. Not the last one: it
 * stands for the one that is being written, which has no mark, and an iterator that finds one there
 * does not end. Its readers are told by last_swap_reader().
 */
static void order_subbufs(struct last_boot *last, const struct trace_buffer_meta *meta,
			  struct last_cpu *c, struct rb_page **by_id)
{
	u32 i;

	c->missing = rb_image_order(c->pages, c->nr, meta, last->layout.nr_subbufs - 1);
	c->dropped = meta->dropped;
	for (i = 0; i < c->nr; i++) {
		c->subbufs[i] = by_id[c->pages[i].id];
		if (c->pages[i].lost && i + 1 < c->nr)
			rb_image_mark(c->subbufs[i], c->pages[i].lost);
	}
}

static int read_cpu(struct last_boot *last, const struct remote_memory *m, u32 index, int cpu)
{
	struct last_cpu *c = &last->cpu[cpu];
	struct trace_buffer_meta meta;
	u32 nr = last->layout.nr_subbufs, id;
	struct rb_page **by_id;
	int ret;

	by_id = kvcalloc(nr, sizeof(*by_id), RING_BUFFER_REMOTE_GFP);
	c->pages = kvcalloc(nr, sizeof(*c->pages), RING_BUFFER_REMOTE_GFP);
	c->subbufs = kvcalloc(nr, sizeof(*c->subbufs), RING_BUFFER_REMOTE_GFP);
	c->meta = (void *)get_zeroed_page(GFP_KERNEL);
	ret = by_id && c->pages && c->subbufs && c->meta ? read_subbufs(last, m, index, c, by_id) :
							   -ENOMEM;
	if (ret) {
		for (id = 0; by_id && id < nr; id++)
			free_page((unsigned long)by_id[id]);
		c->nr = 0;
	} else {
		memcpy(&meta, m->region + rb_image_meta(&last->layout, index), sizeof(meta));
		barrier(); /* What is checked is the copy */
		order_subbufs(last, &meta, c, by_id);
	}
	kvfree(by_id);
	return ret;
}

/* A CPU that this kernel does not know, or that is there twice, is left out */
static int read_cpus(struct last_boot *last, const struct remote_memory *m)
{
	const u32 *cpus = last->front + last->layout.cpus;
	int ret = 0;
	u32 i;

	last->cpu = kcalloc(nr_cpu_ids, sizeof(*last->cpu), GFP_KERNEL);
	last->empty = (void *)get_zeroed_page(GFP_KERNEL);
	if (!last->cpu || !last->empty)
		return -ENOMEM;
	for (i = 0; i < last->layout.nr_cpus && !ret; i++) {
		if (cpus[i] >= nr_cpu_ids || !cpu_possible(cpus[i]) ||
		    cpumask_test_and_set_cpu(cpus[i], &last->cpus))
			continue;
		ret = read_cpu(last, m, i, cpus[i]);
	}
	return ret;
}

static bool is_same_kernel(const struct rb_image_head *head)
{
	u8 id[RB_IMAGE_BUILD_ID];
	u32 len = remote_build_id(id);

	return len && head->build_id_len == len && !memcmp(head->build_id, id, len) &&
	       head->text_size == _end - _text;
}

/* What precedes the buffers. -ENODATA if there is nothing of another boot */
static int read_front(struct last_boot *last, const struct remote_memory *m)
{
	struct rb_image_head head;
	struct rb_image_state *state;
	int ret = rb_image_read_head(m->region, m->size, &head, &last->layout);

	if (ret)
		return ret;
	if (head.boot == remote_boot_number())
		return -ENODATA;
	last->front = kvmalloc(last->layout.buffers, RING_BUFFER_REMOTE_GFP);
	if (!last->front)
		return -ENOMEM;
	ret = rb_image_read_front(m->region, &head, &last->layout, last->front);
	if (ret)
		return ret;
	if (strcmp(head_of(last)->remote, last->of->desc->name))
		return -ENODATA;

	state = m->region + last->layout.state;
	WRITE_ONCE(state->boots, state_of(last)->boots + 1);
	last->same_kernel = is_same_kernel(last->front);
	return 0;
}

int remote_last_read(struct trace_remote *remote)
{
	struct last_boot *last = remote->desc->priv;
	int ret;

	last->remote = remote;
	ret = read_cpus(last, last->of->memory);
	kvfree(last->what);
	last->what = NULL;
	return ret;
}

/*
 * The writer, which has written everything already
 */

static struct last_cpu *cpu_of(void *priv, int cpu)
{
	struct last_boot *last = priv;

	return &last->cpu[cpu];
}

static const struct cpumask *last_cpus(void *priv)
{
	struct last_boot *last = priv;

	return &last->cpus;
}

/* That of the reader is empty at first */
static unsigned int last_nr_subbufs(int cpu, void *priv)
{
	return max(cpu_of(priv, cpu)->nr + 1, RB_WRITER_MIN_SUBBUFS);
}

static void *last_meta(int cpu, void *priv)
{
	return cpu_of(priv, cpu)->meta;
}

static void *last_subbuf(int cpu, unsigned int id, void *priv)
{
	struct last_boot *last = priv;
	struct last_cpu *c = cpu_of(priv, cpu);

	return id && id <= c->nr ? c->subbufs[id - 1] : last->empty;
}

static const struct ring_buffer_remote_mem last_mem = {
	.cpus		= last_cpus,
	.nr_subbufs	= last_nr_subbufs,
	.meta		= last_meta,
	.subbuf		= last_subbuf,
};

static u32 bytes_of(const struct rb_page *page)
{
	return page->commit & ~(RB_PAGE_MISSED | RB_PAGE_MISSED_STORED);
}

/* As after the last event was written, and nothing was read */
static void load_cpu(struct last_boot *last, int cpu)
{
	struct last_cpu *c = &last->cpu[cpu];
	struct trace_buffer_meta *meta = c->meta;
	u32 i;

	*meta = (struct trace_buffer_meta){
		.meta_page_size		= PAGE_SIZE,
		.meta_struct_len	= sizeof(*meta),
		.subbuf_size		= PAGE_SIZE,
		.nr_subbufs		= last_nr_subbufs(cpu, last),
		.flags			= TRACE_BUFFER_META_REMOTE,
		.entries		= c->missing,
		.overrun		= c->missing,
		.dropped		= c->dropped,
		.pages_touched		= c->nr ? c->nr - 1 : 0,
	};
	for (i = 0; i < c->nr; i++) {
		meta->entries += c->pages[i].events;
		if (i + 1 < c->nr)
			meta->closed_bytes += bytes_of(c->subbufs[i]);
	}
	c->head = 0;
}

static int last_load(struct trace_buffer *buffer, void *priv)
{
	int cpu;

	for_each_cpu(cpu, ring_buffer_remote_cpus(buffer))
		load_cpu(priv, cpu);
	return 0;
}

static int last_unload(struct trace_buffer *buffer, void *priv)
{
	return 0;
}

static int last_swap_reader(int cpu, u32 seen, void *priv)
{
	struct last_cpu *c = cpu_of(priv, cpu);
	struct trace_buffer_meta *meta = c->meta;

	if (c->head == c->nr)
		return RB_SWAP_NOTHING;
	if (c->head && seen != bytes_of(c->subbufs[c->head - 1]))
		return RB_SWAP_MORE;

	WRITE_ONCE(meta->reader.lost_events, c->pages[c->head].lost);
	WRITE_ONCE(meta->reader_entries, c->pages[c->head].events);
	c->head++;
	WRITE_ONCE(meta->reader.id, c->head);
	WRITE_ONCE(meta->pages_gone, c->head);
	WRITE_ONCE(meta->pages_read, c->head);
	return RB_SWAP_DONE;
}

/*
 * Nothing can be changed
 */

static int last_reset(int cpu, void *priv)
{
	return -EPERM;
}

static int last_switch(bool on, void *priv)
{
	return -EPERM;
}

static int last_set_clock(unsigned int index, void *priv)
{
	return -EPERM;
}

static int last_enable_event(unsigned int index, u16 id, void *priv)
{
	return -EPERM;
}

static int last_write_selftest(u64 id, void *priv)
{
	return -EPERM;
}

static void last_stop(void *priv)
{
}

static const struct trace_remote_ops last_ops = {
	.load		= last_load,
	.unload		= last_unload,
	.enable		= last_switch,
	.overwrite	= last_switch,
	.set_clock	= last_set_clock,
	.enable_event	= last_enable_event,
	.write_selftest	= last_write_selftest,
	.stop		= last_stop,
	.rb = {
		.swap_reader	= last_swap_reader,
		.reset		= last_reset,
	},
};

bool remote_is_last(const struct trace_remote *remote)
{
	return remote->desc->ops == &last_ops;
}

void remote_last_use_copy(struct trace_remote *remote)
{
	remote->rb.mem = &last_mem;
	remote->rb.mem_priv = remote->desc->priv;
}

/*
 * Files
 */

/* Zeroes behind a record: the format of a message may take more arguments than it has */
#define REC_SLACK	256

/* Without reading behind the record. The caller holds the mutex of the file, and can sleep */
void remote_print_last(struct trace_remote *remote, struct trace_iterator *iter)
{
	u64 rec[(RB_WRITER_MAX_LONG + REC_SLACK) / sizeof(u64)] = {};
	u32 size = min(iter->ent_size, RB_WRITER_MAX_LONG);

	memcpy(rec, iter->ent, size);
	remote_print_record(remote, &iter->seq, iter->cpu, iter->ts, (void *)rec, size);
}

static const char *const ends[] = {
	[RB_IMAGE_NOT_NOTED]	= "reset from outside, or power failure",
	[RB_IMAGE_OOPS]		= "oops, then reset from outside, or power failure",
	[RB_IMAGE_REBOOT]	= "reboot",
	[RB_IMAGE_HALT]		= "halt",
	[RB_IMAGE_POWER_OFF]	= "power off",
	[RB_IMAGE_KEXEC]	= "kexec",
	[RB_IMAGE_EMERGENCY]	= "emergency restart",
	[RB_IMAGE_PANIC]	= "panic of the kernel",
	[RB_IMAGE_WRITER_PANIC]	= "panic of the writer",
};

static void put_time(struct seq_file *m, u64 ns)
{
	u32 part;
	time64_t seconds = div_u64_rem(ns, NSEC_PER_SEC, &part);

	seq_printf(m, "%ptTs.%06u UTC", &seconds, part / (u32)NSEC_PER_USEC);
}

static void show_time(struct seq_file *m, const char *what, u64 ns)
{
	if (!ns)
		return;
	seq_printf(m, "%s: ", what);
	put_time(m, ns);
	seq_putc(m, '\n');
}

static void show_clock(struct seq_file *m, const struct last_boot *last)
{
	const struct rb_image_state *state = state_of(last);

	seq_printf(m, "clock: %s", last->clocks[0].name);
	if (last->clocks[0].in_ns && state->clock_now <= state->real_now) {
		seq_puts(m, ", 0 is at ");
		put_time(m, state->real_now - state->clock_now);
	}
	seq_putc(m, '\n');
}

static void show_events(struct seq_file *m, const struct last_boot *last)
{
	u64 events = 0, missing = 0;
	u32 i;
	int cpu;

	for_each_cpu(cpu, &last->cpus) {
		for (i = 0; i < last->cpu[cpu].nr; i++)
			events += last->cpu[cpu].pages[i].events;
		missing += last->cpu[cpu].missing;
	}
	seq_printf(m, "events: %llu of %u CPUs, %llu older ones are gone\n", events,
		   cpumask_weight(&last->cpus), missing);
	seq_printf(m, "cpus: %*pbl\n", cpumask_pr_args(&last->cpus));
	if (last->layout.nr_cpus > cpumask_weight(&last->cpus))
		seq_printf(m, "cpus left out: %u\n",
			   last->layout.nr_cpus - cpumask_weight(&last->cpus));
	if (last->nr_cut)
		seq_printf(m, "damaged sub-buffers: %u\n", last->nr_cut);
}

static struct last_boot *show_last(struct seq_file *m)
{
	struct trace_array *tr = m->private;

	return to_remote(tr)->desc->priv;
}

static int info_show(struct seq_file *m, void *v)
{
	const struct last_boot *last = show_last(m);
	const struct rb_image_state *state = state_of(last);
	const struct rb_image_head *head = head_of(last);

	seq_printf(m, "ended: %s%s%s\n", ends[state->end], *state->why ? ": " : "", state->why);
	show_time(m, "ended at", state->ended);
	show_time(m, "buffers made at", head->written);
	seq_printf(m, "boots since: %u\n", state->boots + 1);
	seq_printf(m, "release: %s\n", head->release);
	seq_printf(m, "build id: %*phN (%s)\n", (int)head->build_id_len, head->build_id,
		   last->same_kernel ? "this kernel" : "another kernel");
	seq_printf(m, "text: 0x%llx\n", head->text);
	show_clock(m, last);
	show_events(m, last);
	return 0;
}

static int log_show(struct seq_file *m, void *v)
{
	const struct last_boot *last = show_last(m);

	seq_puts(m, last->front + last->layout.log);
	return 0;
}

static int info_open(struct inode *inode, struct file *filp)
{
	return remote_open_show(inode, filp, info_show);
}

static int log_open(struct inode *inode, struct file *filp)
{
	return remote_open_show(inode, filp, log_show);
}

static const struct file_operations info_fops = {
	.open		= info_open,
	.read		= seq_read,
	.llseek		= seq_lseek,
	.release	= remote_release_show,
};

static const struct file_operations log_fops = {
	.open		= log_open,
	.read		= seq_read,
	.llseek		= seq_lseek,
	.release	= remote_release_show,
};

void remote_create_last_files(struct trace_remote *remote)
{
	struct trace_array *tr = &remote->tr;

	trace_create_file("last_boot_info", TRACE_MODE_READ, tr->dir, tr, &info_fops);
	trace_create_file("last_boot_log", TRACE_MODE_READ, tr->dir, tr, &log_fops);
}

/*
 * Registration
 */

static void make_clock(struct last_boot *last)
{
	const struct rb_image_head *head = head_of(last);
	u32 index = state_of(last)->clock;
	const struct trace_remote_clock *clock;

	last->clocks[0].name = head->clocks[index];
	last->clocks[0].now = trace_clock_local;
	last->clocks[0].in_ns = head->in_ns & BIT(index);
	for (clock = last->of->desc->clocks; clock->name; clock++) {
		if (!strcmp(clock->name, head->clocks[index]))
			last->clocks[0].now = clock->now;
	}
}

static void make_desc(struct last_boot *last)
{
	const struct trace_remote_desc *of = last->of->desc;

	make_clock(last);
	snprintf(last->name, sizeof(last->name), "%s_last_boot", of->name);
	last->desc.name = last->name;
	last->desc.owner = of->owner;
	last->desc.ops = &last_ops;
	last->desc.priv = last;
	last->desc.events = last->events;
	last->desc.clocks = last->clocks;
	last->desc.symtabs = of->symtabs;
}

static void free_last(struct last_boot *last)
{
	int cpu;
	u32 i;

	for (cpu = 0; last->cpu && cpu < nr_cpu_ids; cpu++) {
		struct last_cpu *c = &last->cpu[cpu];

		for (i = 0; i < c->nr; i++)
			free_page((unsigned long)c->subbufs[i]);
		kvfree(c->subbufs);
		kvfree(c->pages);
		free_page((unsigned long)c->meta);
	}
	free_page((unsigned long)last->empty);
	kfree(last->cpu);
	for (i = 0; i < last->desc.nr_events; i++) {
		if (!last->events[i].same_as)
			kfree(last->events[i].fields);
	}
	kvfree(last->events);
	kvfree(last->what);
	kvfree(last->front);
	kfree(last);
}

static int register_last(struct last_boot *last)
{
	struct trace_remote *remote;
	int ret = read_front(last, last->of->memory) ?: make_events(last);

	if (ret)
		return ret;
	make_desc(last);
	remote = trace_remote_register(&last->desc);
	if (IS_ERR(remote))
		return PTR_ERR(remote);
	tracing_set_clock(&remote->tr, last->clocks[0].name);
	pr_info("%s: the last boot ended: %s\n", last->of->desc->name, ends[state_of(last)->end]);
	return 0;
}

/* The remote works without it, so a failure is only reported */
void remote_show_last_boot(struct trace_remote *remote)
{
	struct last_boot *last;
	phys_addr_t start;
	int ret;

	if (!remote->memory)
		return;

	last = kzalloc(sizeof(*last), GFP_KERNEL);
	if (!last)
		return;
	last->of = remote;
	ret = register_last(last);
	if (!ret) {
		remote->last = last->remote;
		return;
	}
	start = virt_to_phys(remote->memory->region);
	if (ret == -ENODATA)
		pr_info("%s: trace_remote_mem: nothing of an earlier boot is at %pa\n",
			remote->desc->name, &start);
	else
		pr_err("%s: what the last boot has left cannot be shown: %d\n",
		       remote->desc->name, ret);
	free_last(last);
}

void remote_hide_last_boot(struct trace_remote *remote)
{
	struct last_boot *last;

	if (!remote->last)
		return;
	last = remote->last->desc->priv;
	trace_remote_unregister(remote->last);
	remote->last = NULL;
	free_last(last);
}
