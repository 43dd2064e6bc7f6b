// SPDX-License-Identifier: GPL-2.0
/*
 * Ring buffers with a remote writer: wakes those who wait for events.
 */

#include <linux/export.h>

#include "ring_buffer_remote_core.h"

/*
 * How often the kernel looks for new events while a reader waits: at first, when nothing has
 * happened for a while, and when the writer will notify it. Without that, the pause is a
 * part of the time in which nothing has happened.
 */
#define RB_REMOTE_WATCH_NS		(1 * NSEC_PER_MSEC)
#define RB_REMOTE_WATCH_IDLE_NS		(10 * NSEC_PER_MSEC)
#define RB_REMOTE_WATCH_NOTIFIED_NS	(100 * NSEC_PER_MSEC)
#define RB_REMOTE_WATCH_PART		16

/*
 * Is there something to read? Without the reader_lock as long as nothing is written. The
 * counters may be of different moments: then the next look is right.
 */
static bool rb_remote_has_events(struct trace_buffer *buffer, int cpu)
{
	struct trace_buffer_meta *meta = buffer->buffers[cpu]->remote_cpu->meta;

	if (READ_ONCE(meta->entries) == READ_ONCE(meta->overrun) + READ_ONCE(meta->read))
		return false;
	return !ring_buffer_empty_cpu(buffer, cpu);
}

static bool rb_remote_any_has_events(struct trace_buffer *buffer)
{
	int cpu;

	for_each_cpu(cpu, buffer->cpumask) {
		if (rb_remote_has_events(buffer, cpu))
			return true;
	}
	return false;
}

/* Has the writer moved to another sub-buffer since the last call? */
static bool rb_remote_has_moved(struct ring_buffer_per_cpu *cpu_buffer)
{
	unsigned long touched = READ_ONCE(cpu_buffer->remote_cpu->meta->pages_touched);

	if (READ_ONCE(cpu_buffer->last_pages_touch) == touched)
		return false;
	WRITE_ONCE(cpu_buffer->last_pages_touch, touched);
	return true;
}

/*
 * Is the buffer as full as some waiter wants it to be? As in rb_watermark_hit(), which the
 * waiter asks again, but unlocked
 */
static bool rb_remote_is_full(struct ring_buffer_per_cpu *cpu_buffer)
{
	u64 head, tail;

	ring_buffer_remote_range(cpu_buffer->buffer, cpu_buffer->cpu, &head, &tail);
	return (tail + 1 - head) * 100 >=
	       READ_ONCE(cpu_buffer->shortest_full) * cpu_buffer->nr_pages &&
	       rb_remote_has_events(cpu_buffer->buffer, cpu_buffer->cpu);
}

static bool rb_remote_has_waiters(struct rb_irq_work *work)
{
	return (work->waiters_pending && wq_has_sleeper(&work->waiters)) ||
	       (work->full_waiters_pending && wq_has_sleeper(&work->full_waiters));
}

static void rb_remote_wake(struct rb_irq_work *work)
{
	work->waiters_pending = false;
	rb_wake_up_waiters(&work->work);
}

/* Wake those who wait for an event of any CPU; true if there was one */
static bool rb_remote_look_at_all(struct trace_buffer *buffer)
{
	struct rb_irq_work *work = &buffer->irq_work;

	if (!work->waiters_pending || !rb_remote_any_has_events(buffer))
		return false;

	rb_remote_wake(work);
	return true;
}

/*
 * Wake the waiters whose condition is met; true if anything has happened. As in
 * rb_wakeups(), whether the buffer is full enough is checked only when the writer has
 * moved to another page.
 */
static bool rb_remote_look_at(struct ring_buffer_per_cpu *cpu_buffer)
{
	struct rb_irq_work *work = &cpu_buffer->irq_work;
	bool hit, moved;

	hit = work->waiters_pending && rb_remote_has_events(cpu_buffer->buffer, cpu_buffer->cpu);
	moved = work->full_waiters_pending && rb_remote_has_moved(cpu_buffer);
	if (moved && rb_remote_is_full(cpu_buffer)) {
		work->wakeup_full = true;
		hit = true;
	}
	if (hit)
		rb_remote_wake(work);
	return hit || moved;
}

static bool rb_remote_look(struct trace_buffer *buffer)
{
	struct rb_remote_watch *watch = &buffer->remote_buffer->watch;
	bool happened = false;
	int cpu;

	if (READ_ONCE(watch->all))
		happened = rb_remote_look_at_all(buffer);
	for_each_cpu(cpu, &watch->cpus)
		happened |= rb_remote_look_at(buffer->buffers[cpu]);
	return happened;
}

/* Forget CPUs for which no reader waits; a waiter is queued before it takes the lock */
static bool rb_remote_anybody_waits(struct trace_buffer *buffer)
{
	struct rb_remote_watch *watch = &buffer->remote_buffer->watch;
	int cpu;

	lockdep_assert_held(&watch->lock);
	if (!rb_remote_has_waiters(&buffer->irq_work))
		WRITE_ONCE(watch->all, false);
	for_each_cpu(cpu, &watch->cpus) {
		if (!rb_remote_has_waiters(&buffer->buffers[cpu]->irq_work))
			cpumask_clear_cpu(cpu, &watch->cpus);
	}
	return watch->all || !cpumask_empty(&watch->cpus);
}

/* Ask the writer to notify the kernel of all that is waited for; false if it cannot */
static bool rb_remote_ask(struct rb_remote_buffer *remote)
{
	const struct ring_buffer_remote_writer *writer = remote->writer;
	struct rb_remote_watch *watch = &remote->watch;
	bool asked = writer->ops->notify;
	int cpu;

	lockdep_assert_held(&watch->lock);
	for_each_cpu(cpu, remote->buffer.cpumask) {
		struct rb_irq_work *work = &remote->buffer.buffers[cpu]->irq_work;
		bool here = cpumask_test_cpu(cpu, &watch->cpus);
		bool any = watch->all || (here && work->waiters_pending);
		bool subbuf = here && work->full_waiters_pending;

		if (asked && (any || subbuf))
			asked = writer->ops->notify(cpu, any, subbuf, writer->priv);
	}
	return asked;
}

/*
 * The pause until the next look. The writer is asked only when nothing has happened for a
 * moment: while events come in quick succession, to look now and then is cheaper. The first
 * look after that is soon, as the writer may have missed an event. Then the writer is asked
 * again each time, as a notification may get lost.
 */
static s64 rb_remote_pause(struct rb_remote_buffer *remote, bool happened)
{
	struct rb_remote_watch *watch = &remote->watch;
	bool was_asked = watch->asked;
	ktime_t now = ktime_get();

	if (happened)
		watch->busy = now;
	watch->asked = !happened && rb_remote_ask(remote);
	if (watch->asked)
		return was_asked ? RB_REMOTE_WATCH_NOTIFIED_NS : RB_REMOTE_WATCH_NS;
	return clamp(ktime_to_ns(now - watch->busy) / RB_REMOTE_WATCH_PART,
		     RB_REMOTE_WATCH_NS, RB_REMOTE_WATCH_IDLE_NS);
}

/* Without waiters there is nothing to look for, and without tracing nothing to find */
static void rb_remote_watch_work(struct work_struct *work)
{
	struct rb_remote_buffer *remote = container_of(work, struct rb_remote_buffer, watch.work);
	struct rb_remote_watch *watch = &remote->watch;
	bool armed, happened = READ_ONCE(watch->notified);

	/* A notification that comes now queues the work again */
	WRITE_ONCE(watch->notified, false);
	happened |= rb_remote_look(&remote->buffer);

	guard(spinlock)(&watch->lock);
	armed = rb_remote_anybody_waits(&remote->buffer) &&
		ring_buffer_record_is_set_on(&remote->buffer);
	WRITE_ONCE(watch->armed, armed);
	if (armed)
		hrtimer_start(&watch->timer, ns_to_ktime(rb_remote_pause(remote, happened)),
			      HRTIMER_MODE_REL);
	else
		hrtimer_try_to_cancel(&watch->timer);
}

void ring_buffer_remote_notified(struct trace_buffer *buffer)
{
	struct rb_remote_watch *watch = &buffer->remote_buffer->watch;

	if (READ_ONCE(watch->armed)) {
		WRITE_ONCE(watch->notified, true);
		queue_work(system_dfl_wq, &watch->work);
	}
}
EXPORT_SYMBOL_GPL(ring_buffer_remote_notified);

static enum hrtimer_restart rb_remote_watch_timer(struct hrtimer *timer)
{
	struct rb_remote_watch *watch = container_of(timer, struct rb_remote_watch, timer);

	queue_work(system_dfl_wq, &watch->work);
	return HRTIMER_NORESTART;
}

static void rb_remote_watch_arm(struct trace_buffer *buffer)
{
	struct rb_remote_watch *watch = &buffer->remote_buffer->watch;

	lockdep_assert_held(&watch->lock);
	if (watch->armed || !ring_buffer_record_is_set_on(buffer))
		return;

	WRITE_ONCE(watch->armed, true);
	watch->asked = false;
	watch->busy = ktime_get();
	hrtimer_start(&watch->timer, ns_to_ktime(RB_REMOTE_WATCH_NS), HRTIMER_MODE_REL);
}

/* The writer was asked on behalf of others, and the next look may be far away */
static void rb_remote_ask_again(struct rb_remote_watch *watch)
{
	lockdep_assert_held(&watch->lock);
	if (!watch->armed || !watch->asked)
		return;

	watch->asked = false;
	if (ktime_to_ns(hrtimer_get_remaining(&watch->timer)) > RB_REMOTE_WATCH_NS)
		hrtimer_start(&watch->timer, ns_to_ktime(RB_REMOTE_WATCH_NS), HRTIMER_MODE_REL);
}

/* A waiter for events of @cpu, or of all CPUs, has queued itself */
void rb_remote_watch(struct trace_buffer *buffer, int cpu)
{
	struct rb_remote_watch *watch = &buffer->remote_buffer->watch;

	guard(spinlock)(&watch->lock);
	if (cpu == RING_BUFFER_ALL_CPUS)
		WRITE_ONCE(watch->all, true);
	else
		cpumask_set_cpu(cpu, &watch->cpus);
	rb_remote_ask_again(watch);
	rb_remote_watch_arm(buffer);
}

void rb_remote_init_watch(struct rb_remote_watch *watch)
{
	spin_lock_init(&watch->lock);
	INIT_WORK(&watch->work, rb_remote_watch_work);
	hrtimer_setup(&watch->timer, rb_remote_watch_timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL);
}

/* No reader waits any more, and the work does not start the timer again */
void rb_remote_end_watch(struct rb_remote_watch *watch)
{
	disable_work_sync(&watch->work);
	hrtimer_cancel(&watch->timer);
}

void ring_buffer_remote_record_on(struct trace_buffer *buffer)
{
	ring_buffer_record_on(buffer);
	guard(spinlock)(&buffer->remote_buffer->watch.lock);
	if (rb_remote_anybody_waits(buffer))
		rb_remote_watch_arm(buffer);
}
EXPORT_SYMBOL_GPL(ring_buffer_remote_record_on);
