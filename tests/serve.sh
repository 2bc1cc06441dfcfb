#!/bin/sh
# Builds the edge around the test's own application (serve_probe.c) and asks
# it everything serve.py knows. GPUTCO_SAN=1 builds it with sanitizers.
set -eu
cd "$(dirname "$0")/.."
folder=$(mktemp -d "${TMPDIR:-/tmp}/gputco-serve.XXXXXX")
trap 'rm -rf "$folder"' EXIT
san=
[ -z "${GPUTCO_SAN:-}" ] || san="-fsanitize=$GPUTCO_SAN"
# shellcheck disable=SC2086
${CC:-gcc} -std=c11 -D_POSIX_C_SOURCE=200809L -O2 -g -Wall -Wextra -Werror \
    $san -I. -o "$folder/probe" tests/serve_probe.c fcgi/main.c fcgi/documents_none.c fcgi/serve.c \
    fcgi/live.c fcgi/wire.c fcgi/text.c pricing/status.c -lfcgi -lpthread
# A connection passes from thread to thread through the kernel's epoll set:
# armed by one, taken and closed by another. The sanitizer does not see that.
echo 'race:^drop$' >"$folder/known"
export TSAN_OPTIONS="suppressions=$folder/known"
python3 tests/serve.py "$folder/probe" "$folder"
