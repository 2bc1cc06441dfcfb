#!/bin/sh
# The README's two worked examples on a copy of the tree: an input by one
# line, a cost by one line; both must come out in the answer.
set -u
cd "$(dirname "$0")/.."
passed=0
failed=0
copy=$(mktemp -d "${TMPDIR:-/tmp}/gputco-example.XXXXXX")
trap 'rm -rf "$copy"' EXIT
cp -R Makefile energy pricing fcgi static "$copy/"

# The line in the fenced block behind a marker.
example() {
    awk -v mark="<!-- example: $1 -->" \
        '$0 == mark { seen = 1; next } seen && /^```/ { if (open) exit; open = 1; next } open' README.md
}
input=$(example add-input)
cost=$(example add-cost)
[ -n "$input" ] && [ -n "$cost" ] || { echo "the README has no examples"; echo "0 passed, 1 failed"; exit 1; }
insert() { # insert FILE MARKER LINE: the line in front of the marker
    LINE=$3 awk -v marker="$2" '$0 == marker && !done { print ENVIRON["LINE"]; done = 1 } { print }' \
        "$copy/$1" >"$copy/$1.new" && mv "$copy/$1.new" "$copy/$1"
}
insert pricing/fields.def "#undef FIELD" "$input"
insert pricing/costs.def "#undef COST" "$cost"
check() {
    if "$@" >"$copy/out" 2>&1; then passed=$((passed + 1)); else
        failed=$((failed + 1)); echo "FAILED: $*"; tail -n 20 "$copy/out"; fi
}
export GPUTCO_DB=/dev/null/none GPUTCO_TODAY=2026-12-01
check make -s -C "$copy" -j"$(nproc)" build/gputco
ask() { "$copy/build/gputco" compare --format json samples=0 "$@"; }
ask service_tax_frac=0.2 income_tax_frac=0.1 >"$copy/without"
ask service_tax_frac=0.2 income_tax_frac=0.1 cleaning_cost_per_month=100 >"$copy/with"
check python3 - "$copy/without" "$copy/with" <<'P'
import json, sys
before, after = (json.load(open(p))["options"]["a"] for p in sys.argv[1:])
assert after["inputs"]["cleaning_cost_per_month"]["value"] == 100
assert after["inputs"]["cleaning_cost_per_month"]["origin"] == "user"
near = lambda a, b: abs(a - b) < 1e-6
items = after["items"]
assert near(items["cleaning"], 36 * 100), "the item, month by month"
rise = {k: items[k] - before["items"].get(k, 0) for k in items}
assert near(rise["service_tax"], 0.2 * 3600), "VAT on a TAXED line"
assert near(rise["income_tax"], -0.1 * 1.2 * 3600), "deducted when paid"
assert near(after["total_cost"] - before["total_cost"], 3600 * 1.2 * 0.9)
assert near(sum(items.values()), after["total_cost"]), "items sum to the total"
P
check sh -c "! '$copy/build/gputco' compare cleaning_cost_per_month=-1"
check sh -c "'$copy/build/gputco' compare cleaning_cost_per_month=100 | grep -q Cleaning"
check sh -c "'$copy/build/gputco' compare --format html cleaning_cost_per_month=100 | grep -q 'cleaning_cost_per_month'"

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
