/* SPDX-License-Identifier: GPL-2.0 */
#ifndef HYPTRACE_COMMANDS_H
#define HYPTRACE_COMMANDS_H

/* The commands: argv[0] is the command's name. Return: an exit status. */
int record_main(int argc, char **argv);
int recover_main(int argc, char **argv);
int live_main(int argc, char **argv);
int report_main(int argc, char **argv);
int merge_main(int argc, char **argv);
int check_main(int argc, char **argv);
int stat_main(int argc, char **argv);
int graph_main(int argc, char **argv);
int why_main(int argc, char **argv);
int top_main(int argc, char **argv);
int metrics_main(int argc, char **argv);
int pages_main(int argc, char **argv);
int compare_main(int argc, char **argv);
int query_main(int argc, char **argv);
int export_main(int argc, char **argv);

#endif
