/* out_selfcheck.h: the self-check as JSON, text and page. */
#ifndef GPUTCO_FCGI_OUT_SELFCHECK_H
#define GPUTCO_FCGI_OUT_SELFCHECK_H

#include "fcgi/app.h"
#include "pricing/selfcheck.h"

void out_selfcheck_json(const struct selfcheck *check, struct text *out);
void out_selfcheck_text(const struct selfcheck *check, struct text *out);
void out_selfcheck_html(const struct selfcheck *check, int zh,
                        struct text *out);

#endif
