/* out_boundary.h: the carbon of the options by scope, by ISO/IEC 21031, and
   the band of its manufacture, under the figures themselves. */
#ifndef GPUTCO_FCGI_OUT_BOUNDARY_H
#define GPUTCO_FCGI_OUT_BOUNDARY_H

#include "fcgi/answer.h"

void out_boundary_html(const struct answer *answer, struct text *out);
void out_boundary_text(const struct answer *answer, struct text *out);

/* "scopes": [...], "sci": {...} and "embodied_band": {...} of an option. */
void out_boundary_json(const struct answer *answer, int option,
                       struct text *out);

#endif
