/* out_csv.h: a study's answer as one long table. Its rows "asked" are the
   canonical query, so that the table can be posted back (csv_body.h). */
#ifndef GPUTCO_FCGI_OUT_CSV_H
#define GPUTCO_FCGI_OUT_CSV_H

#include "fcgi/answer.h"

/* option, section, name, label, value, unit, low, high, origin, source,
   observed; numbers exact, never grouped; an empty cell means none. A byte
   order mark in front with bom=1. */
void out_csv(const struct answer *answer, struct text *out);

#endif
