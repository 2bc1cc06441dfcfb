/* json.h: writes JSON straight into a text; one function a kind of value. */
#ifndef GPUTCO_FCGI_JSON_H
#define GPUTCO_FCGI_JSON_H

#include "fcgi/app.h"

/* A quoted string; <, > and & are escaped too, so that it may stand in a
   page. `text` is well-formed UTF-8. */
void json_string(struct text *out, const char *text);

/* Digits that read back exactly; null when not finite. */
void json_number(struct text *out, double value);

/* "name": with a comma in front unless a bracket has just been opened. */
void json_name(struct text *out, const char *name);

/* A comma unless a bracket has just been opened, for array elements. */
void json_next(struct text *out);

void json_pair_number(struct text *out, const char *name, double value);
void json_pair_string(struct text *out, const char *name, const char *text);
void json_pair_bool(struct text *out, const char *name, int value);

#endif
