#!/bin/sh
# Dependencies point down only; libraries, clock and environment stay in
# their files; the top level is the fixed one.
set -u
cd "$(dirname "$0")/.."
passed=0
failed=0
ok() { passed=$((passed + 1)); }
bad() { failed=$((failed + 1)); echo "FAILED: $1"; }
# none NAME FOUND: passes when nothing was found.
none() { if [ -z "$2" ]; then ok; else bad "$1"; echo "$2"; fi; }
none "energy includes what is above it" "$(grep -nE '#include "(fcgi|pricing)/' energy/*.[ch] energy/*.def)"
none "pricing includes fcgi" "$(grep -nE '#include "fcgi/' pricing/*.[ch] pricing/*.inc pricing/*.def)"
none "libfcgi outside fcgi/main.c" "$(grep -ln 'fcgiapp\.h' */*.[ch] | grep -vx 'fcgi/main.c')"
none "libcurl outside pricing/fetch.c" "$(grep -ln 'curl/curl\.h' */*.[ch] | grep -vx 'pricing/fetch.c')"
none "xlsxwriter, cairo, pango or librsvg outside their files" "$(grep -lnE '(xlsxwriter|cairo|pango|rsvg)[a-z/]*\.h>' */*.[ch] |
    grep -vxE 'fcgi/(out_xlsx[a-z_]*|out_pdf[a-z_]*|out_png|raster)\.[ch]')"
none "SQLite outside the store" "$(grep -ln 'sqlite3\.h' */*.[ch] | grep -vE '^(pricing/store_[a-z]+\.[ch]|tests/)')"
none "clock or environment outside a main" "$(grep -nE '\b(getenv|time|clock_gettime|gettimeofday) *\(' energy/*.c pricing/*.c fcgi/*.c |
    grep -vE '^(fcgi/main\.c|fcgi/serve\.c|pricing/refresh\.c|pricing/fetch\.c):')"
none "somebody sets the locale" "$(grep -nE '\bsetlocale *\(' */*.c)"
none "a function that cannot be bounded" "$(grep -nE '\b(strcpy|strcat|sprintf|gets|system|popen) *\(' */*.c |
    grep -v '^tests/')"
none "a new name at the top level" "$(ls | grep -vxE 'Makefile|README\.md|LICENSE|fcgi|pricing|energy|static|tests|deploy|build|run')"
none "a .c without its .h" "$(for c in energy/*.c pricing/*.c fcgi/*.c; do
    case $c in
    */main.c | energy/csv2c.c | fcgi/po2c.c | pricing/refresh.c) continue ;;
    pricing/seed.c) continue ;; # declared with the price table it fills
    pricing/store_*.c) h=pricing/store.h ;;
    pricing/feed_*.c) h=pricing/feed.h ;;
    fcgi/text.c) h=fcgi/app.h ;;
    fcgi/out_xlsx_*.c) h=fcgi/out_xlsx_book.h ;;
    fcgi/documents_none.c) h=fcgi/documents.h ;;
    *) h=${c%.c}.h ;;
    esac
    [ -e "$h" ] || echo "$c"
done)"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
