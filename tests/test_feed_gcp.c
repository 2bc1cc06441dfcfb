/* test_feed_gcp.c: readers of Google's prices. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pricing/csv.h"
#include "pricing/feed.h"
#include "tests/near.h"

enum { HEARD_MAX = 6000, LINE_BYTE = 200 };

struct heard {
    char text[100000];
    size_t byte;
    struct row { char instance[40], region[40]; int term; double price; }
        row[HEARD_MAX];
    int count;
};

static void hear(struct heard *h, const char *line)
{
    if (h->byte + strlen(line) + 2 < sizeof h->text)
        h->byte += (size_t)sprintf(h->text + h->byte, "%s\n", line);
}

static int hear_row(void *context, const struct feed_row *row)
{
    struct heard *h = context;
    struct row *to = &h->row[h->count];
    char line[LINE_BYTE];

    assert_true(h->count < HEARD_MAX);
    snprintf(to->instance, sizeof to->instance, "%s", row->instance);
    snprintf(to->region, sizeof to->region, "%s", row->region);
    to->term = (int)row->term;
    to->price = row->price_per_hour;
    h->count++;
    snprintf(line, sizeof line, "%s %s %s %.10g %d %s %g", row->instance,
             row->region, term_name[row->term], row->price_per_hour,
             row->effective_day, row->gpu, row->gpu_count);
    hear(h, line);
    return 0;
}

static int hear_refused(void *context, enum refusal why,
                        const struct feed_row *row)
{
    char line[LINE_BYTE];

    snprintf(line, sizeof line, "!%s %s %s", refusal_table[why].id,
             row->instance, row->region);
    hear(context, line);
    return 0;
}

static enum status read_text(const char *id, const char *text, size_t byte,
                             size_t piece, struct heard *h, char why[200])
{
    const struct feed *feed = feed_find(id);
    const struct feed_sink sink = { .context = h, .row = hear_row,
                                    .refused = hear_refused };
    struct feed_parse *parse = feed_begin(feed, &sink);
    enum status status = GOOD;

    assert_non_null(parse);
    h->byte = 0;
    h->count = 0;
    *h->text = '\0';
    for (size_t at = 0; at < byte && status == GOOD; at += piece)
        status = feed_bytes(feed, parse, text + at,
                            byte - at < piece ? byte - at : piece);
    if (status == GOOD)
        status = feed_end(feed, parse);
    snprintf(why, 200, "%s", feed_why(parse));
    feed_close(feed, parse);
    return status;
}

/* -- the price file ------------------------------------------------------- */

#define ABOUT "---\nabout:\n  copyright: |2\n\n    Somebody: all.\n" \
    "  generated: Thu Jul 30 03:00:00 2026\n  timestamp: 1785380400\n"
#define MACHINES "compute:\n  instance:\n"
#define A2 "    a2-highgpu-8g:\n      a100: 8\n      cost:\n" \
    "        us-central1:\n          hour: 29.38708\n" \
    "          hour_spot: 10.346\n          month: 21452.5684\n" \
    "          month_1y: 13515.04\n          month_3y: 7508.54\n" \
    "      cpu: 96\n      ram: 680\n"

/* A month is 730 hours: 13515.04 / 730 = 18.51375..., 7508.54 / 730 =
   10.28567...; the day is that of the time stamp. */
static void file_machines(void **state)
{
    struct heard *h = *state;
    static const struct { const char *text, *want; } rows[] = {
        { A2, "a2-highgpu-8g us-central1 on_demand 29.38708 20260730 "
              "a100-sxm4-40gb 8\n"
              "a2-highgpu-8g us-central1 spot 10.346 20260730 "
              "a100-sxm4-40gb 8\n"
              "a2-highgpu-8g us-central1 reserved_1y 18.51375342 20260730 "
              "a100-sxm4-40gb 8\n"
              "a2-highgpu-8g us-central1 reserved_3y 10.28567123 20260730 "
              "a100-sxm4-40gb 8\n" },
        { "    a2-ultragpu-1g:\n      a100-80gb: 1\n      cost:\n"
          "        us-east4: {hour: 5.5, month_1y: 0, month_3y: ''}\n",
          "a2-ultragpu-1g us-east4 on_demand 5.5 20260730 a100-sxm4-80gb 1\n" },
        { "    e2-micro:\n      cost:\n        us-east4:\n"
          "          hour: 0.01\n", "!cpu_only e2-micro \n" },
        { "    a4-highgpu-8g:\n      b200: 8\n      cost:\n        x:\n"
          "          hour: 1\n", "!no_machine a4-highgpu-8g \n" },
        { "    a2-highgpu-1g:\n      a100: 4\n      cost:\n        x:\n"
          "          hour: 1\n", "!gpu_count a2-highgpu-1g x\n" },
        { "    a2-highgpu-1g:\n      cost:\n        x:\n          hour: 1\n",
          "!gpu_count a2-highgpu-1g x\n" },
        { "    a2-highgpu-1g:\n      a100: 1\n      cost:\n        x:\n"
          "          hour: 0\n", "!zero_price a2-highgpu-1g x\n" },
        { "    a2-highgpu-1g:\n      a100: 1\n      cost:\n        x:\n"
          "          hour: -1\n          hour_spot: 1,5\n",
          "!negative_price a2-highgpu-1g x\n"
          "!not_a_number a2-highgpu-1g x\n" },
        { "    a2-highgpu-1g:\n      a100: 1\n      cost:\n        x:\n"
          "          hour: 2\n          hour: 3\n",
          "!duplicate_key a2-highgpu-1g x\n" },
        { "    a2-highgpu-1g:\n      a100: 1\n      notes: [1, [2, {a: b}]]\n"
          "      cost:\n        x:\n          hour: 2\n",
          "a2-highgpu-1g x on_demand 2 20260730 a100-sxm4-40gb 1\n" },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[3000], why[200];

        snprintf(text, sizeof text, "%s%s%s", ABOUT, MACHINES, rows[i].text);
        for (size_t piece = 1; piece < 4000; piece = piece * 5 + 2) {
            if (read_text("gcp-file", text, strlen(text), piece, h, why)
                != GOOD)
                fail_msg("%s", why);
            assert_string_equal(h->text, rows[i].want);
        }
    }
}

static void file_refusals(void **state)
{
    struct heard *h = *state;
    static const struct { const char *text, *code; } rows[] = {
        { "", "schema" }, { "<html>\n<body>maintenance\n", "schema" },
        { "{}\n", "schema" }, { "[]\n", "schema" },
        { ABOUT, "schema" }, { MACHINES A2, "schema" },
        { ABOUT MACHINES A2 "  - x\n", "yaml" },
        { ABOUT MACHINES "\ta: b\n", "yaml" },
        { ABOUT MACHINES "    a: &x {b: c}\n    d: *x\n", "schema" },
        { ABOUT MACHINES A2 "---\na: b\n", "trailing" },
        { ABOUT MACHINES "    a: {b: {c: {d: {e: {f: {g: {h: {i: {j: {k: {l: "
          "{m: {n: {o: 1}}}}}}}}}}}}}}\n", "too_deep" },
        { ABOUT MACHINES "    a: [[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]\n",
          "too_deep" },
        { "about: {timestamp: yesterday}\n" MACHINES A2, "bad_date" },
        { ABOUT MACHINES "    \"\xff\": 1\n", "encoding" },
        { ABOUT MACHINES "    ? {a: b}\n    : c\n", "schema" },
        { ABOUT "compute:\n  instance:\n    a2-hi", "incomplete" },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char why[200];

        assert_int_equal(read_text("gcp-file", rows[i].text,
                                   strlen(rows[i].text), 77, h, why),
                         FEED_REFUSED);
        if (strncmp(why, rows[i].code, strlen(rows[i].code)))
            fail_msg("%s, not %s", why, rows[i].code);
    }
}

/* -- the recorded file ---------------------------------------------------- */

static char *shared_text(const char *name, size_t *byte)
{
    const char *shared = getenv("GPUTCO_SHARED");
    char path[400], *text = calloc(1, 4 << 20);
    FILE *file;

    assert_non_null(text);
    snprintf(path, sizeof path, "%s/%s", shared ? shared : "", name);
    file = shared ? fopen(path, "r") : NULL;
    *byte = file ? fread(text, 1, (4 << 20) - 1, file) : 0;
    if (file)
        fclose(file);
    if (*byte)
        return text;
    free(text);
    return NULL;
}

/* Rows of a CSV to a function of their cells, the header left out. */
struct table { void (*use)(void *context, const char *const *cell);
               void *context; };

static int use_row(void *context, const struct csv_row *row)
{
    const struct table *table = context;

    if (row->line > 1)
        table->use(table->context, row->field);
    return 0;
}

static void each_line(const char *text, size_t byte, struct table table)
{
    struct csv *csv = csv_open(use_row, &table);
    int whole;

    assert_non_null(csv);
    assert_int_equal(csv_bytes(csv, text, byte), CSV_GOOD);
    assert_int_equal(csv_end(csv, &whole), CSV_GOOD);
    csv_close(csv);
}

/* instance_type, region, accelerator, count, vcpus, memory, hour, hour_spot,
   month, month_1y, month_3y, month_spot: back into the shape of the file. */
struct writing { char *end, machine[40], tail[200]; int rows; };

static void write_yaml(void *context, const char *const *cell)
{
    static const char *const name[] = { "hour", "hour_spot", "month",
                                        "month_1y", "month_3y", "month_spot" };
    struct writing *w = context;

    w->rows++;
    if (strcmp(w->machine, cell[0])) {
        w->end += sprintf(w->end, "%s    %s:\n      cost:\n", w->tail,
                          cell[0]);
        snprintf(w->machine, sizeof w->machine, "%s", cell[0]);
        snprintf(w->tail, sizeof w->tail,
                 "      cpu: %s\n      %s: %s\n      ram: %s\n", cell[4],
                 cell[2], cell[3], cell[5]);
    }
    w->end += sprintf(w->end, "        %s:\n", cell[1]);
    for (int i = 0; i < 6; i++)
        if (*cell[6 + i])
            w->end += sprintf(w->end, "          %s: %s\n", name[i],
                              cell[6 + i]);
}

/* provider, instance_type, region, gpu_model, gpu_count, gpu_memory, vcpus,
   memory, purchase_option, price, as_of, source */
struct comparing { const struct heard *h; int compared, differ; };

static void compare_price(void *context, const char *const *cell)
{
    struct comparing *c = context;
    const double want = atof(cell[9]);

    if (strcmp(cell[0], "gcp"))
        return;
    for (int i = 0; i < c->h->count; i++) {
        const struct row *row = &c->h->row[i];

        if (strcmp(row->instance, cell[1]) || strcmp(row->region, cell[2])
            || strcmp(term_name[row->term], cell[8]))
            continue;
        c->compared++;
        if (fabs(row->price - want) > 0.5000001e-6) { /* six digits are told */
            c->differ++;
            print_error("%s %s %s: %.8g, not %s\n", cell[1], cell[2], cell[8],
                        row->price, cell[9]);
        }
        return;
    }
    print_error("%s %s %s is not there\n", cell[1], cell[2], cell[8]);
}

static void count_google(void *context, const char *const *cell)
{
    *(int *)context += !strcmp(cell[0], "gcp");
}

/* All prices of the reference that were taken from the file come out of it. */
static void file_recorded(void **state)
{
    struct heard *h = *state;
    size_t byte, reference_byte;
    char *csv = shared_text("feeds/gcp/gpu_instance_prices_2026-07-30.csv",
                            &byte);
    char *reference = shared_text("reference/cloud_prices.csv",
                                  &reference_byte);
    char *yaml = malloc(4 << 20), why[200];
    struct writing w = { .end = yaml };
    struct comparing c = { h, 0, 0 };
    int rows = 0;

    assert_non_null(yaml);
    if (!csv || !reference) {
        free(yaml);
        skip(); /* the recorded feeds are not here */
    }
    w.end += sprintf(w.end, "%s%s", ABOUT, MACHINES);
    each_line(csv, byte, (struct table){ write_yaml, &w });
    w.end += sprintf(w.end, "%s", w.tail);
    assert_true(w.rows > 900);
    if (read_text("gcp-file", yaml, (size_t)(w.end - yaml), 4096, h, why)
        != GOOD)
        fail_msg("%s", why);
    each_line(reference, reference_byte, (struct table){ count_google, &rows });
    each_line(reference, reference_byte, (struct table){ compare_price, &c });
    print_message("%d of %d reference prices of Google compared\n",
                  c.compared, rows);
    assert_true(rows > 250);
    assert_int_equal(c.compared, rows);
    assert_int_equal(c.differ, 0);
    free(yaml);
    free(csv);
    free(reference);
}

static int set_up(void **state)
{
    *state = malloc(sizeof(struct heard));
    return *state == NULL;
}

static int tear_down(void **state)
{
    free(*state);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(file_machines), cmocka_unit_test(file_refusals),
        cmocka_unit_test(file_recorded),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
