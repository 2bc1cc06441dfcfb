/* paper.h: one document of headings, paragraphs, lists and tables, written
   as plain text, Markdown, LaTeX or HTML: the same words and digits in each.
   Every text given is escaped for where it goes. */
#ifndef GPUTCO_FCGI_PAPER_H
#define GPUTCO_FCGI_PAPER_H

#include "fcgi/app.h"

enum paper_form { PAPER_TEXT, PAPER_MARKDOWN, PAPER_TEX, PAPER_HTML,
                  PAPER_FORM_COUNT };

enum { PAPER_COLUMN_MAX = 16 };

struct paper {
    struct text *out;
    enum paper_form form;
    int zh;
    int in_list;
    struct text cells;          /* of the open table, each with its NUL */
    int columns, cell_count;
    const char *caption;
};

/* Nothing is written yet. Closed with paper_close, which frees what the
   paper holds and ends an open list; out->failed when memory ran out. */
void paper_open(struct paper *paper, struct text *out, enum paper_form form,
                int zh);
void paper_close(struct paper *paper);

/* level 1 is the title. */
void paper_heading(struct paper *paper, int level, const char *text);
void paper_paragraph(struct paper *paper, const char *text);

/* A list's item; an address behind it, "" none, is led to where it can be. */
void paper_item(struct paper *paper, const char *text, const char *address);

/* A paragraph "label: address"; HTML leads there. */
void paper_link(struct paper *paper, const char *label, const char *address);

/* Cells from left to right, the first row is the head; the first column
   holds words, the others stand at the right. caption lives until the end. */
void paper_table(struct paper *paper, const char *caption, int columns);
void paper_cell(struct paper *paper, const char *text);
void paper_table_end(struct paper *paper);

/* Puts word[i] where `pattern` has {a}, {b}, ...; anything else is copied. */
void paper_fill(struct text *out, const char *pattern,
                const char *const *word, int count);

#endif
