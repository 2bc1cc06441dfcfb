/* extras_json.h: cases, grid, alternatives and explanation as members of a
   JSON document. */
#ifndef GPUTCO_FCGI_EXTRAS_JSON_H
#define GPUTCO_FCGI_EXTRAS_JSON_H

#include "fcgi/answer.h"

/* Members "cases", "grid", "alternatives", "alternative_count",
   "pareto_front" and "explain": null or empty when not asked for. */
void extras_json(const struct answer *answer, struct text *out);

#endif
