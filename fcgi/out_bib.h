/* out_bib.h: a study and the sources of its figures as BibTeX. */
#ifndef GPUTCO_FCGI_OUT_BIB_H
#define GPUTCO_FCGI_OUT_BIB_H

#include "fcgi/answer.h"

/* Keys follow from what is cited: the same link, the same key. */
void out_bib(const struct answer *answer, struct text *out);

#endif
