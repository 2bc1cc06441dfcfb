/* out_then_now.h: then and now as a part of the saved page, as JSON and as
   text. */
#ifndef GPUTCO_FCGI_OUT_THEN_NOW_H
#define GPUTCO_FCGI_OUT_THEN_NOW_H

#include "fcgi/then_now.h"

void out_then_now_html(const struct then_now *both, const struct saved *saved,
                       struct text *out);

/* {"then": the saved document, "now": today's or null, "differences": ...} */
void out_then_now_json(const struct then_now *both, const struct saved *saved,
                       const char *base_url, struct text *out);

void out_then_now_text(const struct then_now *both, const struct saved *saved,
                       struct text *out);

#endif
