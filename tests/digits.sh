#!/bin/sh
# The same study gives the same bytes whichever compiler built the program
# and however well it optimised: builds it anew and compares JSON answers.
set -u
cd "$(dirname "$0")/.."
B=${B:-build}
passed=0
failed=0
GPUTCO_DB=/dev/null
export GPUTCO_DB

# Each line: one study.
studies() {
    cat <<'END'

samples=20000 seed=7
samples=30000 seed=9007199254740991
a=own/h100-sxm5-80gb/8/2 b=rent/aws/p5.48xlarge/us-east-1/on_demand zone=DE currency=EUR
a=own/dgx-h100/3 currency=CNY zone=CN income_tax_frac=0.25 carbon_price_per_tonne=80
a=own/rtx-3090/4 c=own/rtx-5090/2 d=rent/gcp/a2-ultragpu-8g/us-central1/on_demand
busy_frac=0 horizon_year=0.25
busy_frac=1 horizon_year=15 discount_frac=1
a.loan_frac=0.7 loan_year=4 income_tax_frac=0.3 depreciation=macrs_5
case=low range.gpu_price=1200,2200
case=high range.discount_frac=0.03,0.12
grid=busy_frac,rent_price_per_hour
grid=gpu_price,energy_price_per_kwh busy_frac=0.18
explain=a.income_tax income_tax_frac=0.2
explain=b.compute b.rent_price_growth_frac=-0.1
b.term=reserved_1y b.rent_price_per_hour=9 b.rent_upfront_price=20000 horizon_year=2.5
a=rent b=own/rtx-4090/8 speed_basis=gpu_count
limit=100 as_of=2025-05-01 precision=fp16
only_provider=aws,gcp only_term=on_demand min_gpu_memory_gib=40
a=own/rtx-4090/8/5 currency=JPY opex_growth_frac=0.03 energy_price_growth_frac=0.05 service_tax_frac=0.19
END
}

# build NAME MAKE-SETTING…: to $B/digits/NAME
build() {
    name=$1
    shift
    make -s -j"$(nproc)" B="$B/digits/$name" "$@" "$B/digits/$name/gputco" \
        >"$B/digits/$name.log" 2>&1 && return 0
    tail -n 20 "$B/digits/$name.log"
    failed=$((failed + 1))
    return 1
}

answers() {
    studies | while IFS= read -r study; do
        # shellcheck disable=SC2086
        "$1" compare --format json $study || echo "failed: $study"
    done
}

compare() {
    count=$(studies | wc -l)
    answers "$B/digits/$1/gputco" >"$B/digits/$1.json" 2>&1
    if cmp "$B/digits/first.json" "$B/digits/$1.json"; then
        passed=$((passed + count))
    else
        failed=$((failed + 1))
        echo "$1: other bytes"
    fi
}

mkdir -p "$B/digits"
answers "$B/gputco" >"$B/digits/first.json" 2>&1
if grep -q '^failed: ' "$B/digits/first.json"; then
    failed=$((failed + 1))
    grep '^failed: ' "$B/digits/first.json"
fi
build plain OPT=-O0 HARD=-fPIE && compare plain
if command -v clang >/dev/null; then
    build clang CC=clang HARD=-fPIE && compare clang
else
    echo "skipped: no clang here"
fi
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
