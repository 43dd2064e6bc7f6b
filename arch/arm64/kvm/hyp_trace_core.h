/* SPDX-License-Identifier: GPL-2.0 */
#ifndef __ARM64_KVM_HYP_TRACE_CORE_H__
#define __ARM64_KVM_HYP_TRACE_CORE_H__
/*
 * What the files hyp_trace*.c share.
 */
#include <linux/kvm_host.h>
#include <linux/percpu.h>
#include <linux/trace_remote.h>

#include <asm/kvm_asm.h>
#include <asm/kvm_hyptext.h>
#include <asm/kvm_hyptrace.h>

/* The remote's name */
#define HYP_TRACE_REMOTE	"hypervisor"

/* hyp_trace.c */
bool hyp_is_there(void);
bool hyp_call_is_to_fail(void);
int hyp_trace_enable_event(unsigned int index, u16 id, void *priv);

/* A hypercall: EL2's result, or -EIO if EL2 cannot be called or a failure is injected */
#define hyp_call(f, ...)						\
	(!hyp_is_there() || hyp_call_is_to_fail() ? -EIO :		\
	 (int)kvm_call_hyp_nvhe(f, ##__VA_ARGS__))

/* hyp_trace_events.c: the events by enum hyp_event, and what the rows of counters are */
extern struct trace_remote_event hyp_events[NR_HYP_EVENTS];
extern const struct trace_remote_symtab *const hyp_symtabs[];

/* Is it an event of its own, not one that a tracer or an option switches? */
static inline bool hyp_trace_event_is_switched(unsigned int index)
{
	return !hyp_events[index].system || index == HYP_EVENT_PRINTK;
}

const char *hyp_counter(unsigned int row, const char **kind, char *buf, void *priv);

/*
 * hyp_trace_boot.c. Called when the remote has been registered, or could not be: an event that was
 * switched on early, and is not on now, is switched off. If EL2 does not trace now, its logs of the
 * boot end
 */
#ifdef CONFIG_NVHE_EL2_TRACING_BOOT
void hyp_trace_boot_done(bool traces);
#else
static inline void hyp_trace_boot_done(bool traces) { }
#endif

/* hyp_trace_load.c */
struct hyp_table;

/* What EL2 has for a CPU's buffer; NULL if the CPU was not there when buffers were loaded */
DECLARE_PER_CPU(struct hyp_table *, hyp_tables);

int hyp_trace_load(struct trace_buffer *buffer, void *priv);
int hyp_trace_unload(struct trace_buffer *buffer, void *priv);
int hyp_trace_set_filter(unsigned int index, const struct remote_filter *filter, void *priv);

int hyp_map_pages(void *va, unsigned int nr);

/*
 * hyp_trace_triggers.c. hyp_time_filter() is called before and after EL2 gets the filter, or NULL
 * for none, of an event
 */
#ifdef CONFIG_NVHE_EL2_TRIGGERS
extern const struct trace_event_fields hyp_exit_duration;

int hyp_load_triggers(void);
int hyp_unload_triggers(void);
int hyp_time_filter(unsigned int index, const struct remote_filter *filter, bool before);
bool hyp_places_are_on(unsigned int index, bool on);
int hyp_arm_counters(bool arm);
int hyp_trace_set_triggers(unsigned int index, const struct remote_triggers *triggers, void *priv);
s64 hyp_trace_ask(enum trace_remote_ask what, unsigned int index, unsigned int value, void *priv);
#else
static inline int hyp_load_triggers(void) { return 0; }
static inline int hyp_unload_triggers(void) { return 0; }
static inline int hyp_time_filter(unsigned int index, const struct remote_filter *filter,
				  bool before) { return 0; }
static inline bool hyp_places_are_on(unsigned int index, bool on) { return on; }
#endif

/* hyp_counters.c; hyp_counters_cpu_online() is for the calling CPU */
#ifdef CONFIG_NVHE_EL2_COUNTERS
int hyp_counters_enable(bool on, void *priv);
void *hyp_counters_of(int cpu, size_t *size, void *priv);
int hyp_counters_cpu_online(unsigned int cpu);
#else
static inline int hyp_counters_cpu_online(unsigned int cpu) { return 0; }
#endif

/* hyp_trace_notify.c */
void hyp_trace_set_notified(struct trace_buffer *buffer);
bool hyp_trace_notify(int cpu, bool any, bool subbuf, void *priv);

/* hyp_trace_clock.c */
extern const struct trace_remote_clock hyp_trace_clocks[];

/* The tasks of all CPUs, HYP_TRACE_TASKS_SIZE bytes, while buffers are loaded */
extern struct hyp_trace_task *hyp_tasks;

void hyp_trace_find_clocks(void);
int hyp_trace_set_clock(unsigned int index, void *priv);
int hyp_trace_use_last_clock(void);
int hyp_drop_clock(void);

#endif /* __ARM64_KVM_HYP_TRACE_CORE_H__ */
