/* out_advise.h: advice as JSON, text and page. */
#ifndef GPUTCO_FCGI_OUT_ADVISE_H
#define GPUTCO_FCGI_OUT_ADVISE_H

#include "fcgi/advise.h"

void out_advise_json(const struct advice *advice, struct text *out);
void out_advise_text(const struct advice *advice, struct text *out);
void out_advise_html(const struct advice *advice, struct text *out);
void out_advise_form(const struct advice *advice, struct text *out);

#endif
