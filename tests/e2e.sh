#!/bin/sh
# The same bytes from the command line, as CGI and through nginx; the three
# questions; every command of the README; `make run` from a clean copy.
set -u
cd "$(dirname "$0")/.."
B=${B:-build}
export B GPUTCO_TODAY=2026-12-01
passed=0
failed=0
folder=$(mktemp -d "${TMPDIR:-/tmp}/gputco-e2e.XXXXXX")
service=
stop() {
    [ -z "$service" ] || { kill -TERM "$service" 2>/dev/null; wait "$service" 2>/dev/null; }
    rm -rf "$folder"
}
trap stop EXIT
ok() { # ok NAME COMMAND…
    name=$1
    shift
    if "$@" >"$folder/out" 2>&1; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAILED: $name"
        tail -n 15 "$folder/out"
    fi
}
free_port() {
    python3 -c 'import socket
s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}

# ---- one engine, three ways -------------------------------------------------

port=$(free_port)
export GPUTCO_DB="$folder/run/gputco.db"
mkdir "$folder/run"
PORT=$port RUN=$folder/run sh deploy/run.sh >"$folder/log" 2>&1 &
service=$!
tries=0
until curl -sf -o /dev/null "http://127.0.0.1:$port/healthz"; do
    tries=$((tries + 1))
    if [ $tries -gt 300 ] || ! kill -0 $service 2>/dev/null; then
        cat "$folder/log"
        echo "0 passed, 1 failed"
        exit 1
    fi
    sleep 0.1
done

same_bytes() { # query, blanks between pairs
    pairs=$1
    query=$(echo "$pairs" | tr ' ' '&')
    # shellcheck disable=SC2086
    "$B/gputco" compare --format json $pairs >"$folder/cli" || return 1
    curl -sf "http://127.0.0.1:$port/compare.json?$query" >"$folder/web" || return 1
    env GATEWAY_INTERFACE=CGI/1.1 REQUEST_METHOD=GET QUERY_STRING="$query" \
        REQUEST_URI="/compare.json?$query" "$B/gputco" </dev/null >"$folder/cgi" || return 1
    # The header block ends at the first empty line.
    sed '1,/^\r$/d' "$folder/cgi" >"$folder/body"
    cmp "$folder/cli" "$folder/web" && cmp "$folder/cli" "$folder/body"
}
four_4090="a=own/rtx-4090/4 b=rent/aws/p4d.24xlarge/us-east-1/on_demand"
dgx="a=own/dgx-a100-320gb b=rent/aws/p4d.24xlarge/us-east-1/on_demand c=rent/aws/p4de.24xlarge/us-east-1/on_demand d=rent/aws/p4d.24xlarge/us-east-1/capacity_block e=rent/gcp/a2-ultragpu-8g/us-central1/on_demand"
h100="a=own/h100-sxm5-80gb/8 b=rent/aws/p5.48xlarge/us-east-1/on_demand c=rent/azure/Standard_ND96isr_H100_v5/eastus/on_demand d=rent/gcp/a3-highgpu-8g/us-central1/on_demand e=rent/gcp/a3-highgpu-8g/us-central1/reserved_1y f=rent/gcp/a3-highgpu-8g/us-central1/reserved_3y"
# --help of a command is that command's line, and every format it names is one
helped() {
    for c in compare train advise power-log prices import doctor; do
        "$B/gputco" "$c" --help | head -n 1 | grep -q "^usage: gputco $c " ||
            return 1
    done
    list=$("$B/gputco" compare --help | sed -n 's/.*--format \([^]]*\)].*/\1/p')
    [ -n "$list" ] || return 1
    for f in $(echo "$list" | tr '|' ' '); do
        "$B/gputco" compare figure=stack --format "$f" -o "$folder/help.$f" &&
            [ -s "$folder/help.$f" ] || return 1
    done
}
ok 'help of each command' helped
ok "the default study" same_bytes "horizon_year=3"
ok "four RTX 4090 or p4d" same_bytes "$four_4090"
ok "a DGX A100 or five clouds" same_bytes "$dgx"
ok "eight H100 or three clouds and terms" same_bytes "$h100"
ok "euro, another day, a loan and taxes" same_bytes \
    "currency=EUR as_of=2025-06-02 loan_frac=0.5 income_tax_frac=0.25 a.zone=DE samples=300 seed=7"
ok "six ranked options" sh -c "'$B/gputco' compare --format json $h100 samples=0 |
    python3 -c 'import json, sys
d = json.load(sys.stdin)
assert sorted(o[\"rank\"] for o in d[\"options\"].values()) == [1, 2, 3, 4, 5, 6]
assert len(d[\"pairs\"]) == 5'"
no_price() {
    "$B/gputco" compare $dgx f=rent/gcp/a2-ultragpu-8g/us-central1/reserved_1y 2>"$folder/err"
    [ $? -eq 2 ] && grep -q '^gputco: f.term: .*(no_price)$' "$folder/err" &&
        [ "$(curl -s -o "$folder/body" -w '%{http_code}' "http://127.0.0.1:$port/compare.json?$(echo "$dgx" | tr ' ' '&')&f=rent/gcp/a2-ultragpu-8g/us-central1/reserved_1y")" = 400 ] &&
        grep -q '"field":"f.term","code":"no_price"' "$folder/body"
}
ok "a term without a price is said" no_price
ok "the start page has a form" sh -c "curl -sf 'http://127.0.0.1:$port/' | grep -q '<form'"
ok "the page has the answer" sh -c "curl -sf 'http://127.0.0.1:$port/compare' | grep -q '<h1'"
head_length() {
    got=$(curl -sI "http://127.0.0.1:$port/compare.json?samples=0" | tr -d '\r' | sed -n 's/^Content-Length: //p')
    want=$(curl -s "http://127.0.0.1:$port/compare.json?samples=0" | wc -c)
    [ "$got" = "$want" ]
}
ok "HEAD tells GET's length" head_length

power_log() { # the same bytes from the command line, as text and from the form
    "$B/gputco" power-log tests/power_log.csv zone=DE --format json >"$folder/cli" &&
        curl -sf --data-binary @tests/power_log.csv -H 'Content-Type: text/csv' \
            "http://127.0.0.1:$port/power-log.json?zone=DE" >"$folder/web" &&
        curl -sf -F interval_second= -F gpu= -F zone=DE -F currency= -F 'file=;filename=' \
            -F 'log=<tests/power_log.csv' \
            "http://127.0.0.1:$port/power-log.json" >"$folder/form" &&
        grep -q '"kwh":0.01' "$folder/cli" && cmp "$folder/cli" "$folder/web" &&
        cmp "$folder/cli" "$folder/form"
}
ok "a power log, three ways" power_log
long_power_log() { # just under 16 MiB arrives, more does not
    { cat tests/power_log.csv; yes '2024/05/01 12:00:59.000, 0, NVIDIA H100 80GB HBM3, 550.54.14, 700.00 W, 600.00 W, 97 %'; } |
        head -c 16700000 >"$folder/long"
    cat "$folder/long" "$folder/long" >"$folder/longer"
    [ "$(curl -s -o "$folder/body" -w '%{http_code}' --data-binary "@$folder/long" "http://127.0.0.1:$port/power-log.json")" = 200 ] &&
        [ "$(curl -s -o /dev/null -w '%{http_code}' --data-binary "@$folder/longer" "http://127.0.0.1:$port/power-log.json")" = 413 ]
}
ok "a power log of 16 MB" long_power_log
ok "the start page leads to power logs" sh -c "curl -sf 'http://127.0.0.1:$port/' | grep -q 'href=\"/power-log\"' &&
    curl -sf 'http://127.0.0.1:$port/power-log' | grep -q '<textarea name=\"log\"'"

# ---- the README, command by command -------------------------------------------

# Blocks marked <!-- test --> must work, <!-- test fails --> must not.
awk '/^<!-- test -->$/ { want = "works"; next }
     /^<!-- test fails -->$/ { want = "fails"; next }
     /^```sh$/ && want { open = 1; line = ""; next }
     /^```$/ { open = 0; want = ""; next }
     open { line = line $0
            if (sub(/\\$/, "", line)) next
            print want "\t" line; line = "" }' README.md >"$folder/commands"
ok "the README has commands" test -s "$folder/commands"
while IFS="$(printf '\t')" read -r want command; do
    command=$(printf '%s' "$command" | sed "s|build/|$B/|g")
    if [ "$want" = works ]; then
        ok "README: $command" sh -c "$command"
    else
        ok "README, refused: $command" sh -c "! $command"
    fi
done <"$folder/commands"
curl_line=$(sed -n "s|^curl '\(.*\)'\$|\1|p" README.md | sed "s|:8080|:$port|")
ok "README: curl" curl -sf "$curl_line"

saving() { # the link that the README's line gives, asked through nginx
    line=$(sed -n "s|^curl -si -X POST '\(.*\)'\$|\1|p" README.md | sed "s|:8080|:$port|")
    curl -sfi -X POST "$line" | tr -d '\r' >"$folder/saved" || return 1
    head -n 1 "$folder/saved" | grep -q ' 201' || return 1
    link=$(sed -n 's|^Location: .*\(/s/.*\)$|\1|p' "$folder/saved")
    curl -sfi "http://127.0.0.1:$port$link" >"$folder/first" || return 1
    grep -q '^Cache-Control: public, max-age=31536000, immutable' "$folder/first" &&
        grep -q "frame-ancestors 'none'" "$folder/first" &&
        grep -q '<h1>' "$folder/first"
}
ok "README: a saved study" saving

# ---- stopping --------------------------------------------------------------------

children=$(pgrep -P "$service")
kill -TERM "$service"
wait "$service" 2>/dev/null
service=
gone() { # within 3 s: its own `sleep` may outlive it by one
    tries=0
    for pid in $children; do
        while kill -0 "$pid" 2>/dev/null; do
            tries=$((tries + 1))
            [ $tries -lt 30 ] || return 1
            sleep 0.1
        done
    done
}
ok "stopping stops everything" gone

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
