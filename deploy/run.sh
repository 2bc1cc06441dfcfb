#!/bin/sh
# `make run`: builds, starts the service and an nginx of its own in front, on
# 127.0.0.1 only, says where, and stops both when it is stopped. Everything
# it writes is in run/. Settings: PORT=8080, B=build, RUN=run,
# HOSTS="name ..." for further host names to answer to.
set -eu

cd "$(dirname "$0")/.."
PORT=${PORT:-8080}
B=${B:-build}
RUN=${RUN:-run}
MAKE=${MAKE:-make}
PATH=$PATH:/usr/sbin:/sbin
service='' documents='' web=''

say() { echo "gputco: $*"; }
fail() { say "$*" >&2; exit 1; }

case $PORT in
'' | *[!0-9]*) fail "PORT=$PORT is no port number" ;;
esac

stop() {
    trap '' INT TERM HUP
    for pid in $web $documents $service; do kill -TERM "$pid" 2>/dev/null || true; done
    for pid in $web $documents $service; do wait "$pid" 2>/dev/null || true; done
    [ -z "$service" ] || say "stopped"
}
trap stop EXIT
trap 'exit 0' INT TERM HUP

taken() { # something listens on the port: look it up in the kernel's table
    hex=$(printf '%04X' "$PORT")
    cat /proc/net/tcp /proc/net/tcp6 2>/dev/null |
        awk -v p=":$hex\$" '$4 == "0A" && $2 ~ p { found = 1 } END { exit !found }'
}
taken && fail "port $PORT is taken; choose another: make run PORT=8081"

sh deploy/packages.sh
$MAKE -s B="$B"
if [ ! -d "$B/site" ]; then STATIC=$PWD/static; else
    STATIC=$(cd "$B/site" && pwd)
fi

mkdir -p "$RUN"
RUN=$(cd "$RUN" && pwd)
export GPUTCO_SOCKET="${GPUTCO_SOCKET:-$RUN/gputco.sock}"
case $GPUTCO_SOCKET in /*) ;; *) GPUTCO_SOCKET=$PWD/$GPUTCO_SOCKET ;; esac
export GPUTCO_DOCUMENTS_SOCKET="$RUN/gputco-documents.sock"
export GPUTCO_DB="${GPUTCO_DB:-$RUN/gputco.db}"
if [ -x "$B/gputco-refresh" ]; then
    "$B/gputco-refresh" --seed || say "not loaded; answering from the program's own copy"
fi

# As root nginx gives its workers to another user; that user must be able to
# walk to the files and open the socket. Where it cannot, they stay root.
user='' group=''
if [ "$(id -u)" -eq 0 ]; then
    user="user root;"
    if id www-data >/dev/null 2>&1 && command -v setpriv >/dev/null &&
        setpriv --reuid=www-data --regid=www-data --clear-groups \
            test -r "$STATIC" -a -x "$RUN" 2>/dev/null; then
        user="user www-data;" group=www-data
    fi
fi
hosts="gputco.test 1;"
for name in ${HOSTS:-}; do hosts="$hosts $name 1;"; done
for file in nginx.conf nginx-site.conf; do
    sed -e "s|@USER@|$user|; s|@RUN@|$RUN|g; s|@SOCKET@|$GPUTCO_SOCKET|g" \
        -e "s|@DOCUMENTS@|$GPUTCO_DOCUMENTS_SOCKET|g" \
        -e "s|@STATIC@|$STATIC|g; s|@LISTEN@|127.0.0.1:$PORT|g" \
        -e "s|@HOSTS@|$hosts|g; s|@NEAR@|1|g" "deploy/$file" >"$RUN/$file"
done

"$B/gputco" serve &
service=$!
wait_for() { # up to 10 s
    tries=0
    until "$@"; do
        kill -0 "$service" 2>/dev/null || fail "the service ended"
        [ -z "$documents" ] || kill -0 "$documents" 2>/dev/null ||
            fail "the service of documents ended"
        [ -z "$web" ] || kill -0 "$web" 2>/dev/null ||
            fail "nginx ended; see $RUN/nginx-error.log"
        tries=$((tries + 1))
        [ $tries -lt 100 ] || fail "no answer within 10 s"
        sleep 0.1
    done
}
wait_for test -S "$GPUTCO_SOCKET"
[ -z "$group" ] || chgrp "$group" "$GPUTCO_SOCKET"
"$B/gputco-documents" serve &
documents=$!
wait_for test -S "$GPUTCO_DOCUMENTS_SOCKET"
[ -z "$group" ] || chgrp "$group" "$GPUTCO_DOCUMENTS_SOCKET"

early='' # where nginx complains before it has read its file; not in old ones
nginx -h 2>&1 | grep -q -- '-e filename' && early="-e $RUN/nginx-error.log"
nginx $early -p "$RUN/" -c "$RUN/nginx.conf" &
web=$!
if command -v curl >/dev/null; then
    wait_for curl -sf -o /dev/null "http://127.0.0.1:$PORT/healthz"
else
    wait_for taken
fi
say "http://127.0.0.1:$PORT/  (Ctrl-C stops it)"

# Either of them ending ends the other.
while kill -0 "$service" 2>/dev/null && kill -0 "$documents" 2>/dev/null &&
    kill -0 "$web" 2>/dev/null; do
    sleep 1 &
    wait $! || true
done
fail "a service or nginx ended"
