/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _LINUX_RING_BUFFER_IMAGE_H
#define _LINUX_RING_BUFFER_IMAGE_H
/*
 * An image: the ring buffers of a remote in memory that the next kernel leaves alone, with
 * what is needed to read them without the kernel that died.
 *
 * Layout of the region, in whole pages:
 *
 *	struct rb_image_head	who wrote it; does not change while the buffers are in use
 *	u32 cpus[]		the CPU of each buffer
 *	struct rb_image_event[]	the events, by the ids that the records have
 *	formats			text that describes their records
 *	struct rb_image_state	what changes: the clock, and how the boot ended
 *	u64 stale[]		of each sub-buffer: the timestamp of what was dropped, or 0
 *	log			the end of the kernel's log, as text
 *	for each CPU: a meta page, and its sub-buffers by id
 *
 * Who is trusted
 *	The kernel that reads an image does not trust a byte of it: after a reset it may be
 *	anything. Everything is first copied to memory of the reader's own, and checked there.
 *	The head has a checksum. The buffers have none, as nothing may be added to an event's
 *	path: a sub-buffer is good as far as its records are sound, and is cut there.
 *
 * Which sub-buffers are older
 *	The writer's table has that, in memory that is gone. So they are sorted by their
 *	timestamps, which do not go back on one CPU. One that has no data was just started,
 *	or never. One that was dropped with all others, because a user cleared the buffer, has
 *	the timestamp that was noted in stale[] then.
 *
 * The file compiles in user space, too.
 */
#include <linux/ring_buffer_page.h>
#include <linux/ring_buffer_writer.h>
#include <linux/types.h>

#define RB_IMAGE_MAGIC		0x6567616d4962522eULL	/* ".RbImage" */
#define RB_IMAGE_VERSION	2
#define RB_IMAGE_NAME		32
#define RB_IMAGE_TEXT		256
#define RB_IMAGE_LOG		16384
#define RB_IMAGE_CLOCKS		8
#define RB_IMAGE_MAX_CPUS	4096
#define RB_IMAGE_MAX_EVENTS	1024
#define RB_IMAGE_MAX_FORMATS	0x40000U
#define RB_IMAGE_MAX_FIELDS	32
#define RB_IMAGE_MAX_PRINT_FMT	8192U
#define RB_IMAGE_BUILD_ID	20

/**
 * struct rb_image_head - who wrote the image
 * @magic:	RB_IMAGE_MAGIC; stored last
 * @check:	checksum of what follows, up to the end of the formats
 * @version:	RB_IMAGE_VERSION
 * @page_size:	bytes of a page
 * @size:	bytes of the region that are in use
 * @boot:	a random number that tells one boot from another
 * @written:	when the buffers were made, in nanoseconds since 1970
 * @text:	address of the kernel's text, to find symbols of the same kernel
 * @text_size:	its bytes
 * @nr_cpus:	buffers
 * @nr_subbufs:	sub-buffers of each, that of the reader included
 * @nr_events:	events
 * @nr_clocks:	clocks
 * @formats_len: bytes of the formats
 * @in_ns:	a bit for each clock that counts nanoseconds
 * @build_id_len: bytes of @build_id
 * @build_id:	of the kernel
 * @remote:	name of the remote
 * @release:	of the kernel
 * @clocks:	names of the clocks
 */
struct rb_image_head {
	u64	magic;
	u64	check;
	u32	version;
	u32	page_size;
	u64	size;
	u64	boot;
	u64	written;
	u64	text;
	u64	text_size;
	u32	nr_cpus;
	u32	nr_subbufs;
	u32	nr_events;
	u32	nr_clocks;
	u32	formats_len;
	u32	in_ns;
	u32	build_id_len;
	u8	build_id[RB_IMAGE_BUILD_ID];
	char	remote[RB_IMAGE_NAME];
	char	release[64];
	char	clocks[RB_IMAGE_CLOCKS][RB_IMAGE_NAME];
};

/**
 * struct rb_image_event - an event
 * @name:	its name
 * @format:	where its format begins in the formats
 * @id:		common_type of its records
 *
 * The format is what the file "format" of the event says, without what all records have: a line
 * with the system; for each field a line "<size> <alignment> <is signed> <name> <type>"; then the
 * "print fmt". It ends with a null byte.
 */
struct rb_image_event {
	char	name[RB_IMAGE_NAME];
	u32	format;
	u32	id;
};

/* How a boot ended. Later ones replace earlier ones, unless those were a panic */
enum rb_image_end {
	RB_IMAGE_NOT_NOTED,	/* a reset from outside, or a power failure */
	RB_IMAGE_OOPS,		/* the kernel went on after an oops, then as above */
	RB_IMAGE_REBOOT,
	RB_IMAGE_HALT,
	RB_IMAGE_POWER_OFF,
	RB_IMAGE_KEXEC,
	RB_IMAGE_EMERGENCY,	/* reset without a shutdown, for example by SysRq-b */
	RB_IMAGE_PANIC,
	RB_IMAGE_WRITER_PANIC,	/* of the writer, such as EL2 */
	NR_RB_IMAGE_ENDS
};

/**
 * struct rb_image_state - what changes while the image is in use
 * @clock:	index of the clock of the timestamps
 * @boots:	how many boots have found the image since
 * @end:	enum rb_image_end
 * @log_len:	bytes of the log
 * @clock_now:	what the clock said at @real_now
 * @real_now:	a time, in nanoseconds since 1970
 * @ended:	when @end was noted, in nanoseconds since 1970
 * @why:	a line of text on that, or empty
 */
struct rb_image_state {
	u32	clock;
	u32	boots;
	u32	end;
	u32	log_len;
	u64	clock_now;
	u64	real_now;
	u64	ended;
	char	why[RB_IMAGE_TEXT];
};

/**
 * struct rb_image_layout - where the parts are
 * @nr_cpus:	as in the head
 * @nr_subbufs:	as in the head
 * @nr_events:	as in the head
 * @formats_len: as in the head
 * @cpus:	offset of the CPUs
 * @events:	of the events
 * @formats:	of their formats
 * @state:	of the state
 * @stale:	of the timestamps
 * @log:	of the log
 * @buffers:	of the first meta page, which is the size of what precedes the buffers
 * @size:	bytes in use
 */
struct rb_image_layout {
	u32	nr_cpus;
	u32	nr_subbufs;
	u32	nr_events;
	u32	formats_len;
	u64	cpus;
	u64	events;
	u64	formats;
	u64	state;
	u64	stale;
	u64	log;
	u64	buffers;
	u64	size;
};

/**
 * rb_image_hash - continue a hash (64 bits, FNV-1a)
 * @hash: RB_IMAGE_HASH_INIT, or of what comes before
 * @data: bytes
 * @size: number of them
 */
u64 rb_image_hash(u64 hash, const void *data, u64 size);

#define RB_IMAGE_HASH_INIT	0xcbf29ce484222325ULL

/**
 * rb_image_plan - divide a region
 * @layout: the result
 * @size: bytes of the region
 * @nr_cpus: buffers
 * @nr_events: events
 * @formats_len: bytes of their formats
 *
 * Return: 0, -E2BIG if there are too many CPUs, events or formats, or -ENOSPC if the region has
 * no room for RB_WRITER_MIN_SUBBUFS sub-buffers of each CPU.
 */
int rb_image_plan(struct rb_image_layout *layout, u64 size, u32 nr_cpus, u32 nr_events,
		  u32 formats_len);

/* Offsets of the meta page of buffer @index, of its sub-buffer @id, and of that one's stale[] */
u64 rb_image_meta(const struct rb_image_layout *layout, u32 index);
u64 rb_image_subbuf(const struct rb_image_layout *layout, u32 index, u32 id);
u64 rb_image_stale(const struct rb_image_layout *layout, u32 index, u32 id);

/**
 * rb_image_begin - there is no image in the region any more
 * @region: the region
 */
void rb_image_begin(void *region);

/**
 * rb_image_commit - the image is complete: make it valid
 * @region: the region
 * @layout: its layout; the head, the CPUs, the events and the formats are filled in but for
 *	    @magic, @check, @version, @page_size, @size and the counts
 */
void rb_image_commit(void *region, const struct rb_image_layout *layout);

/**
 * rb_image_read_head - look whether there is an image
 * @region: the region, which may be anything
 * @size: its bytes
 * @head: the copy
 * @layout: where the parts are, all within the region
 *
 * Return: 0; -ENODATA if there is no image; -EPROTO if it is of another version or page size;
 * -EINVAL if the counts make no sense.
 */
int rb_image_read_head(const void *region, u64 size, struct rb_image_head *head,
		       struct rb_image_layout *layout);

/**
 * rb_image_read_front - copy all that precedes the buffers
 * @region: the region
 * @head: what rb_image_read_head() has copied
 * @layout: what it found
 * @front: room for @layout->buffers bytes. Afterwards all strings end, the log and the formats
 *	   as well, and clock and end are in range
 *
 * Return: 0, or -EBADMSG if the checksum is wrong.
 */
int rb_image_read_front(const void *region, const struct rb_image_head *head,
			const struct rb_image_layout *layout, void *front);

/**
 * rb_image_format - the format of an event
 * @front: what rb_image_read_front() has copied
 * @layout: its layout
 * @event: an event there
 *
 * Return: its text, which may be anything that can be printed.
 */
char *rb_image_format(void *front, const struct rb_image_layout *layout,
		      const struct rb_image_event *event);

/**
 * rb_image_is_name - is it a name as those of events and fields are?
 * @text: letters, digits and underscores if so, of which the first is no digit
 */
bool rb_image_is_name(const char *text);

/**
 * struct rb_image_field - a field of an event
 * @type:	text for the format file
 * @name:	a name, or one that brackets follow
 * @size:	bytes
 * @align:	its alignment, 1 to 8
 * @is_signed:	whether it can be negative
 */
struct rb_image_field {
	const char	*type;
	const char	*name;
	u32		size;
	u32		align;
	bool		is_signed;
};

/**
 * struct rb_image_format - a format
 * @system:	a name
 * @fields:	the fields, which together have no more bytes than RB_WRITER_MAX_LONG
 * @nr_fields:	number of them
 * @print_fmt:	the "print fmt", shorter than RB_IMAGE_MAX_PRINT_FMT
 */
struct rb_image_format {
	const char		*system;
	struct rb_image_field	fields[RB_IMAGE_MAX_FIELDS];
	u32			nr_fields;
	const char		*print_fmt;
};

/**
 * rb_image_parse_format - take a format apart
 * @text: the format, which becomes several strings
 * @format: what it says
 *
 * Return: 0, or -EINVAL if it is not a format.
 */
int rb_image_parse_format(char *text, struct rb_image_format *format);

/**
 * struct rb_image_page - a sub-buffer that was read
 * @first:	time of the first event
 * @last:	time of the last one
 * @lost:	events that were lost before it
 * @id:		the sub-buffer
 * @events:	number of its events
 * @cut:	there was something unsound behind them
 */
struct rb_image_page {
	u64	first;
	u64	last;
	u64	lost;
	u32	id;
	u32	events;
	bool	cut;
};

/**
 * typedef rb_image_record_fn - look at a record, which is in memory of the reader's own
 * @rec: the record, which it may change
 * @size: its bytes, a multiple of 4, up to RB_WRITER_MAX_LONG
 * @data: as passed to rb_image_read_page()
 *
 * Return: false if the record is not sound. The sub-buffer then ends before it.
 */
typedef bool (*rb_image_record_fn)(void *rec, u32 size, void *data);

/**
 * rb_image_read_page - copy a sub-buffer, as far as it is sound
 * @from: the sub-buffer in the region
 * @stale: its timestamp if its content was dropped, or 0
 * @to: room for a page. Behind the sound records are zeroes, and in @commit are no flags
 * @page: what was found, but for @id
 * @fn: called for each record; may be NULL
 * @data: passed to it
 *
 * Return: true if there is an event.
 */
bool rb_image_read_page(const struct rb_page *from, u64 stale, struct rb_page *to,
			struct rb_image_page *page, rb_image_record_fn fn, void *data);

/**
 * rb_image_order - put the sub-buffers of a CPU in order
 * @pages: those that have an event
 * @nr: number of them
 * @meta: a copy of the meta page, which may be anything
 * @nr_slots: sub-buffers of the ring
 *
 * Of events that were written and are not there, it is not always known between which others
 * they were; then they count as lost at the first place where something is known to be
 * missing, or before all others.
 *
 * Return: how many of the events that were written are not there.
 */
u64 rb_image_order(struct rb_image_page *pages, u32 nr, const struct trace_buffer_meta *meta,
		   u32 nr_slots);

/**
 * rb_image_mark - store in a copied sub-buffer that events were lost before it
 * @to: the copy
 * @lost: their number, not 0
 */
void rb_image_mark(struct rb_page *to, u64 lost);

#endif /* _LINUX_RING_BUFFER_IMAGE_H */
