/* test_feed_skypilot.c: what the files of the SkyPilot catalogue say, trap by
   trap, and that the size of the pieces they arrive in does not matter. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pricing/csv.h"
#include "pricing/feed.h"

enum { TEXT_BYTE = 65536 };

/* What came out: "instance region zone term price gpu count gib" a row, and
   "! reason" for a row not used. */
struct heard { char text[TEXT_BYTE]; size_t byte; };

static void hear(struct heard *heard, const char *line)
{
    size_t byte = strlen(line);

    assert_true(heard->byte + byte + 2 < TEXT_BYTE);
    memcpy(heard->text + heard->byte, line, byte);
    heard->byte += byte;
    heard->text[heard->byte++] = '\n';
    heard->text[heard->byte] = '\0';
}

static int hear_row(void *context, const struct feed_row *row)
{
    char line[600];

    assert_string_equal(row->currency, "USD");
    assert_int_equal(row->payment, PAYMENT_NO_UPFRONT);
    snprintf(line, sizeof line, "%s|%s|%s|%s|%g|%s|%s|%g|%.4g",
             row->instance, row->region, row->zone, term_name[row->term],
             row->price_per_hour, row->gpu, row->gpu_name, row->gpu_count,
             row->gpu_memory_gib);
    hear(context, line);
    return 0;
}

static int hear_refused(void *context, enum refusal why,
                        const struct feed_row *row)
{
    char line[100];

    (void)row;
    snprintf(line, sizeof line, "!%s", refusal_table[why].id);
    hear(context, line);
    return 0;
}

/* Reads `text` in pieces of `piece` bytes. */
static enum status read_text(const char *id, const char *text, size_t byte,
                             size_t piece, struct heard *heard, char *why)
{
    const struct feed *feed = feed_find(id);
    const struct feed_sink sink = { heard, hear_row, hear_refused, NULL, NULL,
                                    NULL };
    struct feed_parse *parse;
    enum status status = GOOD;

    assert_non_null(feed);
    heard->byte = 0;
    *heard->text = '\0';
    parse = feed_begin(feed, &sink);
    assert_non_null(parse);
    for (size_t at = 0; at < byte && status == GOOD; at += piece)
        status = feed_bytes(feed, parse, text + at,
                            byte - at < piece ? byte - at : piece);
    if (status == GOOD)
        status = feed_end(feed, parse);
    snprintf(why, 200, "%s", feed_why(parse));
    feed_close(feed, parse);
    return status;
}

static char *file_text(const char *name, size_t *byte)
{
    char path[200], *text = malloc(TEXT_BYTE);
    FILE *file;

    snprintf(path, sizeof path, "tests/feeds/%s", name);
    file = fopen(path, "r");
    assert_non_null(text);
    assert_non_null(file);
    *byte = fread(text, 1, TEXT_BYTE, file);
    assert_true(*byte < TEXT_BYTE);
    fclose(file);
    return text;
}

static void samples(void **state)
{
    static const struct { const char *feed, *file, *want, *why; } run[] = {
        { "skypilot-runpod", "skypilot_runpod.csv",
          "1x_A100-80GB_SECURE|US-TX-1|US-TX-1|on_demand|1.31|"
          "a100-pcie-80gb|A100-80GB|1|80\n"
          "1x_A100-80GB_SECURE|US-KS-2|US-KS-2|on_demand|1.31|"
          "a100-pcie-80gb|A100-80GB|1|80\n"
          "5x_H100-NVL_SECURE|EU-CZ-1|EU-CZ-1|on_demand|15.5|"
          "h100-nvl-94gb|H100-NVL|5|94\n",
          "GiB under the name of MiB; spot copies the price; the zone is "
          "what RunPod calls a region" },
        { "skypilot-lambda", "skypilot_lambda.csv",
          "!cpu_only\n"
          "gpu_1x_h100_pcie|us-west-1||on_demand|3.15|h100-pcie-80gb|H100|1|80\n"
          "gpu_8x_h100_sxm5|us-west-1||on_demand|30.4|h100-sxm5-80gb|H100|8|80\n"
          "gpu_8x_h100_sxm5|us-east-1||on_demand|30.4|h100-sxm5-80gb|H100|8|80\n",
          "CR LF after SpotPrice, the last column; the form of the card "
          "stands in the instance's name" },
        { "skypilot-vast", "skypilot_vast.csv",
          "2x-RTX_5090-32-65536|HU|Bács-Kiskun, HU, EU|on_demand|0.91|"
          "rtx-5090|RTX5090|2|31.84\n"
          "2x-RTX_5090-32-65536|US|Texas, US, NA|on_demand|0.91|"
          "rtx-5090|RTX5090|2|31.84\n"
          "2x-RTX_5090-32-65536|US|, US, NA|on_demand|0.91|"
          "rtx-5090|RTX5090|2|31.84\n"
          "1x-H100_SXM-32-65536|TH|Thailand, TH, AS|on_demand|1.85|"
          "h100-sxm5-80gb|H100|1|79.65\n",
          "memory of all cards together; a spot price of 0.00 is none; towns "
          "lie in countries" },
        { "skypilot-verda", "skypilot_verda.csv",
          "1B300.30V|FIN-03||on_demand|6.5|b300|B300|1|262\n"
          "1B300.30V|FIN-03||spot|2.25|b300|B300|1|262\n"
          "2B300.60V|FIN-03||spot|4.5|b300|B300|2|262.5\n"
          "!cpu_only\n",
          "GpuInfo in JSON with doubled quotes; no price on demand but one "
          "for spot" },
        { "skypilot-yotta", "skypilot_yotta.csv",
          "1x14v119g_RTX_5090|us-east-2||on_demand|0.625|rtx-5090|RTX5090|1|"
          "31.84\n",
          "the last line has no end, which this feed is known for" },
        { "skypilot-primeintellect", "skypilot_primeintellect.csv",
          "acme__8xZ_80GB__96__960|US|us-a|on_demand|17.5|"
          "h100-sxm5-80gb|H100|8|80\n"
          "acme__8xZ_80GB__96__960|CA|ca-b|on_demand|13.25|"
          "h100-pcie-80gb|H100|8|80\n"
          "acme__8xZ_80GB__96__960|CA|ca-b|on_demand|12.25||H100|8|80\n"
          "acme__1xZ_PCIe|CA|ca-b|on_demand|1.5||H100|1|80\n"
          "acme__4xZ_180GB__80__800|FI|fi-1|spot|9.5|b200|B200|4|180\n"
          "acme__2xZ_48GB__20__60|FI|fi-1|on_demand|1.75|l40s|L40S|2|48\n",
          "memory of all cards together; the form of the card stands in the "
          "name at the provider behind the broker" },
        { "skypilot-mithril", "skypilot_mithril.csv",
          "zz-h200.sxm.8x|r-1||spot|9.5|h200-sxm-141gb|H200|8|141\n"
          "zz-h200.sxm.1x|r-1||spot|1.5|h200-sxm-141gb|H200|1|141\n"
          "zz-h200.sxm.1x|r-2||spot|1.75|h200-sxm-141gb|H200|1|141\n"
          "!not_sold\n!not_sold\n!not_sold\n!negative_price\n",
          "let by auction: no price is one on demand" },
        { "skypilot-gcp", "skypilot_gcp.csv",
          "!host_alone\n!cpu_only\n!no_machine\n!no_machine\n!no_machine\n",
          "host and accelerators apart: neither is a machine" },
    };
    static const size_t pieces[] = { 1, 7, 100, TEXT_BYTE };
    static struct heard heard;
    char why[200];

    (void)state;
    for (size_t i = 0; i < sizeof run / sizeof *run; i++) {
        size_t byte;
        char *text = file_text(run[i].file, &byte);

        for (size_t p = 0; p < 4; p++) {
            enum status status = read_text(run[i].feed, text, byte, pieces[p],
                                           &heard, why);

            if (status != GOOD || strcmp(heard.text, run[i].want))
                print_error("%s, %s, pieces of %zu: %s\n%s", run[i].file,
                            run[i].why, pieces[p], why, heard.text);
            assert_int_equal(status, GOOD);
            assert_string_equal(heard.text, run[i].want);
        }
        free(text);
    }
}

#define HEADER "InstanceType,AcceleratorName,AcceleratorCount,vCPUs," \
    "MemoryGiB,GpuInfo,Price,SpotPrice,Region,AvailabilityZone\n"
#define INFO "\"{'Gpus': [{'Name': 'ZZ100', 'MemoryInfo': " \
    "{'SizeInMiB': 81920}}]}\""

/* One line after the header, of the cloud aws unless it says otherwise. */
static void lines(void **state)
{
    static const struct { const char *line, *want, *why; } run[] = {
        { "zz9,ZZ100,2.0,8,64," INFO ",4.25,,r-1,z1\n",
          "zz9|r-1|z1|on_demand|4.25||ZZ100|2|80\n",
          "the example of the feed's description" },
        { "zz9,ZZ100,2,8,64," INFO ",4.25,1.5,r-1,z1\n",
          "zz9|r-1|z1|on_demand|4.25||ZZ100|2|80\n"
          "zz9|r-1|z1|spot|1.5||ZZ100|2|80\n", "two prices of a row" },
        { "zz9,ZZ100,2,8,64," INFO ",4.25,4.25,r-1,z1\n",
          "zz9|r-1|z1|on_demand|4.25||ZZ100|2|80\n",
          "a copy is no spot price" },
        { "zz9,ZZ100,2,8,64," INFO ",30.09784,30.097800,r-1,z1\n",
          "zz9|r-1|z1|on_demand|30.0978||ZZ100|2|80\n",
          "nor is a copy rounded to four digits" },
        { "zz9,ZZ100,2,8,64," INFO ",4.25,0.00,r-1,z1\n",
          "zz9|r-1|z1|on_demand|4.25||ZZ100|2|80\n", "nor is zero" },
        { "zz9,ZZ100,2,8,64," INFO ",,1.5,r-1,z1\n",
          "zz9|r-1|z1|spot|1.5||ZZ100|2|80\n", "not sold on demand" },
        { "zz9,ZZ100,2,8,64," INFO ",,,r-1,z1\n", "!not_sold\n",
          "not sold at all" },
        { "zz9,ZZ100,2,8,64," INFO ",4.25,,r-1,use1-xyz2-az1\n",
          "zz9|r-1-xyz-2|use1-xyz2-az1|on_demand|4.25||ZZ100|2|80\n",
          "a Local Zone is a region of its own" },
        { "zz9,,,8,64,,4.25,,r-1,z1\n", "!cpu_only\n", "no accelerator" },
        { ",ZZ100,1,,," INFO ",4.25,,r-1,z1\n", "!no_machine\n",
          "no machine" },
        { "zz9,ZZ100,,8,64," INFO ",4.25,,r-1,z1\n",
          "zz9|r-1|z1|on_demand|4.25||ZZ100|nan|80\n",
          "how many is not known: listed as that" },
        { "zz9,ZZ100,0,8,64," INFO ",4.25,,r-1,z1\n", "!gpu_count\n",
          "none of an accelerator" },
        { "zz9,ZZ100,two,8,64," INFO ",4.25,,r-1,z1\n", "!gpu_count\n",
          "a count in words" },
        { "zz9,ZZ100,0.125,8,64," INFO ",0.5,,r-1,z1\n",
          "zz9|r-1|z1|on_demand|0.5||ZZ100|0.125|80\n", "a slice" },
        { "p4d.24xlarge,A100,4.0,96,1152," INFO ",20,,us-east-1,z1\n",
          "!gpu_count\n", "p4d has eight by the catalogue of instances" },
        { "zz9,ZZ100,2,8,64,,4.25,,r-1,z1\n",
          "zz9|r-1|z1|on_demand|4.25||ZZ100|2|nan\n",
          "no GpuInfo: memory not known" },
        { "zz9,ZZ100,2,8,64,\"{'Gpus': [{'MemoryInfo': {'SizeInMiB': "
          "40960}}, {'MemoryInfo': {'SizeInMiB': 81920}}]}\",4.25,,r-1,z1\n",
          "zz9|r-1|z1|on_demand|4.25||ZZ100|2|nan\n",
          "two sizes: memory not known" },
        { "zz9,ZZ100,2,8,64,K80,4.25,,r-1,z1\n",
          "zz9|r-1|z1|on_demand|4.25||ZZ100|2|nan\n",
          "a bare word for GpuInfo, as Azure's rows have" },
        { "zz9,ZZ100,2,8,64," INFO ",0,,r-1,z1\n", "!zero_price\n", "zero" },
        { "zz9,ZZ100,2,8,64," INFO ",-1,,r-1,z1\n", "!negative_price\n",
          "below zero" },
        { "zz9,ZZ100,2,8,64," INFO ",NaN,,r-1,z1\n", "!not_a_number\n",
          "NaN" },
        { "zz9,ZZ100,2,8,64," INFO ",1e999,,r-1,z1\n", "!not_finite\n",
          "beyond a double" },
        { "zz9,ZZ100,2,8,64," INFO ",\"12,50\",,r-1,z1\n", "!not_a_number\n",
          "a comma for the point" },
        { "zz9,ZZ100,2,8,64," INFO ",$4.25,,r-1,z1\n", "!not_a_number\n",
          "a currency sign" },
        { "zz9,ZZ100,2,8,64," INFO ",0x10,,r-1,z1\n", "!not_a_number\n",
          "hex" },
        { "zz9,ZZ100,2,8,64," INFO ",4.25,-1,r-1,z1\n",
          "!negative_price\nzz9|r-1|z1|on_demand|4.25||ZZ100|2|80\n",
          "a bad spot price does not take the other with it" },
        { "zz9,ZZ100,2,8,64," INFO ",4.25,,r-1\n", "!field_count\n",
          "a field short: nothing shifts" },
        { "zz9,ZZ100,2,8,64," INFO ",4.25,,r-1,z1,x\n", "!field_count\n",
          "a field too many" },
        { "zz\x01" "9,ZZ100,2,8,64," INFO ",4.25,,r-1,z1\n", "!control_char\n",
          "a control character" },
        { "zz_sxm4_9,A100_80G_PCIE,2,8,64," INFO ",4.25,,r-1,z1\n",
          "zz_sxm4_9|r-1|z1|on_demand|4.25||A100_80G_PCIE|2|80\n",
          "two forms of card in one row: not known which" },
        { "zz_pcie,H100-80G-SXM5,2,8,64," INFO ",4.25,,r-1,z1\n",
          "zz_pcie|r-1|z1|on_demand|4.25||H100-80G-SXM5|2|80\n",
          "nor the other way round" },
        { "zz9,H100_PCIE,2,8,64,\"{'Gpus': [{'Name': 'H100 SXM5', "
          "'MemoryInfo': {'SizeInMiB': 81920}}]}\",4.25,,r-1,z1\n",
          "zz9|r-1|z1|on_demand|4.25||H100_PCIE|2|80\n",
          "nor in the two names of the card" },
        { "zzx8-NVLink,H100-80G-PCIe,8,8,64," INFO ",4.25,,r-1,z1\n",
          "zzx8-NVLink|r-1|z1|on_demand|4.25|h100-pcie-80gb|H100-80G-PCIe|8|"
          "80\n", "a bridge between cards is no form of card" },
        { "\n\r\nzz9,ZZ100,2.0,8,64," INFO ",4.25,,r-1,z1\r\n",
          "zz9|r-1|z1|on_demand|4.25||ZZ100|2|80\n",
          "blank lines, and CR LF now and then" },
    };
    static struct heard heard;
    char text[2000], why[200];

    (void)state;
    for (size_t i = 0; i < sizeof run / sizeof *run; i++) {
        int byte = snprintf(text, sizeof text, "%s%s", HEADER, run[i].line);

        assert_int_equal(read_text("skypilot-aws", text, (size_t)byte, 11,
                                   &heard, why), GOOD);
        if (strcmp(heard.text, run[i].want))
            print_error("%s: %s", run[i].why, heard.text);
        assert_string_equal(heard.text, run[i].want);
    }
}

static void column_order(void **state)
{
    static const char text[] =
        "Region,SpotPrice,GpuInfo,Price,More,MemoryGiB,vCPUs,"
        "AcceleratorCount,AcceleratorName,InstanceType\n"
        "r-1,1.5," INFO ",4.25,x,64,8,2,ZZ100,zz9\n";
    static struct heard heard;
    char why[200];

    (void)state;
    assert_int_equal(read_text("skypilot-oci", text, sizeof text - 1, 3,
                               &heard, why), GOOD);
    assert_string_equal(heard.text,
                        "zz9|r-1||on_demand|4.25||ZZ100|2|80\n"
                        "zz9|r-1||spot|1.5||ZZ100|2|80\n");
}

/* Files that are refused as a whole, and the word their reason begins with. */
static void refused_files(void **state)
{
#define LINE "zz9,ZZ100,2.0,8,64," INFO ",4.25,,r-1,z1\n"
    static const struct { const char *text; size_t byte; const char *begin,
                          *why; } run[] = {
#define WITH(text) text, sizeof text - 1
        { WITH(""), "schema", "nothing" },
        { WITH("<!DOCTYPE html><title>down</title>\n"), "schema", "a page" },
        { WITH("\n  <html>"), "schema", "a page after blanks" },
        { WITH("{\"data\":[]}\n"), "csv", "JSON: quotes where none may be" },
        { WITH("InstanceType,Price\nzz9,4.25\n"), "schema", "columns gone" },
        { WITH("Price," HEADER "1," LINE), "schema", "a column twice" },
        { WITH(HEADER "zz9,ZZ100,2.0,8,64," INFO ",4.2"), "incomplete",
          "cut within a line" },
        { WITH(HEADER LINE "zz9,ZZ100,2.0,8,64," INFO ",4.25,,r-1,z1"),
          "incomplete", "cut before the line's end" },
        { WITH(HEADER "zz9,ZZ100,2,8,64,\"{'Gpus',4.25,,r-1,z1\n" LINE),
          "csv", "a quote not closed" },
        { WITH(HEADER "zz\"9,ZZ100,2,8,64,,4.25,,r-1,z1\n"), "csv",
          "a quote within a field" },
        { WITH("\xff\xfeI\0n\0s\0t\0"), "encoding", "UTF-16" },
        { WITH("I\0n\0s\0t\0a\0\n\0"), "encoding", "UTF-16 without a mark" },
    };
    static struct heard heard;
    char why[200];

    (void)state;
    for (size_t i = 0; i < sizeof run / sizeof *run; i++) {
        enum status status = read_text("skypilot-aws", run[i].text,
                                       run[i].byte, 5, &heard, why);

        if (status != FEED_REFUSED
            || strncmp(why, run[i].begin, strlen(run[i].begin)))
            print_error("%s: %d %s\n", run[i].why, status, why);
        assert_int_equal(status, FEED_REFUSED);
        assert_memory_equal(why, run[i].begin, strlen(run[i].begin));
    }
}

static void a_line_without_end(void **state)
{
    enum { BYTE = 1 << 20 };
    char *text = malloc(BYTE), why[200];
    static struct heard heard;

    (void)state;
    assert_non_null(text);
    memset(text, 'x', BYTE);
    memcpy(text, HEADER, sizeof HEADER - 1);
    assert_int_equal(read_text("skypilot-aws", text, BYTE, 4096, &heard, why),
                     FEED_REFUSED);
    assert_memory_equal(why, "too_long", 8);
    free(text);
}

/* Fields as read, '|' between them and '/' after a row. */
static int join_fields(void *context, const struct csv_row *row)
{
    char *text = context;

    for (size_t i = 0; i < row->count; i++) {
        size_t byte = strlen(text);

        snprintf(text + byte, 200 - byte, "%s%s", row->field[i],
                 i + 1 < row->count ? "|" : "/");
    }
    return 0;
}

static void csv_grammar(void **state)
{
    static const struct { const char *text; enum csv_fault fault; int whole;
                          const char *want, *why; } run[] = {
        { "a,b\n1,2\n", CSV_GOOD, 1, "a|b/1|2/", "plain" },
        { "a,b\r\n1,2\r\n", CSV_GOOD, 1, "a|b/1|2/", "CR LF" },
        { "a,b\n1,2", CSV_GOOD, 0, "a|b/1|2/", "no end of line" },
        { "\"a\",\"b,c\"\n", CSV_GOOD, 1, "a|b,c/", "a comma in quotes" },
        { "\"a\"\"b\"\n", CSV_GOOD, 1, "a\"b/", "a doubled quote" },
        { "\"a\nb\",c\n", CSV_GOOD, 1, "a\nb|c/", "a line break in quotes" },
        { ",,\n", CSV_GOOD, 1, "||/", "empty fields" },
        { "a,\"\"\n", CSV_GOOD, 1, "a|/", "an empty field in quotes" },
        { "\xef\xbb\xbf" "a,b\n", CSV_GOOD, 1, "a|b/", "a byte order mark" },
        { "\n\na\n\n", CSV_GOOD, 1, "a/", "blank lines" },
        { "", CSV_GOOD, 1, "", "nothing" },
        { "a\"b\n", CSV_QUOTE, 0, "", "a quote inside a field" },
        { "\"a\"b\n", CSV_QUOTE, 0, "", "text after a closing quote" },
        { "\"a\n", CSV_QUOTE, 0, "", "a quote not closed" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof run / sizeof *run; i++) {
        for (size_t piece = 1; piece < 9; piece += 3) {
            char got[200] = "";
            struct csv *csv = csv_open(join_fields, got);
            enum csv_fault fault = CSV_GOOD;
            size_t byte = strlen(run[i].text);
            int whole = -1;

            for (size_t at = 0; at < byte; at += piece)
                csv_bytes(csv, run[i].text + at,
                          byte - at < piece ? byte - at : piece);
            fault = csv_end(csv, &whole);
            if (fault != run[i].fault)
                print_error("%s\n", run[i].why);
            assert_int_equal(fault, run[i].fault);
            assert_string_equal(got, run[i].want);
            if (fault == CSV_GOOD)
                assert_int_equal(whole, run[i].whole);
            csv_close(csv);
        }
    }
}

static void table_of_feeds(void **state)
{
    (void)state;
    assert_true(feed_count_all() >= 20 && feed_count_all() <= FEED_COUNT_MAX);
    for (size_t i = 0; i < feed_count_all(); i++) {
        const struct feed *feed = feed_at(i);

        assert_ptr_equal(feed_find(feed->id), feed);
        assert_true(strlen(feed->id) < sizeof ((struct price_feed *)0)->id);
        assert_true(strlen(feed->title)
                    < sizeof ((struct price_feed *)0)->title);
        assert_true(strlen(feed->address)
                    < sizeof ((struct price_feed *)0)->address);
        assert_true(strlen(feed->licence)
                    < sizeof ((struct price_feed *)0)->licence);
        assert_memory_equal(feed->address, "https://", 8);
        assert_true(*feed->licence && *feed->title && *feed->provider);
        assert_true(feed->cadence_hour > 0 && feed->stale_day > 0);
        assert_true(feed->byte_cap > 0 &&
                    feed->byte_cap <= (feed->reader == &feed_reader_aws
                                       || feed->reader == &feed_reader_aws_plans
                                       ? 1536LL << 20 : 256LL << 20));
    }
    assert_null(feed_find("skypilot-"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(csv_grammar),
        cmocka_unit_test(table_of_feeds),
        cmocka_unit_test(samples),
        cmocka_unit_test(lines),
        cmocka_unit_test(column_order),
        cmocka_unit_test(refused_files),
        cmocka_unit_test(a_line_without_end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
