// SPDX-License-Identifier: GPL-2.0
/*
 * Fuzzes the file reader: whatever the bytes are, report, check, stat and
 * export must come back without touching memory that is not theirs.
 *
 *	make fuzz && ./fuzz_report CORPUS_DIR
 *
 * The first byte is not part of the file: it chooses one of them.
 */
#include <stdint.h>
#include <stdio.h>

#include "../src/check.h"
#include "../src/datr.h"
#include "../src/log.h"
#include "../src/perfetto.h"
#include "../src/report.h"
#include "../src/stat.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct report_how how = { .json = data[0] & 4, .per_cpu = data[0] & 16 };
	struct perfetto_result result;
	static FILE *null;
	struct datr *d;
	u64 shift;

	if (!null) {
		null = fopen("/dev/null", "w");
		log_set_sink(NULL, NULL);
	}
	if (!null || !size)
		return 0;
	d = datr_parse(data + 1, size - 1, "input");
	if (d && (data[0] & 2))
		stat_file(d, NULL, data[0] & 1, data[0] & 4, null);
	else if (d && (data[0] & 8) && !perfetto_shift(d, "input", &shift))
		perfetto_export(d, NULL, shift, null, &result);
	else if (d && (data[0] & 1))
		check_file(d, NULL, null);
	else if (d)
		report_file(d, &how, null);
	datr_free(d);
	return 0;
}
