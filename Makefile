# gputco. `make` builds, `make run` starts it, `make test` runs every test.
# Objects go to build/ (B=DIR to change).

B ?= build
CC ?= gcc
OPT ?= -O2 -g
EXTRA ?=
WARN = -Wall -Wextra -Wpedantic -Wformat=2 -Wconversion -Wshadow -Wvla -Wundef \
       -Wstrict-prototypes -Wmissing-prototypes -Wnull-dereference \
       -Wimplicit-fallthrough -Werror
HARD = -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3 -fstack-protector-strong \
       -fstack-clash-protection -fcf-protection=full \
       -fno-delete-null-pointer-checks -fno-strict-overflow -fPIE
# Flags that only some compilers and processors have.
has = $(shell $(CC) -Werror $(1) -x c -c /dev/null -o /dev/null 2>/dev/null && echo '$(1)')
HARD += $(or $(call has,-ftrivial-auto-var-init=zero),$(call has,-ftrivial-auto-var-init=zero -enable-trivial-auto-var-init-zero-knowing-it-will-be-removed-from-clang))
HARD += $(call has,-fzero-call-used-regs=used-gpr)
HARD := $(HARD)
FLOAT = -ffp-contract=off
CFLAGS += -std=c11 -D_POSIX_C_SOURCE=200809L $(OPT) $(WARN) $(HARD) $(FLOAT) $(EXTRA) -I. -I$(B)/gen
LDFLAGS += -pie -Wl,-z,relro,-z,now,-z,noexecstack,-z,nodlopen,--as-needed $(EXTRA)

FACTS = $(wildcard energy/*.csv pricing/*.csv pricing/seed/*.csv)
GEN = $(patsubst %.csv,$(B)/gen/%.inc,$(FACTS)) \
      $(patsubst %.po,$(B)/gen/%.inc,$(wildcard fcgi/po/*.po)) \
      $(B)/gen/fcgi/assets.inc

ENERGY = $(filter-out energy/csv2c.c,$(wildcard energy/*.c))
REFRESH = pricing/refresh.c pricing/fetch.c
PRICING = $(filter-out $(REFRESH),$(wildcard pricing/*.c))
# What gputco-documents alone links, with its libraries.
DOCUMENTS = fcgi/documents.c $(wildcard fcgi/out_xlsx*.c fcgi/out_pdf*.c fcgi/out_png.c fcgi/raster.c)
DOCUMENT_LIBS = xlsxwriter pangocairo librsvg-2.0
FEED_LIBS = -lcjson -lyaml -lyajl
FCGI = $(filter-out fcgi/main.c fcgi/po2c.c $(DOCUMENTS),$(wildcard fcgi/*.c))

obj = $(patsubst %.c,$(B)/%.o,$(1))
LIB = $(call obj,$(ENERGY) $(PRICING))
APP = $(call obj,$(FCGI))
TESTS = $(patsubst tests/%.c,$(B)/tests/%,$(wildcard tests/test_*.c))

# V=1 shows whole commands.
Q = $(if $(V),,@echo '  $(1) $@';)

all: $(B)/gputco $(B)/gputco-refresh $(B)/gputco-documents site

$(B)/csv2c: energy/csv2c.c energy/units.def
	@mkdir -p $(@D)
	$(call Q,build  )$(CC) $(CFLAGS) -o $@ $< $(LDFLAGS)

$(B)/gen/%.inc: %.csv $(B)/csv2c
	@mkdir -p $(@D)
	$(call Q,table  )$(B)/csv2c $< > $@.tmp && mv $@.tmp $@

$(B)/po2c: fcgi/po2c.c
	@mkdir -p $(@D)
	$(call Q,build  )$(CC) $(CFLAGS) -o $@ $< $(LDFLAGS)

# Translations; checked where gettext is installed.
$(B)/gen/%.inc: %.po $(B)/po2c
	@mkdir -p $(@D)
	@! command -v msgfmt >/dev/null || msgfmt --check -o /dev/null $<
	$(call Q,table  )$(B)/po2c $< > $@.tmp && mv $@.tmp $@

$(B)/%.o: %.c | $(GEN)
	@mkdir -p $(@D)
	$(call Q,compile)$(CC) $(CFLAGS) -MMD -MP -c -o $@ $<

# Loops over many cases (energy/lanes.h). Neither flag changes a digit: they
# only say that nobody asks for errno or floating-point traps.
LANE_FLAGS = -fno-math-errno -fno-trapping-math
$(B)/energy/energy.o $(B)/pricing/philox.o $(B)/pricing/surrogate.o: EXTRA += -O3 $(LANE_FLAGS)
$(B)/pricing/uncertainty.o: EXTRA += $(LANE_FLAGS)

$(B)/gputco: $(call obj,fcgi/main.c) $(APP) $(LIB)
	$(call Q,link   )$(CC) $(CFLAGS) -o $@ $^ $(LDFLAGS) -lfcgi $(FEED_LIBS) -lsqlite3 -lz -lpthread -lm

$(B)/gputco-refresh: $(call obj,$(REFRESH)) $(LIB)
	$(call Q,link   )$(CC) $(CFLAGS) -o $@ $^ $(LDFLAGS) -lcurl $(FEED_LIBS) -lsqlite3 -lm

$(call obj,$(DOCUMENTS)): CFLAGS += $(shell pkg-config --cflags $(DOCUMENT_LIBS) | sed 's/-I/-isystem /g')
$(B)/gputco-documents: $(call obj,fcgi/main.c $(DOCUMENTS)) $(filter-out %/documents_none.o,$(APP)) $(LIB)
	$(call Q,link   )$(CC) $(CFLAGS) -o $@ $^ $(LDFLAGS) $(shell pkg-config --libs $(DOCUMENT_LIBS)) -lz -lfcgi $(FEED_LIBS) -lsqlite3 -lpthread -lm

$(B)/tests/test_%: $(B)/tests/test_%.o $(APP) $(LIB)
	$(call Q,link   )$(CC) $(CFLAGS) -o $@ $^ $(LDFLAGS) -lcmocka $(FEED_LIBS) -lsqlite3 -lz -lpthread -lm

tests: $(TESTS)

# What nginx serves itself: the start pages made by the program, and the files
# of static/. Style and script are named by their content, so that a browser
# may keep them for ever; all of it also packed, for gzip_static. Older ones
# stay: a program that still runs asks for them.
$(B)/gen/fcgi/assets.inc: static/style.css static/app.js static/embed.css
	@mkdir -p $(@D)
	@for f in style.css app.js embed.css; do \
	    hash=$$(sha256sum static/$$f | cut -c 1-10); \
	    echo "#define ASSET_$$(echo $${f%.*} | tr a-z A-Z) \"/$${f%.*}.$$hash.$${f##*.}\""; \
	done > $@.tmp && mv $@.tmp $@

SITE = $(B)/site/index.html $(B)/site/zh/index.html
site: $(SITE)

$(SITE) &: $(B)/gputco $(wildcard static/*)
	@rm -rf $(B)/site.tmp && mkdir -p $(B)/site.tmp/zh
	@cp static/* $(B)/site.tmp/
	@for f in style.css app.js embed.css; do \
	    mv $(B)/site.tmp/$$f $(B)/site.tmp$$(sed -n "s|.* \"\(/$${f%.*}[.].*\)\"|\1|p" $(B)/gen/fcgi/assets.inc); \
	done
	@GPUTCO_DB=/dev/null $(B)/gputco site -o $(B)/site.tmp/index.html
	@GPUTCO_DB=/dev/null $(B)/gputco site lang=zh -o $(B)/site.tmp/zh/index.html
	@find $(B)/site.tmp -type f -name '*.*' ! -name '*.png' -exec gzip -9nk {} +
	@mkdir -p $(B)/site && cp -R $(B)/site.tmp/. $(B)/site/
	$(call Q,pages  )rm -rf $(B)/site.tmp && touch $(SITE)

# Every test, ending with one line of counts. QUICK=1 leaves out the slow ones.
test:
	@sh deploy/packages.sh test
	@sh tests/run.sh

# Warnings as errors from both compilers, then the unit tests.
check: tests
	@for t in $(TESTS); do $$t || exit 1; done

# How long the heavy parts take here; measured, never asserted.
bench: $(B)/tests/bench/bench
	@$<

$(B)/tests/bench/bench: $(B)/tests/bench/bench.o $(APP) $(LIB)
	$(call Q,link   )$(CC) $(CFLAGS) -o $@ $^ $(LDFLAGS) $(FEED_LIBS) -lsqlite3 -lz -lpthread -lm

# Readers of large feeds against `wc -l`, on files made for it in /tmp; a store
# filled.
bench-feeds: $(B)/tests/bench/feed_read $(B)/tests/bench/store_fill
	@python3 tests/bench/feeds.py $<
	@$(B)/tests/bench/store_fill

$(B)/tests/bench/feed_read $(B)/tests/bench/store_fill: %: %.o $(LIB)
	$(call Q,link   )$(CC) $(CFLAGS) -o $@ $^ $(LDFLAGS) $(FEED_LIBS) -lsqlite3 -lz -lm

# One fetch of a feed that a test describes (tests/test_fetch_hops.py).
$(B)/tests/fetch_probe: $(B)/tests/fetch_probe.o $(call obj,pricing/fetch.c) $(LIB)
	$(call Q,link   )$(CC) $(CFLAGS) -o $@ $^ $(LDFLAGS) -lcurl $(FEED_LIBS) -lsqlite3 -lm

# Published training runs against what is computed of them: error of each,
# median, 90th percentile, bias and coverage; fails when one leaves its band.
selfcheck: $(B)/gputco
	@python3 tests/fit_mfu.py --check > /dev/null
	@python3 tests/fit_power.py --check > /dev/null
	@$(B)/gputco selfcheck

# Starts service and nginx on 127.0.0.1; PORT=8080. Ctrl-C stops them.
run:
	@B='$(B)' MAKE='$(MAKE)' sh deploy/run.sh

install-deps:
	@sh deploy/packages.sh test

.PHONY: all tests site test check bench bench-feeds selfcheck run install-deps
.SECONDARY:
-include $(shell find $(B) -name '*.d' 2>/dev/null)
