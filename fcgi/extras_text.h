/* extras_text.h: how sure the answer is, and what else there is, as plain
   text. */
#ifndef GPUTCO_FCGI_EXTRAS_TEXT_H
#define GPUTCO_FCGI_EXTRAS_TEXT_H

#include "fcgi/answer.h"

/* Tables of cases, draws, inputs, grid and alternatives: what there is. */
void extras_text(const struct answer *answer, struct text *out);

/* How a figure came about, line by line, with the sources that it cites. */
void extras_text_explanation(const struct answer *answer, struct text *out);

/* A heading with an empty line before it. */
void text_title(int zh, const char *english, struct text *out);

#endif
