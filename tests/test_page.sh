#!/bin/sh
# The page in a browser: behaviour, access, weight, markup, Lighthouse. Needs
# node, npm, nginx and Chromium; npm packages by the lock file, put into the
# build folder. Skipped, with the reason, where one of them cannot be had.
set -u
cd "$(dirname "$0")/.."
B=${B:-build}
skip() { echo "skipped: $1"; echo "0 passed, 0 failed, 1 skipped"; exit 0; }
for tool in node npm nginx curl; do
    PATH=$PATH:/usr/sbin command -v $tool >/dev/null || skip "$tool is not here"
done
CHROMIUM=$(command -v chromium || command -v chromium-browser || command -v google-chrome) ||
    skip "Chromium is not here"
case $B in /*) ;; *) B=$PWD/$B ;; esac
modules=$B/npm
mkdir -p "$modules"
if ! cmp -s tests/package-lock.json "$modules/done"; then
    cp tests/package.json tests/package-lock.json "$modules/"
    (cd "$modules" && timeout 180 npm ci --no-audit --no-fund --ignore-scripts >npm.log 2>&1) ||
        skip "npm cannot install its packages: $(tail -n 1 "$modules/npm.log" | cut -c 1-60)"
    cp tests/package-lock.json "$modules/done"
fi
cp tests/test_page.mjs "$modules/"
run=$(mktemp -d)
port=$(node -e 's=require("net").createServer().listen(0,()=>{console.log(s.address().port);s.close()})')
DEBUG_PORT=$(node -e 's=require("net").createServer().listen(0,()=>{console.log(s.address().port);s.close()})')
PORT=$port RUN=$run B=$B sh deploy/run.sh >"$run/log" 2>&1 &
server=$!
trap 'exit 1' INT TERM HUP
trap 'kill $server 2>/dev/null; wait $server 2>/dev/null; rm -rf "$run"' EXIT
tries=0
until curl -sf -o /dev/null "http://127.0.0.1:$port/healthz"; do
    tries=$((tries + 1))
    kill -0 $server 2>/dev/null && [ $tries -lt 150 ] || { cat "$run/log"; echo "0 passed, 1 failed"; exit 1; }
    sleep 0.2
done
BASE=http://127.0.0.1:$port CHROMIUM=$CHROMIUM DEBUG_PORT=$DEBUG_PORT node "$modules/test_page.mjs"
