/* table_page.c: around the rows of a table (see table_page.h). */
#include "fcgi/table_page.h"

#include <stdio.h>
#include <string.h>

#include "fcgi/html.h"
#include "fcgi/page.h"
#include "fcgi/say.h"
#include "pricing/num.h"

#define COUNT(list) ((int)(sizeof(list) / sizeof *(list)))

const char *table_tell(const struct table_call *c, const char *english)
{
    return say(c->zh, english);
}

int table_day(struct table_call *c)
{
    const char *text = c->input->key_text[K_as_of];
    const int today = c->world->today, first = c->world->prices->first_day;
    const int day = *text ? day_read(text, strlen(text)) : today;
    const char *code = !day ? "bad_date" : day > today ? "in_future"
                     : day < first ? "before_first_price" : NULL;
    char limit[11] = "YYYY-MM-DD";

    if (!code)
        return day;
    if (day)
        day_print(limit, day > today ? today : first);
    problem_add(&c->input->problems, "as_of", code, limit, "");
    return 0;
}

void table_query(const struct table_call *c, int zh, const char *before,
                 struct text *out)
{
    for (int i = 0; i < c->input->entry_count; i++) {
        const struct entry *each = &c->input->entry[i];
        if (!each->value_length || strcmp(each->key, "cursor") == 0
            || strcmp(each->key, "lang") == 0)
            continue;
        text_str(out, before);
        url_arg(out, each->key);
        text_char(out, '=');
        url_arg(out, each->value);
        before = "&";
    }
    if (zh) {
        text_str(out, before);
        text_str(out, "lang=zh");
    }
}

/* This page's address in a language. */
static void put_address(const struct table_call *c, const char *address,
                        int zh, struct text *out)
{
    text_init(out, WORDS_BYTE_MAX);
    text_str(out, c->base_url);
    text_str(out, address);
    table_query(c, zh, "?", out);
}

void table_page_open(struct table_call *c, const char *address,
                      const char *title, const char *lead)
{
    struct text english, chinese;
    char name[160];

    put_address(c, address, 0, &english);
    put_address(c, address, 1, &chinese);
    snprintf(name, sizeof name, "%s \xE2\x80\x93 gputco", table_tell(c, title));
    page_head(c->out, c->zh, name, "table", english.at ? english.at : "",
              chinese.at ? chinese.at : "");
    text_free(&english);
    text_free(&chinese);
    text_str(c->out, "<section class=\"say\" id=\"answer\">\n");
    html_element(c->out, "h1", NULL, table_tell(c, title));
    if (*lead)
        html_element(c->out, "p", "lead", table_tell(c, lead));
    text_str(c->out, "\n</section>\n<section class=\"rest\">\n");
}

void table_page_close(struct table_call *c)
{
    text_str(c->out, "</section>\n");
    page_foot(c->out, c->zh);
}

void table_files(struct table_call *c, const char *address)
{
    static const char *const suffix[] = { "csv", "json" };

    text_str(c->out, "<p class=\"use\">");
    for (int i = 0; i < COUNT(suffix); i++) {
        struct text link;

        text_init(&link, WORDS_BYTE_MAX);
        text_str(&link, address);
        text_char(&link, '.');
        text_str(&link, suffix[i]);
        table_query(c, c->zh, "?", &link);
        text_str(c->out, "<a class=\"format\"");
        html_attribute(c->out, "href", link.at ? link.at : "");
        text_char(c->out, '>');
        text_str(c->out, suffix[i]);
        text_str(c->out, "</a> ");
        text_free(&link);
    }
    text_str(c->out, "</p>\n");
}

void table_keep(const struct table_call *c, char address[ADDRESS_ROOM])
{
    const char *as_of = c->input->key_text[K_as_of];
    const size_t length = strlen(address);
    const int asked = strchr(address, '?') != NULL;

    snprintf(address + length, ADDRESS_ROOM - length, "%s%s%s%s",
             *as_of ? asked ? "&as_of=" : "?as_of=" : "", as_of,
             !c->zh ? "" : asked || *as_of ? "&" : "?",
             c->zh ? "lang=zh" : "");
}

void table_local(const struct table_call *c, char out[ADDRESS_ROOM],
                  const char *table, const char *name)
{
    snprintf(out, ADDRESS_ROOM, "%s%s", table, name);
    table_keep(c, out);
}

/* A source's address when it is one that may be followed. */
const char *table_followed(const char *address)
{
    return strncmp(address, "https://", 8) == 0 ||
           strncmp(address, "http://", 7) == 0 ? address : "";
}

/* What stands around the rows of a simple table. */
void table_rows_open(struct table_call *c, struct sheet *sheet,
                      const char *address, const char *title,
                      const char *lead, const struct sheet_column *column,
                      int count)
{
    if (c->form == SHEET_HTML)
        table_page_open(c, address, title, lead);
    if (c->form == SHEET_HTML && *c->input->key_text[K_as_of]) {
        text_str(c->out, "<p class=\"basis\">");
        html_text(c->out, table_tell(c, "Prices of"));
        text_char(c->out, ' ');
        html_text(c->out, c->input->key_text[K_as_of]);
        text_str(c->out, "</p>\n");
    }
    if (c->form == SHEET_JSON)
        text_str(c->out, "{\"rows\":");
    sheet_open(sheet, c->out, c->form, c->zh, column, count, title);
}

void table_rows_after(struct table_call *c, const char *address)
{
    if (c->form == SHEET_JSON)
        text_str(c->out, "}\n");
    if (c->form != SHEET_HTML)
        return;
    table_files(c, address);
    table_page_close(c);
}

void table_rows_close(struct table_call *c, struct sheet *sheet,
                       const char *address)
{
    sheet_close(sheet);
    table_rows_after(c, address);
}
