/* out_json.h: a study's answer, and mistakes, as JSON. */
#ifndef GPUTCO_FCGI_OUT_JSON_H
#define GPUTCO_FCGI_OUT_JSON_H

#include "fcgi/answer.h"

/* The document of the interface contract ("JSON"). */
void out_json(const struct answer *answer, struct text *out);

/* application/problem+json (RFC 9457) with every mistake. title is a
   constant. */
void out_problem(int status, const char *title,
                 const struct problems *problems, struct text *out);

/* The field table, for /fields.json. */
void out_fields(struct text *out);

#endif
