/* utf8.h: checks of text that outsiders send. */
#ifndef GPUTCO_PRICING_UTF8_H
#define GPUTCO_PRICING_UTF8_H

#include <stddef.h>

/* Bytes of the well-formed UTF-8 character at `at` (1 to 4), 0 if there is
   none (overlong, surrogate, beyond U+10FFFF, cut). */
size_t utf8_length(const char *at, size_t byte);

/* NULL, or the code of what is wrong: "bad_utf8", "control_char" (also
   U+007F to U+009F, line and paragraph separators, and marks that turn the
   direction of writing). */
const char *utf8_check(const char *text, size_t byte);

/* Number of characters of well-formed text. */
size_t utf8_count(const char *text, size_t byte);

#endif
