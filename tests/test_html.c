/* test_html.c: pages are well-formed, escape what outsiders typed, keep it,
   and say what the result says. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fcgi/form.h"
#include "fcgi/html.h"
#include "fcgi/out_html.h"
#include "fcgi/out_text.h"
#include "fcgi/page.h"
#include "fcgi/sentence.h"
#include "fcgi/shown.h"
#include "pricing/utf8.h"
#include "fcgi/words.h"
#include "pricing/price.h"

enum { PAGE_BYTE_MAX = 8 * 1024 * 1024, DEPTH_MAX = 64, ID_MAX = 1200 };

/* --- a study and what comes of it ----------------------------------------- */

struct bench {
    struct world world;
    struct input *input;
    struct answer *answer;
    struct text page;
};

static int set_up(void **state)
{
    struct bench *b = calloc(1, sizeof *b);

    if (!b)
        return -1;
    b->world = (struct world){ .prices = seed_prices(),
                                .rates = seed_rates(), .today = 20261201,
                                .degraded_reason = "" };
    b->input = malloc(sizeof *b->input);
    b->answer = malloc(sizeof *b->answer);
    text_init(&b->page, PAGE_BYTE_MAX);
    *state = b;
    return b->input && b->answer ? 0 : -1;
}

static int tear_down(void **state)
{
    struct bench *b = *state;

    text_free(&b->page);
    free(b->answer);
    free(b->input);
    free(b);
    return 0;
}

static int run(struct bench *b, const char *query)
{
    input_init(b->input);
    input_query(b->input, query, SURFACE_QUERY);
    input_keys(b->input, ON_COMPARE);
    return answer_run(b->answer, b->input, &b->world, "");
}

/* The page of a query, whichever it is. */
static const char *page_of(struct bench *b, const char *query)
{
    text_reset(&b->page);
    if (run(b, query))
        out_html(b->answer, &b->page);
    else
        out_html_problems(b->answer, &b->page);
    assert_false(b->page.failed);
    return b->page.at;
}

static const char *const good[] = {
    "",
    "a=own/h100-sxm5-80gb/8/2&b=rent/aws/p5.48xlarge/us-east-1/on_demand"
    "&c=rent/gcp/a2-ultragpu-8g/us-central1/on_demand&zone=DE&currency=EUR"
    "&busy_frac=80%25&label=%3Cscript%3Ealert(1)%3C/script%3E%22%27%26",
    "a=own/dgx-a100-320gb/3&b.label=%3Cb%3Ex%22%26",
    "a.gpu=rtx-5090&a.gpu_count=2&site=office&b.rent_price_per_hour=1.25"
    "&a.staff_fte=0&gpu_load_frac=0.8",
    "busy_frac=0",
    "busy_frac=1&horizon_year=15&discount_frac=1",
    "a.gpu_price=0&a.host_price=0&a.staff_fte=0&energy_price_per_kwh=0",
    "carbon_price_per_tonne=80&income_tax_frac=0.3&loan_frac=1",
    "a=rent&b=own&c=own/rtx-3090/4&d=rent&e=own/dgx-h100&f=rent",
    "a=own/rtx-4090/4/1&b=own/rtx-4090/1/1", /* b is short */
    "b.term=spot&b.provider=gcp&b.instance=a2-ultragpu-8g"
    "&b.region=us-central1",
    "currency=JPY&a.gpu_price=1e9",
    "grid=busy_frac,gpu_price&explain=b.compute&limit=20&only_gpu="
    "a100-sxm4-80gb,h100-sxm5-80gb&min_gpu_memory_gib=40&case=low"
    "&range.gpu_price=1000,3000&samples=20000&seed=7&max_machine_count=4",
    "explain=npv_cost&only_provider=aws,gcp&only_term=spot&limit=100"
    "&carbon_price_per_tonne=100&grid=b.rent_price_per_hour,pue_ratio"
    "&case=high&pair=ba&label=x&only_region=us-east-1",
    "explain=c.income_tax&c=own/h100-sxm5-80gb/8&income_tax_frac=0.25"
    "&loan_frac=0.4&samples=0&limit=0&lang=zh",
};

static const char *const bad[] = {
    "busy_frac=1.5",
    "busy_frac=x&pue_ratio=9&bussy_frac=3&a.gpu=h100&z.gpu=1&=5&flag",
    "b=rent/aws/p5.48xlarge/us-east-1/on_demand&b.region=eu-west-1",
    "b=rent/aws/p5.48xlarge/nowhere/on_demand",
    "a=own/dgx-a100-320gb&a.gpu=rtx-4090&busy_frac=.5&busy_frac=.6",
    "label=%3Cscript%3E%22%27&busy_frac=%22%3E%3Cimg%20src=x%3E",
    "%3Ci%3E=%22%3E%3Cb%3E&a.%22=1&x=%00&y=%ff&q=%zz",
    "a=own/&b=rent/a/b&c=x&e=own",
    "b=&b.provider=%3E&a.server=none2&zone=XX&currency=usd&as_of=2027-01-01",
    "term=weekly&precision=fp8&a.gpu=rtx-3090&lang=de",
    ("grid=busy_frac&explain=nothing&only_gpu=h100&only_term=weekly"
     "&only_provider=%3Cb%3E&limit=101&range.gpu_price=5"),
};

#define COUNT(list) (sizeof(list) / sizeof *(list))

/* --- a small reader of markup ------------------------------------------------ */

struct tag { const char *name, *attributes, *end; size_t length; int closing; };

/* The next tag at or after *at; 0 at the end. Quotes are balanced in what
   this program writes. */
static int next_tag(const char **at, struct tag *tag)
{
    const char *open = strchr(*at, '<');

    if (!open)
        return 0;
    tag->closing = open[1] == '/';
    tag->name = open + 1 + tag->closing;
    tag->length = strcspn(tag->name, " >\n");
    tag->attributes = tag->name + tag->length;
    for (tag->end = tag->attributes; *tag->end != '>'; tag->end++) {
        if (*tag->end == '"')
            tag->end = strchr(tag->end + 1, '"');
        assert_true(tag->end && *tag->end && *tag->end != '<');
    }
    *at = tag->end + 1;
    return 1;
}

/* Without content: void elements of HTML, and what closes itself in SVG. */
static int is_void(const struct tag *tag)
{
    static const char *const names[] = { "meta", "link", "br", "input",
                                         "!doctype" };

    for (size_t i = 0; i < COUNT(names); i++)
        if (strlen(names[i]) == tag->length &&
            memcmp(names[i], tag->name, tag->length) == 0)
            return 1;
    return tag->end[-1] == '/';
}

static int is_tag(const struct tag *tag, const char *name)
{
    return !tag->closing && strlen(name) == tag->length &&
           memcmp(tag->name, name, tag->length) == 0;
}

/* The attribute's raw text into `out`; 1 when there is one. */
static int attribute(const struct tag *tag, const char *name, char *out,
                     size_t room)
{
    size_t length = strlen(name);

    for (const char *at = tag->attributes; at < tag->end; at++) {
        size_t each = 0;
        if (*at == '"') {
            at = strchr(at + 1, '"');
            continue;
        }
        if (*at != ' ' || strncmp(at + 1, name, length) != 0)
            continue;
        at += 1 + length;
        if (*at == '=' && at[1] == '"')
            each = strcspn(at += 2, "\"");
        else if (*at != ' ' && *at != '>')
            continue;
        assert_true(each < room);
        memcpy(out, at, each);
        out[each] = '\0';
        return 1;
    }
    return 0;
}

static void check_balance(const char *page, const char *what)
{
    struct tag tag, stack[DEPTH_MAX];
    int depth = 0;

    for (const char *at = page; next_tag(&at, &tag); ) {
        if (is_void(&tag))
            continue;
        if (!tag.closing) {
            assert_true(depth < DEPTH_MAX);
            stack[depth++] = tag;
            continue;
        }
        depth--;
        if (depth < 0 || stack[depth].length != tag.length ||
            memcmp(stack[depth].name, tag.name, tag.length) != 0)
            fail_msg("%s: </%.*s> closes <%.20s", what, (int)tag.length,
                     tag.name, depth < 0 ? "nothing" : stack[depth].name);
    }
    assert_int_equal(depth, 0);
}

/* Ids are there once, and what points to one finds it. */
static void check_ids(const char *page, const char *what)
{
    static char id[ID_MAX][64];
    static const char *const pointers[] = { "for", "href", "list",
                                            "aria-describedby" };
    int count = 0;
    struct tag tag;
    char value[4096];

    for (const char *at = page; next_tag(&at, &tag); ) {
        if (tag.closing || !attribute(&tag, "id", value, sizeof value))
            continue;
        assert_true(count < ID_MAX && strlen(value) < 64);
        for (int i = 0; i < count; i++)
            if (strcmp(id[i], value) == 0)
                fail_msg("%s: id %s twice", what, value);
        strcpy(id[count++], value);
    }
    for (const char *at = page; next_tag(&at, &tag); )
        for (size_t k = 0; k < COUNT(pointers); k++) {
            char *each = value;
            if (tag.closing ||
                !attribute(&tag, pointers[k], value, sizeof value))
                continue;
            if (k == 1 && *value != '#')
                continue;
            each += k == 1;
            for (each = strtok(each, " "); each; each = strtok(NULL, " ")) {
                int found = 0;
                for (int i = 0; i < count; i++)
                    found |= strcmp(id[i], each) == 0;
                if (!found)
                    fail_msg("%s: %s points to %s", what, pointers[k], each);
            }
        }
}

/* Words that leak from a computation. */
static void check_words(const char *text, const char *what)
{
    static const char *const leak[] = { "nan", "inf", "null", "undefined",
                                        "(nil)", "-0 ", "e+" };

    for (size_t i = 0; i < COUNT(leak); i++)
        for (const char *at = text; (at = strstr(at, leak[i])); at++) {
            char before = at == text ? ' ' : at[-1];
            char after = at[strlen(leak[i])];
            int inside = (before >= 'a' && before <= 'z') ||
                         (before >= 'A' && before <= 'Z') ||
                         (after >= 'a' && after <= 'z') ||
                         (after >= '0' && after <= '9' && leak[i][0] != 'e');
            if (!inside)
                fail_msg("%s: %.60s", what, at);
        }
}

/* The strict policy allows none of these; a script only as a file of ours. */
static void check_policy(const char *page, const char *what)
{
    struct tag tag;
    char value[4096];

    for (const char *at = page; next_tag(&at, &tag); ) {
        if (is_tag(&tag, "script")) {
            assert_true(attribute(&tag, "src", value, sizeof value));
            assert_int_equal(strncmp(value, "/app.", 5), 0);
            assert_int_equal(strncmp(tag.end, "></script>", 10), 0);
            continue;
        }
        if (is_tag(&tag, "style") ||
            is_tag(&tag, "img") || attribute(&tag, "style", value, 4096) ||
            attribute(&tag, "onclick", value, 4096))
            fail_msg("%s: %.40s", what, tag.name);
    }
    assert_null(strstr(page, "type=\"number\""));
}

static void check_page(const char *page, const char *what)
{
    for (const char *at = page; *at; ) {
        size_t length = utf8_length(at, strlen(at) < 4 ? strlen(at) : 4);
        if (length == 0)
            fail_msg("%s: not UTF-8", what);
        at += length;
    }
    check_balance(page, what);
    check_ids(page, what);
    check_words(page, what);
    check_policy(page, what);
}

/* --- tests ------------------------------------------------------------------------ */

static void escapes_by_destination(void **state)
{
    static const struct { const char *text, *between, *attribute; } run[] = {
        { "a<b>&\"'", "a&lt;b&gt;&amp;\"'", "a&lt;b&gt;&amp;&quot;&#39;" },
        { "", "", "" },
        { "\xFF<", "\xEF\xBF\xBD&lt;", "\xEF\xBF\xBD&lt;" },
        { "a\x01z", "a\xEF\xBF\xBDz", "a\xEF\xBF\xBDz" },
        { "\xC3\x97", "\xC3\x97", "\xC3\x97" },
    };

    (void)state;
    for (size_t i = 0; i < COUNT(run); i++) {
        struct text out;
        text_init(&out, 1024);
        html_text(&out, run[i].text);
        assert_string_equal(out.at ? out.at : "", run[i].between);
        text_reset(&out);
        html_attr(&out, run[i].text);
        assert_string_equal(out.at ? out.at : "", run[i].attribute);
        text_free(&out);
    }
}

static void pages_are_well_formed(void **state)
{
    struct bench *b = *state;

    for (size_t i = 0; i < COUNT(good); i++) {
        const char *page = page_of(b, good[i]);
        if (b->input->problems.count)
            fail_msg("%s: %s %s", good[i], b->input->problems.problem[0].field,
                     b->input->problems.problem[0].code);
        check_page(page, good[i]);
        assert_null(strstr(page, "<b>x"));
    }
    for (size_t i = 0; i < COUNT(bad); i++) {
        const char *page = page_of(b, bad[i]);
        assert_true(b->input->problems.count > 0);
        check_page(page, bad[i]);
        assert_null(strstr(page, "<img"));
    }
    text_reset(&b->page);
    out_site_index(&b->world, "", 0, &b->page);
    check_page(b->page.at, "start page");
}

/* With a public address, search engines are told of both languages. */
static void languages_are_announced(void **state)
{
    struct bench *b = *state;

    input_init(b->input);
    input_query(b->input, "busy_frac=0.3&lang=zh", SURFACE_QUERY);
    input_keys(b->input, ON_COMPARE);
    assert_true(answer_run(b->answer, b->input, &b->world, "https://g.example"));
    text_reset(&b->page);
    out_html(b->answer, &b->page);
    assert_non_null(strstr(b->page.at, "<html lang=\"zh-CN\">"));
    assert_non_null(strstr(b->page.at, "hreflang=\"en\" href=\"https://g.example"
                           "/compare?busy_frac=0.3&amp;as_of=2026-12-01\""));
    assert_non_null(strstr(b->page.at, "hreflang=\"zh-CN\" href=\"https://"
                           "g.example/compare?busy_frac=0.3&amp;as_of=2026-12-01"
                           "&amp;lang=zh\""));
    assert_null(strstr(page_of(b, ""), "rel=\"alternate\""));
}

static void labels_are_escaped(void **state)
{
    struct bench *b = *state;
    const char *page = page_of(b, "b.label=%3Cscript%3E%26%22");

    assert_non_null(strstr(page, "&lt;script&gt;&amp;\""));
    assert_non_null(strstr(page, "value=\"&lt;script&gt;&amp;&quot;\""));
}

static void mistakes_stand_at_their_fields(void **state)
{
    struct bench *b = *state;
    const char *page = page_of(b, "busy_frac=1.5&a.gpu_price=abc&pue_ratio=1.3"
                                  "&horizon_year=2&bussy_frac=3");

    assert_non_null(strstr(page, "<title>Error: "));
    assert_non_null(strstr(page, "There is a problem"));
    assert_non_null(strstr(page, "<a href=\"#f-busy_frac\">Time in use must be "
                                 "at most 1 (100%)</a>"));
    assert_non_null(strstr(page, "id=\"f-busy_frac\" name=\"busy_frac\" "
                                 "aria-describedby=\"h-busy_frac e-busy_frac\" "
                                 "aria-invalid=\"true\" value=\"1.5\""));
    assert_non_null(strstr(page, "aria-invalid=\"true\" value=\"abc\""));
    assert_non_null(strstr(page, "name=\"horizon_year\" "
                                 "aria-describedby=\"h-horizon_year\" "
                                 "value=\"2\""));
    assert_non_null(strstr(page, "Did you mean busy_frac?"));
    assert_non_null(strstr(page, "name=\"bussy_frac\" value=\"3\""));
}

static void declared_mistakes_stand_at_the_declaration(void **state)
{
    struct bench *b = *state;
    const char *page = page_of(b, "b=rent/aws/p5.48xlarge/nowhere/on_demand");

    assert_non_null(strstr(page, "<a href=\"#f-b\">Region of option b"));
    assert_non_null(strstr(page, "value=\"rent/aws/p5.48xlarge/nowhere/"
                                 "on_demand\""));
    assert_null(strstr(page, "name=\"b.region\""));
}

/* --- sending the form again changes nothing ---------------------------------------- */

static void decode_entities(char *text)
{
    static const struct { const char *entity; char c; } table[] = {
        { "&amp;", '&' }, { "&lt;", '<' }, { "&gt;", '>' },
        { "&quot;", '"' }, { "&#39;", '\'' },
    };
    char *to = text;

    for (char *at = text; *at; ) {
        size_t skip = 1;
        *to = *at;
        for (size_t i = 0; i < COUNT(table); i++)
            if (strncmp(at, table[i].entity, strlen(table[i].entity)) == 0) {
                *to = table[i].c;
                skip = strlen(table[i].entity);
            }
        at += skip;
        to++;
    }
    *to = '\0';
}

static void put_pair(struct text *query, char *name, char *value)
{
    decode_entities(name);
    decode_entities(value);
    if (query->byte)
        text_char(query, '&');
    url_arg(query, name);
    text_char(query, '=');
    url_arg(query, value);
}

/* What a browser sends for the form of a page. */
static void submit(const char *page, struct text *query)
{
    struct tag tag;
    char name[128] = "", first[4096] = "", value[4096], none[8];
    int in_select = 0, chosen = 0, any = 0;

    for (const char *at = page; next_tag(&at, &tag); ) {
        if (is_tag(&tag, "input") &&
            attribute(&tag, "name", name, sizeof name) &&
            attribute(&tag, "value", value, sizeof value)) {
            char type[16];
            attribute(&tag, "type", type, sizeof type);
            if (strcmp(type, "checkbox") != 0)
                put_pair(query, name, value);
        } else if (is_tag(&tag, "select")) {
            attribute(&tag, "name", name, sizeof name);
            in_select = 1;
            any = chosen = 0;
        } else if (in_select && is_tag(&tag, "option")) {
            attribute(&tag, "value", value, sizeof value);
            if (!any)
                strcpy(first, value);
            any = 1;
            if (attribute(&tag, "selected", none, sizeof none)) {
                put_pair(query, name, value);
                chosen = 1;
            }
        } else if (tag.closing && strncmp(tag.name, "select>", 7) == 0) {
            if (!chosen)
                put_pair(query, name, first);
            in_select = 0;
        }
    }
}

static void form_keeps_the_study(void **state)
{
    struct bench *b = *state;

    for (size_t i = 0; i < COUNT(good); i++) {
        struct text query, before, after;
        text_init(&query, PAGE_BYTE_MAX);
        text_init(&before, PAGE_BYTE_MAX);
        text_init(&after, PAGE_BYTE_MAX);
        submit(page_of(b, good[i]), &query);
        answer_query(b->answer, &before);
        if (!run(b, query.at))
            fail_msg("%s: %s %s", good[i], b->input->problems.problem[0].field,
                     b->input->problems.problem[0].code);
        answer_query(b->answer, &after);
        assert_string_equal(after.at, before.at);
        text_free(&query);
        text_free(&before);
        text_free(&after);
    }
}

static void cases_have_answers(void **state)
{
    struct bench *b = *state;
    static const char *const query[] = {
#define CASE(title, query) query,
#include "fcgi/cases.def"
    };

    for (size_t i = 0; i < COUNT(query); i++)
        if (!run(b, query[i]))
            fail_msg("%s: %s %s", query[i],
                     b->input->problems.problem[0].field,
                     b->input->problems.problem[0].code);
}

/* --- sentences ------------------------------------------------------------------------ */

static void sentences_follow_the_result(void **state)
{
    struct bench *b = *state;
    static const struct {
        double own, rent, month;
        int heavy, close;
        const char *start, *part, *why;
    } run_of[] = {
        { 100, 200, 5, 0, 0, "Owning rig is cheaper from month 5 on; "
          "before that renting is (cloud).", "rig costs USD 100", "flips" },
        { 300, 200, NAN, 0, 0, "Renting cloud is cheaper throughout; owning "
          "(rig) never pays off within 3 years.", "cloud costs USD 200",
          "never" },
        { 100, 200, NAN, 1, 0, "Owning rig is cheaper from the start than "
          "renting (cloud).", "USD 100 less", "renting is paid up front" },
        { 100, 200, NAN, -1, 0, "Owning rig is cheaper from the start",
          "USD 100 less", "same outlay" },
        { 100, 104, 35, 0, 1, "Too close to call: owning rig and renting "
          "cloud are less than 5 % apart.", "USD 4 less", "close" },
        { 100, 200, NAN, 0, 0, "Owning rig is cheaper only thanks to resale",
          "rig costs USD 100", "resale decides" },
        { 300, 200, 30, 0, 0, "Renting cloud is cheaper in present value, "
          "although from month 30 on", "cloud costs USD 200",
          "discounting decides" },
    };

    for (size_t i = 0; i < COUNT(run_of); i++) {
        struct pair *pair = &b->answer->verdict.pair[0];
        struct text out;
        assert_true(run(b, "a.label=rig&b.label=cloud"));
        b->answer->result[0].npv_cost = run_of[i].own;
        b->answer->result[1].npv_cost = run_of[i].rent;
        pair->saving_npv = run_of[i].rent - run_of[i].own;
        pair->break_even_month = run_of[i].month;
        pair->heavy = run_of[i].heavy;
        pair->close_call = run_of[i].close;
        text_init(&out, 4096);
        sentence(b->answer, &out);
        if (strncmp(out.at, run_of[i].start, strlen(run_of[i].start)) != 0 ||
            !strstr(out.at, run_of[i].part))
            fail_msg("%s: %s", run_of[i].why, out.at);
        text_free(&out);
    }
}

static void sentence_without_a_pair(void **state)
{
    struct bench *b = *state;
    struct text out;

    assert_true(run(b, "a.label=big&b=own/rtx-4090/1/1&b.label=small"));
    text_init(&out, 4096);
    sentence(b->answer, &out);
    assert_non_null(strstr(out.at, "Only one option can do the work: owning "
                                   "big."));
    text_free(&out);
}

/* --- numbers and words ------------------------------------------------------------------ */

static void numbers_for_people(void **state)
{
    static const struct { double value; const char *rounded, *money; } run_of[] = {
        { 32249.09, "USD 32,200", "USD 32,249" },
        { 1094999, "USD 1.09 million", "USD 1,094,999" },
        { 999999, "USD 1 million", "USD 999,999" },
        { 0, "USD 0", "USD 0" },
        { -0.2, "USD \xE2\x88\x92" "0.2", "USD 0" },
        { -1500, "USD \xE2\x88\x92" "1,500", "USD \xE2\x88\x92" "1,500" },
        { 7.125, "USD 7.13", "USD 7" },
        { NAN, "USD \xE2\x80\x93", "USD \xE2\x80\x93" },
    };

    (void)state;
    for (size_t i = 0; i < COUNT(run_of); i++) {
        struct text out;
        text_init(&out, 1024);
        shown_rounded(&out, "USD", run_of[i].value);
        assert_string_equal(out.at, run_of[i].rounded);
        text_reset(&out);
        shown_money(&out, "USD", run_of[i].value);
        assert_string_equal(out.at, run_of[i].money);
        text_free(&out);
    }
}

static void every_mistake_has_words(void **state)
{
    static const struct { const char *field, *code, *limit, *hint, *want; } run_of[] = {
        { "pue_ratio", "above_max", "4", "", "PUE must be at most 4" },
        { "b.pue_ratio", "below_min", "1", "",
          "PUE of option b must be at least 1" },
        { "a.gpu", "not_in_list", "", "h100-sxm5-80gb",
          "GPU model of option a is not known. Did you mean "
          "h100-sxm5-80gb?" },
        { "b.instance", "not_in_list", "", "gcp", "Instance of option b is "
          "not known for this provider. Did you mean provider gcp?" },
        { "term", "not_in_list", "on_demand spot", "",
          "Term must be one of: on_demand, spot" },
        { "precision", "no_value", "fp32 fp16", "gtx-1080-ti",
          "gtx-1080-ti has no peak rate at this precision: choose one of "
          "fp32, fp16, or type the speed of the machine" },
        { "busy_frac", "no_value", "", "",
          "Time in use has no value: write busy_frac=value" },
        { "d", "option_gap", "", "",
          "d leaves out a letter: take the next free one" },
        { "body", "too_long", "65536 bytes", "",
          "What was sent is too long: at most 65536 bytes" },
    };
    static const char *const code[] = {
        "above_max", "below_min", "not_a_number", "not_an_integer",
        "not_finite", "underflow", "empty", "too_long", "wrong_type",
        "not_in_list", "no_price", "no_value", "no_rate", "bad_date",
        "in_future", "before_first_price", "conflict", "not_applicable",
        "shared_field", "repeated_key", "unknown_key", "unknown_option",
        "option_gap", "bad_option", "missing", "too_many_keys", "bad_escape",
        "bad_utf8", "control_char", "bad_json", "too_deep", "unexpected",
        "unsupported", "not_found", "not_allowed", "not_acceptable",
    };
    struct problem problem;
    struct text out;

    (void)state;
    text_init(&out, 4096);
    for (size_t i = 0; i < COUNT(run_of); i++) {
        memset(&problem, 0, sizeof problem);
        strcpy(problem.field, run_of[i].field);
        problem.code = run_of[i].code;
        strcpy(problem.limit, run_of[i].limit);
        strcpy(problem.hint, run_of[i].hint);
        text_reset(&out);
        problem_words(&problem, 0, &out);
        assert_string_equal(out.at, run_of[i].want);
    }
    memset(&problem, 0, sizeof problem);
    strcpy(problem.field, "x");
    strcpy(problem.limit, "1");
    strcpy(problem.hint, "y");
    for (size_t i = 0; i < COUNT(code); i++) {
        problem.code = code[i];
        text_reset(&out);
        problem_words(&problem, 0, &out);
        if (strstr(out.at, code[i]))
            fail_msg("no words for %s", code[i]);
    }
    text_free(&out);
}

static void text_is_narrow(void **state)
{
    struct bench *b = *state;

    for (size_t i = 0; i < COUNT(good); i++) {
        assert_true(run(b, good[i]));
        text_reset(&b->page);
        out_text(b->answer, &b->page);
        check_words(b->page.at, good[i]);
        if (b->answer->study.option_count > 2)
            continue;
        for (const char *line = b->page.at; *line; ) {
            size_t byte = strcspn(line, "\n");
            if (utf8_count(line, byte) > 100 &&
                strncmp(line, "/compare?", 9) != 0 &&
                strncmp(line + strspn(line, " "), "https://", 8) != 0)
                fail_msg("%s: %.*s", good[i], (int)byte, line);
            line += byte + (line[byte] == '\n');
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(escapes_by_destination),
        cmocka_unit_test(numbers_for_people),
        cmocka_unit_test(every_mistake_has_words),
        cmocka_unit_test(pages_are_well_formed),
        cmocka_unit_test(languages_are_announced),
        cmocka_unit_test(labels_are_escaped),
        cmocka_unit_test(mistakes_stand_at_their_fields),
        cmocka_unit_test(declared_mistakes_stand_at_the_declaration),
        cmocka_unit_test(form_keeps_the_study),
        cmocka_unit_test(cases_have_answers),
        cmocka_unit_test(sentences_follow_the_result),
        cmocka_unit_test(sentence_without_a_pair),
        cmocka_unit_test(text_is_narrow),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
