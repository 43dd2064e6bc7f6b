/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _KERNEL_TRACE_REMOTE_H
#define _KERNEL_TRACE_REMOTE_H
/*
 * What trace.c and trace_events*.c call for the trace_array of a remote, whose buffer is
 * there only while it is loaded. trace.h includes this header after it has defined its
 * structures. Without CONFIG_TRACE_REMOTE there is no such trace_array, and the compiler
 * removes these calls.
 */
struct event_filter;
struct ftrace_event_field;
struct file;
struct remote_filter;
struct trace_event_file;

/* The options of a remote that are on at first */
#define TRACE_REMOTE_FLAGS	BIT(TRACE_ITER_OVERWRITE_BIT)

static inline bool trace_is_remote(const struct trace_array *tr)
{
	return IS_ENABLED(CONFIG_TRACE_REMOTE) && (tr->flags & TRACE_ARRAY_FL_REMOTE);
}

bool __trace_remote_pin(struct trace_array *tr);
void __trace_remote_unpin(struct trace_array *tr);
int __trace_remote_hold(struct trace_array *tr, bool load);
void __trace_remote_release(struct trace_array *tr);
bool __trace_remote_has_iters(struct trace_iterator *iter);
int __trace_remote_error(struct trace_iterator *iter);
bool trace_remote_has_clock(struct trace_array *tr, const char *name);
int trace_remote_set_clock(struct trace_array *tr, int clock_id, const char *name);
u64 trace_remote_options(struct trace_array *tr);
int trace_remote_reset(struct trace_array *tr, int cpu);
int trace_remote_open_empty(struct file *file);
void trace_remote_dump(struct trace_array *tr, enum ftrace_dump_mode mode);
void trace_remote_print_page_header(struct trace_seq *s);
int trace_remote_apply_filter(struct trace_event_file *file, char *text);
int event_filter_to_remote(struct trace_array *tr, struct event_filter *filter,
			   struct remote_filter *to);

#ifdef CONFIG_TRACE_REMOTE
void trace_remote_dump_all(void);
void trace_remote_dump_begin(void);
void trace_remote_dump_end(void);
void trace_remote_dump_failed(void);
#else
static inline void trace_remote_dump_all(void) { }
static inline void trace_remote_dump_begin(void) { }
static inline void trace_remote_dump_end(void) { }
static inline void trace_remote_dump_failed(void) { }
#endif

/*
 * Triggers. An event that triggers something, or that a trigger switches, is in the soft mode;
 * then the writer may switch it on and off by itself.
 */
#ifdef CONFIG_TRACE_REMOTE_TRIGGERS
/* Has the file of an event of a remote a file "trigger"? */
bool trace_remote_has_triggers(struct trace_event_file *file);
bool __trace_remote_has_trigger(const char *name);
/* A trigger was added as the first one, or was removed */
int trace_remote_triggers_changed(struct trace_event_file *file, bool added);
int trace_remote_check_filter(struct trace_array *tr, struct event_filter *filter);
void __trace_remote_read_counts(struct trace_event_file *file);
void __trace_remote_read_flags(struct trace_event_file *file);
int __trace_remote_event_changed(struct trace_event_file *file, unsigned long was,
				 bool held, int ret);
/* A field that filters know, but the record does not have */
struct ftrace_event_field *trace_remote_find_field(struct trace_event_call *call,
						   const char *name);
#else
static inline bool trace_remote_has_triggers(struct trace_event_file *file) { return false; }
static inline bool __trace_remote_has_trigger(const char *name) { return false; }
static inline int trace_remote_triggers_changed(struct trace_event_file *file, bool added)
{
	return -EINVAL;
}

static inline int trace_remote_check_filter(struct trace_array *tr, struct event_filter *filter)
{
	return -EINVAL;
}

static inline void __trace_remote_read_counts(struct trace_event_file *file) { }
static inline void __trace_remote_read_flags(struct trace_event_file *file) { }
static inline int __trace_remote_event_changed(struct trace_event_file *file, unsigned long was,
					       bool held, int ret)
{
	return ret;
}

static inline struct ftrace_event_field *trace_remote_find_field(struct trace_event_call *call,
								 const char *name)
{
	return NULL;
}
#endif

/* Does the file's instance know the trigger of this name? */
static inline bool trace_remote_has_trigger(struct trace_event_file *file, const char *name)
{
	return !trace_is_remote(file->tr) || __trace_remote_has_trigger(name);
}

/* Sets the counts of the file's triggers to what the writer has left of them */
static inline void trace_remote_read_counts(struct trace_event_file *file)
{
	if (trace_is_remote(file->tr))
		__trace_remote_read_counts(file);
}

/* The file's flags, after the writer has said whether the event is on */
static inline unsigned long trace_remote_event_flags(struct trace_event_file *file)
{
	if (trace_is_remote(file->tr))
		__trace_remote_read_flags(file);
	return file->flags;
}

/*
 * The file's flags were @was, and have changed: tell the writer. If that fails, or @ret says that
 * it has failed before, they become what they were. @held: the soft mode was asked for
 */
static inline int trace_remote_event_changed(struct trace_event_file *file, unsigned long was,
					     bool held, int ret)
{
	return trace_is_remote(file->tr) ? __trace_remote_event_changed(file, was, held, ret) : ret;
}

/* Each reference to @tr but the first pins the module of the remote */
static inline bool trace_remote_pin(struct trace_array *tr)
{
	return !trace_is_remote(tr) || __trace_remote_pin(tr);
}

static inline void trace_remote_unpin(struct trace_array *tr)
{
	if (trace_is_remote(tr))
		__trace_remote_unpin(tr);
}

/*
 * From now on, until trace_remote_release(), the buffer is there and is not unloaded. If it
 * is not loaded, it is loaded now, or else -ENODATA is returned.
 */
static inline int trace_remote_hold(struct trace_array *tr, bool load)
{
	return trace_is_remote(tr) ? __trace_remote_hold(tr, load) : 0;
}

static inline void trace_remote_release(struct trace_array *tr)
{
	if (trace_is_remote(tr))
		__trace_remote_release(tr);
}

/* Has each CPU with a buffer an iterator? Without one, it would show an event for ever */
static inline bool trace_remote_has_iters(struct trace_iterator *iter)
{
	return !trace_is_remote(iter->tr) || __trace_remote_has_iters(iter);
}

/* Why a reader got no event, although a buffer has some. With trace_access_lock() held */
static inline int trace_remote_error(struct trace_iterator *iter)
{
	return trace_is_remote(iter->tr) ? __trace_remote_error(iter) : 0;
}

#endif /* _KERNEL_TRACE_REMOTE_H */
