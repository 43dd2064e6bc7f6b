# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Runs jobs in parallel, and adds up their results. There is one more than CPUs, as some wait:
# for a guest that is idle, or for one compiler at the end.
# For check.sh; source it after common.sh.
#
# A job is a command that prints TAP. Its output goes to build/logs/check-NAME.log. A job
# fails if one of its tests does, or if it ends with a status other than 0. After the first
# failure no other job is started, and those that run are terminated.

JOBS=${JOBS:-$(($(nproc) + 1))}

job_names=()		# in the order in which they start
declare -A job_commands=()	# NAME => a quoted command
declare -A job_pids=()	# PID of the job's process group => NAME
declare -A job_starts=()	# NAME => $SECONDS at its start
job_table=()		# SUITE TAB SECONDS TAB CPU TAB PASSED TAB FAILED TAB SKIPPED, for show_table()
job_ticker=
failed_job=
# The last line of a job's log, which count_tap() reads. It is not local to a function, as that
# would be undone before a job that fails prints it
TIMEFORMAT='# CPU time: %U %S'
passed=0
failed=0
skipped=0

# Declares a job
job()		# NAME COMMAND...
{
	local name=$1
	shift

	[[ ! -v job_commands[$name] ]] || die "two jobs are named '$name'"
	job_names+=("$name")
	job_commands[$name]=${*@Q}
}

job_log()	# NAME
{
	printf '%s/check-%s.log' "$LOGS" "${1//[^a-z0-9]/-}"
}

totals()
{
	echo "$passed passed, $failed failed, $skipped skipped"
}

# Counts the results in a job's log, including subtests of the kselftest harness. Sets $ok,
# $not_ok, $skip and $cpu, the seconds of CPU time
count_tap()	# LOG
{
	read -r ok not_ok skip cpu < <(awk '
		/^ok .*# SKIP/ { skip++; next }
		/^ok / { ok++ }
		/^not ok / { not_ok++ }
		/^# CPU time: / { cpu = $4 + $5 }
		END { print ok + 0, not_ok + 0, skip + 0, int(cpu + 0.5) }' "$1")
}

# Prints which tests of the job that failed have done so, with what the log has before each
# of them. If none has ("not ok 0"), the last lines of the log show the reason
show_failures()
{
	local log

	[[ $failed_job ]] || return 0
	log=$(job_log "$failed_job")
	echo
	echo "$failed_job failed:"
	grep -nE -B 4 '^not ok [1-9]' "$log" | head -n 20 | cut -c -200 | sed 's/^/    /' || :
	! grep -q '^not ok 0 ' "$log" || tail -n 20 "$log" | cut -c -200 | sed 's/^/    /'
	echo "The whole output: $log"
}

_erase_line()
{
	[[ ! -t 1 ]] || printf '\r\033[K'
}

# Shows on a terminal which jobs run
_show_running()
{
	local name text=''

	[[ -t 1 ]] || return 0
	for name in "${job_pids[@]}"; do
		text+=", $name $((SECONDS - job_starts[$name])) s"
	done
	_erase_line
	printf '%.79s' "${text#, }"
}

_start_job()	# NAME
{
	local log

	log=$(job_log "$1")
	job_starts[$1]=$SECONDS
	# In a process group of its own, for end_jobs() to terminate the job's children as well
	set -m
	(time (set -e; eval "${job_commands[$1]}")) >"$log" 2>&1 </dev/null &
	set +m
	job_pids[$!]=$1
}

# Takes the result of a job that has ended. Returns 1 if it failed
_end_job()	# PID STATUS
{
	local name=${job_pids[$1]} log ok not_ok skip cpu seconds
	log=$(job_log "$name")
	seconds=$((SECONDS - job_starts[$name]))
	unset "job_pids[$1]"

	count_tap "$log"
	if (($2 != 0 && not_ok == 0)); then
		not_ok=1
		echo "not ok 0 $name: ended with status $2" >>"$log"
	elif ((ok + not_ok + skip == 0)); then
		not_ok=1
		echo "not ok 0 $name: no result" >>"$log"
	fi
	passed=$((passed + ok))
	failed=$((failed + not_ok))
	skipped=$((skipped + skip))
	job_table+=("$name"$'\t'"$seconds"$'\t'"$cpu"$'\t'"$ok"$'\t'"$not_ok"$'\t'"$skip")
	_erase_line
	if ((not_ok)); then
		printf '%-36s FAILED (%d s)\n' "$name" "$seconds"
		failed_job=$name
		return 1
	fi
	printf '%-36s ok (%d s)\n' "$name" "$seconds"
}

# Terminates the jobs that run; also for a trap on EXIT
end_jobs()
{
	local pid

	[[ ! $job_ticker ]] || kill "$job_ticker" 2>/dev/null || :
	job_ticker=
	for pid in "${!job_pids[@]}"; do
		kill -TERM -- "-$pid" 2>/dev/null || :
	done
	for pid in "${!job_pids[@]}"; do
		wait "$pid" 2>/dev/null || :
	done
	job_pids=()
}

show_table()
{
	((${#job_table[@]})) || return 0
	printf '\n%-36s %8s %8s %8s %8s %8s\n' JOB SECONDS CPU PASSED FAILED SKIPPED
	printf '%s\n' "${job_table[@]}" | sort -t $'\t' -k 2,2nr |
		awk -F '\t' -v seconds="$SECONDS" '{
			printf "%-36s %8d %8d %8d %8d %8d\n", $1, $2, $3, $4, $5, $6
			cpu += $3
		} END { printf "%-36s %8d %8d\n", "all of them, in parallel", seconds, cpu }'
}

# Waits for a job to end, and sets $pid and $status to its own. On a terminal it returns
# after a second at the latest, with an empty $pid, so that _show_running() is up to date
_wait_for_job()
{
	status=0
	if [[ -t 1 && ! $job_ticker ]]; then
		sleep 1 &
		job_ticker=$!
	fi
	wait -n -p pid "${!job_pids[@]}" ${job_ticker:+"$job_ticker"} || status=$?
	[[ $pid == "$job_ticker" ]] || return 0
	job_ticker=
	pid=
}

# Runs all jobs that were declared. Returns 1 after the first one that fails
run_jobs()
{
	local next=0 pid status

	mkdir -p "$LOGS"
	while ((next < ${#job_names[@]} || ${#job_pids[@]})); do
		if ((next < ${#job_names[@]} && ${#job_pids[@]} < JOBS)); then
			_start_job "${job_names[next++]}"
			continue
		fi
		_show_running
		_wait_for_job
		[[ ! $pid ]] || _end_job "$pid" "$status" || return 1
	done
}
