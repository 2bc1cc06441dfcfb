/* sheet.h: one table, written row by row as HTML, JSON or CSV: the same cells
   in each. */
#ifndef GPUTCO_FCGI_SHEET_H
#define GPUTCO_FCGI_SHEET_H

#include "fcgi/app.h"

enum sheet_form { SHEET_HTML, SHEET_JSON, SHEET_CSV };

/* name: in JSON and CSV; label: English, to be said. A name that ends in a
   unit of its own needs no unit here. */
struct sheet_column { const char *name, *label, *unit; int is_number; };

struct sheet {
    struct text *out;
    enum sheet_form form;
    int zh;
    const struct sheet_column *column;
    int column_count;
    int at;                     /* column of the next cell */
    int row;
};

/* Head of the table (HTML), a bracket (JSON) or the line of names (CSV). */
void sheet_open(struct sheet *sheet, struct text *out, enum sheet_form form,
                int zh, const struct sheet_column *column, int count,
                const char *caption);

void sheet_row(struct sheet *sheet);

/* Cells, from left to right. A text may lead somewhere ("" nowhere). Numbers
   are rounded to `digits` in HTML and exact elsewhere; what is not finite is a
   dash, null, or empty. */
void sheet_text(struct sheet *sheet, const char *text, const char *address);
void sheet_number(struct sheet *sheet, double value, int digits);
/* Markup of ours, left out of JSON and CSV. */
void sheet_markup(struct sheet *sheet, const char *markup);

void sheet_close(struct sheet *sheet);

/* A quoted cell; a leading = + - @, also one behind apostrophes, gets an
   apostrophe in front. */
void csv_cell(struct text *out, const char *text);

#endif
