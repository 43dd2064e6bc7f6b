// SPDX-License-Identifier: GPL-2.0
/*
 * Ring buffers of a remote in memory that outlives the kernel; the overview is in
 * include/linux/ring_buffer_image.h.
 */
#include <linux/errno.h>
#include <linux/minmax.h>
#include <linux/ring_buffer_image.h>
#include <linux/sort.h>
#include <linux/string.h>

#define HASH_PRIME	0x100000001b3ULL

/* Bytes of a sub-buffer that may be data; the mask is of what @commit may have besides */
#define COMMIT_FLAGS	(RB_PAGE_MISSED | RB_PAGE_MISSED_STORED)

u64 rb_image_hash(u64 hash, const void *data, u64 size)
{
	const u8 *bytes = data;
	u64 i;

	for (i = 0; i < size; i++)
		hash = (hash ^ bytes[i]) * HASH_PRIME;
	return hash;
}

/*
 * What is checked has to be what is used, also if something else writes to the region: the
 * compiler must not read there again
 */
static void copy_once(void *to, const void *from, u64 size)
{
	memcpy(to, from, size);
	barrier();
}

/*
 * The layout
 */

static u64 round_to(u64 size, u64 to)
{
	return (size + to - 1) / to * to;
}

/* The counts are in range, so nothing overflows */
static void make_layout(struct rb_image_layout *l)
{
	l->cpus = sizeof(struct rb_image_head);
	l->events = round_to(l->cpus + l->nr_cpus * sizeof(u32), sizeof(u64));
	l->formats = l->events + l->nr_events * sizeof(struct rb_image_event);
	l->state = round_to(l->formats + l->formats_len, sizeof(u64));
	l->stale = l->state + sizeof(struct rb_image_state);
	l->log = l->stale + (u64)l->nr_cpus * l->nr_subbufs * sizeof(u64);
	l->buffers = round_to(l->log + RB_IMAGE_LOG, PAGE_SIZE);
	l->size = l->buffers + (u64)l->nr_cpus * (1 + l->nr_subbufs) * PAGE_SIZE;
}

static bool counts_are_valid(const struct rb_image_layout *l)
{
	return l->nr_cpus && l->nr_cpus <= RB_IMAGE_MAX_CPUS &&
	       l->nr_events <= RB_IMAGE_MAX_EVENTS && l->formats_len <= RB_IMAGE_MAX_FORMATS &&
	       l->nr_subbufs >= RB_WRITER_MIN_SUBBUFS && l->nr_subbufs <= RB_WRITER_MAX_SUBBUFS;
}

int rb_image_plan(struct rb_image_layout *layout, u64 size, u32 nr_cpus, u32 nr_events,
		  u32 formats_len)
{
	u64 each;

	if (!nr_cpus || nr_cpus > RB_IMAGE_MAX_CPUS || nr_events > RB_IMAGE_MAX_EVENTS ||
	    formats_len > RB_IMAGE_MAX_FORMATS)
		return -E2BIG;

	/* As if the part before the buffers were empty; then as many fewer as that takes */
	each = min(size / PAGE_SIZE / nr_cpus, RB_WRITER_MAX_SUBBUFS + 1);
	for (; each > RB_WRITER_MIN_SUBBUFS; each--) {
		layout->nr_cpus = nr_cpus;
		layout->nr_events = nr_events;
		layout->formats_len = formats_len;
		layout->nr_subbufs = each - 1;
		make_layout(layout);
		if (layout->size <= size)
			return 0;
	}
	return -ENOSPC;
}

u64 rb_image_meta(const struct rb_image_layout *layout, u32 index)
{
	return layout->buffers + (u64)index * (1 + layout->nr_subbufs) * PAGE_SIZE;
}

u64 rb_image_subbuf(const struct rb_image_layout *layout, u32 index, u32 id)
{
	return rb_image_meta(layout, index) + (1 + (u64)id) * PAGE_SIZE;
}

u64 rb_image_stale(const struct rb_image_layout *layout, u32 index, u32 id)
{
	return layout->stale + ((u64)index * layout->nr_subbufs + id) * sizeof(u64);
}

/*
 * Writing
 */

/* Of the head without the magic and the checksum itself, and of what does not change either */
static u64 checksum(const void *front, const struct rb_image_layout *l)
{
	u64 from = offsetof(struct rb_image_head, version);

	return rb_image_hash(RB_IMAGE_HASH_INIT, front + from, l->state - from);
}

void rb_image_begin(void *region)
{
	struct rb_image_head *head = region;

	WRITE_ONCE(head->magic, 0);
	smp_wmb(); /* Nothing else is changed while it is there */
}

void rb_image_commit(void *region, const struct rb_image_layout *layout)
{
	struct rb_image_head *head = region;

	head->version = RB_IMAGE_VERSION;
	head->page_size = PAGE_SIZE;
	head->size = layout->size;
	head->nr_cpus = layout->nr_cpus;
	head->nr_subbufs = layout->nr_subbufs;
	head->nr_events = layout->nr_events;
	head->formats_len = layout->formats_len;
	head->check = checksum(region, layout);
	smp_wmb(); /* All of the image is there before it is valid */
	WRITE_ONCE(head->magic, RB_IMAGE_MAGIC);
}

/*
 * Reading
 */

int rb_image_read_head(const void *region, u64 size, struct rb_image_head *head,
		       struct rb_image_layout *layout)
{
	if (size < sizeof(*head))
		return -ENODATA;

	copy_once(head, region, sizeof(*head));
	if (head->magic != RB_IMAGE_MAGIC)
		return -ENODATA;
	if (head->version != RB_IMAGE_VERSION || head->page_size != PAGE_SIZE)
		return -EPROTO;

	layout->nr_cpus = head->nr_cpus;
	layout->nr_subbufs = head->nr_subbufs;
	layout->nr_events = head->nr_events;
	layout->formats_len = head->formats_len;
	if (!counts_are_valid(layout))
		return -EINVAL;

	make_layout(layout);
	if (layout->size != head->size || layout->size > size || !head->nr_clocks ||
	    head->nr_clocks > RB_IMAGE_CLOCKS || head->build_id_len > RB_IMAGE_BUILD_ID)
		return -EINVAL;
	return 0;
}

/* Makes a byte one that can be printed, in one line or in several */
static void make_printable(char *c, bool lines)
{
	if ((*c < ' ' || *c > '~') && !(lines && *c == '\n'))
		*c = '?';
}

/* Makes it a string that can be printed in one line, or several if it is a log */
static void make_text(char *text, u32 len, bool lines)
{
	u32 i;

	text[len - 1] = '\0';
	for (i = 0; text[i]; i++)
		make_printable(&text[i], lines);
}

/* The same for strings that follow each other */
static void make_formats(char *text, u32 len)
{
	u32 i;

	if (len)
		text[len - 1] = '\0';
	for (i = 0; i < len; i++) {
		if (text[i])
			make_printable(&text[i], true);
	}
}

static void make_texts(void *front, const struct rb_image_layout *l)
{
	struct rb_image_event *events = front + l->events;
	struct rb_image_state *state = front + l->state;
	struct rb_image_head *head = front;
	u32 i;

	make_text(head->remote, sizeof(head->remote), false);
	make_text(head->release, sizeof(head->release), false);
	for (i = 0; i < RB_IMAGE_CLOCKS; i++)
		make_text(head->clocks[i], sizeof(head->clocks[i]), false);
	for (i = 0; i < l->nr_events; i++)
		make_text(events[i].name, sizeof(events[i].name), false);
	make_formats(front + l->formats, l->formats_len);
	make_text(state->why, sizeof(state->why), false);
}

/* The state has no checksum, as it may change at any moment */
static void check_state(void *front, const struct rb_image_layout *l)
{
	struct rb_image_state *state = front + l->state;
	struct rb_image_head *head = front;
	char *log = front + l->log;

	if (state->clock >= head->nr_clocks)
		state->clock = 0;
	if (state->end >= NR_RB_IMAGE_ENDS)
		state->end = RB_IMAGE_NOT_NOTED;
	if (state->log_len >= RB_IMAGE_LOG)
		state->log_len = 0;
	log[state->log_len] = '\0';
	make_text(log, state->log_len + 1, true);
}

int rb_image_read_front(const void *region, const struct rb_image_head *head,
			const struct rb_image_layout *layout, void *front)
{
	memcpy(front, head, sizeof(*head));
	copy_once(front + sizeof(*head), region + sizeof(*head), layout->buffers - sizeof(*head));
	if (checksum(front, layout) != head->check)
		return -EBADMSG;

	make_texts(front, layout);
	check_state(front, layout);
	return 0;
}

/*
 * Formats
 */

char *rb_image_format(void *front, const struct rb_image_layout *layout,
		      const struct rb_image_event *event)
{
	/* Behind the formats is the state, which may begin with anything */
	return event->format < layout->formats_len ? front + layout->formats + event->format : "";
}

/* The length of the name at the beginning; 0 if there is none */
static size_t name_len(const char *text)
{
	if (*text >= '0' && *text <= '9')
		return 0;
	return strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz0123456789");
}

bool rb_image_is_name(const char *text)
{
	size_t len = name_len(text);

	return len && !text[len];
}

/* What is in front of a separator, which becomes its end; NULL if there is none */
static char *take(char **text, char separator)
{
	char *begin = *text, *end = strchr(begin, separator);

	if (!end)
		return NULL;
	*end = '\0';
	*text = end + 1;
	return begin;
}

/* A word that is a number up to @max; false if it is not */
static bool take_number(char **line, u32 max, u32 *number)
{
	const char *digit = take(line, ' ');

	if (!digit || !*digit)
		return false;
	for (*number = 0; *digit; digit++) {
		if (*digit < '0' || *digit > '9')
			return false;
		*number = *number * 10 + *digit - '0';
		if (*number > max)
			return false;
	}
	return true;
}

/* Such as "id", "buf[]" or "caller[8]" */
static bool is_field_name(const char *text)
{
	size_t len = name_len(text);

	if (!len)
		return false;
	text += len;
	if (*text != '[')
		return !*text;
	text += 1 + strspn(text + 1, "0123456789");
	return text[0] == ']' && !text[1];
}

/* A type can have spaces, but not what ends it in the format file */
static bool parse_field(char *line, u32 room, struct rb_image_field *field)
{
	u32 is_signed;

	if (!take_number(&line, room, &field->size) || !take_number(&line, 8, &field->align) ||
	    !take_number(&line, 1, &is_signed))
		return false;
	if (!field->align || field->align & (field->align - 1))
		return false;
	field->is_signed = is_signed;
	field->name = take(&line, ' ');
	field->type = line;
	return field->name && is_field_name(field->name) && *line && !strchr(line, ';');
}

int rb_image_parse_format(char *text, struct rb_image_format *format)
{
	u32 room = RB_WRITER_MAX_LONG;
	char *line;

	format->nr_fields = 0;
	format->system = take(&text, '\n');
	if (!format->system || !rb_image_is_name(format->system))
		return -EINVAL;
	while ((line = take(&text, '\n'))) {
		if (format->nr_fields == RB_IMAGE_MAX_FIELDS ||
		    !parse_field(line, room, &format->fields[format->nr_fields]))
			return -EINVAL;
		room -= format->fields[format->nr_fields++].size;
	}
	format->print_fmt = text;
	return *text == '"' && strlen(text) < RB_IMAGE_MAX_PRINT_FMT ? 0 : -EINVAL;
}

/**
 * struct walk_pos - a place in a sub-buffer
 * @page:	the sub-buffer, a copy
 * @pos:	offset of the next event
 * @end:	where its data is said to end
 * @ts:		time of the last event
 */
struct walk_pos {
	struct rb_page	*page;
	u32		pos;
	u32		end;
	u64		ts;
};

/* Adds to the time, which must not wrap around */
static bool add_time(struct walk_pos *w, u64 delta)
{
	u64 ts = w->ts + delta;

	if (ts < w->ts)
		return false;
	w->ts = ts;
	return true;
}

/* Moves past a time extend, if there is one; false if what follows cannot be an event */
static bool walk_extend(struct walk_pos *w)
{
	const u32 *word = (const u32 *)(w->page->data + w->pos);

	if (w->end - w->pos < RB_PAGE_TIME_EXTEND_LEN)
		return false;
	if ((word[0] & 31) != RB_PAGE_TYPE_TIME_EXTEND)
		return true;
	if (!add_time(w, (word[0] >> 5) + ((u64)word[1] << RB_PAGE_DELTA_BITS)))
		return false;
	w->pos += RB_PAGE_TIME_EXTEND_LEN;
	/* Only one, and an event follows */
	return w->end - w->pos >= RB_PAGE_LONG_HDR &&
	       (word[2] & 31) != RB_PAGE_TYPE_TIME_EXTEND;
}

/* The record at the position and its size; moves past it. NULL if it is not sound */
static void *walk_record(struct walk_pos *w, u32 *size)
{
	const u32 *word = (const u32 *)(w->page->data + w->pos);
	u32 type_len = word[0] & 31, hdr = RB_PAGE_EVENT_HDR, left = w->end - w->pos;

	*size = 4 * type_len;
	if (type_len == RB_PAGE_TYPE_LONG) {
		hdr = RB_PAGE_LONG_HDR;
		*size = word[1] - sizeof(word[1]);
		/* Readers of the ring buffer know the long form by the size, too */
		if (*size <= 4 * RB_PAGE_MAX_TYPE_LEN)
			return NULL;
	} else if (type_len > RB_PAGE_MAX_TYPE_LEN) {
		return NULL;
	}
	if (!*size || *size % sizeof(u32) || *size > RB_WRITER_MAX_LONG || *size > left - hdr ||
	    !add_time(w, word[0] >> 5))
		return NULL;
	w->pos += hdr + *size;
	return (void *)word + hdr;
}

/* Walks up to the first event that is not sound; true if there is none */
static bool walk(struct walk_pos *w, struct rb_image_page *page, rb_image_record_fn fn, void *data)
{
	struct walk_pos next = *w;
	void *rec;
	u32 size;

	while (w->pos < w->end) {
		rec = walk_extend(&next) ? walk_record(&next, &size) : NULL;
		if (!rec || (fn && !fn(rec, size, data)))
			return false;
		if (!page->events++)
			page->first = next.ts;
		page->last = next.ts;
		*w = next;
	}
	return true;
}

/* The number of lost events that is stored behind the data; 1 if it is not, but there are some */
static u64 stored_lost(const struct rb_page *page, u64 flags, u32 end)
{
	u64 lost;

	if (!(flags & RB_PAGE_MISSED))
		return 0;
	if (!(flags & RB_PAGE_MISSED_STORED) || RB_PAGE_DATA_SIZE - end < sizeof(lost))
		return 1;
	memcpy(&lost, page->data + end, sizeof(lost));
	/* More than a CPU can write is not a number of events */
	return lost && lost < 1ULL << 48 ? lost : 1;
}

bool rb_image_read_page(const struct rb_page *from, u64 stale, struct rb_page *to,
			struct rb_image_page *page, rb_image_record_fn fn, void *data)
{
	struct walk_pos w = { .page = to };
	u64 commit, flags;

	copy_once(to, from, PAGE_SIZE);
	commit = to->commit & ~COMMIT_FLAGS;
	flags = to->commit & COMMIT_FLAGS;
	page->events = 0;
	page->cut = commit > RB_PAGE_DATA_SIZE;
	page->lost = 0;
	w.ts = to->time_stamp;
	w.end = min(commit, RB_PAGE_DATA_SIZE);
	if (!commit || (stale && w.ts == stale)) {
		w.end = 0;
	} else {
		page->lost = page->cut ? 0 : stored_lost(to, flags, w.end);
		page->cut |= !walk(&w, page, fn, data);
	}

	to->commit = w.pos;
	memset(to->data + w.pos, 0, RB_PAGE_DATA_SIZE - w.pos);
	return page->events;
}

static int by_time(const void *a, const void *b)
{
	const struct rb_image_page *x = a, *y = b;

	if (x->first != y->first)
		return x->first < y->first ? -1 : 1;
	if (x->last != y->last)
		return x->last < y->last ? -1 : 1;
	return x->id < y->id ? -1 : x->id > y->id;
}

/*
 * The sub-buffer that follows that of the reader, if others between them were overwritten; else
 * 0. If a swap was being made, it may have been the reader's, and not be marked yet.
 */
static u32 reader_gap(const struct rb_image_page *pages, u32 nr,
		      const struct trace_buffer_meta *meta, u32 nr_slots)
{
	u64 head, tail;
	u32 i;

	rb_meta_range(meta, nr_slots, &head, &tail);
	if (head == meta->pages_gone && head == meta->pages_lost + meta->pages_read)
		return 0;
	for (i = 0; i + 1 < nr; i++) {
		if (pages[i].id == meta->reader.id)
			return pages[i + 1].lost ? 0 : i + 1;
	}
	return 0;
}

/* Where events are missing whose place is not known */
static u32 place_of_lost(const struct rb_image_page *pages, u32 nr,
			 const struct trace_buffer_meta *meta, u32 nr_slots)
{
	u32 i;

	for (i = 0; i + 1 < nr; i++) {
		if (pages[i].cut)
			return i + 1;
	}
	return reader_gap(pages, nr, meta, nr_slots);
}

u64 rb_image_order(struct rb_image_page *pages, u32 nr, const struct trace_buffer_meta *meta,
		   u32 nr_slots)
{
	u64 there = 0, known = 0, missing;
	u32 i, at;

	sort(pages, nr, sizeof(*pages), by_time, NULL);
	for (i = 0; i < nr; i++) {
		there += pages[i].events;
		known += pages[i].lost;
	}
	missing = meta->entries > there ? meta->entries - there : 0;
	if (missing >= 1ULL << 48)
		missing = 0;
	if (!nr)
		return missing;

	at = place_of_lost(pages, nr, meta, nr_slots);
	if (missing > known)
		pages[at].lost += missing - known;
	else if (at && pages[at - 1].cut && !pages[at].lost)
		pages[at].lost = 1;
	return missing;
}

void rb_image_mark(struct rb_page *to, u64 lost)
{
	u32 end = to->commit;

	to->commit |= RB_PAGE_MISSED;
	if (RB_PAGE_DATA_SIZE - end < sizeof(lost))
		return;
	to->commit |= RB_PAGE_MISSED_STORED;
	memcpy(to->data + end, &lost, sizeof(lost));
}
