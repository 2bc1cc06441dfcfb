#!/bin/sh
# The systemd units: no mistake in them, and little exposure.
set -u
cd "$(dirname "$0")/.."
passed=0
failed=0
ok() { passed=$((passed + 1)); }
bad() { failed=$((failed + 1)); echo "FAILED: $1"; echo "$2" | head -n 5; }
if ! command -v systemd-analyze >/dev/null; then
    echo "skipped: systemd-analyze is not here"
    echo "0 passed, 0 failed"
    exit 0
fi
units=$(mktemp -d)
trap 'rm -rf "$units"' EXIT
cp deploy/*.service deploy/*.timer "$units/"
# the program need not be installed for its unit to be right
sed -i 's|^ExecStart=.*|ExecStart=/bin/true|' "$units"/*.service
for unit in "$units"/*; do
    said=$(systemd-analyze verify "$unit" 2>&1 | grep -F "$units" || true)
    [ -z "$said" ] && ok || bad "$(basename "$unit")" "$said"
done
said=$(systemd-analyze security --offline=true --threshold=15 "$units/gputco-refresh.service" 2>&1) &&
    ok || bad "exposure of gputco-refresh.service" "$(echo "$said" | tail -n 3)"
grep -q '^RandomizedDelaySec=' deploy/gputco-refresh.timer && ok || bad "the timer has no jitter" ""
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
