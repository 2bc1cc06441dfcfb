/* out_html.h: the page of /compare: form and answer, or form and mistakes. */
#ifndef GPUTCO_FCGI_OUT_HTML_H
#define GPUTCO_FCGI_OUT_HTML_H

#include "fcgi/answer.h"

/* What the page is called: plain text. */
void out_html_title(const struct answer *answer, struct text *out);

/* A complete answer as a whole page. One that is_saved: a line with the page's
   title, then what stands in <main>. */
void out_html(const struct answer *answer, struct text *out);

/* The first screen of the answer for a page that is made once and kept: the
   sentence, amounts and figure of the day, and the way to the whole answer
   at the address `page`. */
void out_html_start(const struct answer *answer, const char *page,
                    struct text *out);

/* Only what changes with the input: answer, form, figures, tables, in one
   element that knows the canonical address and the page's title. */
void out_html_fragment(const struct answer *answer, struct text *out);

/* The same page with the problems of answer->input on top and at their
   fields; everything typed is kept. */
void out_html_problems(const struct answer *answer, struct text *out);
void out_html_problems_fragment(const struct answer *answer, struct text *out);

#endif
