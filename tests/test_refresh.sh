#!/bin/sh
# gputco-refresh against a real nginx by HTTPS on loopback; see refresh.py.
set -u
cd "$(dirname "$0")/.."
B=${B:-build}
[ -x "$B/gputco-refresh" ] || make -s B="$B" "$B/gputco-refresh" || exit 1
exec python3 tests/refresh.py "$B/gputco-refresh"
