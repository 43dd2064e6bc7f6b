/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the text and the JSON document of hyptrace why have in common.
 */
#ifndef HYPTRACE_WHYHOW_H
#define HYPTRACE_WHYHOW_H

#include "analysis/filedelays.h"
#include "lib/types.h"

/**
 * struct why_how - what is printed
 * @json:	as JSON
 * @timeline:	as text: also each piece of a delay
 * @task:	vCPUs of this task only, a number or a name; NULL for all
 * @has_vcpu:	vCPUs with the number @vcpu only
 * @vcpu:	their index in their VM
 * @has_vm:	... of the VM @vm
 * @vm:		its handle
 * @page:	name of the page of export --html
 */
struct why_how {
	bool json;
	bool timeline;
	const char *task;
	bool has_vcpu;
	u64 vcpu;
	bool has_vm;
	u64 vm;
	const char *page;
};

/** why_wants - whether the delays of a vCPU are printed */
bool why_wants(const struct filedelays *f, const struct why_how *how,
	       const struct worst_vcpu *v);

/** why_link - where the page shows a delay. Return: for free(); NULL with a message. */
char *why_link(const struct why_how *how, const struct delay *d);

#endif
