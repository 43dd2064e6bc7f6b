/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Standard output and standard error that cannot keep the program from ending.
 *
 * A write to a pipe or a terminal that is not read blocks, for as long as it is not read.
 * So a thread per stream writes, and the program waits for the thread. When the program
 * has to end, it waits for each piece of the output for OUTPUT_PATIENCE_MS only. If the
 * thread has not written it by then, the stream is given up: this and all later writes
 * to it fail.
 */
#ifndef HYPTRACE_OUTPUT_H
#define HYPTRACE_OUTPUT_H

#define OUTPUT_PATIENCE_MS	500

/**
 * output_start - let threads write to stdout and stderr
 * @signal_fd:	polls readable when the program has to end
 *
 * Context: no child process is made from now on; once.
 * Return: 0, or -1 with a message.
 */
int output_start(int signal_fd);

/** output_end - the program has to end, also if @signal_fd does not poll readable any more */
void output_end(void);

/** output_error - errno of the last write to stdout that has failed; ECANCELED: given up */
int output_error(void);

#endif
