/* out_equivalent.h: energy and CO2e of the options as people know them, under
   the figures themselves. */
#ifndef GPUTCO_FCGI_OUT_EQUIVALENT_H
#define GPUTCO_FCGI_OUT_EQUIVALENT_H

#include "fcgi/answer.h"

void out_equivalent_html(const struct answer *answer, struct text *out);
void out_equivalent_text(const struct answer *answer, struct text *out);

/* "equivalents": [...] of the answer. */
void out_equivalent_json(const struct answer *answer, struct text *out);

#endif
