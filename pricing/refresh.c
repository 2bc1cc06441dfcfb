/* refresh.c: main() of gputco-refresh: asks the feeds that are due, one after
   the other, and says what changed. Each feed stands for itself: one that
   fails leaves the others and its own old prices alone. */
#define _GNU_SOURCE /* O_TMPFILE */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "pricing/address.h"
#include "pricing/apply.h"
#include "pricing/cross.h"
#include "pricing/fetch.h"
#include "pricing/num.h"

enum { RUN_SECOND = 600,    /* no body is waited for after that; in the last
                               tenth no feed is begun */
       ORDINARY_BYTE = 16 * 1024 * 1024, /* bodies up to here take 30 s */
       NAME_MAX_BYTE = 4000 };

struct options {
    const char *store;
    const char *feeds_file;         /* GPUTCO_FEEDS */
    const char *address;            /* --feed= */
    long long test_now;             /* 0: the clock */
    int all, dry, seed, accept, terminal;
    int loopback;                   /* of the tests: 127.0.0.1 and no other */
    const char *test_ca;
    long test_timeout_ms;           /* 0: as for everybody */
    long long test_run_second;
    long long test_byte_cap;
    size_t named;
    unsigned char wanted[FEED_COUNT_MAX]; /* by place in the table of feeds */
};

struct summary {
    int good, unchanged, bad, waiting;
    long change[CHANGE_KIND_COUNT], refused;
};

struct session {
    const struct options *options;
    struct store *store;            /* NULL: dry run without a store */
    struct fetch *fetch;
    struct summary sum;
    long long now;
    long long start;                /* in seconds of a clock nobody sets */
    struct store_tables known;      /* what the store held before the run, or
                                       before the latest derived feed */
    int day, drawn;
    char address[FEED_COUNT_MAX][300];         /* overrides, "" : the table's */
};

static const char USAGE[] =
    "usage: gputco-refresh [FEED...] [--all] [--dry-run] [--accept] [--seed]\n"
    "\n"
    "Without arguments the feeds that are due are asked.\n"
    "  FEED         these feeds, due or not\n"
    "  --all        every feed, due or not\n"
    "  --dry-run    ask and judge, keep nothing\n"
    "  --accept     take held prices and an odd number of rows as they are\n"
    "  --seed       bring the built-in prices in the store up to date\n"
    "  --feed=URL   ask the one FEED at this address instead\n"
    "  --list       the feeds and how they stand\n"
    "\n"
    "GPUTCO_DB     the store (run/gputco.db)\n"
    "GPUTCO_FEEDS  a file of lines \"feed address\" that replace addresses\n";

static void complain(const char *what, const char *about, const char *hint)
{
    fprintf(stderr, "gputco-refresh: %s: %.200s%s%s\n", what, about,
            *hint ? "; " : "", hint);
}

/* -- options -------------------------------------------------------------- */

static int option_flag(struct options *o, const char *arg, int *list)
{
    const struct { const char *name; int *flag; } flags[] = {
        { "--all", &o->all }, { "--dry-run", &o->dry },
        { "--seed", &o->seed }, { "--accept", &o->accept },
        { "--list", list }, { "--test-loopback", &o->loopback },
    };

    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
        if (!strcmp(arg, flags[i].name)) {
            *flags[i].flag = 1;
            return 1;
        }
    }
    return 0;
}

static int option_feed(struct options *o, const char *arg)
{
    for (size_t i = 0; i < feed_count_all(); i++) {
        if (!strcmp(feed_at(i)->id, arg)) {
            o->named += !o->wanted[i];
            o->wanted[i] = 1;
            return 1;
        }
    }
    return 0;
}

/* A switch of the tests with a whole number, up to 4e9. 1: it is this one. */
static int option_number(const char *arg, const char *name, long long *out,
                         int *bad)
{
    const size_t byte = strlen(name);
    double value;

    if (strncmp(arg, name, byte) || arg[byte] != '=')
        return 0;
    arg += byte + 1;
    if (num_read(arg, strlen(arg), 0, &value) == NUM_GOOD && value >= 0
        && value < 4e9)
        *out = (long long)value;
    else
        ++*bad, complain(name, arg, "not such a number");
    return 1;
}

/* Switches of the tests but --test-now: with --test-loopback alone. */
static int option_test(struct options *o, const char *arg, int *bad)
{
    long long ms = 0;

    if (option_number(arg, "--test-now", &o->test_now, bad)
        || option_number(arg, "--test-cap", &o->test_byte_cap, bad)
        || option_number(arg, "--test-run", &o->test_run_second, bad))
        return 1;
    if (option_number(arg, "--test-timeout", &ms, bad)) {
        o->test_timeout_ms = (long)ms;
        return 1;
    }
    if (strncmp(arg, "--test-ca=", 10))
        return 0;
    o->test_ca = arg + 10;
    return 1;
}

/* Returns the number of problems, each said on stderr. */
static int read_options(int argc, char **argv, struct options *o, int *list)
{
    int bad = 0;

    for (int i = 1; i < argc; i++) {
        const char *arg = argv[i];

        if (option_flag(o, arg, list))
            continue;
        if (!strncmp(arg, "--feed=", 7)) {
            o->address = arg + 7;
        } else if (!strcmp(arg, "--feed") && i + 1 < argc) {
            o->address = argv[++i];
        } else if (option_test(o, arg, &bad)) {
            continue;
        } else if (*arg == '-') {
            bad++, complain("unknown option", arg, "see --help");
        } else if (!option_feed(o, arg)) {
            bad++, complain("unknown feed", arg, "see --list");
        }
    }
    if (!o->loopback
        && (o->test_ca || o->test_timeout_ms || o->test_byte_cap
            || o->test_run_second))
        bad++, complain("switches of the tests", "they stand with",
                        "--test-loopback");
    return bad;
}

static int check_address(const char *what, const char *address)
{
    const char *fault = address_fault(address);

    if (fault)
        complain(what, address, fault);
    return fault != NULL;
}

/* The addresses of the file GPUTCO_FEEDS names. Returns the problems. */
static int read_overrides(struct session *s)
{
    const struct options *o = s->options;
    FILE *file = fopen(o->feeds_file, "r");
    char line[1000];
    int bad = 0;

    if (!file) {
        complain("GPUTCO_FEEDS", o->feeds_file, strerror(errno));
        return 1;
    }
    while (fgets(line, sizeof line, file)) {
        char *id = line + strspn(line, " \t"), *address, *end;
        size_t i = 0;

        if (*id == '#' || *id == '\n' || *id == '\0')
            continue;
        address = id + strcspn(id, " \t\r\n");
        if (*address)
            *address++ = '\0';
        address += strspn(address, " \t");
        end = address + strcspn(address, " \t\r\n");
        *end = '\0';
        while (i < feed_count_all() && strcmp(feed_at(i)->id, id))
            i++;
        if (i == feed_count_all())
            bad++, complain("GPUTCO_FEEDS names no feed", id, "see --list");
        else if (check_address(id, address))
            bad++;
        else
            snprintf(s->address[i], sizeof s->address[i], "%s", address);
    }
    fclose(file);
    return bad;
}

/* -- what is said --------------------------------------------------------- */

static void clear_bar(struct session *s)
{
    if (s->drawn)
        fputs("\r\033[K", stdout);
    s->drawn = 0;
}

struct bar { struct session *s; const char *id; int part; long long kib; };

static void draw_bar(void *context, long long byte, long long whole)
{
    enum { WIDTH = 30 };
    struct bar *bar = context;
    static const char full[] = "##############################";
    int part = whole > 0 ? (int)(byte * WIDTH / whole) : 0;
    const long long kib = byte / 1024;

    if (part < 0 || part > WIDTH)
        part = part < 0 ? 0 : WIDTH;
    if (bar->s->drawn && part == bar->part && (whole > 0 || kib == bar->kib))
        return;
    printf("\r\033[K%-24s [%.*s%*s] %lld KiB", bar->id, part, full,
           WIDTH - part, "", kib);
    fflush(stdout);
    bar->part = part;
    bar->kib = kib;
    bar->s->drawn = 1;
}

static void say_refused(const struct tally *tally)
{
    char line[TALLY_LINE];

    for (int i = 0; i < REFUSAL_COUNT; i++)
        if (refusal_table[i].alarm && tally_line(tally, i, line, sizeof line))
            printf("    %s\n", line);
}

/* What changed in one feed, to be said below its line: prices that moved,
   went or wait, by the hour with what is paid upfront. New offers are counted
   only. */
enum { TOLD_MAX = 40, TOLD_BYTE = 160 };
struct told { char line[TOLD_MAX][TOLD_BYTE]; int count, more; };

static void hear_change(void *context, const struct change *change)
{
    struct told *told = context;
    const struct feed_row *row = change->row ? change->row : &change->old->row;
    char prices[60];

    switch (change->kind) {
    case CHANGE_PRICE: case CHANGE_CORRECTED:
        snprintf(prices, sizeof prices, "%.8g -> %.8g",
                 cross_cost_per_hour(&change->old->row),
                 cross_cost_per_hour(row));
        break;
    case CHANGE_HELD:
        snprintf(prices, sizeof prices, "%.8g waits for a second day",
                 cross_cost_per_hour(row));
        break;
    case CHANGE_GONE:
        snprintf(prices, sizeof prices, "gone, was %.8g",
                 cross_cost_per_hour(row));
        break;
    default:
        return;
    }
    if (told->count == TOLD_MAX) {
        told->more++;
        return;
    }
    snprintf(told->line[told->count++], TOLD_BYTE,
             "%.20s %.40s %.30s %s%s%s: %s", row->provider, row->instance,
             row->region, term_name[row->term],
             row->payment == PAYMENT_NO_UPFRONT ? "" : " ",
             row->payment == PAYMENT_NO_UPFRONT ? ""
             : payment_name[row->payment], prices);
}

static void say_told(const struct told *told)
{
    for (int i = 0; i < told->count; i++)
        printf("    %s\n", told->line[i]);
    if (told->more)
        printf("    and %d more\n", told->more);
}

static const char *what_it_has(const struct feed *feed)
{
    return feed->flags & FEED_READINGS ? "readings" : "offers";
}

static void say_good(struct session *s, const struct feed *feed,
                     const struct apply_outcome *out)
{
    long refused = tally_alarms(&out->tally), passed = 0;

    for (int i = 0; i < REFUSAL_COUNT; i++)
        passed += refusal_table[i].alarm ? 0 : out->tally.refused[i];
    clear_bar(s);
    printf("%s: %ld %s, %ld new, %ld changed, %ld gone, %ld held, "
           "%ld refused, %ld passed over\n", feed->id, out->offer_count,
           what_it_has(feed),
           out->change[CHANGE_NEW],
           out->change[CHANGE_PRICE] + out->change[CHANGE_CORRECTED]
           + out->change[CHANGE_BACK],
           out->change[CHANGE_GONE], out->change[CHANGE_HELD], refused,
           passed);
    say_refused(&out->tally);
    for (int i = 0; i < CHANGE_KIND_COUNT; i++)
        s->sum.change[i] += out->change[i];
    s->sum.refused += refused;
}

static void say_bad(struct session *s, const struct feed *feed,
                    const char *what, const char *why)
{
    struct feed_state state;
    char line[300];

    snprintf(line, sizeof line, "%s", why);
    for (char *c = line; *c; c++) /* servers have a say in it */
        if ((unsigned char)*c < ' ' || *c == 0x7f)
            *c = '?';
    clear_bar(s);
    fflush(stdout);
    fprintf(stderr, "gputco-refresh: %s: %s: %s", feed->id, what, line);
    if (s->store && store_feed_state(s->store, feed->id, &state) == GOOD
        && state.good_day) {
        char day[11];

        day_print(day, state.good_day);
        fprintf(stderr, "; the prices of %s stay", day);
    }
    fputc('\n', stderr);
    s->sum.bad++;
}

static void say_summary(const struct session *s)
{
    const struct summary *sum = &s->sum;
    const long *change = sum->change;

    printf("%s%d good, %d unchanged, %d failed, %d not asked: "
           "%ld new, %ld changed, %ld gone, %ld held, %ld refused\n",
           s->options->dry ? "dry run, nothing kept: " : "", sum->good,
           sum->unchanged, sum->bad, sum->waiting, change[CHANGE_NEW],
           change[CHANGE_PRICE] + change[CHANGE_CORRECTED]
           + change[CHANGE_BACK],
           change[CHANGE_GONE], change[CHANGE_HELD], sum->refused);
}

static void list_feeds(struct session *s)
{
    for (size_t i = 0; i < feed_count_all(); i++) {
        const struct feed *feed = feed_at(i);
        struct feed_state state = { .address = "" };
        char day[11] = "never";

        if (s->store)
            store_feed_state(s->store, feed->id, &state);
        if (state.good_day)
            day_print(day, state.good_day);
        printf("%-24s %-10s %6ld offers  %s%s%s%s%s\n", feed->id, day,
               state.offer_count, feed->title,
               feed->flags & FEED_ON_REQUEST ? " (only when named)" : "",
               *feed->key_name ? " with " : "", feed->key_name,
               *state.last_error ? " (failing)" : "");
    }
}

/* -- one feed ------------------------------------------------------------- */

/* A file beside the store under a name, which is taken away at once: for file
   systems that know no files without one. Killed in between, it stays. */
static int named_file(const char *store)
{
    char name[NAME_MAX_BYTE];
    int fd;

    if (snprintf(name, sizeof name, "%s.part-XXXXXX", store)
        >= (int)sizeof name)
        return -1;
    fd = mkstemp(name);
    if (fd >= 0)
        unlink(name);
    return fd;
}

/* A file in the store's folder that never had a name. */
static int nameless_file(const char *store)
{
    char folder[NAME_MAX_BYTE];
    char *slash;

    if (snprintf(folder, sizeof folder, "%s", store) >= (int)sizeof folder)
        return -1;
    slash = strrchr(folder, '/');
    if (slash)
        slash[1] = '\0';
    return open(slash ? folder : ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
}

/* A file in the store's folder that is gone when the program is. */
static FILE *body_file(const struct options *o)
{
    FILE *file;
    int fd;

    if (o->dry)
        return tmpfile();
    fd = nameless_file(o->store);
    if (fd < 0)
        fd = named_file(o->store);
    if (fd < 0)
        return NULL;
    file = fdopen(fd, "w+");
    if (!file)
        close(fd);
    return file;
}

/* One feed while its bodies are fetched. */
struct asking {
    struct session *s;
    const struct apply_run *run;
    struct bar bar;
    const char *key;
    long long left;             /* bytes that its cap leaves */
};

static long long seconds_now(void)
{
    struct timespec now = { 0 };

    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec;
}

static long long run_second(const struct session *s)
{
    return s->options->test_run_second ? s->options->test_run_second
                                       : RUN_SECOND;
}

/* What is left of the time for the whole run. */
static long long seconds_left(const struct session *s)
{
    return s->start + run_second(s) - seconds_now();
}

/* 30 s; one large body has longer, a second for every 4 MB of its cap; all
   within the time of the whole run. */
static long timeout_of(const struct session *s, const struct feed *feed)
{
    const struct feed_reader *reader = feed->reader;
    const int pages = reader->next && !reader->first_tells;
    const long long large = feed->byte_cap - ORDINARY_BYTE;
    const long whole = 30000 + (pages || large < 0 ? 0 : (long)(large / 4000));
    const long long left = seconds_left(s);

    if (s->options->test_timeout_ms)
        return s->options->test_timeout_ms;
    if (left < 1)
        return 1;
    return left * 1000 < whole ? (long)left * 1000 : whole;
}

static long long cap_of(const struct options *o, const struct feed *feed)
{
    return o->test_byte_cap && o->test_byte_cap < feed->byte_cap
        ? o->test_byte_cap : feed->byte_cap;
}

static struct fetch_request request_of(struct asking *a, const char *address,
                                       FILE *file)
{
    return (struct fetch_request){
        .feed = a->run->feed, .origin = a->run->address,
        .address = address, .etag = "", .last_modified = "",
        .byte_cap = a->left, .loopback = a->s->options->loopback,
        .test_ca = a->s->options->test_ca,
        .timeout_ms = timeout_of(a->s, a->run->feed),
        .key_header = a->run->feed->key_header, .key = a->key,
        .body = file, .context = &a->bar,
        .progress = a->s->options->terminal ? draw_bar : NULL,
    };
}

static void rest(int ms)
{
    const struct timespec pause = { ms / 1000, ms % 1000 * 1000000L };

    nanosleep(&pause, NULL);
}

/* apply_body asks for a further body. */
static enum status fetch_more(void *context, const char *address, FILE *file,
                              struct apply_more *got, char *why,
                              size_t why_byte)
{
    struct asking *a = context;
    const struct fetch_request request = request_of(a, address, file);
    struct fetch_answer answer;
    enum status status;

    rewind(file);
    if (ftruncate(fileno(file), 0)) {
        snprintf(why, why_byte, "the temporary file could not be emptied");
        return WRITE_FAILED;
    }
    if (!a->s->options->loopback) /* tests ask this machine */
        rest(a->run->feed->pause_ms);
    status = fetch_get(a->s->fetch, &request, &answer, why, why_byte);
    if (status == GOOD)
        a->left -= answer.byte;
    *got = (struct apply_more){ answer.hash, answer.retry_after };
    return status;
}

static enum status fetch_feed(struct session *s, const struct apply_run *run,
                              const struct feed_state *state, const char *key,
                              FILE *file, struct apply_outcome *out)
{
    struct asking asking = { s, run, { s, run->feed->id, -1, -1 }, key,
                             cap_of(s->options, run->feed) };
    const struct feed_reader *reader = run->feed->reader;
    int conditional = s->store && !run->accept
                      && (!reader->next || reader->first_tells)
                      && apply_conditional(s->store, run, state);
    struct fetch_request request = request_of(&asking, run->address, file);
    struct fetch_answer answer;
    enum status status;

    request.etag = conditional ? state->etag : "";
    request.last_modified = conditional ? state->last_modified : "";
    status = fetch_get(s->fetch, &request, &answer, out->why,
                       sizeof out->why);
    if (status == GOOD) {
        const struct apply_body body = { file, answer.etag,
                                         answer.last_modified, answer.hash,
                                         fetch_more, &asking };

        asking.left -= answer.byte;
        return apply_body(s->store, run, &body, out);
    }
    if (status == FEED_UNCHANGED)
        return apply_unchanged(s->store, run, out);
    if (status == FETCH_FAILED) {
        enum status noted = apply_failed(s->store, run, FETCH_FAILED,
                                         out->why, answer.retry_after, NULL);

        if (noted != GOOD)
            return noted;
    }
    return status;
}

/* GOOD to go on with the next feed, whatever became of this one; else the
   store or the machine failed and going on makes no sense. */
static enum status run_feed(struct session *s, size_t i,
                            const struct feed_state *state)
{
    const struct options *o = s->options;
    const struct feed *feed = feed_at(i);
    struct told told = { .count = 0 };
    const struct apply_run run = {
        .tell = hear_change, .tell_context = &told,
        .feed = feed, .now = s->now, .day = s->day, .accept = o->accept,
        .dry = o->dry, .others = s->store ? &s->known.prices : NULL,
        .address = o->address ? o->address
                 : *s->address[i] ? s->address[i] : feed->address,
    };
    struct apply_outcome out = { .offer_count = 0 };
    FILE *file;
    enum status status;

    if (feed->kind == FEED_DERIVED && s->store) {
        store_tables_free(&s->known); /* it builds on what came just now */
        status = store_load(s->store, &s->known);
        if (status != GOOD) {
            say_bad(s, feed, status_words(status), store_why(s->store));
            return status;
        }
    }
    file = body_file(o);
    if (!file) {
        say_bad(s, feed, "no temporary file beside the store",
                strerror(errno));
        return WRITE_FAILED;
    }
    status = fetch_feed(s, &run, state, *feed->key_name
                        ? getenv(feed->key_name) : "", file, &out);
    fclose(file);
    switch (status) {
    case GOOD:
        say_good(s, feed, &out);
        say_told(&told);
        s->sum.good++;
        return GOOD;
    case FEED_UNCHANGED:
        clear_bar(s);
        printf("%s: unchanged, %ld %s\n", feed->id, out.offer_count,
               what_it_has(feed));
        say_refused(&out.tally);
        s->sum.unchanged++;
        return GOOD;
    case FETCH_FAILED:
    case FEED_REFUSED:
        say_bad(s, feed, status == FETCH_FAILED ? "not fetched" : "refused",
                out.why);
        say_refused(&out.tally);
        return GOOD;
    default:
        say_bad(s, feed, status_words(status),
                s->store && *store_why(s->store) ? store_why(s->store)
                                                 : out.why);
        return status;
    }
}

static const char needs_key[] = "needs a key in the environment, as ";

/* NULL when the feed is to be asked now, else why not. A clock that went
   back makes everything due. */
static const char *not_now(const struct session *s, size_t i,
                           const struct feed_state *state)
{
    const struct options *o = s->options;
    const char *key = feed_at(i)->key_name;

    if (!o->named && feed_at(i)->flags & FEED_ON_REQUEST)
        return "";
    if (*key && (!getenv(key) || !*getenv(key)))
        return needs_key;
    if (state->last_try > s->now)
        return NULL;
    if (s->now < state->retry_after)
        return "the server asked to be left alone for longer";
    if (o->named || o->all)
        return NULL;
    return s->now < state->next_try ? "not due" : NULL;
}

static enum status run_feeds(struct session *s)
{
    const struct options *o = s->options;
    enum status status = GOOD;

    for (size_t i = 0; i < feed_count_all() && status == GOOD; i++) {
        struct feed_state state = { .address = "" };
        const char *wait;

        if (o->named && !o->wanted[i])
            continue;
        if (s->store)
            status = store_feed_state(s->store, feed_at(i)->id, &state);
        if (status != GOOD) {
            say_bad(s, feed_at(i), status_words(status), store_why(s->store));
            break;
        }
        wait = not_now(s, i, &state);
        if (!wait && seconds_left(s) * 10 <= run_second(s))
            wait = "no time is left in this run";
        if (!wait) {
            status = run_feed(s, i, &state);
        } else if (*wait) {
            printf("%s: %s%s\n", feed_at(i)->id, wait,
                   wait == needs_key ? feed_at(i)->key_name : "");
            s->sum.waiting++;
        }
        fflush(stdout);
    }
    return status;
}

/* What TLS trusts and what it writes down is not for the environment to say:
   libcurl and OpenSSL would listen to some of these. */
static void forget_environment(void)
{
    static const char *const names[] = {
        "SSL_CERT_FILE", "SSL_CERT_DIR", "CURL_CA_BUNDLE", "SSLKEYLOGFILE",
        "OPENSSL_CONF", "OPENSSL_MODULES", "OPENSSL_ENGINES",
    };

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        unsetenv(names[i]);
}

/* -- main ----------------------------------------------------------------- */

/* Makes the store's folder when it is missing (run/ in a fresh checkout). */
static void make_folder(const char *store)
{
    const char *slash = strrchr(store, '/');
    char folder[NAME_MAX_BYTE];

    if (!slash || slash == store
        || (size_t)(slash - store) >= sizeof folder)
        return;
    snprintf(folder, sizeof folder, "%.*s", (int)(slash - store), store);
    mkdir(folder, 0755);
}

static int open_store(struct session *s, int list)
{
    const struct options *o = s->options;
    char why[300] = "";
    const int read = o->dry || list;
    enum status status;

    if (!read)
        make_folder(o->store);
    status = store_open(o->store, read ? STORE_READ : STORE_WRITE, &s->store,
                        why, sizeof why);
    if (status == STORE_MISSING && read)
        return 1;
    if (status != GOOD)
        complain(status_words(status), o->store, why);
    return status == GOOD;
}

static int work(struct session *s, int list)
{
    const struct options *o = s->options;
    enum status status = GOOD;

    if (!open_store(s, list))
        return 1;
    if (list) {
        list_feeds(s);
        return 0;
    }
    if (o->seed && !o->dry) {
        status = apply_seed(s->store);
        if (status != GOOD) {
            complain(status_words(status), "seed", store_why(s->store));
            return 1;
        }
        printf("seed: %zu prices, %zu exchange rates\n", seed_prices()->count,
               seed_rates()->count);
        if (!o->named && !o->all)
            return 0;
    }
    s->fetch = fetch_open();
    if (!s->fetch) {
        complain("network", "libcurl does not start", "");
        return 1;
    }
    if (s->store)
        status = store_load(s->store, &s->known);
    if (status == GOOD)
        status = run_feeds(s);
    else
        complain(status_words(status), o->store, store_why(s->store));
    store_tables_free(&s->known);
    say_summary(s);
    return status != GOOD || s->sum.bad ? 1 : 0;
}

int main(int argc, char **argv)
{
    struct options o = { .store = "run/gputco.db" };
    static struct session s;
    const char *store = getenv("GPUTCO_DB"), *feeds = getenv("GPUTCO_FEEDS");
    int list = 0, bad, result;

    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--help")) {
            fputs(USAGE, stdout);
            return 0;
        }
    }
    forget_environment();
    if (store && *store)
        o.store = store;
    o.feeds_file = feeds && *feeds ? feeds : NULL;
    o.terminal = isatty(STDOUT_FILENO);
    s.options = &o;
    bad = read_options(argc, argv, &o, &list);
    if (o.address) {
        bad += check_address("--feed", o.address);
        if (o.named != 1)
            bad++, complain("--feed", o.address, "it needs one FEED");
    }
    if (o.feeds_file)
        bad += read_overrides(&s);
    if (bad)
        return 2;
    s.start = seconds_now();
    s.now = o.test_now ? o.test_now : (long long)time(NULL);
    s.day = day_of_time(s.now);
    result = work(&s, list);
    fetch_close(s.fetch);
    store_close(s.store);
    if (fflush(stdout) || ferror(stdout)) {
        complain(status_words(WRITE_FAILED), "standard output", "");
        return 1;
    }
    return result;
}
