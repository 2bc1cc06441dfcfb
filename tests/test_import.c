/* test_import.c: own price books: what comes out, every mistake by line, all
   or nothing in the store, and before everybody else's prices. */
#define _XOPEN_SOURCE 700
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fcgi/answer.h"
#include "fcgi/book.h"
#include "fcgi/table_prices.h"
#include "pricing/import.h"
#include "pricing/store.h"
#include "tests/near.h"

static char heard[20000];

static void hear(const char *line)
{
    size_t used = strlen(heard);

    snprintf(heard + used, sizeof heard - used, "%s\n", line);
}

static int hear_rent(void *context, const struct feed_row *row)
{
    char line[300];

    (void)context;
    snprintf(line, sizeof line, "rent %s %s %s %s %s %g %g %s %d %s %g",
             row->provider, row->instance, row->region, term_name[row->term],
             payment_name[row->payment], row->price_per_hour,
             row->upfront_price, row->currency, row->effective_day, row->gpu,
             row->gpu_count);
    hear(line);
    return 0;
}

static int hear_own(void *context, const struct own_price *price)
{
    char line[200];

    (void)context;
    snprintf(line, sizeof line, "%s %s %s %g %s %d",
             own_kind_name[price->kind], price->id,
             price->kind == OWN_TARIFF ? tariff_class_name[price->tariff] : "-",
             price->price, price->currency, price->day);
    hear(line);
    return 0;
}

static void hear_mistake(void *context, long number, const char *column,
                         const char *code, const char *hint)
{
    char line[200];

    (void)context;
    (void)hint;
    snprintf(line, sizeof line, "%ld %s %s", number, column, code);
    hear(line);
}

static int read_text(const char *text, size_t piece)
{
    const struct import_sink sink = { NULL, hear_rent, hear_own, hear_mistake };
    struct import *import = import_begin(&sink, seed_rates());
    size_t byte = strlen(text);
    int good;

    assert_non_null(import);
    *heard = '\0';
    for (size_t at = 0; at < byte; at += piece)
        import_bytes(import, text + at, byte - at < piece ? byte - at : piece);
    good = import_end(import);
    import_close(import);
    return good;
}

/* Columns in another order; what is empty takes its preset. */
static void good_books(void **state)
{
    (void)state;
    static const char text[] =
        "price,what,currency,from,id,class,provider,instance,region,term,"
        "payment,upfront_price,gpu,gpu_count\r\n"
        "30,rent,USD,2026-11-01,,,aws,p5.48xlarge,us-east-1,reserved_1y,"
        "partial_upfront,120000,,\r\n"
        "16.5,rent,CHF,2026-11-15,,,acme,node,zurich,,,,h100-sxm5-80gb,8\r\n"
        "1500,gpu,EUR,2026-10-01,rtx-4090,,,,,,,,,\r\n"
        "250000,server,USD,2026-10-01,dgx-h100,,,,,,,,,\r\n"
        "0.08,tariff,USD,2026-01-01,US,commercial,,,,,,,,\r\n";

    for (size_t piece = 1; piece < 900; piece = piece * 2 + 1) {
        assert_true(read_text(text, piece));
        assert_string_equal(heard,
            "rent aws p5.48xlarge us-east-1 reserved_1y partial_upfront 30 "
            "120000 USD 20261101 h100-sxm5-80gb 8\n"
            "rent acme node zurich on_demand no_upfront 16.5 0 CHF 20261115 "
            "h100-sxm5-80gb 8\n"
            "gpu rtx-4090 - 1500 EUR 20261001\n"
            "server dgx-h100 - 250000 USD 20261001\n"
            "tariff US commercial 0.08 USD 20260101\n");
    }
}

#define HEAD "what,id,provider,instance,region,term,payment,gpu,gpu_count,"  \
    "class,price,upfront_price,currency,from\n"

static void every_mistake(void **state)
{
    (void)state;
    static const struct { const char *text, *want; } rows[] = {
        { "", "1 what missing\n" },
        { "what,colour,what\n", "1 colour unknown_key\n1 what repeated\n"
          "1 price missing\n1 currency missing\n1 from missing\n" },
        { HEAD "rent,,,,,,,,,,,,,\n", "2 provider missing\n2 instance missing\n"
          "2 region missing\n2 gpu missing\n2 gpu_count missing\n"
          "2 price missing\n2 currency missing\n2 from missing\n" },
        { HEAD "rent,x,aws,p5.48xlarge,us-east-1,weekly,later,,7,industrial,-1,"
          "x,ZZZ,2026-02-30\n",
          "2 term not_in_list\n2 payment not_in_list\n2 id not_applicable\n"
          "2 class not_applicable\n2 gpu_count conflict\n2 price below_min\n"
          "2 upfront_price not_a_number\n2 currency not_in_list\n"
          "2 from bad_date\n" },
        { HEAD "gpu,h100x,aws,,,,,,,,0,,USD,2026-01-01\n"
          "server,none-such,,,,,,,,,2e9,,USD,2026-01-01\n"
          "tariff,XX,,,,,,,,big,nan,,USD,2026-01-01\n"
          "tariff,DE,,,,,,,,,0.1,,USD,2026-01-01\nbuy,,,,,,,,,,1,,USD,2026-01-01\n"
          "gpu,rtx-4090\n",
          "2 provider not_applicable\n2 id not_in_list\n2 price below_min\n"
          "3 id not_in_list\n3 price above_max\n"
          "4 id not_in_list\n4 class not_in_list\n4 price not_a_number\n"
          "5 class missing\n6 what not_in_list\n7 what bad_length\n" },
        { HEAD "gpu,\"rtx-4090", "2  not_csv\n" },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_false(read_text(rows[i].text, 13));
        if (i == 5)
            assert_non_null(strstr(heard, "not_csv"));
        else
            assert_string_equal(heard, rows[i].want);
    }
}

/* -- in the store ---------------------------------------------------------- */

static char store_name[] = "/tmp/gputco-import-XXXXXX";
static struct world world;

static enum status keep_book(const char *text, const char *name, int dry)
{
    FILE *file = tmpfile(), *quiet = fopen("/dev/null", "w");
    struct book *book = book_open(&world);
    enum status status = BAD_INPUT;

    assert_non_null(file);
    assert_non_null(quiet);
    assert_non_null(book);
    fputs(text, file);
    rewind(file);
    if (book_read(book, file, "x.csv", quiet))
        status = book_keep(book, name, dry, quiet, quiet);
    book_close(book);
    fclose(file);
    fclose(quiet);
    return status;
}

/* What a study takes from the store: price and whose it is. */
static double sum_upfront, sum_compute;

static double value_of(const char *query, int option, int field,
                       const char *title)
{
    struct input *input = calloc(1, sizeof *input);
    struct answer *answer = calloc(1, sizeof *answer);
    struct store *store = NULL;
    struct store_tables tables;
    struct world now = world;
    char why[300];
    double value;

    assert_int_equal(store_open(store_name, STORE_READ, &store, why,
                                sizeof why), GOOD);
    assert_int_equal(store_load(store, &tables), GOOD);
    now.prices = &tables.prices;
    now.rates = &tables.rates;
    now.own = &tables.own;
    input_init(input);
    input_query(input, query, SURFACE_QUERY);
    input_keys(input, ON_COMPARE);
    if (!answer_run(answer, input, &now, ""))
        fail_msg("%s: %s %s", query, input->problems.problem[0].field,
                 input->problems.problem[0].code);
    value = answer->study.option[option].value[field];
    sum_upfront = answer->result[option].item[I_upfront];
    sum_compute = answer->result[option].item[I_compute];
    assert_non_null(strstr(answer->study.option[option].origin[field].source.title,
                           title));
    store_tables_free(&tables);
    store_close(store);
    free(input);
    free(answer);
    return value;
}

static void books_go_before_lists(void **state)
{
    (void)state;
    static const char first[] = HEAD
        "rent,,aws,p4d.24xlarge,us-east-1,,,,,,12.5,,USD,2026-11-01\n"
        "gpu,rtx-4090,,,,,,,,,1500,,USD,2026-10-01\n"
        "gpu,rtx-4090,,,,,,,,,1300,,USD,2027-01-01\n"
        "tariff,US,,,,,,,,commercial,0.08,,USD,2026-01-01\n";
    const char *const today = "samples=0&limit=0";

    assert_int_equal(keep_book(first, "mine", 1), GOOD);
    assert_int_equal(access(store_name, F_OK), -1); /* a dry run keeps nothing */
    assert_int_equal(keep_book(first, "mine", 0), GOOD);
    assert_near(value_of(today, 1, F_rent_price_per_hour, "book: mine"), 12.5, 0);
    assert_near(value_of(today, 0, F_gpu_price, "book: mine"), 1500, 0);
    assert_near(value_of(today, 0, F_energy_price_per_kwh, "book: mine"), 0.08, 0);
    /* before it held, the lists' prices did */
    assert_near(value_of("samples=0&limit=0&as_of=2026-10-15", 1,
                         F_rent_price_per_hour, "AWS"), 21.957642, 1e-9);
    /* a book with a mistake changes nothing, not even by its good lines */
    assert_int_equal(keep_book(HEAD
        "gpu,rtx-4090,,,,,,,,,900,,USD,2026-11-01\ngpu,x,,,,,,,,,1,,USD,2026-11-01\n",
        "mine", 0), BAD_INPUT);
    assert_near(value_of(today, 0, F_gpu_price, "book: mine"), 1500, 0);
    assert_int_equal(keep_book(first, "No Name!", 0), BAD_INPUT);
    /* a second book stands beside the first; the first anew replaces itself */
    assert_int_equal(keep_book(HEAD
        "gpu,rtx-3090,,,,,,,,,700,,EUR,2026-11-01\n", "other", 0), GOOD);
    assert_int_equal(keep_book(HEAD
        "gpu,rtx-4090,,,,,,,,,1400,,USD,2026-11-02\n", "mine", 0), GOOD);
    assert_near(value_of(today, 0, F_gpu_price, "book: mine"), 1400, 0);
    assert_near(value_of("samples=0&limit=0&currency=EUR&a=own/rtx-3090/4", 0,
                         F_gpu_price, "book: other"), 700, 1e-12);
    assert_near(value_of(today, 1, F_rent_price_per_hour, "AWS"), 21.957642,
                1e-9);
}

/* A year paid whole in advance, three times in three years: 3 x 262,800, and
   no hour costs anything. */
static void paid_whole_in_advance(void **state)
{
    (void)state;
    static const char text[] = HEAD
        "rent,,aws,p5.48xlarge,us-east-1,reserved_1y,all_upfront,,,,0,262800,"
        "USD,2026-11-01\n";

    assert_int_equal(keep_book(text, "whole", 0), GOOD);
    assert_near(value_of("samples=0&limit=0&horizon_year=3"
                         "&b=rent/aws/p5.48xlarge/us-east-1/reserved_1y"
                         "&b.payment=all_upfront", 1, F_rent_price_per_hour,
                         "book: whole"), 0, 0);
    assert_near(value_of("samples=0&limit=0&horizon_year=3"
                         "&b=rent/aws/p5.48xlarge/us-east-1/reserved_1y"
                         "&b.payment=all_upfront", 1, F_rent_upfront_price,
                         "book: whole"), 262800, 0);
    assert_near(sum_upfront, 3 * 262800, 1e-6);
    assert_near(sum_compute, 0, 0);
    /* an hour that costs nothing needs it */
    assert_int_equal(keep_book(HEAD "rent,,aws,p5.48xlarge,us-east-1,"
                               "reserved_1y,no_upfront,,,,0,262800,USD,"
                               "2026-11-01\n", "whole", 0), BAD_INPUT);
    assert_int_equal(keep_book(HEAD "rent,,aws,p5.48xlarge,us-east-1,"
                               "reserved_1y,all_upfront,,,,0,,USD,"
                               "2026-11-01\n", "whole", 0), BAD_INPUT);
    assert_int_equal(keep_book(HEAD "rent,,aws,p5.48xlarge,us-east-1,"
                               "on_demand,all_upfront,,,,0,262800,USD,"
                               "2026-11-01\n", "whole", 0), BAD_INPUT);
}

/* The table of prices of the book, as CSV; the caller frees it. */
static char *prices_of(const char *query)
{
    struct input *input = calloc(1, sizeof *input);
    struct store *store = NULL;
    struct store_tables tables;
    struct world now = world;
    struct text out;
    char why[300], *copy;

    assert_int_equal(store_open(store_name, STORE_READ, &store, why,
                                sizeof why), GOOD);
    assert_int_equal(store_load(store, &tables), GOOD);
    now.prices = &tables.prices;
    now.rates = &tables.rates;
    input_init(input);
    input_query(input, query, SURFACE_QUERY);
    input_keys(input, ON_PRICES);
    text_init(&out, 1 << 20);
    assert_true(table_prices(&(struct table_call){ .world = &now,
        .input = input, .form = SHEET_CSV, .name = "", .base_url = "",
        .out = &out }));
    copy = strdup(out.at);
    text_free(&out);
    store_tables_free(&tables);
    store_close(store);
    free(input);
    return copy;
}

/* What is paid upfront counts in the price of an hour by which offers are put
   in order: 262,800 / 8,760 = 30, 14.5 + 131,400 / 8,760 = 29.5 and 31 an
   hour for 8 GPUs are 3.75, 3.6875 and 3.875 a GPU-hour; 394,200 for three
   years is 394,200 / 26,280 = 15 an hour, 1.875 a GPU-hour. */
static void upfront_in_the_table(void **state)
{
    static const struct { const char *query, *want[3], *upfront[3]; } run[] = {
        { "term=reserved_1y&sort=gpu_hour",
          { "8,3.6875,14.5,", "8,3.75,0,", "8,3.875,31," },
          { ",131400,", ",262800,", ",," } },
        { "term=reserved_1y&sort=price",
          { "8,3.6875,14.5,", "8,3.75,0,", "8,3.875,31," },
          { ",131400,", ",262800,", ",," } },
        { "term=savings_3y", { "8,1.875,0," }, { ",394200," } },
    };
    (void)state;

    assert_int_equal(keep_book(HEAD
        "rent,,aws,p5.48xlarge,us-east-1,reserved_1y,all_upfront,,,,0,262800,"
        "USD,2026-11-01\n"
        "rent,,aws,p5.48xlarge,us-east-1,reserved_1y,partial_upfront,,,,14.5,"
        "131400,USD,2026-11-01\n"
        "rent,,aws,p5.48xlarge,us-east-1,reserved_1y,no_upfront,,,,31,,USD,"
        "2026-11-01\n"
        "rent,,aws,p5.48xlarge,us-east-1,savings_3y,all_upfront,,,,0,394200,"
        "USD,2026-11-01\n", "whole", 0), GOOD);
    for (size_t i = 0; i < sizeof run / sizeof *run; i++) {
        char query[120], line[120], *csv;
        const char *at;

        snprintf(query, sizeof query, "provider=aws&%s", run[i].query);
        csv = prices_of(query);
        at = strchr(csv, '\n') + 1;
        for (int k = 0; k < 3 && run[i].want[k]; k++) {
            const char *upfront = strstr(at, run[i].upfront[k]);
            snprintf(line, sizeof line, "p5.48xlarge,aws,h100-sxm5-80gb,%s",
                     run[i].want[k]);
            if (strncmp(at, line, strlen(line)) != 0 || !upfront
                || upfront > strchr(at, '\n'))
                fail_msg("%s, line %d: %.150s", query, k, at);
            at = strchr(at, '\n') + 1;
        }
        assert_true(*at == '\0');
        free(csv);
    }
}

static int set_up(void **state)
{
    int fd = mkstemp(store_name);

    (void)state;
    if (fd < 0)
        return -1;
    close(fd);
    unlink(store_name);
    world = (struct world){ .prices = seed_prices(), .rates = seed_rates(),
                            .today = 20261201, .degraded_reason = "",
                            .store = store_name };
    return 0;
}

static int tear_down(void **state)
{
    char name[80];

    (void)state;
    unlink(store_name);
    snprintf(name, sizeof name, "%s-wal", store_name);
    unlink(name);
    snprintf(name, sizeof name, "%s-shm", store_name);
    unlink(name);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(good_books), cmocka_unit_test(every_mistake),
        cmocka_unit_test(books_go_before_lists),
        cmocka_unit_test(paid_whole_in_advance),
        cmocka_unit_test(upfront_in_the_table),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
