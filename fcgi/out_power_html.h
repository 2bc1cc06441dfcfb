/* out_power_html.h: a power log's answer, or what is wrong with it, as a
   page. */
#ifndef GPUTCO_FCGI_OUT_POWER_HTML_H
#define GPUTCO_FCGI_OUT_POWER_HTML_H

#include "fcgi/power.h"

void out_power_html(const struct power_answer *answer, struct text *out);

/* The page with the form, and with the mistakes when there are any. answer
   may be NULL: an empty form. */
void out_power_form(const struct power_answer *answer, int zh,
                    struct text *out);

#endif
