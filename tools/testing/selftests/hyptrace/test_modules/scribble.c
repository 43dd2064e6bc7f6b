// SPDX-License-Identifier: GPL-2.0
/*
 * scribble - damage what the remote "test" has left in its memory, as a reset might
 *
 * Writing a number to the file "scribble" in debugfs makes the region what it was when the module
 * was loaded, as if another boot had left it, with some words of it changed, by a generator that
 * starts with that number. Then remote_test.ko, loaded again, finds it.
 *
 * Writing 1 to the file "rename" makes it that of a kernel in which fields that are called "id"
 * were called "no". Writing 2 makes it one in which the first event has the name of another file,
 * the second one the name of the third one, and text is one that the kernel reads itself.
 */
#include <linux/debugfs.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/vmalloc.h>

#include "ring_buffer_image.c"

static char *label = "soft";
module_param(label, charp, 0);
MODULE_PARM_DESC(label, "of the memory");

static void *region, *saved;
static u64 size, seed;
static struct rb_image_layout layout;

static u32 below(u32 limit)
{
	seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return (seed >> 33) % limit;
}

static void scribble_at(u64 from, u64 bytes)
{
	u32 *word = region + from + below(bytes / sizeof(*word)) * sizeof(*word);

	switch (below(3)) {
	case 0:
		*word ^= BIT(below(32));
		break;
	case 1:
		*word = below(600);
		break;
	default:
		*word = below(U32_MAX);
	}
}

/* The parts in front more often than their size says */
static void scribble_once(void)
{
	u32 cpu = below(layout.nr_cpus), id = below(layout.nr_subbufs);

	switch (below(8)) {
	case 0:
		scribble_at(layout.cpus, layout.events - layout.cpus);
		break;
	case 1:
		scribble_at(layout.events, layout.state - layout.events);
		break;
	case 2:
		scribble_at(layout.state, layout.stale - layout.state);
		break;
	case 3:
		scribble_at(layout.stale, layout.buffers - layout.stale);
		break;
	case 4:
		scribble_at(rb_image_meta(&layout, cpu), sizeof(struct trace_buffer_meta));
		break;
	default:
		scribble_at(rb_image_subbuf(&layout, cpu, id), below(2) ? PAGE_SIZE : 256);
	}
}

/* The head of the region, which is now as another boot left it */
static struct rb_image_head *restore(void)
{
	struct rb_image_head *head = region;

	memcpy(region, saved, size);
	head->boot++;
	return head;
}

static int scribble_set(void *data, u64 number)
{
	struct rb_image_head *head = restore();
	u32 nr;

	seed = number;
	for (nr = 1 + below(20); nr; nr--)
		scribble_once();
	/* Most often the checksum is right, or there would be nothing to see */
	if (below(8))
		head->check = checksum(region, &layout);
	return 0;
}
DEFINE_DEBUGFS_ATTRIBUTE(scribble_fops, NULL, scribble_set, "%llu\n");

static void replace(const char *what, const char *with)
{
	char *begin = region + layout.formats, *end = begin + layout.formats_len;

	for (; begin + strlen(what) <= end; begin++) {
		if (!memcmp(begin, what, strlen(what)))
			memcpy(begin, with, strlen(with));
	}
}

static int rename_set(void *data, u64 number)
{
	struct rb_image_head *head = restore();

	if (number == 1) {
		replace(" id ", " no ");
		replace("REC->id", "REC->no");
	} else {
		struct rb_image_event *events = region + layout.events;

		strscpy(events[0].name, "enable");
		strscpy(events[1].name, events[2].name);
		replace("\"width=", "\"SYM(w=");
	}
	head->check = checksum(region, &layout);
	return 0;
}
DEFINE_DEBUGFS_ATTRIBUTE(rename_fops, NULL, rename_set, "%llu\n");

static struct dentry *scribble_file, *rename_file;

static int __init scribble_init(void)
{
	struct rb_image_head head;
	phys_addr_t start, bytes;

	if (!reserve_mem_find_by_name(label, &start, &bytes))
		return -ENODEV;
	region = phys_to_virt(start);
	size = bytes;
	if (rb_image_read_head(region, size, &head, &layout))
		return -ENODATA;
	saved = vmalloc(size);
	if (!saved)
		return -ENOMEM;
	memcpy(saved, region, size);
	scribble_file = debugfs_create_file_unsafe("scribble", 0200, NULL, NULL, &scribble_fops);
	rename_file = debugfs_create_file_unsafe("rename", 0200, NULL, NULL, &rename_fops);
	return 0;
}
module_init(scribble_init);

static void __exit scribble_exit(void)
{
	debugfs_remove(rename_file);
	debugfs_remove(scribble_file);
	vfree(saved);
}
module_exit(scribble_exit);

MODULE_DESCRIPTION("Damages what the last boot has left, for the tests of trace remotes");
MODULE_LICENSE("GPL");
