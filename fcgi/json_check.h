/* json_check.h: whether bytes are one JSON document of RFC 8259, before a
   library that is less strict builds a tree of it. */
#ifndef GPUTCO_FCGI_JSON_CHECK_H
#define GPUTCO_FCGI_JSON_CHECK_H

#include <stddef.h>

enum json_fault { JSON_GOOD, JSON_BAD, JSON_TOO_DEEP, JSON_TOO_MANY };

/* A number as it stands in the document, in document order. */
struct json_number { size_t at, length; };

/* Checks grammar, depth (at most `depth_max` open brackets) and the number
   of values. Text is not checked for UTF-8: its reader does that and can
   name the field. Writes the place of the fault and up to `number_max`
   numbers; more numbers than that are JSON_TOO_MANY. */
enum json_fault json_check(const char *text, size_t byte, int depth_max,
                           struct json_number *number, size_t number_max,
                           size_t *fault_at);

#endif
