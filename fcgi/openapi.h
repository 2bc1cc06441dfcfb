/* openapi.h: the API's description (OpenAPI 3.1), out of the tables. */
#ifndef GPUTCO_FCGI_OPENAPI_H
#define GPUTCO_FCGI_OPENAPI_H

#include "fcgi/app.h"

void out_openapi(const char *base_url, struct text *out);

#endif
