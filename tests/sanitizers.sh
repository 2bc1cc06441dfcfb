#!/bin/sh
# Every unit test again under address and undefined-behaviour sanitizers.
set -u
cd "$(dirname "$0")/.."
B=${B:-build}/san
export ASAN_OPTIONS=abort_on_error=0:detect_leaks=1
export UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1
passed=0
failed=0
make -s -j"$(nproc)" B="$B" OPT="-O1 -g" HARD=-fPIE \
    EXTRA="-fsanitize=address,undefined -fno-sanitize-recover=all" tests ||
    { echo "0 passed, 1 failed"; exit 1; }
for test in tests/test_*.c; do
    name=$(basename "$test" .c)
    if timeout -k 5 300 "$B/tests/$name" >"$B/$name.log" 2>&1; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "$name under sanitizers:"
        tail -n 30 "$B/$name.log"
    fi
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
