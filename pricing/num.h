/* num.h: numbers as text: one grammar for every surface, and digits that
   read back exactly. Never depends on the locale. */
#ifndef GPUTCO_PRICING_NUM_H
#define GPUTCO_PRICING_NUM_H

#include <stddef.h>

enum num_status { NUM_GOOD, NUM_EMPTY, NUM_NOT_A_NUMBER, NUM_NOT_FINITE,
                  NUM_UNDERFLOW, NUM_TOO_LONG };

enum { NUM_LENGTH_MAX = 64, NUM_TEXT_BYTE = 32 };

/* Reads a decimal number: -?digits[.digits][e[+-]digits], the grammar of
   JSON, the whole text and nothing else. With `percent` a trailing % is
   accepted and divides by 100. -0 is read as 0. Writes *out only when
   NUM_GOOD. NUM_UNDERFLOW: digits other than 0 that a double cannot hold. */
enum num_status num_read(const char *text, size_t length, int percent,
                         double *out);

/* The code of a status in the vocabulary of problems ("not_a_number"). */
const char *num_code(enum num_status status);

/* Writes 15 significant digits, or 17 when 15 do not read back to the same
   double; integers up to 1e15 without exponent; -0 as 0. `value` must be
   finite. Returns the length; out has room for NUM_TEXT_BYTE. */
size_t num_print(char out[NUM_TEXT_BYTE], double value);

/* Reads YYYY-MM-DD of a day that exists, as yyyymmdd; 0 when it is not. */
int day_read(const char *text, size_t length);

/* Writes YYYY-MM-DD. */
void day_print(char out[11], int day);

/* Days between two yyyymmdd dates (later - earlier). */
int day_difference(int later, int earlier);

/* The day (yyyymmdd, UTC) of a time in seconds since 1970; 0: out of range. */
int day_of_time(long long second);

#endif
