/* out_pdf.h: an answer as a report of a few A4 pages, to be handed in. */
#ifndef GPUTCO_FCGI_OUT_PDF_H
#define GPUTCO_FCGI_OUT_PDF_H

#include "fcgi/answer.h"

/* Writes the whole file. The same answer gives the same bytes. 0, or -1 when
   memory failed; then part of it may stand in `out`. */
int out_pdf(const struct answer *answer, struct text *out);

#endif
