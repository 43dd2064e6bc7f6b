/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _KERNEL_TRACE_REMOTE_CORE_H
#define _KERNEL_TRACE_REMOTE_CORE_H
/*
 * What the files trace_remote*.c share.
 */
#include <linux/cleanup.h>
#include <linux/irq_work.h>
#include <linux/mutex.h>
#include <linux/trace_remote.h>
#include <linux/workqueue.h>

#include "trace.h"

/**
 * struct trace_remote - a registered remote
 * @desc:	the description that it was registered with
 * @list:	in trace_remotes
 * @rb:		the ring buffer's view of the writer
 * @tr:		its instance; the buffer is NULL while unloaded
 * @lock:	protects the following and what the writer is told
 * @size_kb:	data of each CPU
 * @on:		tracing_on
 * @clock:	trace_clock
 * @held:	a buffer that the writer has not given back, or NULL
 * @nr_readers:	open files that read
 * @counting:	counters/enable
 * @functions:	what is traced of its functions; NULL if they cannot be traced
 * @dumped:	its last events have been printed, and there are no new ones
 * @off_irq:	queues @off_work, which an oops cannot do itself
 * @off_work:	switches tracing off after an oops
 * @unload_work: unloads the buffer, which was not possible during a dump
 * @memory:	where its buffers outlive the kernel; NULL if they do not
 * @last:	the remote that shows what the last boot has left there, or NULL
 * @left:	its writer has been left for good, as another kernel is about to be started
 */
struct trace_remote {
	const struct trace_remote_desc	*desc;
	struct list_head		list;
	struct ring_buffer_remote_writer	rb;
	struct trace_array		tr;
	struct mutex			lock;	/* of what follows */
	unsigned long			size_kb;
	bool				on;
	const struct trace_remote_clock	*clock;
	struct trace_buffer		*held;
	unsigned int			nr_readers;
	bool				counting;
	struct remote_functions		*functions;
	bool				dumped;
	struct irq_work			off_irq;
	struct work_struct		off_work;
	struct delayed_work		unload_work;
	struct remote_memory		*memory;
	struct trace_remote		*last;
	bool				left;
};

static inline struct trace_remote *to_remote(struct trace_array *tr)
{
	return container_of(tr, struct trace_remote, tr);
}

static inline struct trace_buffer *remote_buffer(struct trace_remote *remote)
{
	return remote->tr.array_buffer.buffer;
}

/*
 * The lock of a remote, for calls of users. Another one may hold it for as long as a load
 * takes, so SIGKILL ends the wait: then the variable is NULL.
 */
DEFINE_CLASS(remote_lock, struct trace_remote *, if (_T) mutex_unlock(&_T->lock),
	     mutex_lock_killable(&remote->lock) ? NULL : remote, struct trace_remote *remote)

/* trace_remote.c: the life cycle of the buffer. With the lock of the remote */
int remote_load(struct trace_remote *remote);
void remote_try_unload(struct trace_remote *remote);
int remote_set_on(struct trace_remote *remote, bool on);
int remote_set_clock(struct trace_remote *remote, const struct trace_remote_clock *clock);
int remote_set_size(struct trace_remote *remote, unsigned long kb);
int remote_reset(struct trace_remote *remote, int cpu);

/* trace_remote_files.c */
extern struct tracer remote_tracer;
void remote_create_files(struct trace_remote *remote);
/* For files that are shown, as single_open() and single_release() */
int remote_open_show(struct inode *inode, struct file *filp,
		     int (*show)(struct seq_file *m, void *v));
int remote_release_show(struct inode *inode, struct file *filp);

/* The fields of an event and where they are in a record; at last, where the last one ends */
#define for_each_remote_field(field, offset, event)				\
	for (field = (event)->fields, offset = sizeof(struct remote_rec);	\
	     field->type && (offset = ALIGN(offset, field->align), true);	\
	     offset += field->size, field++)

/* trace_remote_events.c. With event_mutex */
int remote_register_events(struct trace_remote *remote);
void remote_unregister_events(struct trace_remote *remote);
void remote_print_record(struct trace_remote *remote, struct trace_seq *s, int cpu, u64 ts,
			 const struct remote_rec *rec, u32 size);
bool remote_record_is_whole(struct trace_remote *remote, const struct remote_rec *rec, u32 size);

/* Is it the event of messages? */
bool remote_printk_event(const struct trace_remote_event *event);

/* With the lock of the remote */
int remote_enable_event(struct trace_remote_event *event, bool on);
/* Takes that lock: the event is on, and the writer may switch it if it is @armed */
int remote_switch_event(struct trace_remote_event *event, bool on, bool armed);
struct trace_remote_event *remote_event_of(struct trace_event_call *call);

/*
 * trace_remote_functions.c and trace_remote_function_files.c. remote_function_event() returns the
 * id of an event of functions, 0 for any other
 */
#ifdef CONFIG_TRACE_REMOTE_FUNCTIONS
int remote_function_event(const struct trace_remote_event *event);
int remote_init_functions(struct trace_remote *remote);
void remote_create_function_files(struct trace_remote *remote);
void remote_stop_functions(struct trace_remote *remote);
void remote_free_functions(struct trace_remote *remote);
#else
static inline int remote_function_event(const struct trace_remote_event *event) { return 0; }
static inline int remote_init_functions(struct trace_remote *remote) { return 0; }
static inline void remote_create_function_files(struct trace_remote *remote) { }
static inline void remote_stop_functions(struct trace_remote *remote) { }
static inline void remote_free_functions(struct trace_remote *remote) { }
#endif

/*
 * trace_remote_stack.c. remote_stack_event() returns the id of the event of stacks, 0 for any
 * other; remote_stack_is_whole() says whether the record of that event can be printed
 */
#ifdef CONFIG_TRACE_REMOTE_STACKS
int remote_stack_event(const struct trace_remote_event *event);
bool remote_stack_is_whole(const struct remote_rec *rec, u32 size);
bool remote_has_stacks(struct trace_remote *remote);
int remote_set_stacks(struct trace_remote *remote, bool on);
#else
static inline int remote_stack_event(const struct trace_remote_event *event) { return 0; }
static inline bool remote_stack_is_whole(const struct remote_rec *rec, u32 size) { return true; }
static inline bool remote_has_stacks(struct trace_remote *remote) { return false; }
static inline int remote_set_stacks(struct trace_remote *remote, bool on) { return -EINVAL; }
#endif

/* trace_remote_triggers.c. With the lock of the remote, but for remote_is_stopped() */
#ifdef CONFIG_TRACE_REMOTE_TRIGGERS
int remote_make_hidden(struct trace_remote_event *event);
void remote_free_hidden(struct trace_remote_event *event);
int remote_event_arm(struct trace_remote_event *event, bool arm);
bool remote_is_stopped(struct trace_remote *remote);
void remote_create_trigger_files(struct trace_remote *remote);
int remote_go_on(struct trace_remote *remote);
#else
static inline int remote_make_hidden(struct trace_remote_event *event) { return 0; }
static inline void remote_free_hidden(struct trace_remote_event *event) { }
static inline int remote_event_arm(struct trace_remote_event *event, bool arm) { return 0; }
static inline bool remote_is_stopped(struct trace_remote *remote) { return false; }
static inline void remote_create_trigger_files(struct trace_remote *remote) { }
static inline int remote_go_on(struct trace_remote *remote) { return 0; }
#endif

/* trace_remote_counters.c */
#ifdef CONFIG_TRACE_REMOTE_COUNTERS
void remote_create_counter_files(struct trace_remote *remote);
#else
static inline void remote_create_counter_files(struct trace_remote *remote) { }
#endif

/*
 * trace_remote_boot.c: what the kernel's command line says of a remote that is registered now;
 * before that, where its memory is, or NULL
 */
void remote_apply_params(struct trace_remote *remote);
const char *remote_param_mem(const char *remote);

/*
 * trace_remote_memory.c and trace_remote_last.c. remote_is_last() says whether a remote shows what
 * an earlier boot has left; remote_show_last_boot() makes that of a remote, if there is something
 */
#ifdef CONFIG_TRACE_REMOTE_LAST_BOOT
int remote_memory_init(struct trace_remote *remote);
void remote_memory_free(struct trace_remote *remote);
int remote_memory_begin(struct trace_remote *remote);
void remote_memory_commit(struct trace_remote *remote);
void remote_memory_clock(struct trace_remote *remote);
bool remote_is_last(const struct trace_remote *remote);
void remote_last_use_copy(struct trace_remote *remote);
int remote_last_read(struct trace_remote *remote);
void remote_print_last(struct trace_remote *remote, struct trace_iterator *iter);
void remote_create_last_files(struct trace_remote *remote);
void remote_show_last_boot(struct trace_remote *remote);
void remote_hide_last_boot(struct trace_remote *remote);
#else
static inline int remote_memory_init(struct trace_remote *remote) { return 0; }
static inline void remote_memory_free(struct trace_remote *remote) { }
static inline int remote_memory_begin(struct trace_remote *remote) { return 0; }
static inline void remote_memory_commit(struct trace_remote *remote) { }
static inline void remote_memory_clock(struct trace_remote *remote) { }
static inline bool remote_is_last(const struct trace_remote *remote) { return false; }
static inline void remote_last_use_copy(struct trace_remote *remote) { }
static inline int remote_last_read(struct trace_remote *remote) { return 0; }
static inline void remote_print_last(struct trace_remote *remote, struct trace_iterator *iter) { }
static inline void remote_create_last_files(struct trace_remote *remote) { }
static inline void remote_show_last_boot(struct trace_remote *remote) { }
static inline void remote_hide_last_boot(struct trace_remote *remote) { }
#endif

/* trace_remote_oops.c */
extern struct list_head trace_remotes;
bool remote_dump_may_look(void);
void remote_init_dump(struct trace_remote *remote);
void remote_end_dump(struct trace_remote *remote);

#endif /* _KERNEL_TRACE_REMOTE_CORE_H */
