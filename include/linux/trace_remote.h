/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _LINUX_TRACE_REMOTE_H
#define _LINUX_TRACE_REMOTE_H
/*
 * Trace remotes: tracefs directories for ring buffers that are written outside
 * the kernel. See Documentation/trace/remotes.rst.
 */
#include <linux/ring_buffer_remote.h>
#include <linux/trace_events.h>
#include <linux/trace_remote_base.h>
#include <linux/trace_remote_event.h>
#include <linux/trace_remote_filter.h>
#include <linux/trace_remote_trigger.h>
#include <linux/trace_seq.h>

struct ftrace_event_field;
struct module;
struct trace_remote;

/**
 * struct trace_remote_symtab - names for the values of a field
 * @name: as in SYM(field, name)
 * @syms: the names; the member mask is the value
 * @nr: entries of @syms
 */
struct trace_remote_symtab {
	const char			*name;
	const struct trace_print_flags	*syms;
	unsigned int			nr;
};

/* Defines the symbol table @table; its entries { value, "name" } follow */
#define TRACE_REMOTE_SYMTAB(table, ...)					\
	static const struct trace_print_flags table##_syms[] = { __VA_ARGS__ };\
	static const struct trace_remote_symtab table = {		\
		.name	= #table,					\
		.syms	= table##_syms,					\
		.nr	= ARRAY_SIZE(table##_syms),			\
	}

/* Room for the text of a value without a name */
#define TRACE_REMOTE_SYM_LEN	20

/**
 * trace_remote_sym - the name of a value
 * @symtab: table
 * @val: value
 * @buf: TRACE_REMOTE_SYM_LEN bytes, used for a value that has no name
 *
 * Return: the name, or the value in hexadecimal.
 */
const char *trace_remote_sym(const struct trace_remote_symtab *symtab, u64 val, char *buf);

/* SYM() in the text of a record */
#define TRACE_REMOTE_SYM(f, t)						\
	trace_remote_sym(&t, rec->f, (char[TRACE_REMOTE_SYM_LEN]){})

/**
 * struct trace_remote_event - an event, initialised by TRACE_REMOTE_EVENT_INIT()
 * @name:	its name, unique within its system
 * @system:	its system; NULL for the remote's name
 * @fields:	its own fields, ended by one without a type
 * @print_fmt:	the "print fmt" of its format file, with SYM() not yet resolved
 * @print:	writes the text of a record's own fields; NULL in an event of an earlier kernel,
 *		whose @print_fmt is complete
 * @hidden:	a field that the record does not have, but that filters and triggers know; NULL
 *		if there is none. They find it behind the record, aligned to its size
 * @same_as:	an event of another remote that has the same id, or NULL
 * @remote:	set by the core
 * @call:	set by the core; @call.event.type is the id of the event
 * @class:	set by the core
 * @enabled:	set by the core
 * @armed:	set by the core
 * @field:	set by the core
 */
struct trace_remote_event {
	const char			*name;
	const char			*system;
	struct trace_event_fields	*fields;
	const char			*print_fmt;
	void				(*print)(struct trace_seq *s, const void *rec);
	const struct trace_event_fields	*hidden;
	const struct trace_remote_event	*same_as;

	struct trace_remote		*remote;
	struct trace_event_call		call;
	struct trace_event_class	class;
	bool				enabled;
	bool				armed;
	struct ftrace_event_field	*field;
};

/**
 * struct trace_remote_clock - a clock for the timestamps of a remote's events
 * @name: its name in the file trace_clock
 * @now: reads the same clock in the kernel
 * @in_ns: whether it counts nanoseconds
 */
struct trace_remote_clock {
	const char	*name;
	u64		(*now)(void);
	bool		in_ns;
};

/**
 * enum trace_remote_ask - what a remote does with triggers
 * @TRACE_REMOTE_IS_STOPPED: returns 0, or if a trigger has stopped all writers, one more than the
 *	CPU on which it did. Called in process context, without the remote's mutex
 * @TRACE_REMOTE_GO_ON: let writers that a trigger has stopped go on; returns 0
 * @TRACE_REMOTE_EVENT_IS_ON: returns 1 if the event is on, else 0
 * @TRACE_REMOTE_COUNT: returns how often the trigger of number value of the event may still act
 * @TRACE_REMOTE_ARM: the event has triggers, or a trigger may switch it, if value is 1, and no
 *	more if it is 0; returns 0
 */
enum trace_remote_ask {
	TRACE_REMOTE_IS_STOPPED,
	TRACE_REMOTE_GO_ON,
	TRACE_REMOTE_EVENT_IS_ON,
	TRACE_REMOTE_COUNT,
	TRACE_REMOTE_ARM,
};

/**
 * struct trace_remote_ops - what the front end asks of a remote
 * @load: hand the pages of @buffer to the writer; if that fails, @unload follows
 * @unload: take back the pages that the writer has; called while tracing is off, and before
 *	another kernel is started. If it fails, no page is freed until it is called again, before
 *	the next @load
 * @enable: start or stop writing on all CPUs; called while loaded
 * @overwrite: choose whether the oldest events are overwritten, as is the case at
 *	registration, or kept
 * @set_clock: use the clock with this index; called while nothing is written
 * @enable_event: write the event with this index, with this id, or not if the id is 0
 * @set_filter: of the event with this index, write only the records that pass the
 *	filter, or all if it is NULL. The operation is NULL in a remote without filters
 * @set_triggers: of the event with this index, execute these triggers, or none if they are NULL.
 *	The operation is NULL in a remote without triggers
 * @ask: see enum trace_remote_ask, with an index of an event and a value where it has one; or
 *	an errno. Also NULL without triggers
 * @function: the address of the writer's function with this index, or 0 after the last one.
 *	The kernel has symbols for these. NULL in a remote whose functions cannot be traced
 * @set_function: trace the function with this index in this way, on all CPUs; that needs the
 *	events of TRACE_REMOTE_FUNCTIONS_INIT
 * @count: keep the counters, or no more; it may be called again. If it returns an error, they are
 *	not kept. NULL in a remote that has none
 * @counters: the address of a CPU's counters, which begin with struct trace_counters, and their
 *	size; NULL if the CPU has none so far. Called without the remote's mutex
 * @counter: the name of what the row of this number counts, and its kind; "" for a row that is
 *	not used, NULL behind the last one. There is a buffer of TRACE_REMOTE_SYM_LEN bytes for it
 * @write_selftest: write the event "selftest" on this CPU
 * @stop: write no more events on any CPU until they are enabled again by
 *	@enable_event. Called at an oops and at a reboot, in any context, with any lock held
 * @rb: see struct ring_buffer_remote_ops
 *
 * All but @rb and @stop are called in process context. All but these, @write_selftest,
 * @counters, @counter, and @ask with TRACE_REMOTE_IS_STOPPED are called with the remote's mutex
 * held. An operation that returns an errno has changed nothing, except for @load and @unload.
 */
struct trace_remote_ops {
	int (*load)(struct trace_buffer *buffer, void *priv);
	int (*unload)(struct trace_buffer *buffer, void *priv);
	int (*enable)(bool on, void *priv);
	int (*overwrite)(bool overwrite, void *priv);
	int (*set_clock)(unsigned int index, void *priv);
	int (*enable_event)(unsigned int index, u16 id, void *priv);
	int (*set_filter)(unsigned int index, const struct remote_filter *filter, void *priv);
	int (*set_triggers)(unsigned int index, const struct remote_triggers *triggers, void *priv);
	s64 (*ask)(enum trace_remote_ask what, unsigned int index, unsigned int value, void *priv);
	unsigned long (*function)(unsigned int index, void *priv);
	int (*set_function)(unsigned int index, enum trace_remote_function how, void *priv);
	int (*count)(bool on, void *priv);
	void *(*counters)(int cpu, size_t *size, void *priv);
	const char *(*counter)(unsigned int row, const char **kind, char *buf, void *priv);
	int (*write_selftest)(u64 id, void *priv);
	void (*stop)(void *priv);
	struct ring_buffer_remote_ops rb;
};

/**
 * struct trace_remote_desc - a remote
 * @name: name of its directory, and of the system of its events
 * @owner: the module that provides it, NULL if built in
 * @ops: operations
 * @priv: passed to @ops
 * @prefix: with what the names of its functions begin, which users may leave out
 * @events: its events
 * @nr_events: number of @events
 * @clocks: its clocks, ended by one without a name; the first is the default
 * @symtabs: the symbol tables that the events use, ended by NULL; or NULL
 */
struct trace_remote_desc {
	const char				*name;
	struct module				*owner;
	const struct trace_remote_ops		*ops;
	void					*priv;
	const char				*prefix;
	struct trace_remote_event		*events;
	unsigned int				nr_events;
	const struct trace_remote_clock		*clocks;
	const struct trace_remote_symtab *const	*symtabs;
};

/**
 * trace_remote_register - make remotes/<name> with all its files
 * @desc: the remote; must stay valid until trace_remote_unregister()
 *
 * Context: process.
 * Return: the remote or an ERR_PTR(): -ENOMEM, -EEXIST for a name in use, or the
 * error of creating a file in tracefs.
 */
struct trace_remote *trace_remote_register(const struct trace_remote_desc *desc);

/**
 * trace_remote_unregister - remove the directory, unload the buffer
 * @remote: what trace_remote_register() returned
 *
 * The caller is @owner's exit function, so no file is open.
 *
 * Context: process.
 */
void trace_remote_unregister(struct trace_remote *remote);

/**
 * trace_remote_boot_has - is an event to be traced from the boot on?
 * @remote: name of a remote, which need not have been registered
 * @event: name of one of its events
 *
 * For a writer that can write events before the remote is registered.
 *
 * Return: whether the kernel parameter trace_remote= has the event.
 */
bool trace_remote_boot_has(const char *remote, const char *event);

/**
 * trace_remote_writer_died - the kernel is about to panic, because the writer has
 * @remote: the remote
 *
 * Context: any.
 */
#ifdef CONFIG_TRACE_REMOTE_LAST_BOOT
void trace_remote_writer_died(struct trace_remote *remote);
#else
static inline void trace_remote_writer_died(struct trace_remote *remote) { }
#endif

/*
 * For each REMOTE_EVENT(event, fields, fmt, ...) of a remote's list, the host
 * defines three things, for which it includes the list three times (see
 * arch/arm64/kvm/hyp_trace.c for an example):
 *
 *   - the table of its fields;
 *   - the function that prints a record, with REC(f) as rec->f and SYM as
 *     TRACE_REMOTE_SYM;
 *   - its element in the array of events, with REC(f) as REC->f and SYM undefined.
 */
#define __TRACE_REMOTE_FIELD(t, f)					\
	{ .type = #t, .name = #f, .size = sizeof(t), .align = 1, .is_signed = is_signed_type(t) },
#define __TRACE_REMOTE_FIELD_NONE

#define TRACE_REMOTE_EVENT_FIELDS(event, fields)			\
	static struct trace_event_fields trace_remote_fields_##event[] = {	\
		__REMOTE_MAP(__TRACE_REMOTE_FIELD, __REMOTE_NOSEP, fields) {}\
	};

#define TRACE_REMOTE_EVENT_PRINT(event, fmt, ...)			\
	static void trace_remote_print_##event(struct trace_seq *s, const void *data)\
	{								\
		const struct remote_rec_##event *rec __maybe_unused = data;\
									\
		trace_seq_printf(s, fmt, __VA_ARGS__);			\
	}

#define TRACE_REMOTE_EVENT_INIT(event, fmt, ...)			\
	{								\
		.name		= #event,				\
		.fields		= trace_remote_fields_##event,		\
		.print_fmt	= "\"" fmt "\", " __stringify(__VA_ARGS__),\
		.print		= trace_remote_print_##event,		\
	},

/**
 * TRACE_REMOTE_PRINTK_INIT - the event of the writer's messages
 *
 * If a remote has it, it has to be the last of its events. It is the kernel's own
 * event ftrace/bprint, with the same id; its records are struct remote_printk.
 */
#define TRACE_REMOTE_PRINTK_INIT					\
	{								\
		.name		= "bprint",				\
		.system		= "ftrace",				\
		.fields		= trace_remote_printk_fields,		\
		.print_fmt	= "\"%ps: %s\", (void *)REC->ip, REC->fmt",	\
		.print		= trace_remote_printk_print,		\
	},

/**
 * TRACE_REMOTE_FUNCTIONS_INIT - the events of the writer's functions
 *
 * These are the kernel's own events ftrace/function, ftrace/funcgraph_entry and
 * ftrace/funcgraph_exit, with the same ids; their records are struct remote_function,
 * struct remote_funcgraph_entry and struct remote_funcgraph_exit. As the kernel's, they are
 * switched by the choice of a tracer.
 */
#define TRACE_REMOTE_FUNCTIONS_INIT					\
	{								\
		.name		= "function",				\
		.system		= "ftrace",				\
		.fields		= trace_remote_function_fields,		\
		.print_fmt	= "\" %ps <-- %ps\", (void *)REC->ip, (void *)REC->parent_ip",\
		.print		= trace_remote_function_print,		\
	},								\
	{								\
		.name		= "funcgraph_entry",			\
		.system		= "ftrace",				\
		.fields		= trace_remote_funcgraph_entry_fields,	\
		.print_fmt	= "\"--> %ps (" TRACE_REMOTE_ENTRY_DEPTH_FMT ")\", "	\
				  "(void *)REC->func, REC->depth",	\
		.print		= trace_remote_funcgraph_entry_print,	\
	},								\
	{								\
		.name		= "funcgraph_exit",			\
		.system		= "ftrace",				\
		.fields		= trace_remote_funcgraph_exit_fields,	\
		.print_fmt	= "\"<-- %ps (" TRACE_REMOTE_EXIT_DEPTH_FMT ") "	\
				  "(start: %llx  end: %llx) "			\
				  "over: " TRACE_REMOTE_EXIT_DEPTH_FMT "\", "	\
				  "(void *)REC->func, REC->depth, REC->calltime, "	\
				  "REC->rettime, REC->depth",		\
		.print		= trace_remote_funcgraph_exit_print,	\
	},

/**
 * TRACE_REMOTE_STACK_INIT - the event of the writer's stacks
 *
 * This is the kernel's own event ftrace/kernel_stack, with the same id; its records are struct
 * remote_stack. While it is on, which is so while options/stacktrace is, the writer writes one
 * after each record of an event.
 */
#define TRACE_REMOTE_STACK_INIT						\
	{								\
		.name		= "kernel_stack",			\
		.system		= "ftrace",				\
		.fields		= trace_remote_stack_fields,		\
		.print_fmt	= "\"\\t=> %ps\\n\\t=> %ps\\n\\t=> %ps\\n\" "	\
				  "\"\\t=> %ps\\n\\t=> %ps\\n\\t=> %ps\\n\" "	\
				  "\"\\t=> %ps\\n\\t=> %ps\\n\", "		\
				  "(void *)REC->caller[0], (void *)REC->caller[1], "	\
				  "(void *)REC->caller[2], (void *)REC->caller[3], "	\
				  "(void *)REC->caller[4], (void *)REC->caller[5], "	\
				  "(void *)REC->caller[6], (void *)REC->caller[7]",	\
		.print		= trace_remote_stack_print,		\
	},

extern struct trace_event_fields trace_remote_stack_fields[];
void trace_remote_stack_print(struct trace_seq *s, const void *rec);

extern struct trace_event_fields trace_remote_function_fields[];
extern struct trace_event_fields trace_remote_funcgraph_entry_fields[];
extern struct trace_event_fields trace_remote_funcgraph_exit_fields[];
void trace_remote_function_print(struct trace_seq *s, const void *rec);
void trace_remote_funcgraph_entry_print(struct trace_seq *s, const void *rec);
void trace_remote_funcgraph_exit_print(struct trace_seq *s, const void *rec);

extern struct trace_event_fields trace_remote_printk_fields[];
void trace_remote_printk_print(struct trace_seq *s, const void *rec);

#endif /* _LINUX_TRACE_REMOTE_H */
