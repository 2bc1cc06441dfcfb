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
       -fstack-clash-protection -fcf-protection=full -ftrivial-auto-var-init=zero \
       -fno-delete-null-pointer-checks -fno-strict-overflow -fPIE
ifeq ($(shell $(CC) -dumpmachine 2>/dev/null | cut -d- -f1),x86_64)
HARD += -fzero-call-used-regs=used-gpr
endif
FLOAT = -ffp-contract=off
CFLAGS += -std=c11 -D_POSIX_C_SOURCE=200809L $(OPT) $(WARN) $(HARD) $(FLOAT) $(EXTRA) -I. -I$(B)/gen
LDFLAGS += -pie -Wl,-z,relro,-z,now,-z,noexecstack,-z,nodlopen,--as-needed $(EXTRA)

FACTS = $(wildcard energy/*.csv pricing/*.csv pricing/seed/*.csv)
GEN = $(patsubst %.csv,$(B)/gen/%.inc,$(FACTS))

ENERGY = $(filter-out energy/csv2c.c,$(wildcard energy/*.c))
REFRESH = pricing/refresh.c pricing/fetch.c
PRICING = $(filter-out $(REFRESH),$(wildcard pricing/*.c))
FCGI = $(filter-out fcgi/main.c,$(wildcard fcgi/*.c))

obj = $(patsubst %.c,$(B)/%.o,$(1))
LIB = $(call obj,$(ENERGY) $(PRICING))
APP = $(call obj,$(FCGI))
TESTS = $(patsubst tests/%.c,$(B)/tests/%,$(wildcard tests/test_*.c))

# V=1 shows whole commands.
Q = $(if $(V),,@echo '  $(1) $@';)

all: $(B)/gputco $(B)/gputco-refresh site

$(B)/csv2c: energy/csv2c.c energy/units.def
	@mkdir -p $(@D)
	$(call Q,build  )$(CC) $(CFLAGS) -o $@ $< $(LDFLAGS)

$(B)/gen/%.inc: %.csv $(B)/csv2c
	@mkdir -p $(@D)
	$(call Q,table  )$(B)/csv2c $< > $@.tmp && mv $@.tmp $@

$(B)/%.o: %.c | $(GEN)
	@mkdir -p $(@D)
	$(call Q,compile)$(CC) $(CFLAGS) -MMD -MP -c -o $@ $<

# Loops over many cases (energy/lanes.h). Neither flag changes a digit: they
# only say that nobody asks for errno or floating-point traps.
LANE_FLAGS = -fno-math-errno -fno-trapping-math
$(B)/energy/energy.o $(B)/pricing/philox.o $(B)/pricing/surrogate.o: EXTRA += -O3 $(LANE_FLAGS)
$(B)/pricing/uncertainty.o: EXTRA += $(LANE_FLAGS)

$(B)/gputco: $(call obj,fcgi/main.c) $(APP) $(LIB)
	$(call Q,link   )$(CC) $(CFLAGS) -o $@ $^ $(LDFLAGS) -lfcgi -lcjson -lsqlite3 -lpthread -lm

$(B)/gputco-refresh: $(call obj,$(REFRESH)) $(LIB)
	$(call Q,link   )$(CC) $(CFLAGS) -o $@ $^ $(LDFLAGS) -lcurl -lcjson -lsqlite3 -lm

$(B)/tests/test_%: $(B)/tests/test_%.o $(APP) $(LIB)
	$(call Q,link   )$(CC) $(CFLAGS) -o $@ $^ $(LDFLAGS) -lcmocka -lcjson -lsqlite3 -lpthread -lm

tests: $(TESTS)

# What nginx serves itself: the start page made by the program, and the files
# of static/ as they are.
site: $(B)/site/index.html

$(B)/site/index.html: $(B)/gputco $(wildcard static/*)
	@mkdir -p $(@D)
	cp static/* $(@D)/
	GPUTCO_DB=/dev/null $(B)/gputco site -o $@.tmp && mv $@.tmp $@

# Every test, ending with one line of counts. QUICK=1 leaves out the slow ones.
test:
	@sh deploy/packages.sh test
	@sh tests/run.sh

# Warnings as errors from both compilers, then the unit tests.
check: tests
	@for t in $(TESTS); do $$t || exit 1; done

# Starts service and nginx on 127.0.0.1; PORT=8080. Ctrl-C stops them.
run:
	@B='$(B)' MAKE='$(MAKE)' sh deploy/run.sh

install-deps:
	@sh deploy/packages.sh test

.PHONY: all tests site test check run install-deps
.SECONDARY:
-include $(shell find $(B) -name '*.d' 2>/dev/null)
