/* table_page.c: around the rows of a table (see table_page.h). */
#include "fcgi/table_page.h"

#include <stdio.h>
#include <string.h>

#include "fcgi/html.h"
#include "fcgi/page.h"
#include "fcgi/say.h"

#define COUNT(list) ((int)(sizeof(list) / sizeof *(list)))

const char *table_tell(const struct table_call *c, const char *english)
{
    return say(c->zh, english);
}

void table_page_open(struct table_call *c, const char *address,
                      const char *title, const char *lead)
{
    char english[ADDRESS_ROOM], chinese[ADDRESS_ROOM], name[160];

    snprintf(english, sizeof english, "%s%s", c->base_url, address);
    snprintf(chinese, sizeof chinese, "%s%s?lang=zh", c->base_url, address);
    snprintf(name, sizeof name, "%s \xE2\x80\x93 gputco", table_tell(c, title));
    page_head(c->out, c->zh, name, "table", english, chinese);
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

/* The same table as a file. */
void table_files(struct table_call *c, const char *address,
                      const char *query)
{
    static const char *const suffix[] = { "csv", "json" };

    text_str(c->out, "<p class=\"use\">");
    for (int i = 0; i < COUNT(suffix); i++) {
        char link[2 * ADDRESS_ROOM];
        snprintf(link, sizeof link, "%s.%s%s%s", address, suffix[i],
                 *query ? "?" : "", query);
        text_str(c->out, "<a class=\"format\"");
        html_attribute(c->out, "href", link);
        text_char(c->out, '>');
        text_str(c->out, suffix[i]);
        text_str(c->out, "</a> ");
    }
    text_str(c->out, "</p>\n");
}

void table_local(const struct table_call *c, char out[ADDRESS_ROOM],
                  const char *table, const char *name)
{
    snprintf(out, ADDRESS_ROOM, "%s%s%s", table, name,
             c->zh ? "?lang=zh" : "");
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
    table_files(c, address, c->zh ? "lang=zh" : "");
    table_page_close(c);
}

void table_rows_close(struct table_call *c, struct sheet *sheet,
                       const char *address)
{
    sheet_close(sheet);
    table_rows_after(c, address);
}
