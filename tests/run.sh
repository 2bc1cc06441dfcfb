#!/bin/sh
# Runs every test and ends with one line of counts. Each part is bounded in
# time; what it prints goes to build/test-logs/, the tail of it here when it
# fails. Settings: B=build, QUICK=1 (without sanitizers and browsers).
set -u
cd "$(dirname "$0")/.."
B=${B:-build}
JOBS=$(nproc 2>/dev/null || echo 2)
GPUTCO_SHARED=${GPUTCO_SHARED:-$(cd .. && pwd)/shared}
export B GPUTCO_SHARED
logs=$B/test-logs
rm -rf "$logs"
mkdir -p "$logs"
passed=0
failed=0

add() { passed=$((passed + $1)); failed=$((failed + $2)); }

# part NAME SECONDS COMMAND…: counts come from cmocka's lines or from a last
# line "N passed, N failed"; a part that ends badly counts as one failure.
part() {
    name=$1 seconds=$2
    shift 2
    log=$logs/$name.log
    timeout -k 5 "$seconds" "$@" >"$log" 2>&1
    code=$?
    ok=$(sed -n 's/^\[  PASSED  \] \([0-9]*\) test(s)\..*/\1/p' "$log" |
        awk '{ n += $1 } END { print n + 0 }')
    bad=$(sed -n 's/^\[  FAILED  \] \([0-9]*\) test(s).*/\1/p' "$log" |
        awk '{ n += $1 } END { print n + 0 }')
    line=$(grep -E '^[0-9]+ passed, [0-9]+ failed' "$log" | tail -n 1)
    if [ -n "$line" ]; then
        ok=$((ok + $(echo "$line" | cut -d' ' -f1)))
        bad=$((bad + $(echo "$line" | cut -d' ' -f3)))
    fi
    if [ "$code" -ne 0 ] && [ "$bad" -eq 0 ]; then bad=1; fi
    if [ "$code" -eq 0 ] && [ "$((ok + bad))" -eq 0 ] &&
        ! grep -qi '^skipped' "$log"; then bad=1; fi
    printf '%-28s %4d passed, %d failed\n' "$name" "$ok" "$bad"
    grep -i '^skipped' "$log" | sed 's/^/    /'
    [ "$bad" -eq 0 ] || tail -n 40 "$log" | sed 's/^/    /'
    add "$ok" "$bad"
}

if ! make -s -j"$JOBS" B="$B" all tests >"$logs/build.log" 2>&1; then
    tail -n 60 "$logs/build.log"
    echo "0 passed, 1 failed"
    exit 1
fi

for test in tests/test_*.c; do
    name=$(basename "$test" .c)
    part "$name" 300 "$B/tests/$name"
done
for script in layers.sh units.sh digits.sh serve.sh test_refresh.sh e2e.sh worked_examples.sh saved.sh; do
    [ ! -e "tests/$script" ] || part "$script" 600 sh "tests/$script"
done
[ ! -e tests/test_page.sh ] || part test_page.sh 900 sh tests/test_page.sh
for script in test_fetch_hops.py test_refresh_faults.py test_refresh_samples.py test_exports.py test_documents.py test_workbook.py test_oracle.py test_bad_inputs.py test_power_log.py test_browser.py; do
    [ ! -e "tests/$script" ] || part "$script" 600 python3 "tests/$script"
done
if [ -z "${QUICK:-}" ]; then
    part sanitizers 1500 sh tests/sanitizers.sh
fi

echo
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
