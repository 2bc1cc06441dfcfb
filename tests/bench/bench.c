/* bench.c: how long the heavy parts take on this machine, and what the same
   work costs without the short cut. Not a test: prints figures. */
#define _GNU_SOURCE
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "energy/power_log.h"
#include "energy/zone.h"
#include "fcgi/answer.h"
#include "fcgi/out_json.h"
#include "pricing/alternatives.h"
#include "pricing/catalogue.h"

enum { OFFER_COUNT = 60000, ROUND_COUNT = 9, TODAY = 20261201 };

static double now(void)
{
    struct timespec at;

    clock_gettime(CLOCK_MONOTONIC, &at);
    return (double)at.tv_sec * 1e3 + (double)at.tv_nsec / 1e6;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Median time of ROUND_COUNT calls, in ms. */
static double time_of(void (*run)(void *), void *with)
{
    double took[ROUND_COUNT];

    for (int i = 0; i < ROUND_COUNT; i++) {
        double start = now();
        run(with);
        took[i] = now() - start;
    }
    qsort(took, ROUND_COUNT, sizeof *took, by_size);
    return took[ROUND_COUNT / 2];
}

static void say(const char *what, double ms, double allowed_ms)
{
    printf("%-56s %9.3f ms", what, ms);
    if (allowed_ms > 0)
        printf("  (%.2f of the %g ms allowed)", ms / allowed_ms, allowed_ms);
    putchar('\n');
}

/* --- the studies ---------------------------------------------------------- */

static struct input input;
static struct answer answer;
static struct world world;
static const char *query;

static void run_answer(void *with)
{
    (void)with;
    input_init(&input);
    input_query(&input, query, SURFACE_QUERY);
    input_keys(&input, ON_COMPARE);
    if (!answer_run(&answer, &input, &world, ""))
        abort();
}

static void time_answers(void)
{
    struct text out;
    double start;

    query = "";
    say("default study, answer complete", time_of(run_answer, NULL), 0);
    query = "samples=0&limit=0";
    say("the same without draws and alternatives",
        time_of(run_answer, NULL), 0);
    text_init(&out, 64 * 1024 * 1024);
    query = "";
    run_answer(NULL);
    start = now();
    for (int i = 0; i < 100; i++) {
        text_reset(&out);
        out_json(&answer, &out);
    }
    say("its JSON", (now() - start) / 100, 0);
    text_free(&out);
}

/* --- draws ---------------------------------------------------------------- */

static union uncertainty_room room;
static struct uncertainty drawn;

static void run_draws(void *with)
{
    uncertainty_run(&answer.study, &answer.ranges, &answer.verdict,
                    *(int *)with, 1, &room, &drawn);
}

static void time_draws(void)
{
    int samples = 10000, many = 1000000;
    double quick, each, start;
    struct trial trial;
    struct work work = work_of(answer.study.option[0].value);
    struct result result;

    quick = time_of(run_draws, &samples);
    say("10,000 samples, two options, three years", quick, 10);
    start = now();
    uncertainty_run(&answer.study, &answer.ranges, &answer.verdict, many, 1,
                    &room, &drawn);
    say("1,000,000 samples", now() - start, 0);
    trial_of(&answer.study, &trial);
    start = now();
    for (int i = 0; i < samples; i++)
        for (int k = 0; k < answer.study.option_count; k++)
            model_run(answer.study.option[k].kind, trial.value[k], &work,
                      &result, NULL);
    each = now() - start;
    say("10,000 runs of the model for both options", each, 0);
    printf("%-56s %9.1f times\n", "draws are faster than the model", each / quick);
}

/* --- offers --------------------------------------------------------------- */

static struct price offer[OFFER_COUNT];
static struct price_table table;

static int by_order(const void *a, const void *b)
{
    return price_compare(a, b);
}

/* Machines of the catalogue in many regions at all terms, one price each. */
static void make_offers(void)
{
    static const enum term term[] = { TERM_ON_DEMAND, TERM_SPOT,
                                      TERM_RESERVED_1Y, TERM_RESERVED_3Y };
    size_t count = 0;

    for (size_t k = 0; k < region_count_all(); k++)
        for (size_t i = 0; i < instance_count_all(); i++)
            for (size_t t = 0; t < 4 && count < OFFER_COUNT; t++) {
                const struct instance *in = instance_at(i);
                double tenths = (double)((i * 31 + k * 7 + t * 3) % 50) / 10;
                if (!*in->gpu)
                    continue;
                offer[count++] = (struct price){
                    .provider = in->provider, .instance = in->id,
                    .region = region_at(k)->id, .currency = "USD",
                    .gpu = in->gpu, .gpu_count = in->gpu_count, .source = "",
                    .first_seen_day = 20260101,
                    .price_per_hour = in->gpu_count * (1 + tenths),
                    .term = (unsigned char)term[t] };
            }
    qsort(offer, count, sizeof *offer, by_order);
    table = *seed_prices();
    table.price = offer;
    table.count = count;
}

static struct candidate candidate[OFFER_COUNT + 2000];
static struct alternatives found;

static void run_alternatives(void *with)
{
    alternatives_run(&answer.study, &world, with, 10, candidate, &found);
}

static void run_hundred(void *with)
{
    alternatives_run(&answer.study, &world, with, 100, candidate, &found);
}

static void time_offers(void)
{
    struct alternative_filter filter = { "", "", "", "", 0, 0, 0 };
    double quick, whole;

    quick = time_of(run_alternatives, &filter);
    printf("seed table: %ld ranked of %zu rows\n", found.ranked_count,
           world.prices->count);
    say("alternatives of the seed table", quick, 2);
    make_offers();
    world.prices = &table;
    quick = time_of(run_alternatives, &filter);
    printf("large table: %ld ranked of %zu offers\n", found.ranked_count, table.count);
    say("alternatives of 60,000 offers", quick, 20);
    answer.study.option[0].value[F_carbon_price_per_tonne] = 100;
    answer.study.option[0].typed[F_carbon_price_per_tonne] = TYPED_PLAIN;
    say("the same, 100 shown, with a shadow price",
        time_of(run_hundred, &filter), 20);
    filter.by_model = 1;
    whole = time_of(run_alternatives, &filter);
    say("the same by the whole model", whole, 0);
    printf("%-56s %9.1f times\n", "the line is faster than the model",
           whole / quick);
}

/* --- power logs ----------------------------------------------------------- */

enum { LOG_BYTE = 16 * 1024 * 1024, PIECE_BYTE = 64 * 1024, LINE_ROOM = 256 };

static char logged[LOG_BYTE];
static size_t logged_byte;
static struct power_log power;

/* One line of each form; `n` counts lines, eight devices take turns. */
static int csv_line(char *at, size_t n)
{
    unsigned s = (unsigned)(n / 8), g = (unsigned)(n % 8);

    return snprintf(at, LINE_ROOM, "2024/05/%02u %02u:%02u:%02u.%03u, %u, "
                    "GPU-1234567%u-aaaa-bbbb-cccc-1234567890ab, NVIDIA H100 "
                    "80GB HBM3, %u.%02u W, %u %%\n", 1 + s / 86400,
                    s / 3600 % 24, s / 60 % 60, s % 60, s * 7 % 100, g, g,
                    80 + (s * 31 + g * 7) % 600, s % 100, s % 101);
}

static int short_line(char *at, size_t n)
{
    unsigned s = (unsigned)n;

    return snprintf(at, LINE_ROOM, "2024/05/%02u %02u:%02u:%02u.000, %u.%02u\n",
                    1 + s / 86400, s / 3600 % 24, s / 60 % 60, s % 60,
                    80 + s * 31 % 600, s % 100);
}

static int dmon_line(char *at, size_t n)
{
    return snprintf(at, LINE_ROOM, "%5u %5u    33     - %5u     0     0     0  "
                    "1215  1410\n", (unsigned)(n % 8),
                    (unsigned)(80 + n * 31 % 600), (unsigned)(n % 101));
}

static int dcgm_line(char *at, size_t n)
{
    return snprintf(at, LINE_ROOM, "GPU %u     %u.%03u      %u\n",
                    (unsigned)(n % 8), (unsigned)(80 + n * 31 % 600),
                    (unsigned)(n % 1000), (unsigned)(n % 101));
}

static int job_line(char *at, size_t n)
{
    return snprintf(at, LINE_ROOM, "%u|%u|%02u:%02u:%02u|2|billing=1,"
                    "gres/gpu=16,node=2\n", (unsigned)(n % 4000),
                    1000000 + (unsigned)n, (unsigned)(n / 3600 % 24),
                    (unsigned)(n / 60 % 60), (unsigned)(n % 60));
}

static void read_log(void *with)
{
    (void)with;
    power_log_begin(&power, 1);
    for (size_t at = 0; at < logged_byte; at += PIECE_BYTE)
        power_log_bytes(&power, logged + at, logged_byte - at < PIECE_BYTE
                        ? logged_byte - at : PIECE_BYTE);
    power_log_end(&power);
}

/* What `wc -l` does with the same bytes. */
static void count_lines(void *with)
{
    const char *at = logged, *end = logged + logged_byte;
    size_t *count = with;

    for (*count = 0; (at = memchr(at, '\n', (size_t)(end - at))) != NULL; at++)
        ++*count;
}

static void time_log(const char *name, const char *header,
                     int (*line)(char *at, size_t n))
{
    size_t count;
    double ms, wc;

    logged_byte = (size_t)snprintf(logged, LINE_ROOM, "%s", header);
    for (size_t n = 0; logged_byte + LINE_ROOM < LOG_BYTE; n++)
        logged_byte += (size_t)line(logged + logged_byte, n);
    ms = time_of(read_log, NULL);
    wc = time_of(count_lines, &count);
    if (power.mistake_count)
        abort();
    printf("%-32s %6.0f MB/s, %4.0f ns a line, %5.1f times as long as to count "
           "its lines\n", name, (double)logged_byte / 1e3 / ms,
           ms * 1e6 / (double)count, ms / wc);
}

static void time_power_logs(void)
{
    puts("power logs of 16 MiB, in pieces of 64 KiB:");
    time_log("nvidia-smi CSV, eight GPUs", "timestamp, index, uuid, name, "
             "power.draw [W], utilization.gpu [%]\n", csv_line);
    time_log("the shortest CSV", "timestamp, power.draw [W]\n", short_line);
    time_log("nvidia-smi dmon", "# gpu pwr gtemp mtemp sm mem enc dec mclk "
             "pclk\n", dmon_line);
    time_log("dcgmi dmon", "#Entity POWER GPUTL\n", dcgm_line);
    time_log("sacct -P", "JobID|ConsumedEnergyRaw|Elapsed|AllocNodes|AllocTRES"
             "\n", job_line);
}

int main(void)
{
    world = (struct world){ .prices = seed_prices(),
                                .rates = seed_rates(), .today = TODAY,
                                .degraded_reason = "" };
    query = "";
    run_answer(NULL);
    time_answers();
    query = "";
    run_answer(NULL);
    time_draws();
    time_offers();
    time_power_logs();
    return 0;
}
