/* page.c: frame of every page; the start page. */
#include "fcgi/page.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fcgi/assets.inc"
#include "fcgi/form.h"
#include "fcgi/html.h"
#include "fcgi/out_html.h"
#include "fcgi/say.h"

enum { ADDRESS_ROOM = 400, CARD_BYTE_MAX = 64 * 1024 };

/* Search engines want the whole address; without GPUTCO_URL it is not known. */
static void put_alternate(struct text *out, const char *language,
                          const char *address)
{
    if (strncmp(address, "http", 4) != 0)
        return;
    text_str(out, "<link rel=\"alternate\"");
    html_attribute(out, "hreflang", language);
    html_attribute(out, "href", address);
    text_str(out, ">\n");
}

static const struct { const char *address, *words; } places[] = {
    { "/", "Compare" }, { "/train", "Train a model" },
    { "/advise", "Choose a machine" }, { "/power-log", "Measured power" },
    { "/prices", "Prices" }, { "/gpus", "GPUs" }, { "/methods", "Methods" },
    { "/about", "About" },
};

static void put_navigation(struct text *out, int zh, const char *other)
{
    text_str(out, "<nav");
    html_attribute(out, "aria-label", say(zh, "Pages"));
    text_str(out, "><ul>");
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        text_str(out, "<li><a href=\"");
        if (i == 0)
            text_str(out, zh ? "/zh/\">" : "/\">");
        else {
            text_str(out, places[i].address);
            text_str(out, zh ? "?lang=zh\">" : "\">");
        }
        html_text(out, say(zh, places[i].words));
        text_str(out, "</a></li>");
    }
    text_str(out, zh ? "<li><a class=\"lang\" lang=\"en\" hreflang=\"en\""
                     : "<li><a class=\"lang\" lang=\"zh-CN\" hreflang=\"zh-CN\"");
    html_attribute(out, "href", other);
    text_str(out, zh ? ">English" : ">\xE4\xB8\xAD\xE6\x96\x87");
    text_str(out, "</a></li></ul></nav>");
}

void page_head(struct text *out, int zh, const char *title, const char *class,
               const char *english, const char *chinese)
{
    page_head_more(out, zh, title, class, english, chinese, NULL);
}

static void put_property(struct text *out, const char *property,
                         const char *content)
{
    text_str(out, "<meta");
    html_attribute(out, "property", property);
    html_attribute(out, "content", content);
    text_str(out, ">\n");
}

void page_card(struct text *out, const char *base_url, const char *address,
               const char *title, const char *words)
{
    struct text endpoint;

    if (!*base_url)
        return;
    text_init(&endpoint, 3 * CARD_BYTE_MAX);
    text_str(&endpoint, base_url);
    text_str(&endpoint, "/oembed?url=");
    url_arg(&endpoint, address);
    text_str(out, "<link rel=\"canonical\"");
    html_attribute(out, "href", address);
    text_str(out, ">\n<link rel=\"alternate\" "
                  "type=\"application/json+oembed\"");
    html_attribute(out, "title", title);
    html_attribute(out, "href", endpoint.at ? endpoint.at : "");
    text_str(out, ">\n");
    put_property(out, "og:type", "website");
    put_property(out, "og:site_name", "gputco");
    put_property(out, "og:title", title);
    put_property(out, "og:description", words);
    put_property(out, "og:url", address);
    text_free(&endpoint);
}

void page_head_more(struct text *out, int zh, const char *title,
                    const char *class, const char *english,
                    const char *chinese, const struct text *more)
{
    text_str(out, zh ? "<!doctype html>\n<html lang=\"zh-CN\">\n"
                     : "<!doctype html>\n<html lang=\"en\">\n");
    text_str(out, "<head>\n<meta charset=\"utf-8\">\n<title>");
    html_text(out, title);
    text_str(out, "</title>\n"
        "<meta name=\"viewport\" content=\"width=device-width, "
        "initial-scale=1\">\n"
        "<meta name=\"color-scheme\" content=\"light dark\">\n"
        "<meta name=\"description\"");
    html_attribute(out, "content", say(zh, "What the same GPU computing costs "
        "when you own the machines and when you rent them: money, energy and "
        "carbon, with sources."));
    text_str(out, ">\n");
    put_alternate(out, "en", english);
    put_alternate(out, "zh-CN", chinese);
    if (more)
        text_put(out, more->at ? more->at : "", more->byte);
    text_str(out,
        "<link rel=\"icon\" href=\"" ASSET_ICON "\" type=\"image/svg+xml\">\n"
        "<link rel=\"stylesheet\" href=\"" ASSET_STYLE "\">\n"
        "<script type=\"module\" src=\"" ASSET_APP "\"></script>\n"
        "</head>\n<body>\n<a class=\"skip\" href=\"#main\">");
    html_text(out, say(zh, "Skip to the answer"));
    text_str(out, "</a>\n<header class=\"top\"><a class=\"brand\" href=\"");
    text_str(out, zh ? "/zh/" : "/");
    text_str(out, "\">gputco</a>");
    html_element(out, "p", NULL,
                 say(zh, "Own GPUs or rent them: money, energy and carbon"));
    put_navigation(out, zh, zh ? english : chinese);
    text_str(out, "</header>\n<main id=\"main\"");
    html_attribute(out, "class", class);
    text_str(out, ">\n");
}

void page_foot(struct text *out, int zh)
{
    text_str(out, "</main>\n<footer class=\"end\">\n");
    html_element(out, "p", NULL, say(zh, "Every figure is computed from the "
        "inputs shown, with their sources and dates; estimates are marked. "
        "No cookies, no scripts of others, nothing about you is kept."));
    text_str(out, "\n<p><a href=\"/fields.json\">");
    html_text(out, say(zh, "All inputs as JSON"));
    text_str(out, "</a></p>\n</footer>\n</body>\n</html>\n");
}

static const struct { const char *title, *query; } cases[] = {
#define CASE(title, query) { title, query },
#include "fcgi/cases.def"
};

static void put_cases(struct text *out, int zh)
{
    html_element(out, "h2", NULL, say(zh, "Start from a case"));
    text_str(out, "\n<ul class=\"cases\">\n");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        text_str(out, "<li><a href=\"/compare");
        text_str(out, *cases[i].query || zh ? "?" : "");
        html_attr(out, cases[i].query);
        if (zh)
            text_str(out, *cases[i].query ? "&amp;lang=zh" : "lang=zh");
        text_str(out, "\">");
        html_text(out, say(zh, cases[i].title));
        text_str(out, "</a></li>\n");
    }
    text_str(out, "</ul>\n");
}

static const char *const how[][2] = {
    { "Say what you know.", "Everything left empty is filled in from dated "
      "price lists, device tables and grid statistics." },
    { "Get one sentence", "that says which is cheaper and from when on, and "
      "the figures behind it." },
    { "Check it.", "Each number says where it comes from and of which day it "
      "is; the link brings the same result back." },
};

static void put_guide(struct text *out, int zh)
{
    text_str(out, "<section class=\"rest\">\n");
    put_cases(out, zh);
    html_element(out, "h2", NULL, say(zh, "How it works"));
    text_str(out, "\n<ol class=\"steps\">\n");
    for (int i = 0; i < 3; i++) {
        text_str(out, "<li>");
        html_element(out, "b", NULL, say(zh, how[i][0]));
        text_char(out, ' ');
        html_text(out, say(zh, how[i][1]));
        text_str(out, "</li>\n");
    }
    text_str(out, "</ol>\n</section>\n");
}

void out_site_index(const struct world *world, const char *base_url, int zh,
                    struct text *out)
{
    char english[ADDRESS_ROOM], chinese[ADDRESS_ROOM];
    struct answer *answer = malloc(sizeof *answer);
    struct input *input = malloc(sizeof *input);

    if (!answer || !input) {
        out->failed = 1;
    } else {
        input_init(input);
        if (zh)
            input_query(input, "zone=CN&currency=CNY&lang=zh", SURFACE_QUERY);
        input_keys(input, ON_COMPARE);
        answer_run(answer, input, world, "");
        snprintf(english, sizeof english, "%s/", base_url);
        snprintf(chinese, sizeof chinese, "%s/zh/", base_url);
        page_head(out, zh, zh ? "\xE4\xB9\xB0 GPU \xE8\xBF\x98\xE6\x98\xAF\xE7"
                  "\xA7\x9F GPU\xEF\xBC\x9F\xE2\x80\x93 gputco" :
                  "Buy GPUs, or rent them? \xE2\x80\x93 gputco", "start", english,
                  chinese);
        out_html_start(answer, zh ? "/compare?zone=CN&currency=CNY&lang=zh"
                                  : "/compare", out);
        form_write(answer, FORM_FRESH, out);
        put_guide(out, zh);
        page_foot(out, zh);
    }
    free(input);
    free(answer);
}
