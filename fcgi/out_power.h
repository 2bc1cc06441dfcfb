/* out_power.h: a power log's answer, or what is wrong with it, as JSON and
   text. */
#ifndef GPUTCO_FCGI_OUT_POWER_H
#define GPUTCO_FCGI_OUT_POWER_H

#include "fcgi/power.h"

void out_power_json(const struct power_answer *answer, struct text *out);
void out_power_text(const struct power_answer *answer, struct text *out);

/* application/problem+json with every mistake of the log (line, field, code,
   limit) and of what was typed. */
void out_power_problem(const struct power_answer *answer, struct text *out);

/* The same for a terminal, a line each. */
void out_power_complaint(const struct power_answer *answer, struct text *out);

#endif
