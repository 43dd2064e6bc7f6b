// SPDX-License-Identifier: GPL-2.0
/*
 * The events of remotes: trace_event_calls that only the instance of their remote has, and
 * the text of their records.
 */
#include <linux/cleanup.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/trace_remote_filter.h>
#include <linux/unaligned.h>

#include "trace_output.h"
#include "trace_remote_core.h"

/*
 * Text
 */

const char *trace_remote_sym(const struct trace_remote_symtab *symtab, u64 val, char *buf)
{
	unsigned int i;

	for (i = 0; i < symtab->nr; i++) {
		if (symtab->syms[i].mask == val)
			return symtab->syms[i].name;
	}
	snprintf(buf, TRACE_REMOTE_SYM_LEN, "0x%llx", val);
	return buf;
}
EXPORT_SYMBOL_GPL(trace_remote_sym);

struct trace_event_fields trace_remote_printk_fields[] = {
	{ .type = "unsigned long", .name = "ip", .size = sizeof(u64), .align = 1 },
	{ .type = "const char *", .name = "fmt", .size = sizeof(u64), .align = 1 },
	{ .type = "u32", .name = "buf[]", .align = 1 },
	{}
};
EXPORT_SYMBOL_GPL(trace_remote_printk_fields);

/* The address in a record is only compared with those of known formats */
void trace_remote_printk_print(struct trace_seq *s, const void *data)
{
	const struct remote_printk *rec = data;
	const char *fmt = (const char *)(unsigned long)rec->fmt;

	trace_seq_printf(s, "%ps: ", (void *)(unsigned long)rec->ip);
	if (trace_is_tracepoint_string(fmt))
		trace_seq_bprintf(s, fmt, rec->words);
	else
		trace_seq_printf(s, "unknown format 0x%llx", rec->fmt);
}
EXPORT_SYMBOL_GPL(trace_remote_printk_print);

bool remote_printk_event(const struct trace_remote_event *event)
{
	return event->print == trace_remote_printk_print;
}

/* The id of one of the kernel's own events, or of another remote's; 0 if it is the remote's */
static int own_id(const struct trace_remote_event *event)
{
	if (event->same_as)
		return event->same_as->call.event.type;
	if (remote_printk_event(event))
		return TRACE_BPRINT;
	return remote_function_event(event) ?: remote_stack_event(event);
}

/* No other buffer has records of a remote, so these are not called; they only give it an id */
static struct trace_event_functions remote_event_functions;

/*
 * The writer is not trusted: its ids are looked up among its own events only. Most often the
 * ids follow each other.
 */
static struct trace_remote_event *remote_find_event(struct trace_remote *remote, u16 id)
{
	struct trace_remote_event *events = remote->desc->events;
	unsigned int i = id - events[0].call.event.type;

	if (i < remote->desc->nr_events && events[i].call.event.type == id)
		return &events[i];
	for (i = 0; i < remote->desc->nr_events; i++) {
		if (events[i].call.event.type == id)
			return &events[i];
	}
	return NULL;
}

/* Writes a number that ends before @end, in at least @width characters. Returns its beginning */
static char *put_number(char *end, u64 val, unsigned int width, char pad)
{
	char *at = end;

	do {
		*--at = '0' + val % 10;
		val /= 10;
	} while (val);
	while (end - at < width)
		*--at = pad;
	return at;
}

static char *put_stamp(struct trace_remote *remote, char *end, u64 ts)
{
	u64 usec = ns2usecs(ts);
	char *at;

	if (!remote->clock->in_ns)
		return put_number(end, ts, 1, ' ');
	at = put_number(end, usec % USEC_PER_SEC, 6, '0');
	*--at = '.';
	return put_number(at, usec / USEC_PER_SEC, 5, ' ');
}

/*
 * "[%03d]\t%5llu.%06lu: ", from the end to the beginning. With printf(), it would take half of
 * the time that the text of an event takes.
 */
static void print_place(struct trace_remote *remote, struct trace_seq *s, int cpu, u64 ts)
{
	char text[48], *end = text + sizeof(text), *at = end;

	*--at = ' ';
	*--at = ':';
	at = put_stamp(remote, at, ts);
	*--at = '\t';
	*--at = ']';
	at = put_number(at, cpu, 3, '0');
	*--at = '[';
	trace_seq_putmem(s, at, end - at);
}

static void print_field(struct trace_seq *s, const struct trace_event_fields *field, const void *at)
{
	u64 val;

	switch (field->size) {
	case sizeof(u8):
		val = *(const u8 *)at;
		break;
	case sizeof(u16):
		val = get_unaligned((const u16 *)at);
		break;
	case sizeof(u32):
		val = get_unaligned((const u32 *)at);
		break;
	case sizeof(u64):
		val = get_unaligned((const u64 *)at);
		break;
	default:
		trace_seq_printf(s, "%s=(%d bytes)", field->name, field->size);
		return;
	}
	if (field->is_signed)
		trace_seq_printf(s, "%s=%lld", field->name,
				 sign_extend64(val, field->size * BITS_PER_BYTE - 1));
	else
		trace_seq_printf(s, "%s=0x%llx", field->name, val);
}

/* Of an event that an earlier kernel had, this one has no function that does it */
static void print_fields(struct trace_seq *s, const struct trace_remote_event *event,
			 const void *rec)
{
	const struct trace_event_fields *field;
	u32 offset;

	for_each_remote_field(field, offset, event) {
		if (field != event->fields)
			trace_seq_putc(s, ' ');
		print_field(s, field, rec + offset);
	}
}

void remote_print_record(struct trace_remote *remote, struct trace_seq *s, int cpu, u64 ts,
			 const struct remote_rec *rec, u32 size)
{
	struct trace_remote_event *event = remote_find_event(remote, rec->type);

	print_place(remote, s, cpu, ts);
	if (event && remote_stack_event(event) && !remote_stack_is_whole(rec, size)) {
		trace_seq_puts(s, "damaged stack");
	} else if (event) {
		trace_seq_puts(s, event->name);
		trace_seq_putc(s, ' ');
		if (event->print)
			event->print(s, rec);
		else
			print_fields(s, event, rec);
	} else {
		trace_seq_printf(s, "unknown event %u", rec->type);
	}
	trace_seq_putc(s, '\n');
}

/* Is the record as long as its event requires? An unknown event needs only the header */
bool remote_record_is_whole(struct trace_remote *remote, const struct remote_rec *rec, u32 size)
{
	const struct trace_remote_event *event;
	const struct trace_event_fields *field;
	u32 end;

	if (size < sizeof(*rec))
		return false;
	event = remote_find_event(remote, rec->type);
	if (!event)
		return true;
	if (remote_stack_event(event))
		return remote_stack_is_whole(rec, size);
	for_each_remote_field(field, end, event)
		;
	return size >= end;
}

/*
 * Switching on and off, filters
 */

int remote_enable_event(struct trace_remote_event *event, bool on)
{
	const struct trace_remote_desc *desc = event->remote->desc;
	int ret;

	lockdep_assert_held(&event->remote->lock);
	ret = desc->ops->enable_event(event - desc->events, on ? event->call.event.type : 0,
				      desc->priv);
	if (!ret)
		event->enabled = on;
	return ret;
}

int remote_switch_event(struct trace_remote_event *event, bool on, bool armed)
{
	int ret;

	CLASS(remote_lock, locked)(event->remote);
	if (!locked)
		return -EINTR;
	ret = armed ? remote_event_arm(event, true) : 0;
	if (!ret)
		ret = remote_enable_event(event, on);
	if (!ret && !armed)
		ret = remote_event_arm(event, false);
	return ret;
}

static int remote_event_reg(struct trace_event_call *call, enum trace_reg type, void *data)
{
	struct trace_remote_event *event = container_of(call, struct trace_remote_event, call);
	struct trace_event_file *file = data;

	switch (type) {
	case TRACE_REG_REGISTER:
		return remote_switch_event(event, !(file->flags & EVENT_FILE_FL_SOFT_DISABLED),
					   atomic_read(&file->sm_ref));
	case TRACE_REG_UNREGISTER:
		return remote_switch_event(event, false, false);
	default:	/* of perf, which does not know these events */
		return -EOPNOTSUPP;
	}
}

/* The event of a remote that the call is of, or NULL */
struct trace_remote_event *remote_event_of(struct trace_event_call *call)
{
	return call->class->reg == remote_event_reg ?
	       container_of(call, struct trace_remote_event, call) : NULL;
}

static int remote_set_filter(struct trace_remote_event *event, const struct remote_filter *filter)
{
	const struct trace_remote_desc *desc = event->remote->desc;

	CLASS(remote_lock, locked)(event->remote);
	if (!locked)
		return -EINTR;
	return desc->ops->set_filter(event - desc->events, filter, desc->priv);
}

int trace_remote_apply_filter(struct trace_event_file *file, char *text)
{
	struct trace_event_call *call = file->event_call;
	struct trace_remote_event *event = container_of(call, struct trace_remote_event, call);
	struct event_filter *filter = NULL, *old;
	int ret;

	struct remote_filter *program __free(kfree) = kzalloc(sizeof(*program), GFP_KERNEL);

	lockdep_assert_held(&event_mutex);
	if (call->flags & TRACE_EVENT_FL_NO_SET_FILTER)
		return -EINVAL;
	if (!program)
		return -ENOMEM;

	if (strcmp(text, "0")) {
		ret = create_event_filter(file->tr, call, text, true, &filter);
		if (!ret)
			ret = event_filter_to_remote(file->tr, filter, program);
		else if (ret != -ENOMEM)
			ret = -EINVAL;
		if (ret)
			goto free;
	}
	ret = remote_set_filter(event, filter ? program : NULL);
	if (ret)
		goto free;

	old = rcu_replace_pointer(file->filter, filter, lockdep_is_held(&event_mutex));
	filter = old;
free:
	free_event_filter(filter);
	return ret;
}

/*
 * Registration
 */

static bool print_symtab(struct trace_seq *s, struct trace_remote *remote, const char *name,
			 size_t len)
{
	const struct trace_remote_symtab *const *symtab;
	unsigned int i;

	for (symtab = remote->desc->symtabs; symtab && *symtab; symtab++) {
		if (strlen((*symtab)->name) != len || strncmp((*symtab)->name, name, len))
			continue;
		for (i = 0; i < (*symtab)->nr; i++)
			trace_seq_printf(s, "%s{ 0x%lx, \"%s\" }", i ? ", " : "",
					 (*symtab)->syms[i].mask, (*symtab)->syms[i].name);
		return true;
	}
	return false;
}

/* Each SYM(field, table) becomes a __print_symbolic() with the table's entries */
static char *make_print_fmt(struct trace_remote_event *event)
{
	const char *fmt = event->print_fmt, *sym, *comma, *end;

	struct trace_seq *s __free(kfree) = kmalloc(sizeof(*s), GFP_KERNEL);

	if (!s)
		return NULL;
	trace_seq_init(s);
	for (; (sym = strstr(fmt, "SYM(")); fmt = end + 1) {
		comma = strchr(sym, ',');
		end = strchr(sym, ')');
		if (WARN_ON(!comma || !end || comma > end))
			return NULL;
		trace_seq_putmem(s, fmt, sym - fmt);
		trace_seq_puts(s, "__print_symbolic(REC->");
		trace_seq_putmem(s, sym + 4, comma - sym - 4);
		trace_seq_puts(s, ", ");
		comma = skip_spaces(comma + 1);
		WARN_ON(!print_symtab(s, event->remote, comma, end - comma));
		trace_seq_putc(s, ')');
	}
	trace_seq_puts(s, fmt);
	if (WARN_ON(trace_seq_has_overflowed(s)))
		return NULL;
	return kstrndup(s->buffer, trace_seq_used(s), GFP_KERNEL);
}

static void remote_free_event(struct trace_remote_event *event)
{
	if (event->call.event.funcs)
		unregister_trace_event(&event->call.event);
	trace_array_free_event_fields(&event->call);
	remote_free_hidden(event);
	kfree(event->call.print_fmt);
}

static int remote_init_event(struct trace_remote *remote, struct trace_remote_event *event)
{
	struct trace_event_call *call = &event->call;

	memset(call, 0, sizeof(*call));
	event->remote = remote;
	event->enabled = false;
	event->armed = false;
	event->class = (struct trace_event_class) {
		.system		= event->system ?: remote->desc->name,
		.fields_array	= event->fields,
		.fields		= LIST_HEAD_INIT(event->class.fields),
		.reg		= remote_event_reg,
	};
	call->class = &event->class;
	call->name = (char *)event->name;
	if (remote_printk_event(event) || !remote->desc->ops->set_filter)
		call->flags |= TRACE_EVENT_FL_NO_SET_FILTER;
	/* What an earlier kernel had is complete */
	call->print_fmt = event->print ? make_print_fmt(event) :
					 kstrdup(event->print_fmt, GFP_KERNEL);
	if (!call->print_fmt || remote_make_hidden(event))
		return -ENOMEM;
	if (remote_function_event(event) || remote_stack_event(event))
		call->flags |= TRACE_EVENT_FL_IGNORE_ENABLE | TRACE_EVENT_FL_NO_SET_FILTER;
	call->event.type = own_id(event);
	if (call->event.type)
		return 0;
	call->event.funcs = &remote_event_functions;
	if (register_trace_event(&call->event))
		return 0;
	call->event.funcs = NULL;
	return -ENOMEM;
}

static void remote_free_events(struct trace_remote *remote, unsigned int nr)
{
	while (nr--)
		remote_free_event(&remote->desc->events[nr]);
}

int remote_register_events(struct trace_remote *remote)
{
	const struct trace_remote_desc *desc = remote->desc;
	unsigned int nr;
	int ret = 0;

	for (nr = 0; !ret && nr < desc->nr_events; nr++)
		ret = remote_init_event(remote, &desc->events[nr]) ?:
		      trace_array_add_event(&remote->tr, &desc->events[nr].call);
	if (!ret)
		ret = event_trace_add_tracer(remote->tr.dir, &remote->tr);
	if (ret) {
		event_trace_del_tracer(&remote->tr);
		remote_free_events(remote, nr);
	}
	return ret;
}

void remote_unregister_events(struct trace_remote *remote)
{
	struct trace_event_file *file;

	list_for_each_entry(file, &remote->tr.events, list) {
		if (rcu_access_pointer(file->filter))
			WARN_ON(trace_remote_apply_filter(file, "0"));
	}
	event_trace_del_tracer(&remote->tr);
	remote_free_events(remote, remote->desc->nr_events);
}
