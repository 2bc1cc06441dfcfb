/* test_embed.c: cards, oEmbed and the page that gives code for them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fcgi/app.h"
#include "fcgi/embed.h"

#define BASE "https://gputco.example"
#define STUDY "a=own/rtx-4090/4&b=rent/aws/p4d.24xlarge/us-east-1/on_demand"
#define RUN "param_count=7e9&token_count=1e11"

static char folder[] = "/tmp/gputco-embed-XXXXXX";
static char store_path[64];
static const char *base_url = BASE;
static struct world world;
static struct response response;

static const char *body(void) { return response.body.at ? response.body.at : ""; }
static const char *header(void) { return response.header.at ? response.header.at : ""; }

static int ask_as(const char *method, const char *path, const char *query)
{
    struct request r = { .method = method, .path = path, .query = query,
                         .body = "", .content_type = "",
                         .content_encoding = "", .accept = "",
                         .accept_language = "", .if_none_match = "",
                         .sec_fetch_site = "", .base_url = base_url };

    response_reset(&response);
    app_handle(&world, &r, &response);
    assert_false(response.body.failed || response.header.failed);
    return response.status;
}

static int ask(const char *path, const char *query)
{
    return ask_as("GET", path, query);
}

/* An absolute address of ours. */
static int follow(const char *address)
{
    static char path[16384];
    char *query;

    assert_int_equal(strncmp(address, BASE "/", sizeof BASE), 0);
    snprintf(path, sizeof path, "%s", address + strlen(BASE));
    query = strchr(path, '?');
    if (query)
        *query++ = '\0';
    return ask(path, query ? query : "");
}

/* Text between two marks, with HTML's entities undone; to be freed. */
static char *between(const char *text, const char *from, const char *to)
{
    static const struct { const char *entity; char c; } entities[] = {
        { "&amp;", '&' }, { "&lt;", '<' }, { "&gt;", '>' }, { "&quot;", '"' },
        { "&#39;", '\'' } };
    const char *at = strstr(text, from), *end;
    char *out, *put;

    if (!at)
        fail_msg("no %s", from);
    at += strlen(from);
    end = strstr(at, to);
    assert_non_null(end);
    put = out = malloc((size_t)(end - at) + 1);
    assert_non_null(out);
    while (at < end) {
        size_t i = 0;
        for (; i < 5; i++)
            if (strncmp(at, entities[i].entity, strlen(entities[i].entity)) == 0)
                break;
        *put++ = i < 5 ? entities[i].c : *at;
        at += i < 5 ? strlen(entities[i].entity) : 1;
    }
    *put = '\0';
    return out;
}

static char *kept_body(void)
{
    char *copy = malloc(response.body.byte + 1);

    assert_non_null(copy);
    memcpy(copy, body(), response.body.byte + 1);
    return copy;
}

static int fresh(void **state)
{
    (void)state;
    base_url = BASE;
    world = (struct world){ .prices = seed_prices(), .rates = seed_rates(),
                            .today = 20261201, .degraded_reason = "",
                            .store = store_path };
    return 0;
}

/* -- cards ------------------------------------------------------------------- */

/* No tag holds what only a label says; between tags it is text. */
static int stands_in_a_tag(const char *what)
{
    const char *at = body();

    while ((at = strchr(at, '<')) != NULL) {
        const char *end = strchr(at, '>'), *found = strstr(at, what);
        if (!end || (found && found < end))
            return 1;
        at = end;
    }
    return 0;
}

static void check_card(const char *path, const char *query)
{
    if (ask(path, query) != 200)
        fail_msg("%s?%s: %d", path, query, response.status);
    assert_non_null(strstr(header(), "frame-ancestors *\r\n"));
    assert_null(strstr(header(), "Set-Cookie"));
    assert_null(strstr(body(), "<script"));
    assert_null(strstr(body(), "<form"));
    assert_non_null(strstr(body(), "<h1>"));
    assert_non_null(strstr(body(), "<time>2026-12-01</time>"));
    assert_non_null(strstr(body(), " href=\"" BASE "/"));
}

static void cards(void **state)
{
    static const char *const figure[] = { "cumulative", "stack", "tornado",
                                          "map", "history", "carbon" };
    static const char *const theme[] = { "light", "dark", "print" };
    static const char *const lang[] = { "en", "zh" };
    char query[300], class[40];

    (void)state;
    check_card("/embed/compare", "");
    for (int f = 0; f < 6; f++)
        for (int t = 0; t < 3; t++)
            for (int l = 0; l < 2; l++) {
                snprintf(query, sizeof query, STUDY "&figure=%s&theme=%s"
                         "&lang=%s&width=480&samples=100", figure[f], theme[t],
                         lang[l]);
                check_card("/embed/compare", query);
                snprintf(class, sizeof class, " class=\"%s\">", theme[t]);
                assert_non_null(strstr(body(), class));
                assert_non_null(strstr(body(), "<svg"));
                assert_non_null(strstr(body(), l ? "lang=\"zh-CN\""
                                                 : "lang=\"en\""));
            }
    check_card("/embed/train", RUN);
    assert_non_null(strstr(body(), " GPU-hours</li>"));
    assert_null(strstr(body(), "RTX 4090: ")); /* 24 GB do not hold the run */
    check_card("/embed/train", RUN "&theme=dark&lang=zh&width=400");
    assert_non_null(strstr(body(), " class=\"dark\">"));
}

/* The card says what the page says. */
static void card_says_the_same(void **state)
{
    char *card, *page;

    (void)state;
    assert_int_equal(ask("/embed/compare", STUDY), 200);
    card = between(body(), "<h1>", "</h1>");
    assert_int_equal(ask("/compare", STUDY), 200);
    page = between(body(), "<h1>", "</h1>");
    assert_string_equal(card, page);
    free(card);
    free(page);
}

static void refused(void **state)
{
    (void)state;
    assert_int_equal(ask("/embed/compare", "busy_frac=7"), 400);
    assert_int_equal(ask("/embed/compare", "colour=red"), 400);
    assert_int_equal(ask("/embed/compare", "width=100"), 400);
    assert_int_equal(ask("/embed/compare", "theme=pink"), 400);
    assert_int_equal(ask("/embed/train", ""), 400);
    assert_int_equal(ask("/embed/s/AAAAAAAAAAAAAAAAAAAAAA", ""), 404);
    assert_int_equal(ask("/embed/advise", ""), 404);
    assert_int_equal(ask("/train", RUN "&width=400"), 400); /* a card's key */
    assert_int_equal(ask_as("POST", "/embed/compare", ""), 405);
}

/* Only cards may stand in frames. */
static void frames(void **state)
{
    static const char *const path[] = {
#define ROUTE(path, ...) path,
#include "fcgi/routes.def"
        "/nowhere", "/embed.css", "/embedded/compare", "/compare.svg" };

    (void)state;
    for (size_t i = 0; i < sizeof path / sizeof *path; i++) {
        int card = strncmp(path[i], "/embed/", 7) == 0 &&
                   strchr(path[i], '*') == NULL;
        ask(path[i], "");
        if (!strstr(header(), card ? "frame-ancestors *\r\n"
                                   : "frame-ancestors 'none'\r\n"))
            fail_msg("%s: %s", path[i], header());
    }
}

static void saved_card(void **state)
{
    char *before, path[64];
    const char *at;

    (void)state;
    assert_int_equal(ask_as("POST", "/studies.json", STUDY "&label=Ours"), 201);
    at = strstr(header(), "Location: " BASE "/s/");
    assert_non_null(at);
    snprintf(path, sizeof path, "/embed/s/%.22s",
             at + strlen("Location: " BASE "/s/"));
    check_card(path, "");
    assert_non_null(strstr(body(), ">Ours<"));
    before = kept_body();
    world.today = 20270101; /* whatever is known then */
    assert_int_equal(ask(path, ""), 200);
    assert_string_equal(body(), before);
    check_card(path, "lang=zh");
    assert_int_equal(ask(path, "theme=dark"), 400); /* as it was saved */
    free(before);
}

static void labels_are_inert(void **state)
{
    (void)state;
    check_card("/embed/compare", "label=%3Cscript%3Ealert(1)%3C/script%3E"
               "&a.label=%22%20onload%3D%22x");
    assert_non_null(strstr(body(), "onload="));
    assert_false(stands_in_a_tag("onload="));
}

/* -- oEmbed ------------------------------------------------------------------ */

static int ask_oembed(const char *address, const char *more)
{
    static const char hex[] = "0123456789ABCDEF";
    char query[4096] = "url=";
    size_t used = strlen(query);

    for (const char *at = address; *at; at++) {
        query[used++] = '%';
        query[used++] = hex[(unsigned char)*at >> 4];
        query[used++] = hex[*at & 15];
    }
    snprintf(query + used, sizeof query - used, "%s", more);
    return ask("/oembed", query);
}

static const char *word(const cJSON *tree, const char *name)
{
    const cJSON *item = cJSON_GetObjectItem(tree, name);

    if (!cJSON_IsString(item))
        fail_msg("no %s", name);
    return item->valuestring;
}

/* What the specification asks of type rich (oembed.com 2.3.4.4); sizes keep
   within what was asked; the frame's address answers and may be framed. */
static void check_rich(int max_width, int max_height)
{
    cJSON *tree = cJSON_Parse(body());
    const cJSON *width = cJSON_GetObjectItem(tree, "width"),
                *height = cJSON_GetObjectItem(tree, "height");
    char *src, size[64];

    assert_string_equal(response.content_type, "application/json");
    assert_string_equal(word(tree, "type"), "rich");
    assert_string_equal(word(tree, "version"), "1.0");
    assert_string_equal(word(tree, "provider_name"), "gputco");
    assert_string_equal(word(tree, "provider_url"), BASE);
    assert_true(strlen(word(tree, "title")) > 5);
    assert_true(cJSON_IsNumber(width) && cJSON_IsNumber(height));
    assert_in_range(width->valueint, 1, max_width);
    assert_in_range(height->valueint, 1, max_height);
    assert_int_equal(strncmp(word(tree, "html"), "<iframe ", 8), 0);
    assert_null(strstr(word(tree, "html"), "<script"));
    snprintf(size, sizeof size, " width=\"%d\" height=\"%d\"", width->valueint,
             height->valueint);
    assert_non_null(strstr(word(tree, "html"), size));
    src = between(word(tree, "html"), "src=\"", "\"");
    assert_int_equal(follow(src), 200);
    assert_non_null(strstr(header(), "frame-ancestors *\r\n"));
    free(src);
    cJSON_Delete(tree);
}

static void oembed(void **state)
{
    static const struct { const char *more; int width, height; } ask_for[] = {
        { "", 600, 5000 }, { "&maxwidth=480", 480, 5000 },
        { "&maxwidth=100", 100, 5000 }, { "&maxwidth=10000", 600, 5000 },
        { "&maxheight=200", 600, 200 }, { "&maxwidth=1&maxheight=1", 1, 1 },
        { "&format=json&dnt=1&maxwidth=500&maxheight=750", 500, 750 } };
    static const char *const address[] = {
        BASE "/compare", BASE "/compare?" STUDY, BASE "/compare.html?" STUDY,
        BASE "/compare?" STUDY "&lang=zh#why", BASE "/train?" RUN,
        BASE "/compare?label=%3Cscript%3E%22" };

    (void)state;
    for (size_t a = 0; a < sizeof address / sizeof *address; a++)
        for (size_t i = 0; i < sizeof ask_for / sizeof *ask_for; i++) {
            if (ask_oembed(address[a], ask_for[i].more) != 200)
                fail_msg("%s %s: %d", address[a], ask_for[i].more,
                         response.status);
            check_rich(ask_for[i].width, ask_for[i].height);
        }
}

static void oembed_of_a_saved_study(void **state)
{
    char address[80];

    (void)state;
    assert_int_equal(ask_as("POST", "/studies.json", STUDY), 201);
    snprintf(address, sizeof address, BASE "/s/%.22s",
             strstr(header(), "/s/") + 3);
    assert_int_equal(ask_oembed(address, "&maxwidth=500"), 200);
    assert_non_null(strstr(body(), "/embed/s/"));
    check_rich(500, 5000);
}

static void oembed_refuses(void **state)
{
    static const char *const none[] = {
        "https://example.com/compare", BASE ".evil.example/compare", "x",
        BASE, BASE "/", BASE "/prices", BASE "/comparex", BASE "/compare/",
        BASE "/compare.json", BASE "/compare?busy_frac=7",
        BASE "/compare?nonsense=1", BASE "/train", "javascript:alert(1)",
        BASE "/s/AAAAAAAAAAAAAAAAAAAAAA", BASE "/s/short",
        "//gputco.example/compare", "http://gputco.example/compare" };

    (void)state;
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        if (ask_oembed(none[i], "") != 404)
            fail_msg("%s: %d", none[i], response.status);
    assert_int_equal(ask_oembed(BASE "/compare", "&format=yaml"), 501);
    assert_int_equal(ask_oembed(BASE "/compare", "&maxwidth=0"), 400);
    assert_int_equal(ask_oembed(BASE "/compare", "&maxwidth=many"), 400);
    assert_int_equal(ask_oembed(BASE "/compare", "&unheard=of"), 400);
    assert_int_equal(ask("/oembed", ""), 400);
    base_url = "";
    assert_int_equal(ask("/oembed", "url=/compare"), 503);
}

/* The same card as XML, escaped twice as XML asks. */
static void oembed_xml(void **state)
{
    char *html, *title;
    cJSON *tree;

    (void)state;
    assert_int_equal(ask_oembed(BASE "/compare?label=A%26B", "&format=xml"),
                     200);
    assert_string_equal(response.content_type, "text/xml; charset=utf-8");
    assert_int_equal(strncmp(body(), "<?xml version=\"1.0\"", 19), 0);
    html = between(body(), "<html>", "</html>");
    title = between(body(), "<title>", "</title>");
    assert_int_equal(ask_oembed(BASE "/compare?label=A%26B", ""), 200);
    tree = cJSON_Parse(body());
    assert_string_equal(html, word(tree, "html"));
    assert_string_equal(title, word(tree, "title"));
    cJSON_Delete(tree);
    free(html);
    free(title);
}

/* A page says itself where its card is described. */
static void discovery(void **state)
{
    char *href;

    (void)state;
    assert_int_equal(ask("/compare", STUDY "&label=A%26B"), 200);
    href = between(body(), "type=\"application/json+oembed\" title=\"", "\">");
    assert_non_null(strstr(href, "\" href=\"" BASE "/oembed?url="));
    assert_int_equal(follow(strstr(href, "href=\"") + 6), 200);
    check_rich(600, 5000);
    free(href);
    assert_int_equal(ask("/compare", STUDY), 200);
    assert_non_null(strstr(body(), "<meta property=\"og:title\""));
    assert_non_null(strstr(body(), "<link rel=\"canonical\" href=\"" BASE
                           "/compare?"));
    base_url = "";
    assert_int_equal(ask("/compare", STUDY), 200);
    assert_null(strstr(body(), "oembed"));
}

/* -- the page of codes --------------------------------------------------------- */

static char *piece(const char *id)
{
    char from[80], *whole, *code;

    snprintf(from, sizeof from, "spellcheck=\"false\" id=\"%s\"", id);
    assert_non_null(strstr(body(), from));
    whole = strstr(body(), from);
    whole = strchr(whole, '>');
    code = between(whole, ">\n", "</textarea>");
    return code;
}

static void builder(void **state)
{
    char *code, *src, *page;

    (void)state;
    assert_int_equal(ask("/embed", STUDY "&width=480&theme=dark&figure=stack"),
                     200);
    page = kept_body();
    assert_null(strstr(body(), "<iframe")); /* code only */
    code = piece("html");
    src = between(code, "src=\"", "\"");
    assert_non_null(strstr(code, " width=\"480\""));
    assert_non_null(strstr(src, "as_of=2026-12-01")); /* its day is fixed */
    assert_int_equal(follow(src), 200);
    assert_non_null(strstr(body(), " class=\"dark\">"));
    free(src);
    free(code);

    response_reset(&response);
    text_str(&response.body, page);
    code = piece("picture");
    assert_non_null(strstr(code, " alt=\"Owning"));
    src = between(code, "<img src=\"", "\"");
    assert_int_equal(follow(src), 200);
    assert_string_equal(response.content_type, "image/svg+xml");
    free(src);
    free(code);

    response_reset(&response);
    text_str(&response.body, page);
    code = piece("wordpress");
    assert_int_equal(follow(code), 200);
    free(code);
    response_reset(&response);
    text_str(&response.body, page);
    code = piece("markdown");
    assert_int_equal(strncmp(code, "[![", 3), 0);
    free(code);
    code = piece("latex");
    assert_non_null(strstr(code, "\\includegraphics"));
    assert_non_null(strstr(code, "\\href{" BASE "/compare?"));
    free(code);
    code = piece("word");
    assert_non_null(strstr(code, "\n" BASE "/compare?"));
    free(code);
    free(page);
}

/* What somebody called an option does nothing in any of the codes. */
static void codes_are_inert(void **state)
{
    char *code;

    (void)state;
    assert_int_equal(ask("/embed", "a.label=%5Cinput%7B/etc/passwd%7D%25%23_%5D"
                         "%60%3C/textarea%3E%3Cscript%3E%22"), 200);
    assert_null(strstr(body(), "<script>"));
    code = piece("latex");
    assert_null(strstr(code, "\\input{"));
    assert_non_null(strstr(code, "\\textbackslash{}input\\textbraceleft{}"
                           "/etc/passwd\\textbraceright{}\\%\\#\\_"));
    free(code);
    code = piece("markdown");
    assert_non_null(strstr(code, "\\]\\`"));
    free(code);
    code = piece("picture");
    assert_non_null(strstr(code, "&quot;"));
    free(code);
    assert_non_null(strstr(body(), "<input type=\"hidden\" name=\"a.label\" "
        "value=\"\\input{/etc/passwd}%#_]`&lt;/textarea&gt;&lt;script&gt;"
        "&quot;\">"));
    assert_int_equal(ask("/embed", "busy_frac=7"), 400);
    base_url = "";
    assert_int_equal(ask("/embed", ""), 200);
    assert_non_null(strstr(body(), "GPUTCO_URL"));
    assert_int_equal(ask("/embed", "lang=zh"), 200);
    assert_null(strstr(body(), "Embed this"));
}

static void heights(void **state)
{
    static const char words[] = "<h1>Twelve words that a reader of some other "
        "page will want to see whole</h1><svg viewBox=\"0 0 560 300\">";
    struct text card;

    (void)state;
    text_init(&card, 4096);
    assert_in_range(embed_height(&card, 600), 40, 120); /* the last line only */
    text_str(&card, words);
    /* 300 of figure at full size, a half of it at half the width */
    assert_in_range(embed_height(&card, 592), 400, 520);
    assert_in_range(embed_height(&card, 312), 250, 480);
    text_free(&card);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(cards, fresh),
        cmocka_unit_test_setup(card_says_the_same, fresh),
        cmocka_unit_test_setup(refused, fresh),
        cmocka_unit_test_setup(frames, fresh),
        cmocka_unit_test_setup(saved_card, fresh),
        cmocka_unit_test_setup(labels_are_inert, fresh),
        cmocka_unit_test_setup(oembed, fresh),
        cmocka_unit_test_setup(oembed_of_a_saved_study, fresh),
        cmocka_unit_test_setup(oembed_refuses, fresh),
        cmocka_unit_test_setup(oembed_xml, fresh),
        cmocka_unit_test_setup(discovery, fresh),
        cmocka_unit_test_setup(builder, fresh),
        cmocka_unit_test_setup(codes_are_inert, fresh),
        cmocka_unit_test_setup(heights, fresh),
    };
    static const char *const tail[] = { "", "-wal", "-shm" };
    int failed;

    if (!mkdtemp(folder))
        return 1;
    snprintf(store_path, sizeof store_path, "%s/x.db", folder);
    response_init(&response);
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    for (size_t i = 0; i < sizeof tail / sizeof *tail; i++) {
        char name[80];
        snprintf(name, sizeof name, "%s%s", store_path, tail[i]);
        unlink(name);
    }
    rmdir(folder);
    response_free(&response);
    return failed;
}
