/* out_text.h: the answer as a table for people at a terminal. */
#ifndef GPUTCO_FCGI_OUT_TEXT_H
#define GPUTCO_FCGI_OUT_TEXT_H

#include "fcgi/answer.h"

/* Plain UTF-8, sentence first, then aligned columns, one an option. */
void out_text(const struct answer *answer, struct text *out);

#endif
