/* sheet.c: cells in three formats. */
#include "fcgi/sheet.h"

#include <math.h>
#include <string.h>

#include "fcgi/html.h"
#include "fcgi/json.h"
#include "fcgi/say.h"
#include "fcgi/shown.h"
#include "pricing/num.h"

/* A column of markup only has no name. */
static int has_name(const struct sheet *s, int column)
{
    return *s->column[column].name != '\0';
}

static void head_cell(struct sheet *s, const struct sheet_column *column)
{
    char unit[64];

    text_str(s->out, column->is_number ? "<th scope=\"col\" class=\"number\">"
                                       : "<th scope=\"col\">");
    html_text(s->out, say(s->zh, column->label));
    if (*column->unit) {
        say_unit(s->zh, column->unit, unit, sizeof unit);
        text_char(s->out, ' ');
        html_element(s->out, "span", "unit", unit);
    }
    text_str(s->out, "</th>");
}

void sheet_open(struct sheet *s, struct text *out, enum sheet_form form,
                int zh, const struct sheet_column *column, int count,
                const char *caption)
{
    *s = (struct sheet){ out, form, zh, column, count, 0, 0 };
    if (form == SHEET_JSON) {
        text_char(out, '[');
        return;
    }
    if (form == SHEET_CSV) {
        for (int i = 0; i < count; i++) {
            if (!has_name(s, i))
                continue;
            text_str(out, i ? "," : "");
            text_str(out, column[i].name);
        }
        text_str(out, "\r\n");
        return;
    }
    text_str(out, "<div class=\"scroll\" tabindex=\"0\" role=\"region\"");
    html_attribute(out, "aria-label", say(zh, caption));
    text_str(out, ">\n<table class=\"sheet\">\n<caption>");
    html_text(out, say(zh, caption));
    text_str(out, "</caption>\n<thead>\n<tr>");
    for (int i = 0; i < count; i++)
        head_cell(s, &column[i]);
    text_str(out, "</tr>\n</thead>\n<tbody>\n");
}

static void row_end(struct sheet *s)
{
    if (s->form == SHEET_HTML)
        text_str(s->out, "</tr>\n");
    else if (s->form == SHEET_JSON)
        text_char(s->out, '}');
    else
        text_str(s->out, "\r\n");
}

void sheet_row(struct sheet *s)
{
    if (s->row++)
        row_end(s);
    s->at = 0;
    if (s->form == SHEET_HTML)
        text_str(s->out, "<tr>");
    if (s->form == SHEET_JSON) {
        text_str(s->out, s->row > 1 ? ",\n{" : "\n{");
    }
}

/* What stands in front of a cell's value; 0 when it is left out. */
static int cell_open(struct sheet *s)
{
    const struct sheet_column *column = &s->column[s->at];
    int named = has_name(s, s->at), at = s->at++;

    switch (s->form) {
    case SHEET_JSON:
        if (named)
            json_name(s->out, column->name);
        return named;
    case SHEET_CSV:
        text_str(s->out, at && named ? "," : "");
        return named;
    case SHEET_HTML: break;
    }
    text_str(s->out, at == 0 ? "<th scope=\"row\">" :
             column->is_number ? "<td class=\"number\">" : "<td>");
    return 1;
}

static void cell_close(struct sheet *s)
{
    if (s->form == SHEET_HTML)
        text_str(s->out, s->at == 1 ? "</th>" : "</td>");
}

void sheet_text(struct sheet *s, const char *text, const char *address)
{
    if (!cell_open(s))
        return;
    if (s->form == SHEET_JSON) {
        json_string(s->out, text);
    } else if (s->form == SHEET_CSV) {
        csv_cell(s->out, text);
    } else if (*address) {
        text_str(s->out, "<a");
        html_attribute(s->out, "href", address);
        text_char(s->out, '>');
        html_text(s->out, text);
        text_str(s->out, "</a>");
    } else {
        html_text(s->out, text);
    }
    cell_close(s);
}

void sheet_number(struct sheet *s, double value, int digits)
{
    char exact[NUM_TEXT_BYTE];

    if (!cell_open(s))
        return;
    if (s->form == SHEET_JSON) {
        json_number(s->out, value);
    } else if (s->form == SHEET_CSV) {
        if (isfinite(value)) {
            num_print(exact, value);
            text_str(s->out, exact);
        }
    } else {
        shown_digits(s->out, value, digits);
    }
    cell_close(s);
}

void sheet_markup(struct sheet *s, const char *markup)
{
    if (!cell_open(s))
        return;
    text_str(s->out, markup);
    cell_close(s);
}

void sheet_close(struct sheet *s)
{
    if (s->row)
        row_end(s);
    if (s->form == SHEET_HTML)
        text_str(s->out, "</tbody>\n</table>\n</div>\n");
    if (s->form == SHEET_JSON)
        text_str(s->out, "\n]");
}

void csv_cell(struct text *out, const char *text)
{
    int quote = strpbrk(text, ",\"\r\n") != NULL;
    const char *first = text + strspn(text, "'");
    int formula = *first && strchr("=+-@\t", *first) != NULL;

    if (!quote && !formula) {
        text_str(out, text);
        return;
    }
    text_char(out, '"');
    if (formula)
        text_char(out, '\'');
    for (; *text; text++) {
        if (*text == '"')
            text_char(out, '"');
        text_char(out, *text);
    }
    text_char(out, '"');
}
