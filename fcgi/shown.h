/* shown.h: numbers as people read them: grouped, rounded, with their unit.
   Exact digits are in the other formats. */
#ifndef GPUTCO_FCGI_SHOWN_H
#define GPUTCO_FCGI_SHOWN_H

#include "fcgi/answer.h"

/* Rounded to that many decimals, thousands grouped: "1,234.50". What is not
   a number is shown as a dash. */
void shown_number(struct text *out, double value, int decimals);

/* Up to `digits` significant digits, without trailing zeros: "0.128". Whole
   parts are never cut. */
void shown_digits(struct text *out, double value, int digits);

/* 60 % */
void shown_percent(struct text *out, double frac);

/* "USD 32,249": whole units, as in tables. A currency may be "" here and
   below. */
void shown_money(struct text *out, const char *currency, double value);

/* "USD 32,200", "USD 1.09 million": three digits, as in sentences. */
void shown_rounded(struct text *out, const char *currency, double value);

/* The same in digits alone, for languages that count otherwise. */
void shown_rounded_digits(struct text *out, const char *currency, double value);

/* "USD 1.234": a price of something small, four significant digits. */
void shown_price(struct text *out, const char *currency, double value);

/* The value of a field without and with its unit; choices and names as they
   are typed. */
void shown_value(struct text *out, const struct option *option, int field);

/* The unit behind it: "USD/kWh", "W", "" for pure numbers. */
void shown_unit(struct text *out, const struct study *study, int field);

/* As it could be typed: plain digits, fractions as "60%". */
void shown_typed(struct text *out, const struct option *option, int field);

#endif
