/* mathml.h: a formula of the tables, set as mathematics. */
#ifndef GPUTCO_FCGI_MATHML_H
#define GPUTCO_FCGI_MATHML_H

#include "fcgi/app.h"

/* name = formula as one <math> element: division as a fraction, IF as cases.
   1, or 0 with nothing written when the text is no formula. */
int mathml(const char *name, const char *formula, struct text *out);

#endif
