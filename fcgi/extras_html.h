/* extras_html.h: how sure the answer is, and what else there is, as parts of
   the page. */
#ifndef GPUTCO_FCGI_EXTRAS_HTML_H
#define GPUTCO_FCGI_EXTRAS_HTML_H

#include "fcgi/answer.h"

/* Worst and best case, draws, inputs one at a time and, when asked for, two
   at a time. */
void extras_html_ranges(const struct answer *answer, struct text *out);

/* What else could do the work, each with a link that compares option a with
   it. */
void extras_html_alternatives(const struct answer *answer, struct text *out);

/* How a figure came about, when it was asked for. */
void extras_html_explanation(const struct answer *answer, struct text *out);

#endif
