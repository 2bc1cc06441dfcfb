/* out_grant.h: the pages of a funding request, in one funder's flavour. */
#ifndef GPUTCO_FCGI_OUT_GRANT_H
#define GPUTCO_FCGI_OUT_GRANT_H

#include "fcgi/answer.h"
#include "fcgi/paper.h"

/* 1 when key `grant` names a flavour. */
int grant_asked(const struct answer *answer);

void out_grant(const struct answer *answer, struct paper *paper);

/* The article of the printable page. */
void out_grant_html(const struct answer *answer, struct text *out);

/* Rows "grant" of the CSV: section, name, label, value, unit. */
void out_grant_csv(const struct answer *answer, struct text *out);

/* The member "grant" of the JSON, when asked for. */
void out_grant_json(const struct answer *answer, struct text *out);

/* As plain text. */
void out_grant_text(const struct answer *answer, struct text *out);

#endif
