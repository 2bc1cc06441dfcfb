/* out_pdf_pages.h: A4 pages one after another: paragraphs, tables, figures,
   a footer on each. Knows cairo and pango; what is said on the pages is the
   business of out_pdf.c. */
#ifndef GPUTCO_FCGI_OUT_PDF_PAGES_H
#define GPUTCO_FCGI_OUT_PDF_PAGES_H

#include "fcgi/raster.h"

enum pages_style { PAGES_TITLE, PAGES_LEAD, PAGES_HEADING, PAGES_BODY,
                   PAGES_NOTE, PAGES_CELL, PAGES_STRONG, PAGES_SMALL,
                   PAGES_TINY, PAGES_FORMULA, PAGES_STYLE_COUNT };
enum { PAGES_COLUMN_MAX = 8 };

/* Strings outlive the pages. link: "" or an address that can be opened.
   page_count: what the footer says; 0 when it is not yet known: then the
   pages are only counted and nothing is written. */
struct pages_setup {
    const char *title, *day, *footer, *link, *page_words, *of_words;
    int zh, page_count;
};

struct pages;

/* NULL: no memory. */
struct pages *pages_open(const struct pages_setup *setup, struct text *out);

/* A paragraph over the whole width; goes on on the next page. */
void pages_say(struct pages *pages, enum pages_style style, const char *text);
/* The same, and an entry of the outline. */
void pages_heading(struct pages *pages, const char *text);
void pages_space(struct pages *pages, double points);
void pages_new_page(struct pages *pages);
/* What follows stands in so many columns from here on, one filled after the
   other and then on the next page; 1 goes back to the whole line, below. */
void pages_flow(struct pages *pages, int columns);
void pages_next_column(struct pages *pages);
/* Starts a new page unless there is room for so much. */
void pages_need(struct pages *pages, double points);

/* A figure as wide as `share` of the line. */
/* Room for a heading and the figure below it. */
void pages_need_figure(struct pages *pages, const struct raster *raster,
                       double share);
void pages_figure(struct pages *pages, const struct raster *raster,
                  double share);

/* Columns as shares of the line; right: bit i aligns column i to the right.
   The head is repeated on each page. */
void pages_table(struct pages *pages, int columns, const double *share,
                 unsigned right, enum pages_style style,
                 const char *const *head);
void pages_row(struct pages *pages, const char *const *cell, int strong);
void pages_table_end(struct pages *pages);

/* Finishes the file; the number of its pages, or -1 when something failed. */
int pages_close(struct pages *pages);

#endif
