// SPDX-License-Identifier: GPL-2.0
/*
 * The list of computed tables. See computed.h.
 */
#include <strings.h>

#include "export/sqlcomputed.h"
#include "export/sqldelayrows.h"
#include "export/sqlfilerows.h"
#include "export/sqlpagerows.h"
#include "export/sqltimerows.h"

const struct computed_table *computed_table(unsigned int i)
{
	static const struct computed_table *const tables[] = {
		&recording_table, &entry_table, &hypercall_table, &switch_table, &window_table,
		&cpu_time_table, &guest_entry_table, &summary_table, &delay_table,
		&delay_part_table, &delay_piece_table, &delay_summary_table, &page_table,
	};

	return i < ARRAY_SIZE(tables) ? tables[i] : NULL;
}

const struct computed_table *computed_find(const char *name)
{
	const struct computed_table *t;
	unsigned int i;

	for (i = 0; (t = computed_table(i)); i++) {
		if (!strcasecmp(t->name, name))
			break;
	}
	return t;
}
