#!/bin/sh
# Saved studies of the running service: prices are refreshed under them, its
# workers are killed; see saved.py.
set -u
cd "$(dirname "$0")/.."
B=${B:-build}
make -s B="$B" all || exit 1
exec python3 tests/saved.py "$B"
