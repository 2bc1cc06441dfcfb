/* test_app.c: the seam, for every address, method and format. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fcgi/app.h"
#include "fcgi/input.h"

static struct response response;

static struct request request_of(const char *method, const char *path,
                                 const char *query)
{
    struct request r = { method, path, query, "", 0, 0, "", "", "", "", "",
                         "", "", NULL, NULL };

    return r;
}

static const struct price_table *prices; /* NULL: those of the program */
static int today = 20261201;

static int handle(const struct request *request)
{
    struct world world;

    memset(&world, 0, sizeof world);
    world.prices = prices ? prices : seed_prices();
    world.rates = seed_rates();
    world.today = today;
    world.degraded_reason = "";
    response_reset(&response);
    app_handle(&world, request, &response);
    assert_false(response.body.failed);
    assert_false(response.header.failed);
    return response.status;
}

static int ask(const char *method, const char *path, const char *query)
{
    struct request r = request_of(method, path, query);

    return handle(&r);
}

static const char *body(void) { return response.body.at ? response.body.at : ""; }
static const char *header(void) { return response.header.at ? response.header.at : ""; }

static int has_problem(const char *field, const char *code)
{
    cJSON *tree = cJSON_Parse(body());
    const cJSON *each, *errors = cJSON_GetObjectItem(tree, "errors");
    int found = 0;

    cJSON_ArrayForEach(each, errors)
        found |= strcmp(cJSON_GetObjectItem(each, "field")->valuestring, field) == 0 &&
                 strcmp(cJSON_GetObjectItem(each, "code")->valuestring, code) == 0;
    cJSON_Delete(tree);
    return found;
}

enum { METHOD_GET = 1, METHOD_POST = 2 };
enum format {
#define FORMAT(id, suffix, media) FORMAT_##id,
#include "fcgi/formats.def"
    FORMAT_COUNT
};
enum {
#define FORMAT(id, suffix, media) AS_##id = 1 << FORMAT_##id,
#include "fcgi/formats.def"
    AS_NONE = 0
};
static const struct { const char *suffix, *media; } format_table[] = {
#define FORMAT(id, suffix, media) { suffix, media },
#include "fcgi/formats.def"
};
static const struct { const char *path; unsigned methods, formats, where; }
route_table[] = {
#define ROUTE(path, methods, formats, where, handler, summary) { path, methods, formats, where },
#include "fcgi/routes.def"
};
enum { ROUTE_COUNT = sizeof route_table / sizeof *route_table };

/* A path for a route: one of something known for "/gpus/ *". */
static void path_of(int route, char *out, size_t room)
{
    const char *path = route_table[route].path;
    const char *star = strchr(path, '*');

    if (!star)
        snprintf(out, room, "%s", path);
    else
        snprintf(out, room, "%.*s%s", (int)(star - path), path,
                 strstr(path, "gpus") ? "rtx-4090" : "aws:p4d.24xlarge");
}

/* What must be asked for an address to have an answer. */
static const char *query_of(const char *path)
{
    if (strstr(path, "/train"))
        return "param_count=7e9&token_count=1e12";
    if (strncmp(path, "/prices/history", 15) == 0)
        return "instance=p4d.24xlarge&region=us-east-1";
    if (strncmp(path, "/advise", 7) == 0)
        return "budget=30000&param_count=1e8";
    return "";
}

/* Saved studies want a store (test_saved.c), oEmbed a public address
   (test_embed.c). */
static int is_apart(int route)
{
    static const char *const apart[] = { "/studies", "/s/*", "/embed/s/*",
                                         "/oembed" };

    for (size_t i = 0; i < sizeof apart / sizeof *apart; i++)
        if (strcmp(route_table[route].path, apart[i]) == 0)
            return 1;
    return 0;
}

/* As ask(), with a body where the address answers nothing without. */
static int ask_full(const char *path, const char *full, const char *query)
{
    static const char log[] = "timestamp,index,name,power.draw [W]\n"
        "2024/05/01 12:00:00.000, 0, NVIDIA A100-SXM4-80GB, 300\n"
        "2024/05/01 12:00:01.000, 0, NVIDIA A100-SXM4-80GB, 320\n";
    struct request r = request_of("POST", full, query);

    if (strcmp(path, "/power-log") != 0)
        return ask("GET", full, query);
    r.body = log;
    r.body_byte = sizeof log - 1;
    r.content_type = "text/csv";
    return handle(&r);
}

static void every_format(void **state)
{
    const unsigned heavy = AS_XLSX | AS_PDF | AS_PNG; /* the other program's */
    char path[96], full[128];

    (void)state;
    for (int i = 0; i < ROUTE_COUNT; i++) {
        if (is_apart(i))
            continue;
        path_of(i, path, sizeof path);
        for (int f = 0; f < FORMAT_COUNT; f++) {
            int known = ((route_table[i].formats & ~heavy) >> f & 1) != 0, status;
            if (strchr(path + 1, '.') && !known)
                continue; /* "/fields.json", "/prices/p4d.24xlarge" */
            snprintf(full, sizeof full, "%s.%s", path, format_table[f].suffix);
            status = ask_full(path, full, query_of(path));
            if (status != (known ? 200 : 404))
                fail_msg("GET %s: %d, %.300s", full, status, body());
            if (known)
                assert_string_equal(response.content_type, format_table[f].media);
            if (known && strcmp(format_table[f].suffix, "json") == 0) {
                cJSON *tree = cJSON_Parse(body());
                if (!tree)
                    fail_msg("%s is not JSON: %.200s", full, body());
                cJSON_Delete(tree);
            }
        }
    }
}

static void every_method(void **state)
{
    char path[96];

    (void)state;
    for (int i = 0; i < ROUTE_COUNT; i++) {
        int status;
        if (is_apart(i))
            continue;
        path_of(i, path, sizeof path);
        status = ask("HEAD", path, query_of(path));
        if (status != 200)
            fail_msg("HEAD %s: %d %.200s", path, status, body());
        assert_int_equal(ask("DELETE", path, ""), 405);
        assert_non_null(strstr(header(), "Allow: GET, HEAD"));
        assert_string_equal(response.content_type, "application/problem+json");
        if (!(route_table[i].methods & METHOD_POST))
            assert_int_equal(ask("POST", path, ""), 405);
    }
}

static void no_such_address(void **state)
{
    static const char *const path[] = {
        "/nowhere", "/compare/", "/compare.", "/compare.exe", "/COMPARE",
        "/compare.json.html", "/compare;v=1", "/compare%20", "/", "",
        "/compare.xlsx/", "//compare" };

    (void)state;
    for (size_t i = 0; i < sizeof path / sizeof *path; i++) {
        if (ask("GET", path[i], "") != 404)
            fail_msg("%s: %d", path[i], response.status);
        assert_string_equal(response.content_type, "application/problem+json");
        assert_non_null(strstr(body(), "not_found"));
    }
    ask("GET", "/compare.exe", "");
    assert_non_null(strstr(body(), ".json")); /* says which there are */
}

static void accept_header(void **state)
{
    static const struct { const char *accept, *type; int status; } row[] = {
        { "", "text/html; charset=utf-8", 200 },
        { "*/*", "text/html; charset=utf-8", 200 },
        { "application/json", "application/json", 200 },
        { "text/html;q=0.1, application/json", "application/json", 200 },
        { "text/html, application/json;q=0.9", "text/html; charset=utf-8", 200 },
        { "text/*;q=0.3, application/json;q=0.2", "text/html; charset=utf-8", 200 },
        { "application/json;q=0, */*", "text/html; charset=utf-8", 200 },
        { "image/x-nothing", "application/problem+json", 406 },
        { "text/html;q=0", "application/problem+json", 406 },
    };

    (void)state;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        struct request r = request_of("GET", "/compare", "");
        r.accept = row[i].accept;
        if (handle(&r) != row[i].status)
            fail_msg("Accept: %s gives %d", row[i].accept, response.status);
        assert_string_equal(response.content_type, row[i].type);
    }
}

static void tags(void **state)
{
    struct request r = request_of("GET", "/compare.json", "busy_frac=0.5");
    char tag[64];
    const char *at;

    (void)state;
    assert_int_equal(handle(&r), 200);
    at = strstr(header(), "ETag: ");
    assert_non_null(at);
    snprintf(tag, sizeof tag, "%.*s", (int)strcspn(at + 6, "\r"), at + 6);
    r.if_none_match = tag;
    assert_int_equal(handle(&r), 304);
    assert_int_equal(response.body.byte, 0);
    r.query = "busy_frac=0.6"; /* another study, another version */
    assert_int_equal(handle(&r), 200);
    r.query = "busy_frac=5e-1"; /* the same study, written otherwise */
    assert_int_equal(handle(&r), 304);
    r.path = "/compare.html";
    assert_int_equal(handle(&r), 200);
}

static void bodies(void **state)
{
    static const struct { const char *type, *encoding, *body; int status; } row[] = {
        { "application/json", "", "{}", 200 },
        { "application/json; charset=utf-8", "", "{}", 200 },
        { "application/json;charset=\"UTF-8\"", "", "{}", 200 },
        { "application/json; charset=utf-16", "", "{}", 415 },
        { "application/x-www-form-urlencoded", "", "busy_frac=0.5", 200 },
        { "text/plain", "", "x", 415 }, { "", "", "x", 415 },
        { "application/json", "gzip", "{}", 415 },
        { "application/json", "identity", "{}", 200 },
    };
    struct request r;

    (void)state;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        r = request_of("POST", "/compare.json", "");
        r.content_type = row[i].type;
        r.content_encoding = row[i].encoding;
        r.body = row[i].body;
        r.body_byte = strlen(row[i].body);
        if (handle(&r) != row[i].status)
            fail_msg("%s %s: %d", row[i].type, row[i].body, response.status);
    }
    r = request_of("POST", "/compare.json", "busy_frac=0.4");
    r.content_type = "application/x-www-form-urlencoded";
    r.body = "busy_frac=0.5";
    r.body_byte = strlen(r.body);
    assert_int_equal(handle(&r), 400);
    assert_true(has_problem("busy_frac", "repeated_key"));
    r = request_of("GET", "/compare.json", "");
    r.body = "x=1";
    r.body_byte = 3;
    assert_int_equal(handle(&r), 400);
    assert_true(has_problem("body", "unexpected"));
    r = request_of("POST", "/compare.json", "");
    r.content_type = "application/json";
    r.body_too_large = 1;
    assert_int_equal(handle(&r), 413);
}

static void all_mistakes_at_once(void **state)
{
    (void)state;
    assert_int_equal(ask("GET", "/compare.json",
                         "gpu_watt=nan&pue_ratio=9&foo=1&b.gpu_count=4&z.x=1"), 400);
    assert_true(has_problem("gpu_watt", "not_a_number"));
    assert_true(has_problem("pue_ratio", "above_max"));
    assert_true(has_problem("foo", "unknown_key"));
    assert_true(has_problem("b.gpu_count", "not_applicable"));
    assert_non_null(strstr(header(), "no-store"));
    assert_int_equal(ask("GET", "/compare", "pue_ratio=9"), 400);
    assert_non_null(strstr(body(), "Error: "));
}

static void permalink_gives_the_same(void **state)
{
    static const char *const query[] = {
        "", "busy_frac=12%25&label=Z%C3%BCrich+%26+Co",
        "a=own/h100-sxm5-80gb/8/2&b=rent/aws/p5.48xlarge/us-east-1/on_demand&c=own/dgx-h100&gpu_watt=600&c.gpu_watt=650",
        "a=rent&b=own&range.gpu_price=1000,4000&samples=100&seed=9&pair=ba&case=low",
    };
    char link[2048];

    (void)state;
    for (size_t i = 0; i < sizeof query / sizeof *query; i++) {
        cJSON *first, *second;
        const char *at;
        if (ask("GET", "/compare.json", query[i]) != 200)
            fail_msg("%s: %s", query[i], body());
        first = cJSON_Parse(body());
        at = cJSON_GetObjectItem(first, "permalink")->valuestring;
        snprintf(link, sizeof link, "%s", strchr(at, '?') + 1);
        if (ask("GET", "/compare.json", link) != 200)
            fail_msg("%s: %s", link, body());
        second = cJSON_Parse(body());
        assert_true(cJSON_Compare(cJSON_GetObjectItem(first, "pairs"),
                                  cJSON_GetObjectItem(second, "pairs"), 1));
        assert_string_equal(cJSON_GetObjectItem(second, "permalink")->valuestring, at);
        cJSON_Delete(first);
        cJSON_Delete(second);
    }
}

/* --- links ------------------------------------------------------------------------ */

enum { LINK_MAX = 3000, LINK_BYTE = 700 };
struct links { char at[LINK_MAX][LINK_BYTE]; int count; };

/* The addresses on this host that the page leads to, files left out. */
static void gather_links(const char *page, struct links *links)
{
    for (const char *at = page; (at = strstr(at, " href=\"/")) != NULL; ) {
        char link[LINK_BYTE];
        size_t byte = 0;
        int known = 0;

        for (at += 7; *at && *at != '"' && byte < LINK_BYTE - 1; at++) {
            link[byte++] = *at;
            if (!strncmp(at, "&amp;", 5))
                at += 4;
        }
        link[byte] = '\0';
        link[strcspn(link, "#")] = '\0';
        if (!*link || strstr(link, ".css") || strstr(link, ".js")
            || strstr(link, ".ico") || strstr(link, ".svg")
            || strstr(link, ".png") || strstr(link, ".xlsx")
            || strstr(link, ".pdf") || !strcmp(link, "/")
            || !strncmp(link, "/?", 2) || !strncmp(link, "/zh/", 4))
            continue;
        for (int i = 0; i < links->count && !known; i++)
            known = !strcmp(links->at[i], link);
        if (!known && links->count < LINK_MAX)
            strcpy(links->at[links->count++], link);
    }
}

/* An unknown address: JSON with the pages that exist, or, for a browser, a
   page with the way back. */
static void unknown_addresses(void **state)
{
    struct request r = request_of("GET", "/nowhere", "");

    (void)state;
    assert_int_equal(handle(&r), 404);
    assert_string_equal(response.content_type, "application/problem+json");
    assert_non_null(strstr(body(), "/prices"));
    assert_non_null(strstr(body(), "/sources"));
    r.accept = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";
    assert_int_equal(handle(&r), 404);
    assert_non_null(strstr(response.content_type, "text/html"));
    assert_non_null(strstr(body(), "href=\"/prices\""));
    assert_non_null(strstr(body(), "</html>"));
    assert_non_null(strstr(header(), "no-store"));
    r.query = "lang=zh";
    assert_int_equal(handle(&r), 404);
    assert_non_null(strstr(body(), "lang=\"zh"));
    r.accept = "*/*";
    assert_int_equal(handle(&r), 404);
    assert_string_equal(response.content_type, "application/problem+json");
}

/* The built-in prices as if their lists had last been read on their days and
   grew old after a week, or as if AWS had dropped p5.48xlarge on `gone_day`.
   The caller frees *at and *feed. */
static struct price_table changed_prices(int gone_day, struct price **at,
                                         struct price_feed **feed)
{
    const struct price_table *seed = seed_prices();
    struct price_table table = *seed;

    *at = malloc(seed->count * sizeof **at);
    *feed = malloc(seed->feed_count * sizeof **feed);
    assert_non_null(*at);
    assert_non_null(*feed);
    memcpy(*at, seed->price, seed->count * sizeof **at);
    memcpy(*feed, seed->feed, seed->feed_count * sizeof **feed);
    for (size_t i = 0; i < seed->feed_count; i++) {
        (*feed)[i].stale_day = gone_day ? 0 : 7;
        if (!(*feed)[i].fetched_day)
            (*feed)[i].fetched_day = 20260730;
    }
    for (size_t i = 0; gone_day && i < seed->count; i++)
        if (!strcmp((*at)[i].instance, "p5.48xlarge"))
            (*at)[i].gone_day = gone_day;
    table.price = *at;
    table.feed = *feed;
    return table;
}

/* An old price and a gone offer are marked by every writer of this program
   that shows the price; a current one by none. */
static void prices_are_marked(void **state)
{
    static const char study[] = "a=own/dgx-h100&samples=0&limit=5&b=rent/aws/"
                                "p5.48xlarge/us-east-1/on_demand";
    static const struct { const char *path, *more, *old, *gone; } run[] = {
        { "/compare.html", "", ">old price<", ">no longer listed<" },
        { "/compare.fragment", "", ">old price<", ">no longer listed<" },
        { "/compare.json", "", "\"stale_price\"", "\"offer_gone\"" },
        { "/compare.csv", "", "stale_price", "offer_gone" },
        { "/compare.focus.csv", "", "stale_price", "offer_gone" },
        { "/compare.txt", "", " is old: its list", " is no longer listed;" },
        { "/compare.md", "", " is old: its list", " is no longer listed;" },
        { "/compare.tex", "", " is old: its list", " is no longer listed;" },
        { "/compare.svg", "", "</tspan> old price", "</tspan> no longer" },
        { "/compare.svg", "&figure=stack", "</tspan> old price",
          "</tspan> no longer" },
        { "/embed/compare", "", " is old: its list", " is no longer listed;" },
    };
    /* offers that nobody named: each GPU's cheapest */
    static const char train[] = "param_count=7e9&token_count=1e12&"
                                "busy_frac=0.02"; /* owned is dear */
    static const char advise[] = "budget=400000&param_count=7e9";
    static const struct { const char *path, *more, *old; } wide[] = {
        { "/train.html", train, " (old price)" },
        { "/train.txt", train, " (old price)" },
        { "/train.json", train, "\"old\":true" },
        { "/advise.html", advise, " (old price)" },
        { "/advise.txt", advise, " (old price)" },
        { "/advise.json", advise, "\"old\":true" },
    };
    struct price *at = NULL;
    struct price_feed *feed = NULL;
    struct price_table table;
    char query[300];

    (void)state;
    for (int k = 0; k < 3; k++) { /* current, old, gone */
        if (k)
            table = changed_prices(k == 2 ? 20261120 : 0, &at, &feed);
        prices = k ? &table : NULL;
        for (size_t i = 0; i < sizeof run / sizeof *run; i++) {
            snprintf(query, sizeof query, "%s%s", study, run[i].more);
            assert_int_equal(ask("GET", run[i].path, query), 200);
            if ((strstr(body(), run[i].old) != NULL) != (k == 1)
                || (strstr(body(), run[i].gone) != NULL) != (k == 2))
                fail_msg("%s%s: %d", run[i].path, run[i].more, k);
        }
        assert_int_equal(ask("GET", "/prices.csv",
                             "q=p5.48xlarge&term=on_demand"), 200);
        assert_int_equal(strstr(body(), ",old,") != NULL, k == 1);
        assert_int_equal(strstr(body(), ",gone,") != NULL, k == 2);
        assert_int_equal(ask("GET", "/compare.json", "samples=0&limit=100"),
                         200);
        if (k) /* as built in, some lists are old */
            assert_int_equal(strstr(body(), "\"old\":true") != NULL, k == 1);
        for (size_t i = 0; k && i < sizeof wide / sizeof *wide; i++) {
            assert_int_equal(ask("GET", wide[i].path, wide[i].more), 200);
            if ((strstr(body(), wide[i].old) != NULL) != (k == 1))
                fail_msg("%s: %d", wide[i].path, k);
        }
        prices = NULL;
        free(at);
        free(feed);
        at = NULL;
        feed = NULL;
    }
}

/* What was known on a day stays what was known: nothing of later days. */
static void history_tells_no_future(void **state)
{
    static const char offer[] = "instance=p5.48xlarge&region=us-east-1&as_of=";
    struct price *at;
    struct price_feed *feed;
    struct price_table table = changed_prices(20261120, &at, &feed);
    char query[200], before[4000];

    (void)state;
    snprintf(query, sizeof query, "%s2026-11-19", offer);
    assert_int_equal(ask("GET", "/prices/history.csv", query), 200);
    assert_true(strlen(body()) < sizeof before);
    strcpy(before, body()); /* without the later news */
    prices = &table;
    assert_int_equal(ask("GET", "/prices/history.csv", query), 200);
    assert_string_equal(body(), before);
    feed[0].failure_count = 2;
    assert_int_equal(ask("GET", "/sources.csv", ""), 200);
    assert_non_null(strstr(body(), ",failing,"));
    assert_non_null(strstr(body(), ",,,7,never asked,")); /* as SkyPilot's */
    feed[0].failure_count = 0;
    assert_int_equal(ask("GET", "/sources.csv", ""), 200);
    assert_null(strstr(body(), ",failing,"));
    snprintf(query, sizeof query, "%s2026-11-20", offer);
    assert_int_equal(ask("GET", "/prices/history.csv", query), 200);
    assert_non_null(strstr(body(), "2026-11-20"));
    assert_non_null(strstr(body(), "no longer listed"));
    /* seen since: not told of a day before */
    for (size_t i = 0; i < table.count; i++) {
        at[i].gone_day = 0;
        at[i].fetched_day = 20261130;
    }
    snprintf(query, sizeof query, "%s2026-11-19", offer);
    assert_int_equal(ask("GET", "/prices/history.csv", query), 200);
    assert_null(strstr(body(), "2026-11-30"));
    assert_int_equal(ask("GET", "/prices.csv", "q=p5&as_of=2026-11-19"), 200);
    assert_null(strstr(body(), "2026-11-30"));
    prices = NULL;
    free(at);
    free(feed);
    /* only the last word of a list grows old */
    table = changed_prices(0, &at, &feed);
    prices = &table;
    assert_int_equal(ask("GET", "/prices/history.csv", "instance=p5.48xlarge"
                         "&region=us-east-1"), 200);
    {
        const char *old = strstr(body(), "old: last seen");
        assert_non_null(old);
        assert_null(strstr(old + 1, "old: last seen"));
    }
    prices = NULL;
    free(at);
    free(feed);
}

/* The table as one had it on `day`: without what became known later. The
   caller frees *at and *feed. */
static struct price_table prices_on(int day, struct price **at,
                                    struct price_feed **feed)
{
    struct price_table table = changed_prices(0, at, feed);
    size_t count = 0;

    for (size_t i = 0; i < table.feed_count; i++) {
        (*feed)[i] = seed_prices()->feed[i];
        if ((*feed)[i].fetched_day > day)
            (*feed)[i].fetched_day = day;
    }
    for (size_t i = 0; i < table.count; i++) {
        if (price_day(&(*at)[i]) > day)
            continue;
        (*at)[count] = (*at)[i];
        if ((*at)[count].fetched_day > day)
            (*at)[count].fetched_day = day;
        count++;
    }
    table.count = count;
    return table;
}

/* Cuts the form above the prices out: it offers providers of any day. */
static void without_filter(char *page)
{
    char *form = strstr(page, "<form class=\"filter\"");
    char *end = form ? strstr(form, "</form>") : NULL;

    if (end)
        memmove(form, end, strlen(end) + 1);
}

static int takes_as_of(int route)
{
    return (route_table[route].where & (ON_COMPARE | ON_TRAIN | ON_ADVISE
                | ON_PRICES | ON_HISTORY | ON_DATED)) != 0
           && !is_apart(route) && (route_table[route].methods & METHOD_GET);
}

/* Every address and format that knows a day: what it answers for that day is,
   byte for byte, what it answered on it, with fewer prices and an earlier
   today; for most, today's is another; and a day that is none, comes later
   or before the first price is refused by name. */
static void same_answer_later(void **state)
{
    static const struct { const char *day, *code; } bad[] = {
        { "2026-02-30", "bad_date" }, { "2026-12-02", "in_future" },
        { "1970-01-01", "before_first_price" } };
    const int day = 20260715;
    struct price *at;
    struct price_feed *feed;
    struct price_table then = prices_on(day, &at, &feed);
    int address_count = 0, other_count = 0;

    (void)state;
    assert_true(then.count < seed_prices()->count);
    for (int r = 0; r < ROUTE_COUNT; r++) {
        char path[100], query[300], full[140];

        if (!takes_as_of(r))
            continue;
        path_of(r, path, sizeof path);
        for (int f = 0; f < FORMAT_COUNT; f++) {
            char *before;

            if (!(route_table[r].formats & (1U << f)) || f == FORMAT_XLSX
                || f == FORMAT_PDF || f == FORMAT_PNG)
                continue; /* made elsewhere out of the same answer */
            snprintf(full, sizeof full, "%s.%s", path, format_table[f].suffix);
            snprintf(query, sizeof query, "%s&as_of=2026-07-15",
                     query_of(path));
            prices = &then;
            today = day;
            if (ask("GET", full, query) != 200)
                fail_msg("%s?%s: %d %s", full, query, response.status, body());
            before = strdup(body());
            assert_non_null(before);
            without_filter(before);
            prices = NULL;
            today = 20261201;
            assert_int_equal(ask("GET", full, query), 200);
            without_filter(response.body.at);
            if (strcmp(before, body()) != 0) {
                size_t same = 0;
                while (before[same] == body()[same])
                    same++;
                same -= same > 60 ? 60 : same;
                fail_msg("%s?%s: then %.120s\nnow %.120s", full, query,
                         before + same, body() + same);
            }
            assert_int_equal(ask("GET", full, query_of(path)), 200);
            other_count += strcmp(before, body()) != 0;
            free(before);
            address_count++;
        }
        for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
            snprintf(query, sizeof query, "%s&as_of=%s", query_of(path),
                     bad[i].day);
            snprintf(full, sizeof full, "%s%s", path,
                     route_table[r].formats & AS_JSON ? ".json" : "");
            if (ask("GET", full, query) != 400
                || !(has_problem("as_of", bad[i].code)
                     || (strstr(response.content_type, "text/html")
                         && strstr(body(), "The day of the prices"))))
                fail_msg("%s?%s: %d %s", full, query, response.status, body());
        }
    }
    assert_true(address_count > 25);
    assert_true(other_count > 25); /* not /servers: none is new there */
    free(at);
    free(feed);
}

/* AWS cut p5.48xlarge from 98.32 to 55.04 on 2025-06-23: told beside the price
   for thirty days, in every format that tells warnings. */
static void moves_are_told(void **state)
{
    static const char *const page[] = { "/compare.html", "/compare.json",
        "/compare.csv", "/compare.focus.csv", "/compare.txt", "/compare.md",
        "/compare.tex" };
    static const struct { const char *day; int told; } run[] = {
        { "2025-07-23", 1 }, { "2025-07-24", 0 } };
    char query[200];

    (void)state;
    for (size_t i = 0; i < sizeof page / sizeof *page; i++)
        for (int k = 0; k < 2; k++) {
            snprintf(query, sizeof query, "a=own/dgx-h100&samples=0&b=rent/aws/"
                     "p5.48xlarge/us-east-1/on_demand&as_of=%s", run[k].day);
            assert_int_equal(ask("GET", page[i], query), 200);
            if ((strstr(body(), "it was 98.32 USD an hour before 2025-06-23")
                 || strstr(body(), "price_moved"))
                != run[k].told)
                fail_msg("%s on %s", page[i], run[k].day);
        }
    assert_int_equal(ask("GET", "/prices.csv", "q=p5.48xlarge&as_of=2025-07-01"),
                     200);
    assert_non_null(strstr(body(), "moved by -44 % (98.32)"));
}

/* Plain text in Chinese: no run of four English words, but for names (in the
   address, in titles of sources and of machines). */
static void text_in_chinese(void **state)
{
    static const char *const address[] = { "/compare.txt", "/train.txt" };
    static const char *const query[] = { "lang=zh&samples=500",
        "lang=zh&model_preset=llama-3-8b" };
    int chinese = 0;

    (void)state;
    for (size_t i = 0; i < sizeof address / sizeof *address; i++) {
        assert_int_equal(ask("GET", address[i], query[i]), 200);
        for (const char *line = body(); *line; ) {
            size_t byte = strcspn(line, "\n"), words = 0, most = 0;

            for (size_t at = 0; at < byte; at++) {
                const unsigned char c = (unsigned char)line[at];
                const int lower = c >= 'a' && c <= 'z';

                chinese += c >= 0xe4 && c <= 0xe9;
                if (lower && (at == 0 || line[at - 1] == ' '))
                    words++;
                else if (!lower && c != ' ')
                    words = 0;
                most = words > most ? words : most;
            }
            if (most >= 4 && !memchr(line, '?', byte))
                fail_msg("%s: %.*s", address[i], (int)byte, line);
            line += byte + (line[byte] == '\n');
        }
    }
    assert_true(chinese > 300);
}

/* What a page of a table leads to is there, in both languages. */
static void tables_lead_somewhere(void **state)
{
    static const struct { const char *at, *query; } page[] = {
        { "/prices", "" }, { "/gpus", "" }, { "/servers", "" },
        { "/zones", "" }, { "/sources", "" }, { "/models", "" },
        { "/methods", "" }, { "/advise", "" },
        { "/prices", "as_of=2026-01-02&gpu=h100-sxm5-80gb&limit=2" },
        { "/prices/aws:p5.48xlarge", "as_of=2026-01-02" },
        { "/prices/history", "as_of=2026-01-02&instance=p5.48xlarge&"
                             "region=us-east-1" },
        { "/gpus", "as_of=2026-01-02" }, { "/servers", "as_of=2026-01-02" },
        { "/gpus/h100-sxm5-80gb", "as_of=2026-01-02" } };
    struct links *links = calloc(1, sizeof *links);

    (void)state;
    assert_non_null(links);
    for (size_t i = 0; i < sizeof page / sizeof *page; i++)
        for (int zh = 0; zh < 2; zh++) {
            const int dated = *page[i].query != '\0';
            const int first = links->count;
            char query[120];
            int kept = 0;

            snprintf(query, sizeof query, "%s%s%s", page[i].query,
                     dated && zh ? "&" : "", zh ? "lang=zh" : "");
            assert_int_equal(ask("GET", page[i].at, query), 200);
            gather_links(body(), links);
            for (int k = first; k < links->count; k++)
                kept += strstr(links->at[k], "as_of=2026-01-02") != NULL;
            if (dated && kept < 2) /* as a file, in the other language */
                fail_msg("%s?%s leads to no %d of that day", page[i].at, query,
                         kept);
        }
    assert_true(links->count > 300 && links->count < LINK_MAX);
    for (int i = 0; i < links->count; i++) {
        char *query = strchr(links->at[i], '?');
        int status;

        if (query)
            *query++ = '\0';
        status = ask("GET", links->at[i], query ? query : "");
        if (status != 200 && status != 303)
            fail_msg("%s?%s: %d", links->at[i], query ? query : "", status);
    }
    free(links);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_lead_somewhere),
        cmocka_unit_test(unknown_addresses),
        cmocka_unit_test(moves_are_told),
        cmocka_unit_test(prices_are_marked),
        cmocka_unit_test(same_answer_later),
        cmocka_unit_test(history_tells_no_future),
        cmocka_unit_test(text_in_chinese),
        cmocka_unit_test(every_format), cmocka_unit_test(every_method),
        cmocka_unit_test(no_such_address), cmocka_unit_test(accept_header),
        cmocka_unit_test(tags), cmocka_unit_test(bodies),
        cmocka_unit_test(all_mistakes_at_once),
        cmocka_unit_test(permalink_gives_the_same),
    };
    int failed;

    response_init(&response);
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    response_free(&response);
    return failed;
}
