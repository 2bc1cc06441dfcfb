/* out_saved.c: frame around the documents of a saved study. All it adds is
   known since the study was saved: the same bytes at every look. */
#include "fcgi/out_saved.h"

#include <stdio.h>
#include <string.h>

#include "fcgi/html.h"
#include "fcgi/json.h"
#include "fcgi/out_then_now.h"
#include "fcgi/page.h"
#include "fcgi/say.h"
#include "pricing/num.h"
#include "pricing/resolve.h"

enum { ADDRESS_BYTE_MAX = 1024, TITLE_BYTE_MAX = 4096 };

static const struct { const char *suffix; } formats_table[] = {
#define FORMAT(id, suffix, media) { suffix },
#include "fcgi/formats.def"
};

static void put_words(struct text *out, int zh, const char *english)
{
    html_text(out, say(zh, english));
}

static void put_day(struct text *out, int day)
{
    char digits[11];

    day_print(digits, day);
    text_str(out, " <time>");
    text_str(out, digits);
    text_str(out, "</time>");
}

/* The link itself, to be seen, copied and followed. */
static void put_link(const struct study_head *head, const char *base_url,
                     struct text *out)
{
    struct text address;

    text_init(&address, ADDRESS_BYTE_MAX);
    saved_address(head, base_url, &address);
    text_str(out, "<p class=\"use\"><a class=\"permalink\"");
    html_attribute(out, "href", address.at ? address.at : "");
    text_char(out, '>');
    html_text_of(out, &address);
    text_str(out, "</a></p>\n");
    text_free(&address);
}

static void put_dates(const struct study_head *head, int zh, struct text *out)
{
    text_str(out, "<p class=\"basis\">");
    put_words(out, zh, "Saved on");
    put_day(out, head->saved_day);
    text_str(out, " \xC2\xB7 ");
    put_words(out, zh, "Prices of");
    put_day(out, head->as_of_day);
    text_str(out, " \xC2\xB7 ");
    put_words(out, zh, "Model version");
    text_char(out, ' ');
    html_text(out, head->model_version);
    text_str(out, "</p>\n");
}

static void put_formats(const struct saved *saved, unsigned formats, int zh,
                        struct text *out)
{
    for (size_t i = 0; i < sizeof formats_table / sizeof *formats_table; i++) {
        if (i == FORMAT_HTML || !(formats >> i & 1))
            continue;
        text_str(out, " <a class=\"format\" href=\"/s/");
        text_str(out, saved->head.id);
        text_char(out, '.');
        text_str(out, formats_table[i].suffix);
        if (zh != saved->zh)
            text_str(out, zh ? "?lang=zh" : "?lang=en");
        text_str(out, "\">");
        html_text(out, formats_table[i].suffix);
        text_str(out, "</a>");
    }
}

static void put_banner(const struct saved *saved, unsigned formats,
                       const char *base_url, int zh, struct text *out)
{
    text_str(out, "<section class=\"saved\" id=\"saved\">\n<p>");
    put_words(out, zh, "A saved result: its digits stay as they are, also when "
              "prices, rates and formulas change.");
    text_str(out, "</p>\n");
    put_dates(&saved->head, zh, out);
    put_link(&saved->head, base_url, out);
    text_str(out, "<p class=\"use\"><a href=\"/s/");
    text_str(out, saved->head.id);
    text_str(out, zh == saved->zh ? "?now=1" : zh ? "?lang=zh&amp;now=1"
                                                  : "?lang=en&amp;now=1");
    text_str(out, "\">");
    put_words(out, zh, "Then and now");
    text_str(out, "</a> <a href=\"/compare?");
    html_attr(out, saved->head.query);
    text_str(out, zh ? "&amp;lang=zh\">" : "\">");
    put_words(out, zh, "Change the inputs");
    text_str(out, "</a>");
    put_formats(saved, formats, zh, out);
    text_str(out, "</p>\n</section>\n");
}

static void language_address(const struct study_head *head,
                             const char *base_url, const char *language,
                             char out[ADDRESS_BYTE_MAX])
{
    snprintf(out, ADDRESS_BYTE_MAX, "%s/s/%s?lang=%s", base_url, head->id,
             language);
}

static void put_head(const struct study_head *head, const char *base_url,
                     int zh, const char *title, struct text *out)
{
    char english[ADDRESS_BYTE_MAX], chinese[ADDRESS_BYTE_MAX];
    struct text address, more;

    language_address(head, base_url, "en", english);
    language_address(head, base_url, "zh", chinese);
    text_init(&address, ADDRESS_BYTE_MAX);
    text_init(&more, 16 * ADDRESS_BYTE_MAX);
    saved_address(head, base_url, &address);
    page_card(&more, base_url, address.at ? address.at : "", title, title);
    page_head_more(out, zh, title, "result kept", english, chinese, &more);
    text_free(&address);
    text_free(&more);
}

/* Length of the sentence's section, which the rest follows. */
static size_t first_part(const struct text *saved)
{
    const char *rest = saved->at
        ? strstr(saved->at, "<section class=\"rest\">") : NULL;

    return rest ? (size_t)(rest - saved->at) : saved->byte;
}

void out_saved_html(const struct saved *saved, unsigned formats,
                    const char *base_url, int zh, const struct then_now *both,
                    struct text *out)
{
    struct text title, rest;
    size_t first;

    text_init(&title, TITLE_BYTE_MAX);
    text_init(&rest, saved->document.byte + 1);
    saved_split(saved, &title, &rest);
    first = first_part(&rest);
    put_head(&saved->head, base_url, zh, title.at ? title.at : "gputco", out);
    put_banner(saved, formats, base_url, zh, out);
    text_put(out, rest.at ? rest.at : "", first);
    if (both)
        out_then_now_html(both, saved, out);
    text_put(out, rest.at ? rest.at + first : "", rest.byte - first);
    out->failed |= rest.failed;
    page_foot(out, zh);
    text_free(&rest);
    text_free(&title);
}

static void put_members(const struct study_head *head, const char *base_url,
                        struct text *out)
{
    struct text address;
    char day[11];

    text_init(&address, ADDRESS_BYTE_MAX);
    saved_address(head, base_url, &address);
    json_pair_string(out, "id", head->id);
    json_pair_string(out, "link", address.at ? address.at : "");
    day_print(day, head->saved_day);
    json_pair_string(out, "saved_on", day);
    day_print(day, head->as_of_day);
    json_pair_string(out, "as_of", day);
    json_pair_string(out, "model_version", head->model_version);
    json_pair_string(out, "query", head->query);
    text_free(&address);
}

void out_saved_json(const struct saved *saved, const char *base_url,
                    struct text *out)
{
    const char *whole = saved->document.at ? saved->document.at : "{}";

    text_str(out, "{\"saved\":{");
    put_members(&saved->head, base_url, out);
    text_str(out, "},");
    text_put(out, whole + 1, saved->document.byte - 1);
}

void out_saved_text(const struct saved *saved, const char *base_url,
                    struct text *out)
{
    char day[11];

    text_put(out, saved->document.at ? saved->document.at : "",
             saved->document.byte);
    day_print(day, saved->head.saved_day);
    text_str(out, "Saved on ");
    text_str(out, day);
    text_str(out, ": ");
    saved_address(&saved->head, base_url, out);
    text_char(out, '\n');
}

void out_saved_new_html(const struct study_head *head, const char *base_url,
                        int zh, struct text *out)
{
    char title[160];

    snprintf(title, sizeof title, "%s \xE2\x80\x93 gputco",
             say(zh, "The result is saved"));
    put_head(head, base_url, zh, title, out);
    text_str(out, "<section class=\"say saved\" id=\"answer\">\n<h1>");
    put_words(out, zh, "The result is saved");
    text_str(out, "</h1>\n");
    put_link(head, base_url, out);
    put_dates(head, zh, out);
    text_str(out, "<p class=\"hint\">");
    put_words(out, zh, "Whoever has the link sees these digits; nobody can "
              "guess it, and nothing about you is kept with it.");
    text_str(out, "</p>\n</section>\n");
    page_foot(out, zh);
}

void out_saved_new_json(const struct study_head *head, const char *base_url,
                        struct text *out)
{
    text_char(out, '{');
    put_members(head, base_url, out);
    text_str(out, "}\n");
}

void out_saved_none(const char *words, int zh, struct text *out)
{
    char title[200];

    snprintf(title, sizeof title, "%s \xE2\x80\x93 gputco", say(zh, words));
    page_head(out, zh, title, "table broken", "/", "/zh/");
    text_str(out, "<section class=\"say\" id=\"answer\">\n<h1>");
    put_words(out, zh, words);
    text_str(out, "</h1>\n</section>\n");
    page_foot(out, zh);
}
