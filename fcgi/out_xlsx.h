/* out_xlsx.h: an answer as a workbook that goes on calculating. */
#ifndef GPUTCO_FCGI_OUT_XLSX_H
#define GPUTCO_FCGI_OUT_XLSX_H

#include "fcgi/answer.h"

/* Writes the whole file. The same answer gives the same bytes. 0, or -1 when
   memory or a temporary file failed; then part of it may stand in `out`. */
int out_xlsx(const struct answer *answer, struct text *out);

#endif
