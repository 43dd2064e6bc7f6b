# SPDX-License-Identifier: GPL-2.0
# per_cpu/cpuN/trace: a write clears only that CPU

echo 1 >tracing_on
write_ids_on 0 1 10
write_ids_on 1 11 20
check_ids per_cpu/cpu0/trace 1 10
check_ids per_cpu/cpu1/trace 11 20

echo >per_cpu/cpu0/trace
equal "cpu0" "$(count_ids per_cpu/cpu0/trace)" 0
check_ids trace 11 20
write_ids_on 0 21 30
check_ids per_cpu/cpu0/trace 21 30
check_ids trace 11 30

# With events of one CPU left, the buffer stays loaded
echo 0 >tracing_on
echo >per_cpu/cpu1/trace
equal "with events" "$(remote_state)" loaded
echo >per_cpu/cpu0/trace
equal "without" "$(remote_state)" unloaded
