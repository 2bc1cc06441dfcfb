/* test_feed_aws_more.c: Amazon's savings plans and spot advisor. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pricing/catalogue.h"
#include "pricing/csv.h"
#include "pricing/feed.h"
#include "tests/near.h"
#include "tests/shared.h"

enum { HEARD_BYTE = 400000 };

struct heard { char text[HEARD_BYTE]; size_t byte; long rows; };

static void hear(struct heard *h, const char *line)
{
    assert_true(h->byte + strlen(line) + 2 < HEARD_BYTE);
    h->byte += (size_t)sprintf(h->text + h->byte, "%s\n", line);
}

static int hear_row(void *context, const struct feed_row *row)
{
    char line[200];

    snprintf(line, sizeof line, "%s %s %s %s %.10g %.10g %d", row->instance,
             row->region, term_name[row->term], payment_name[row->payment],
             row->price_per_hour, row->upfront_price, row->effective_day);
    ((struct heard *)context)->rows++;
    hear(context, line);
    return 0;
}

static int hear_refused(void *context, enum refusal why,
                        const struct feed_row *row)
{
    char line[200];

    snprintf(line, sizeof line, "!%s %s", refusal_table[why].id,
             row->instance);
    hear(context, line);
    return 0;
}

/* On demand: p5.48xlarge 55.04, g5.xlarge 1.006. */
static int knows(void *context, const struct feed_row *row, enum term term,
                 struct feed_known *out)
{
    const int p5 = !strcmp(row->instance, "p5.48xlarge");

    (void)context;
    *out = (struct feed_known){ p5 ? 55.04 : 1.006, "list", 20260720 };
    return term == TERM_ON_DEMAND
           && (p5 || !strcmp(row->instance, "g5.xlarge"));
}

static enum status read_bodies(const char *id, const char *const *body,
                               int count, size_t piece,
                               int (*known)(void *, const struct feed_row *,
                                            enum term, struct feed_known *),
                               struct heard *h, char why[200])
{
    const struct feed *feed = feed_find(id);
    const struct feed_sink sink = { .context = h, .row = hear_row,
                                    .refused = hear_refused, .known = known };
    struct feed_parse *parse = feed_begin(feed, &sink);
    enum status status = GOOD;

    assert_non_null(parse);
    h->byte = 0;
    h->rows = 0;
    *h->text = '\0';
    for (int i = 0; i < count && status == GOOD; i++) {
        size_t byte = strlen(body[i]);
        for (size_t at = 0; at < byte && status == GOOD; at += piece)
            status = feed_bytes(feed, parse, body[i] + at,
                                byte - at < piece ? byte - at : piece);
        if (status == GOOD)
            status = feed_end(feed, parse);
        if (status == GOOD && i + 1 < count)
            assert_string_equal(feed_next(feed, parse), "/savingsPlan/v1.0/aws/"
                "AWSComputeSavingsPlan/20260623215842/us-east-1/index.json");
    }
    snprintf(why, 200, "%s", feed_why(parse));
    feed_close(feed, parse);
    return status;
}

/* -- savings plans -------------------------------------------------------- */

#define INDEX "{\"regions\":[{\"regionCode\":\"eu-west-1\",\"versionUrl\":"   \
    "\"/x\"},{\"regionCode\":\"us-east-1\",\"versionUrl\":\"/savingsPlan/v1.0/" \
    "aws/AWSComputeSavingsPlan/20260623215842/us-east-1/index.json\"}]}"
#define PRODUCT(sku, family, option, term) "{\"sku\":\"" sku                 \
    "\",\"productFamily\":\"" family "\",\"attributes\":{\"purchaseOption\":\"" \
    option "\",\"purchaseTerm\":\"" term "\"}}"
#define PRODUCTS "\"products\":[" PRODUCT("N1", "ComputeSavingsPlans",        \
    "No Upfront", "1yr") "," PRODUCT("P1", "ComputeSavingsPlans",            \
    "PartialUpfront", "1yr") "," PRODUCT("A3", "ComputeSavingsPlans",        \
    "All Upfront", "3yr") "," PRODUCT("E1", "EC2InstanceSavingsPlans",       \
    "No Upfront", "1yr") "]"
#define RATE(usage, operation, unit, price, type)                            \
    "{\"discountedSku\":\"Z\",\"discountedUsageType\":\"" usage              \
    "\",\"discountedOperation\":\"" operation                                \
    "\",\"discountedServiceCode\":\"AmazonEC2\",\"rateCode\":\"a.b\","       \
    "\"unit\":\"" unit "\",\"discountedRate\":{\"price\":\"" price           \
    "\",\"currency\":\"USD\"},\"discountedRegionCode\":\"us-east-1\","       \
    "\"discountedInstanceType\":\"" type "\"}"
#define BOX(price) RATE("BoxUsage:p5.48xlarge", "RunInstances", "Hrs", price, \
                        "p5.48xlarge")
#define TERM(sku, years, rates) "{\"sku\":\"" sku "\",\"description\":\"x\"," \
    "\"effectiveDate\":\"2026-06-23T21:58:42Z\",\"leaseContractLength\":"    \
    "{\"duration\":" years ",\"unit\":\"year\"},\"rates\":[" rates "]}"
#define TERMS(terms) "\"terms\":{\"savingsPlan\":[" terms "]}"

#define FILE_OF(first, second) "{\"version\":\"1\"," first "," second "}"

/* The rate is all there is to pay: whole by the hour (40), half by the hour
   and half of 8,760 hours at the start (36), or 26,280 hours at the start
   (25). */
static void plans(void **state)
{
    struct heard *h = *state;
    char why[200];
    const char *const body[2] = { INDEX, "{\"version\":\"1\"," PRODUCTS ","
        TERMS(TERM("N1", "1", BOX("40") ","
            RATE("BoxUsage:m5.large", "RunInstances", "Hrs", "0.07",
                 "m5.large") ","
            RATE("BoxUsage:p5.48xlarge", "RunInstances:0002", "Hrs", "64",
                 "p5.48xlarge") ","
            RATE("DedicatedUsage:p5.48xlarge", "RunInstances", "Hrs", "63",
                 "p5.48xlarge") ","
            RATE("USE2-BoxUsage:g5.xlarge", "RunInstances", "Quantity", "1",
                 "g5.xlarge") ","
            RATE("BoxUsage:g5.xlarge", "RunInstances", "Hrs", "0",
                 "g5.xlarge")) ","
        TERM("P1", "1", BOX("36")) "," TERM("A3", "3", BOX("25")) ","
        TERM("E1", "1", BOX("33"))) "}" };
    static const char want[] =
        "p5.48xlarge us-east-1 savings_1y no_upfront 40 0 20260623\n"
        "!unit g5.xlarge\n!zero_price g5.xlarge\n"
        "p5.48xlarge us-east-1 savings_1y partial_upfront 18 157680 20260623\n"
        "p5.48xlarge us-east-1 savings_3y all_upfront 0 657000 20260623\n";

    for (size_t piece = 1; piece < 6000; piece = piece * 4 + 1) {
        if (read_bodies("aws-sp-us-east-1", body, 2, piece, NULL, h, why)
            != GOOD)
            fail_msg("%s", why);
        assert_string_equal(h->text, want);
    }
}

static void plans_refused(void **state)
{
    struct heard *h = *state;
    static const struct { const char *index, *file, *code; } rows[] = {
        { "{}", "", "schema" }, { "", "", "json" },
        { "{\"regions\":{\"us-east-1\":{\"versionUrl\":\"/x\"}}}", "",
          "schema" },
        { "<html>", "", "json" },
        { "{\"regions\":[{\"regionCode\":\"us-east-1\",\"versionUrl\":"
          "\"/a\"},{\"regionCode\":\"us-east-1\",\"versionUrl\":\"/b\"}]}", "",
          "duplicate_key" },
        { INDEX, "", "json" }, { INDEX, "{}", "schema" },
        { INDEX, "<html>", "json" }, { INDEX, "{\"data\":[]}", "schema" },
        { INDEX, "{" TERMS(TERM("N1", "1", BOX("40"))) "}", "schema" },
        { INDEX, FILE_OF(PRODUCTS, TERMS(TERM("E1", "1", BOX("40")))),
          "row_count" },
        { INDEX, FILE_OF(PRODUCTS, TERMS(TERM("N1", "3", BOX("40")))),
          "schema: plan N1 is not of 1" },
        { INDEX, FILE_OF(PRODUCTS, TERMS(TERM("N1", "1",
          BOX("40")) ",{\"sku\":\"A3\",\"sku\":\"N1\"}")),
          "duplicate_key" },
        { INDEX, FILE_OF(PRODUCTS, PRODUCTS), "duplicate_key" },
        { INDEX, "{\"products\":[{\"sku\":\"A\",\"attributes\":{"
          "\"purchaseOption\":\"No Upfront\",\"purchaseOption\":"
          "\"All Upfront\"}}]}", "duplicate_key" },
        { INDEX, "{\"a\":\"\xff\"}", "encoding" },
        { INDEX, "[]", "schema" }, { INDEX, "7", "schema" },
        { INDEX, "{" PRODUCTS "," TERMS(TERM("N1", "1", BOX("40"))), "json" },
        { INDEX, "{" PRODUCTS "," TERMS(TERM("N1", "1", BOX("40"))) "} x",
          "trailing" },
        { INDEX, "[[[[[[[[[[[[[[[[[[[[", "too_deep" },
        { INDEX, "{\"products\":[" PRODUCT("N1", "ComputeSavingsPlans",
          "Later", "1yr") "]}", "schema" },
        { INDEX, "{\"products\":[" PRODUCT("N1", "ComputeSavingsPlans",
          "No Upfronts", "1yr") "]}", "schema" },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *const body[2] = { rows[i].index, rows[i].file };
        char why[200];
        enum status status = read_bodies("aws-sp-us-east-1", body,
                                         !strcmp(rows[i].index, INDEX) + 1, 50,
                                         NULL, h, why);

        assert_int_equal(status, FEED_REFUSED);
        if (strncmp(why, rows[i].code, strlen(rows[i].code)))
            fail_msg("%zu: %s, not %s", i, why, rows[i].code);
    }
}

/* The same in another order: rates before plans, a plan's own members after
   its rates, and members that are lists or objects where a text should be. */
static void plans_in_another_order(void **state)
{
    struct heard *h = *state;
    char why[200];
    const char *const body[2] = { INDEX, FILE_OF(TERMS(
        "{\"rates\":[" BOX("40") "],\"x\":[[{\"sku\":\"E1\"}]],"
        "\"leaseContractLength\":{\"unit\":\"year\",\"duration\":1},"
        "\"effectiveDate\":\"2026-06-23T21:58:42Z\",\"sku\":\"N1\"},"
        TERM("A3", "3", BOX("25")) ","
        "{\"sku\":[\"N1\"],\"rates\":[" BOX("1") "]},"
        "{\"sku\":{\"sku\":\"N1\"},\"rates\":[" BOX("2") "]}"), PRODUCTS) };
    static const char want[] =
        "p5.48xlarge us-east-1 savings_1y no_upfront 40 0 20260623\n"
        "p5.48xlarge us-east-1 savings_3y all_upfront 0 657000 20260623\n";

    for (size_t piece = 1; piece < 6000; piece = piece * 4 + 1) {
        if (read_bodies("aws-sp-us-east-1", body, 2, piece, NULL, h, why)
            != GOOD)
            fail_msg("%s", why);
        assert_string_equal(h->text, want);
    }
}

/* A host of one's own shares the name of the machine; a rate for another
   machine than its use says is none. */
static void plans_of_other_uses(void **state)
{
    struct heard *h = *state;
    char why[200];
    const char *const body[2] = { INDEX, FILE_OF(PRODUCTS, TERMS(TERM("N1", "1",
        RATE("HostBoxUsage:p5.48xlarge", "RunInstances", "Hrs", "0",
             "p5.48xlarge") ","
        RATE("USE1-HostBoxUsage:p5.48xlarge", "RunInstances", "Hrs", "1",
             "p5.48xlarge") ","
        RATE("BoxUsage:p5.48xlarge", "RunInstances", "Hrs", "12",
             "g6.xlarge") ","
        RATE("USE1-BoxUsage:g6.xlarge", "RunInstances", "Hrs", "0.5",
             "g6.xlarge")))) };

    assert_int_equal(read_bodies("aws-sp-us-east-1", body, 2, 77, NULL, h, why),
                     GOOD);
    assert_string_equal(h->text,
        "g6.xlarge us-east-1 savings_1y no_upfront 0.5 0 20260623\n");
}

/* The worked example, a rate of 3.10 for a year paid by the hour, and
   what the same rate is in the two other ways: a year costs 3.10 x 8,760 =
   27,156 in each. */
static void a_rate_counts_whole(void **state)
{
    struct heard *h = *state;
    char why[200];
    static const struct { const char *option, *want; } rows[] = {
        { "No Upfront", "no_upfront 3.1 0 " },
        { "NoUpfront", "no_upfront 3.1 0 " },
        { "Partial Upfront", "partial_upfront 1.55 13578 " },
        { "All Upfront", "all_upfront 0 27156 " },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char file[3000];
        const char *const body[2] = { INDEX, file };

        snprintf(file, sizeof file, "{\"products\":[{\"sku\":\"SPX\","
                 "\"productFamily\":\"ComputeSavingsPlans\",\"attributes\":{"
                 "\"purchaseOption\":\"%s\",\"purchaseTerm\":\"1yr\"}}],%s}",
                 rows[i].option, TERMS(TERM("SPX", "1", BOX("3.10"))));
        assert_int_equal(read_bodies("aws-sp-us-east-1", body, 2, 99, NULL, h,
                                     why), GOOD);
        assert_int_equal(h->rows, 1);
        assert_non_null(strstr(h->text, rows[i].want));
        /* cut anywhere, it is nothing */
        for (size_t byte = strlen(file); byte-- > 0;) {
            file[byte] = '\0';
            assert_int_equal(read_bodies("aws-sp-us-east-1", body, 2, 4096,
                                         NULL, h, why), FEED_REFUSED);
            assert_int_equal(h->rows, 0);
        }
    }
}

/* A value that does not end is given up before it is held. */
static void a_value_without_end(void **state)
{
    struct heard *h = *state;
    char why[200], *text = malloc((3 << 20) + 1);
    const char *const body[2] = { INDEX, text };

    assert_non_null(text);
    memset(text, 'a', 3 << 20);
    memcpy(text, "{\"a\":\"", 6);
    text[3 << 20] = '\0';
    assert_int_equal(read_bodies("aws-sp-us-east-1", body, 2, 3 << 20, NULL, h,
                                 why), FEED_REFUSED);
    assert_true(strncmp(why, "too_long: a value", 17) == 0);
    free(text);
}

/* A member twice: which price is meant nobody can tell. */
static void plans_with_doubles(void **state)
{
    struct heard *h = *state;
    char why[200];
    const char *const body[2] = { INDEX, "{" PRODUCTS "," TERMS(TERM("N1", "1",
        "{\"discountedUsageType\":\"BoxUsage:p5.48xlarge\","
        "\"discountedOperation\":\"RunInstances\",\"discountedServiceCode\":"
        "\"AmazonEC2\",\"unit\":\"Hrs\",\"discountedRate\":{\"price\":\"40\","
        "\"price\":\"4\",\"currency\":\"USD\"},\"discountedRegionCode\":"
        "\"us-east-1\",\"discountedInstanceType\":\"p5.48xlarge\"}")) "}" };

    assert_int_equal(read_bodies("aws-sp-us-east-1", body, 2, 9, NULL, h, why),
                     GOOD);
    assert_string_equal(h->text, "!duplicate_key p5.48xlarge\n");
}

/* -- the spot advisor ------------------------------------------------------ */

#define ADVISOR(machines) "{\"ranges\":[{\"index\":0,\"label\":\"<5%\","     \
    "\"dots\":0,\"max\":5}],\"instance_types\":{},\"spot_advisor\":{"        \
    "\"us-east-1\":{\"Windows\":{\"p5.48xlarge\":{\"s\":9,\"r\":0}},"        \
    "\"Linux\":{" machines "}}}}"

/* 55.04 x (1 - 0.60) = 22.016; 1.006 x (1 - 0.50) = 0.503. */
static void spot_is_derived(void **state)
{
    struct heard *h = *state;
    char why[200];
    const char *const body[1] = { ADVISOR("\"p5.48xlarge\":{\"s\":60,\"r\":0},"
        "\"g5.xlarge\":{\"s\":50,\"r\":1},\"p4d.24xlarge\":{\"s\":40,\"r\":1},"
        "\"m5.large\":{\"s\":70,\"r\":0},\"g6.xlarge\":{\"s\":0,\"r\":1},"
        "\"g4dn.xlarge\":{\"s\":100,\"r\":1},\"g5.2xlarge\":{\"r\":1},"
        "\"g5.4xlarge\":{\"s\":\"60\"},\"g5.8xlarge\":{\"s\":6,\"s\":60}") };
    static const char want[] =
        "p5.48xlarge us-east-1 spot no_upfront 22.016 0 0\n"
        "g5.xlarge us-east-1 spot no_upfront 0.503 0 0\n"
        "!no_base p4d.24xlarge\n!not_sold g6.xlarge\n"
        "!out_of_range g4dn.xlarge\n!missing g5.2xlarge\n"
        "!not_a_number g5.4xlarge\n!duplicate_key g5.8xlarge\n";

    for (size_t piece = 1; piece < 900; piece = piece * 4 + 1) {
        assert_int_equal(read_bodies("aws-spot", body, 1, piece, knows, h, why),
                         GOOD);
        assert_string_equal(h->text, want);
    }
    /* nobody to ask: no price */
    assert_int_equal(read_bodies("aws-spot", body, 1, 99, NULL, h, why), GOOD);
    assert_int_equal(h->rows, 0);
}

static void spot_refused(void **state)
{
    struct heard *h = *state;
    static const char *const bad[] = { "", "{}", "[]", "{\"data\":[]}",
        "<html>x</html>", "{\"ranges\":[],\"spot_advisor\":[]}",
        "{\"spot_advisor\":{\"us-east-1\":{\"Linux\":{}}}}",
        ADVISOR(""), ADVISOR("\"a\":{\"s\":1}") "}",
        "{\"ranges\":[],\"spot_advisor\":{\"a\":{},\"a\":{}}}" };
    static const char *const code[] = { "json", "schema", "schema", "schema",
        "json", "schema", "schema", "row_count", "trailing",
        "duplicate_key" };

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char why[200];

        assert_int_equal(read_bodies("aws-spot", &bad[i], 1, 11, knows, h, why),
                         FEED_REFUSED);
        if (strncmp(why, code[i], strlen(code[i])) && i)
            fail_msg("%zu: %s, not %s", i, why, code[i]);
    }
}

/* A machine that stands twice gives no price; one of 2,000 others does. */
static void spot_of_many(void **state)
{
    struct heard *h = *state;
    size_t room = 100000, byte = 0;
    char why[200], *others = malloc(room), *text = malloc(room + 1000);
    const char *const body[1] = { text };

    assert_non_null(others);
    assert_non_null(text);
    for (int i = 0; i < 2000; i++)
        byte += (size_t)snprintf(others + byte, room - byte,
                                 "\"z%d.large\":{\"s\":50,\"r\":0},", i);
    snprintf(text, room + 1000, "%s%s%s", "{\"ranges\":[],\"spot_advisor\":{"
             "\"us-east-1\":{\"Linux\":{\"g5.xlarge\":{\"s\":50,\"r\":0},",
             others, "\"p5.48xlarge\":{\"s\":60,\"r\":0},"
             "\"g5.xlarge\":{\"s\":50,\"r\":0}}}}}");
    assert_int_equal(read_bodies("aws-spot", body, 1, 8192, knows, h, why),
                     GOOD);
    assert_string_equal(h->text, "!duplicate_key g5.xlarge\n"
                        "p5.48xlarge us-east-1 spot no_upfront 22.016 0 0\n"
                        "!duplicate_key g5.xlarge\n");
    free(others);
    free(text);
}

/* The recorded rate, of a file without products: not used. */
static void plans_recorded(void **state)
{
    struct heard *h = *state;
    char *text = shared_text("feeds/aws/savings_plan_2026-06-23_fragment.json", NULL);
    const char *const body[2] = { INDEX, text };
    char why[200];

    if (!text)
        skip(); /* the recorded feeds are not here */
    assert_int_equal(read_bodies("aws-sp-us-east-1", body, 2, 100, NULL, h,
                                 why), FEED_REFUSED);
    assert_non_null(strstr(why, "schema: no product"));
    assert_int_equal(h->rows, 0);
    free(text);
}

/* A dollar an hour everywhere: then the price is 1 - s / 100. */
static int one_dollar(void *context, const struct feed_row *row,
                      enum term term, struct feed_known *out)
{
    (void)context;
    (void)row;
    *out = (struct feed_known){ 1, "a", 20260101 };
    return term == TERM_ON_DEMAND;
}

/* The recorded file of 2025: 33 regions; a second reading of one entry by
   hand: what stands behind the name in the text. */
static void spot_recorded(void **state)
{
    struct heard *h = *state;
    char *text = shared_text("feeds/aws/spot-advisor-data_2025-06-28.json", NULL);
    char why[200];
    int compared = 0;

    if (!text)
        skip(); /* the recorded feeds are not here */
    assert_int_equal(read_bodies("aws-spot", (const char *const *)&text, 1,
                                 8192, one_dollar, h, why), GOOD);
    assert_true(h->rows > 300);
    for (const char *line = h->text; *line; line = strchr(line, '\n') + 1) {
        char instance[60], region[60], key[140];
        const char *place, *linux_part, *entry, *s;
        double price;

        if (*line == '!' || sscanf(line, "%59s %59s spot no_upfront %lf",
                                   instance, region, &price) != 3)
            continue;
        snprintf(key, sizeof key, "\"%s\":", region);
        place = strstr(strstr(text, "\"spot_advisor\""), key);
        assert_non_null(place);
        linux_part = strstr(place, "\"Linux\"");
        assert_non_null(linux_part);
        snprintf(key, sizeof key, "\"%s\":", instance);
        entry = strstr(linux_part, key);
        assert_non_null(entry);
        s = strstr(entry, "\"s\":");
        assert_non_null(s);
        assert_near(price, 1 - atof(s + 4) / 100, 1e-9);
        compared++;
    }
    print_message("%d derived prices against the text\n", compared);
    assert_true(compared > 300);
    free(text);
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
        cmocka_unit_test(plans), cmocka_unit_test(plans_refused),
        cmocka_unit_test(plans_in_another_order),
        cmocka_unit_test(plans_of_other_uses),
        cmocka_unit_test(a_rate_counts_whole),
        cmocka_unit_test(plans_recorded),
        cmocka_unit_test(a_value_without_end),
        cmocka_unit_test(plans_with_doubles),
        cmocka_unit_test(spot_is_derived), cmocka_unit_test(spot_refused),
        cmocka_unit_test(spot_of_many),
        cmocka_unit_test(spot_recorded),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
