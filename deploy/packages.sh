#!/bin/sh
# Installs what is missing to build and run gputco, on Debian and its kin.
# Says what it does; does nothing when all is there. `test` as an argument
# adds what only the tests need.
set -eu

want="gcc make pkg-config libfcgi-dev libcurl4-openssl-dev libcjson-dev libyaml-dev libyajl-dev libsqlite3-dev zlib1g-dev
libxlsxwriter-dev libcairo2-dev libpango1.0-dev librsvg2-dev fonts-noto-cjk"
[ "${1:-}" = test ] && want="$want libcmocka-dev python3 libreoffice-calc poppler-utils qpdf texlive-latex-recommended texlive-xetex texlive-lang-chinese cmark-gfm curl sqlite3 openssl time chromium chromium-driver"

missing=
for package in $want; do
    case $(dpkg-query -W -f '${Status}' "$package" 2>/dev/null || true) in
    *" installed") ;;
    *) missing="$missing $package" ;;
    esac
done
PATH=$PATH:/usr/sbin:/sbin
# Any nginx will do; libc6-dev comes with gcc only as a recommendation.
command -v nginx >/dev/null || missing="$missing nginx-light"
[ -e /usr/include/stdio.h ] || missing="$missing libc6-dev"

if [ -z "$missing" ]; then
    echo "packages: all there"
    exit 0
fi
if ! command -v apt-get >/dev/null; then
    echo "packages: please install the equivalents of:$missing" >&2
    exit 1
fi
as=
if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo >/dev/null; then
        echo "packages: as root: apt-get install$missing" >&2
        exit 1
    fi
    as=sudo
fi
echo "packages: installing$missing"
# The distribution's nginx would take port 80 at once; ours starts its own.
if ! $as env DEBIAN_FRONTEND=noninteractive \
        apt-get install -y --no-install-recommends $missing >/dev/null 2>&1; then
    $as apt-get update
    $as env DEBIAN_FRONTEND=noninteractive \
        apt-get install -y --no-install-recommends $missing
fi
