// SPDX-License-Identifier: GPL-2.0
/*
 * The buffers of a remote in memory that outlives the kernel, which
 * trace_remote_mem=<remote>:<label> asks for: where they are, and what the next boot is told of
 * this one. The layout is in include/linux/ring_buffer_image.h; trace_remote_last.c is the next
 * boot's side.
 *
 * States of the region
 *	OLD, or nothing => NONE		the buffers are loaded: it is divided and zeroed
 *	NONE => OURS			the writer has them, and they are valid
 *	OURS => NONE => OURS		they are loaded again
 *
 * Until it is used, the image of an earlier boot stays there, for a boot that may come after
 * this one. Only the host's kernel writes the part before the buffers, and no writer reads it.
 *
 * At the end of a boot, other CPUs may have stopped anywhere: no lock is taken.
 */
#include <linux/build_bug.h>
#include <linux/buildid.h>
#include <linux/cleanup.h>
#include <linux/init.h>
#include <linux/kexec.h>
#include <linux/kmsg_dump.h>
#include <linux/libnvdimm.h>
#include <linux/mm.h>
#include <linux/of.h>
#include <linux/of_address.h>
#include <linux/random.h>
#include <linux/rculist.h>
#include <linux/seq_buf.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>
#include <linux/utsname.h>

#include <asm/sections.h>

#include "trace_remote_memory.h"

/* A node of the device tree's reserved memory; it has to be in the linear map */
static bool find_in_tree(const char *label, phys_addr_t *start, phys_addr_t *bytes)
{
	struct device_node *parent = of_find_node_by_path("/reserved-memory");
	struct device_node *node = of_get_child_by_name(parent, label);
	struct resource res;
	bool found = node && !of_property_present(node, "no-map") &&
		     !of_address_to_resource(node, 0, &res);

	of_node_put(node);
	of_node_put(parent);
	if (!found)
		return false;
	*start = res.start;
	*bytes = resource_size(&res);
	return true;
}

/*
 * Is it memory that the kernel gives to nobody? That of a node that is disabled, is reusable, or
 * could not be reserved, is free
 */
static bool is_reserved(phys_addr_t start, u64 size)
{
	unsigned long pfn = PHYS_PFN(start), end = PHYS_PFN(start + size);

	for (; pfn < end; pfn++) {
		if (!pfn_valid(pfn) || !PageReserved(pfn_to_page(pfn)))
			return false;
	}
	return true;
}

/* Two names may be for the same memory */
static bool is_of_another(const void *region, u64 size)
{
	const struct trace_remote *other;

	lockdep_assert_held(&trace_types_lock);
	list_for_each_entry(other, &trace_remotes, list) {
		const struct remote_memory *m = other->memory;

		if (m && region < m->region + m->size && m->region < region + size)
			return true;
	}
	return false;
}

/* The whole pages of the memory that was reserved for the remote; false if there are none */
static bool find_region(const char *name, void **region, u64 *size)
{
	const char *label = remote_param_mem(name);
	phys_addr_t start, bytes, first;

	if (!label)
		return false;
	if (!reserve_mem_find_by_name(label, &start, &bytes) &&
	    !find_in_tree(label, &start, &bytes)) {
		pr_err("%s: trace_remote_mem: no memory was reserved as '%s'\n", name, label);
		return false;
	}

	first = PAGE_ALIGN(start);
	if (first - start >= bytes)
		return false;
	*size = (bytes - (first - start)) & PAGE_MASK;
	if (!is_reserved(first, *size)) {
		pr_err("%s: trace_remote_mem: the memory of '%s' is not reserved for it alone\n",
		       name, label);
		return false;
	}
	*region = phys_to_virt(first);
	if (is_of_another(*region, *size)) {
		pr_err("%s: trace_remote_mem: another remote uses '%s'\n", name, label);
		return false;
	}
	return true;
}

u64 remote_boot_number(void)
{
	static u64 number;

	while (!number)
		number = get_random_u64();
	return number;
}

u32 remote_build_id(u8 id[RB_IMAGE_BUILD_ID])
{
	u8 full[BUILD_ID_SIZE_MAX] = {};

	BUILD_BUG_ON(RB_IMAGE_BUILD_ID < BUILD_ID_SIZE_MAX);
	if (build_id_parse_buf(&__start_notes, full, &__stop_notes - &__start_notes))
		return 0;
	memcpy(id, full, sizeof(full));
	return sizeof(full);
}

/*
 * The image
 */

static struct rb_image_state *state_of(const struct remote_memory *m)
{
	return m->region + m->layout.state;
}

static void fill_clocks(struct rb_image_head *head, const struct trace_remote_clock *clock)
{
	for (; clock->name && head->nr_clocks < RB_IMAGE_CLOCKS; clock++) {
		if (clock->in_ns)
			head->in_ns |= BIT(head->nr_clocks);
		strscpy(head->clocks[head->nr_clocks++], clock->name);
	}
}

static void fill_head(struct trace_remote *remote)
{
	struct rb_image_head *head = remote->memory->region;

	head->boot = remote_boot_number();
	head->written = ktime_get_real_ns();
	head->text = (unsigned long)_text;
	head->text_size = _end - _text;
	head->build_id_len = remote_build_id(head->build_id);
	strscpy(head->remote, remote->desc->name);
	strscpy(head->release, init_utsname()->release);
	fill_clocks(head, remote->desc->clocks);
}

static void fill_events(struct remote_memory *m)
{
	memcpy(m->region + m->layout.events, m->events, m->layout.nr_events * sizeof(*m->events));
	memcpy(m->region + m->layout.formats, m->formats, m->formats_len);
}

static void fill_cpus(struct remote_memory *m)
{
	u32 *cpus = m->region + m->layout.cpus, nr = 0;
	int cpu;

	for_each_cpu(cpu, &m->cpus) {
		m->index[cpu] = nr;
		cpus[nr++] = cpu;
	}
}

/*
 * Before the buffers are allocated there: whatever was in the region is gone. It is all zeroed,
 * also in the memory behind the caches, so that no old sub-buffer can be taken for a new one
 */
int remote_memory_begin(struct trace_remote *remote)
{
	struct remote_memory *m = remote->memory;
	int ret;

	lockdep_assert_held(&remote->lock);
	if (!m)
		return 0;
	WRITE_ONCE(m->used, false);
	cpumask_copy(&m->cpus, cpu_present_mask);
	ret = rb_image_plan(&m->layout, m->size, cpumask_weight(&m->cpus), remote->desc->nr_events,
			    m->formats_len);
	if (ret)
		return ret;

	rb_image_begin(m->region);
	memset(m->region + sizeof(u64), 0, m->size - sizeof(u64));
	arch_wb_cache_pmem(m->region, m->size);
	fill_head(remote);
	fill_events(m);
	fill_cpus(m);
	remote_memory_clock(remote);
	return 0;
}

/* The writer has the buffers */
void remote_memory_commit(struct trace_remote *remote)
{
	struct remote_memory *m = remote->memory;

	lockdep_assert_held(&remote->lock);
	if (!m)
		return;
	rb_image_commit(m->region, &m->layout);
	arch_wb_cache_pmem(m->region, m->layout.buffers);
	/* Pairs with the acquire in note() */
	smp_store_release(&m->used, true);
}

/* What the clock says, and what time it is. Can be called in any context */
static void note_clock(const struct remote_memory *m)
{
	struct rb_image_state *state = state_of(m);

	state->real_now = ktime_get_real_fast_ns();
	state->clock_now = READ_ONCE(m->clock)->now();
}

/* The clock is another one while a buffer is loaded, or the image is new */
void remote_memory_clock(struct trace_remote *remote)
{
	struct remote_memory *m = remote->memory;

	if (!m)
		return;
	WRITE_ONCE(m->clock, remote->clock);
	note_clock(m);
	WRITE_ONCE(state_of(m)->clock, remote->clock - remote->desc->clocks);
}

static const struct cpumask *memory_cpus(void *priv)
{
	struct remote_memory *m = priv;

	return &m->cpus;
}

static unsigned int memory_nr_subbufs(int cpu, void *priv)
{
	struct remote_memory *m = priv;

	return m->layout.nr_subbufs;
}

static void *memory_meta(int cpu, void *priv)
{
	struct remote_memory *m = priv;

	return m->region + rb_image_meta(&m->layout, m->index[cpu]);
}

static void *memory_subbuf(int cpu, unsigned int id, void *priv)
{
	struct remote_memory *m = priv;

	return m->region + rb_image_subbuf(&m->layout, m->index[cpu], id);
}

/* The sub-buffers keep their content until they are used again: note which content that is */
static void memory_dropping(int cpu, bool failed, void *priv)
{
	struct remote_memory *m = priv;
	unsigned int id;

	for (id = 0; id < m->layout.nr_subbufs; id++) {
		const struct rb_page *page = memory_subbuf(cpu, id, m);
		u64 *stale = m->region + rb_image_stale(&m->layout, m->index[cpu], id);

		*stale = failed ? 0 : READ_ONCE(page->time_stamp);
	}
}

static const struct ring_buffer_remote_mem remote_memory_mem = {
	.cpus		= memory_cpus,
	.nr_subbufs	= memory_nr_subbufs,
	.meta		= memory_meta,
	.subbuf		= memory_subbuf,
	.dropping	= memory_dropping,
};

/*
 * The end of a boot
 */

void trace_remote_writer_died(struct trace_remote *remote)
{
	if (remote->memory)
		WRITE_ONCE(remote->memory->died, true);
}

static enum rb_image_end end_of(const struct remote_memory *m, enum kmsg_dump_reason reason)
{
	switch (reason) {
	case KMSG_DUMP_PANIC:
		return READ_ONCE(m->died) ? RB_IMAGE_WRITER_PANIC : RB_IMAGE_PANIC;
	case KMSG_DUMP_OOPS:
		return RB_IMAGE_OOPS;
	case KMSG_DUMP_EMERG:
		return RB_IMAGE_EMERGENCY;
	case KMSG_DUMP_SHUTDOWN:
		if (kexec_in_progress)
			return RB_IMAGE_KEXEC;
		return system_state == SYSTEM_HALT ? RB_IMAGE_HALT :
		       system_state == SYSTEM_POWER_OFF ? RB_IMAGE_POWER_OFF : RB_IMAGE_REBOOT;
	case KMSG_DUMP_UNDEF:
	case KMSG_DUMP_MAX:
		break;
	}
	return RB_IMAGE_NOT_NOTED;
}

/* The end of the kernel's log, which has EL2's stack, or an oops */
static void save_log(struct remote_memory *m)
{
	struct rb_image_state *state = state_of(m);
	struct kmsg_dump_iter iter;
	size_t len = 0;

	state->log_len = 0;
	kmsg_dump_rewind(&iter);
	if (kmsg_dump_get_buffer(&iter, false, m->region + m->layout.log, RB_IMAGE_LOG - 1, &len))
		state->log_len = len;
}

static void note(struct trace_remote *remote, struct kmsg_dump_detail *detail)
{
	struct remote_memory *m = remote->memory;
	enum rb_image_end end = end_of(m, detail->reason);
	struct rb_image_state *state = state_of(m);

	/* Pairs with the release in remote_memory_commit() */
	if (!smp_load_acquire(&m->used) || m->end >= RB_IMAGE_PANIC)
		return;

	m->end = end;
	save_log(m);
	strscpy(state->why, detail->description ?: "");
	strreplace(state->why, '\n', ' ');
	note_clock(m);
	state->ended = state->real_now;
	WRITE_ONCE(state->end, end);
	/* What is only in a cache does not outlive a reset of the machine */
	arch_wb_cache_pmem(m->region, m->layout.size);
}

static void memory_dump(struct kmsg_dumper *dumper, struct kmsg_dump_detail *detail)
{
	struct trace_remote *remote;

	list_for_each_entry_rcu(remote, &trace_remotes, list, true) {
		if (remote->memory)
			note(remote, detail);
	}
}

static struct kmsg_dumper memory_dumper = {
	.dump		= memory_dump,
	.max_reason	= KMSG_DUMP_SHUTDOWN,
};

/* By now the time has been read from the real-time clock, if there is one */
static int __init remote_memory_time(void)
{
	struct trace_remote *remote;

	guard(mutex)(&trace_types_lock);
	list_for_each_entry(remote, &trace_remotes, list) {
		guard(mutex)(&remote->lock);
		if (remote->memory && remote->memory->clock)
			note_clock(remote->memory);
	}
	return 0;
}
late_initcall_sync(remote_memory_time);

/*
 * Registration
 */

/* See struct rb_image_event */
static void put_format(struct seq_buf *s, const struct trace_remote_event *event)
{
	const struct trace_event_fields *field;

	seq_buf_printf(s, "%s\n", event->class.system);
	for (field = event->fields; field->type; field++)
		seq_buf_printf(s, "%d %d %d %s %s\n", field->size, field->align, field->is_signed,
			       field->name, field->type);
	seq_buf_puts(s, event->call.print_fmt);
	seq_buf_putc(s, '\0');
}

/* What fill_events() needs */
static int describe_events(struct remote_memory *m, const struct trace_remote_desc *desc)
{
	struct seq_buf s;
	unsigned int i;

	char *formats __free(kvfree) = kvmalloc(RB_IMAGE_MAX_FORMATS, GFP_KERNEL);

	m->events = kcalloc(desc->nr_events, sizeof(*m->events), GFP_KERNEL);
	if (!m->events || !formats)
		return -ENOMEM;

	seq_buf_init(&s, formats, RB_IMAGE_MAX_FORMATS);
	for (i = 0; i < desc->nr_events; i++) {
		m->events[i].format = seq_buf_used(&s);
		strscpy(m->events[i].name, desc->events[i].name);
		m->events[i].id = desc->events[i].call.event.type;
		put_format(&s, &desc->events[i]);
	}
	if (seq_buf_has_overflowed(&s))
		return -E2BIG;
	m->formats_len = seq_buf_used(&s);
	m->formats = kvmemdup(formats, m->formats_len, GFP_KERNEL);
	return m->formats ? 0 : -ENOMEM;
}

static void free_memory(struct remote_memory *m)
{
	kvfree(m->formats);
	kfree(m->events);
	kfree(m->index);
	kfree(m);
}

static int make_memory(struct remote_memory *m, const struct trace_remote_desc *desc)
{
	if (strlen(desc->name) >= RB_IMAGE_NAME)
		return -ENAMETOOLONG;
	m->index = kcalloc(nr_cpu_ids, sizeof(*m->index), GFP_KERNEL);
	if (!m->index)
		return -ENOMEM;
	return describe_events(m, desc) ?:
	       rb_image_plan(&m->layout, m->size, num_present_cpus(), desc->nr_events,
			     m->formats_len);
}

/* Without memory on the command line there is nothing to do, and that is no error */
int remote_memory_init(struct trace_remote *remote)
{
	struct remote_memory *m;
	void *region;
	u64 size;
	int ret;

	if (!find_region(remote->desc->name, &region, &size))
		return 0;

	m = kzalloc(sizeof(*m), GFP_KERNEL);
	if (!m)
		return -ENOMEM;
	m->region = region;
	m->size = size;
	ret = make_memory(m, remote->desc);
	if (ret) {
		pr_err("%s: trace_remote_mem: %llu bytes are not used: %d\n", remote->desc->name,
		       size, ret);
		free_memory(m);
		return ret == -ENOMEM ? ret : 0;
	}

	/* Of all remotes; again is no error that matters */
	kmsg_dump_register(&memory_dumper);
	remote->size_kb = (m->layout.nr_subbufs - 1) * RB_PAGE_DATA_SIZE >> 10;
	m->layout.nr_cpus = 0;
	remote->rb.mem = &remote_memory_mem;
	remote->rb.mem_priv = m;
	remote->memory = m;
	return 0;
}

void remote_memory_free(struct trace_remote *remote)
{
	if (remote->memory)
		free_memory(remote->memory);
	remote->memory = NULL;
}
