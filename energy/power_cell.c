/* power_cell.c: reads numbers and instants; each function looks at one cell
   and keeps nothing. */
#include "energy/power_cell.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { DIGIT_MAX = 18 };

static const int64_t us_per_s = 1000000, us_per_day = 86400000000;

static int is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static int is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static struct power_cell from(struct power_cell cell, size_t byte)
{
    cell.at += byte;
    cell.byte -= byte;
    return cell;
}

struct power_cell power_cell_trim(struct power_cell cell)
{
    while (cell.byte && is_blank(*cell.at))
        cell = from(cell, 1);
    while (cell.byte && is_blank(cell.at[cell.byte - 1]))
        cell.byte--;
    if (cell.byte >= 2 && *cell.at == '"' && cell.at[cell.byte - 1] == '"') {
        cell = from(cell, 1);
        cell.byte--;
    }
    return cell;
}

int power_cell_is(struct power_cell cell, const char *text)
{
    for (size_t i = 0; i < cell.byte; i++) {
        char c = cell.at[i];
        if (c >= 'A' && c <= 'Z')
            c = (char)(c - 'A' + 'a');
        if (text[i] == '\0' || c != text[i])
            return 0;
    }
    return text[cell.byte] == '\0';
}

/* Up to 18 digits fit an integer and dividing it by a power of ten that is
   exact rounds once, as long as the integer is below 2^53: so it does for
   all that a sensor says. */
int power_cell_number(struct power_cell cell, double *out, size_t *used)
{
    static const double ten[DIGIT_MAX + 1] = {
        1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12,
        1e13, 1e14, 1e15, 1e16, 1e17, 1e18 };
    int minus = cell.byte && *cell.at == '-', digits = 0, behind = -1;
    int64_t all = 0;
    size_t i = (size_t)minus;

    for (; i < cell.byte; i++) {
        char c = cell.at[i];
        if (is_digit(c) && digits < DIGIT_MAX) {
            all = all * 10 + (c - '0');
            digits++;
            behind += behind >= 0;
        } else if (c == '.' && behind < 0 && digits) {
            behind = 0;
        } else {
            break;
        }
    }
    if (!digits || behind == 0 || (i < cell.byte && is_digit(cell.at[i])) ||
        (!used && i < cell.byte))
        return 0;
    *out = (double)all / ten[behind > 0 ? behind : 0];
    if (minus)
        *out = -*out;
    if (used)
        *used = i;
    return 1;
}

double power_cell_unit(struct power_cell unit)
{
    if (unit.byte == 1 && *unit.at == 'W')
        return 1;
    if (unit.byte == 1 && *unit.at == '%')
        return 0.01;
    if (unit.byte == 2 && unit.at[1] == 'W')
        return *unit.at == 'm' ? 1e-3 : *unit.at == 'k' ? 1e3
             : *unit.at == 'M' ? 1e6 : NAN;
    return NAN;
}

/* 1 for what the tools write in place of a reading they do not have. */
static int is_missing(struct power_cell cell)
{
    return cell.byte == 0 || *cell.at == '[' ||
           (cell.byte == 1 && *cell.at == '-') || power_cell_is(cell, "n/a") ||
           power_cell_is(cell, "err!") || power_cell_is(cell, "nan") ||
           power_cell_is(cell, "unknown");
}

enum power_reading power_cell_value(struct power_cell cell, double plain,
                                    double *out)
{
    double number, unit;
    size_t used;

    if (!power_cell_number(cell, &number, &used))
        return is_missing(cell) ? READING_MISSING : READING_BAD;
    if (used < cell.byte) {
        unit = power_cell_unit(power_cell_trim(from(cell, used)));
        if (isnan(unit))
            return READING_BAD;
        plain = unit;
    }
    *out = plain < 1 ? number / (1 / plain) : number * plain; /* rounds once */
    return READING_GOOD;
}

enum power_reading power_cell_joule(struct power_cell cell, double *out)
{
    static const char letter[] = "KMGTP";
    double number, unit = 1;
    const char *at;
    size_t used;

    if (!power_cell_number(cell, &number, &used))
        return is_missing(cell) ? READING_MISSING : READING_BAD;
    if (used + 1 == cell.byte && (at = strchr(letter, cell.at[used])) != NULL)
        for (long i = at - letter; i >= 0; i--)
            unit *= 1000;
    else if (used != cell.byte)
        return READING_BAD;
    *out = number * unit;
    return READING_GOOD;
}

enum power_reading power_cell_span(struct power_cell cell, double *second)
{
    double part, total = 0, day = 0;
    int colons = 0, has_day = 0;
    size_t used;

    if (is_missing(cell))
        return READING_MISSING;
    while (power_cell_number(cell, &part, &used) && part >= 0) {
        total = total * 60 + part;
        cell = from(cell, used);
        if (cell.byte == 0 && (colons == 2 || (!colons && !has_day))) {
            *second = day * 86400 + total;
            return READING_GOOD;
        }
        if (cell.byte && *cell.at == '-' && !colons && !has_day) {
            has_day = 1;
            day = total;
            total = 0;
        } else if (cell.byte == 0 || *cell.at != ':' || ++colons > 2) {
            break;
        }
        cell = from(cell, 1);
    }
    return READING_BAD;
}

/* --- instants ------------------------------------------------------------- */

/* `count` digits at `at`, or -1. */
static int digits(const char *at, int count)
{
    int value = 0;

    for (int i = 0; i < count; i++) {
        if (!is_digit(at[i]))
            return -1;
        value = value * 10 + (at[i] - '0');
    }
    return value;
}

/* Days since 1970 of a day of the Gregorian calendar, by counting from the
   March before it: leap days then come last. */
static int64_t day_number(int year, int month, int day)
{
    int64_t y = month > 2 ? year : year - 1;
    int64_t m = month > 2 ? month - 3 : month + 9;

    return 365 * y + y / 4 - y / 100 + y / 400 + (153 * m + 2) / 5 + day - 1 -
           719468;
}

static int day_exists(int year, int month, int day)
{
    static const char length[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30,
                                   31 };
    int leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;

    return year >= 1970 && month >= 1 && month <= 12 && day >= 1 &&
           day <= length[month - 1] + (month == 2 && leap);
}

/* YYYY/MM/DD, YYYY-MM-DD or YYYYMMDD in front; its length, or 0. */
static size_t read_day(struct power_cell cell, struct power_day *kept)
{
    int year, month, day;
    size_t byte = 10;

    if (cell.byte >= 10 && kept->text[0] &&
        memcmp(cell.at, kept->text, 10) == 0)
        return 10;
    if (cell.byte < 8)
        return 0;
    year = digits(cell.at, 4);
    if (cell.byte >= 10 && (cell.at[4] == '/' || cell.at[4] == '-') &&
        cell.at[7] == cell.at[4]) {
        month = digits(cell.at + 5, 2);
        day = digits(cell.at + 8, 2);
    } else {
        month = digits(cell.at + 4, 2);
        day = digits(cell.at + 6, 2);
        byte = 8;
    }
    if (year < 0 || !day_exists(year, month, day))
        return 0;
    kept->us = day_number(year, month, day) * us_per_day;
    if (byte == 10)
        memcpy(kept->text, cell.at, 10);
    else
        kept->text[0] = '\0';
    return byte;
}

/* HH:MM:SS and up to nine digits of a fraction; its length, or 0. */
static size_t read_clock(struct power_cell cell, int64_t *us)
{
    int64_t part = 100000;
    int hour, minute, second;
    size_t i = 8;

    if (cell.byte < 8 || cell.at[2] != ':' || cell.at[5] != ':')
        return 0;
    hour = digits(cell.at, 2);
    minute = digits(cell.at + 3, 2);
    second = digits(cell.at + 6, 2);
    if (hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 ||
        second > 60)
        return 0;
    *us = ((hour * 60 + minute) * 60 + second) * us_per_s;
    if (i < cell.byte && cell.at[i] == '.')
        for (i++; i < cell.byte && i < 18 && is_digit(cell.at[i]); i++) {
            *us += (cell.at[i] - '0') * part;
            part /= 10;
        }
    return i;
}

/* Z, +HH:MM, +HHMM or nothing, as what has to be taken off. 1 or 0. */
static int read_offset(struct power_cell cell, int64_t *us)
{
    int hour, minute;

    *us = 0;
    if (cell.byte == 0 || (cell.byte == 1 && *cell.at == 'Z'))
        return 1;
    if ((*cell.at != '+' && *cell.at != '-') ||
        !(cell.byte == 5 || (cell.byte == 6 && cell.at[3] == ':')))
        return 0;
    hour = digits(cell.at + 1, 2);
    minute = digits(cell.at + cell.byte - 2, 2);
    if (hour < 0 || hour > 15 || minute < 0 || minute > 59)
        return 0;
    *us = (hour * 60 + minute) * 60 * us_per_s * (*cell.at == '-' ? -1 : 1);
    return 1;
}

static int read_epoch(struct power_cell cell, int64_t *us)
{
    double number;

    if (!power_cell_number(cell, &number, NULL) || number < 1e8)
        return 0;
    number *= number < 1e11 ? 1e6 : number < 1e14 ? 1e3 : 1;
    if (number > 4e15) /* past the year 2096 */
        return 0;
    *us = (int64_t)(number + 0.5);
    return 1;
}

int power_cell_instant(struct power_cell cell, struct power_day *day,
                       int64_t *us)
{
    int64_t clock, offset;
    size_t byte = read_day(cell, day), more;

    if (byte == 0 || byte + 9 > cell.byte ||
        !(cell.at[byte] == ' ' || cell.at[byte] == 'T'))
        return read_epoch(cell, us);
    cell = from(cell, byte + 1);
    while (cell.byte && *cell.at == ' ')
        cell = from(cell, 1);
    more = read_clock(cell, &clock);
    if (more == 0 || !read_offset(from(cell, more), &offset))
        return 0;
    *us = day->us + clock - offset;
    return 1;
}

int power_cell_clock(struct power_cell cell, int64_t *us)
{
    return cell.byte >= 8 && read_clock(cell, us) == cell.byte;
}

void power_instant_print(char out[24], int64_t us)
{
    int64_t day = us / us_per_day - (us % us_per_day < 0);
    int64_t second = (us - day * us_per_day) / us_per_s;
    int64_t z = day + 719468, era = z / 146097, of = z % 146097;
    int64_t y = (of - of / 1460 + of / 36524 - of / 146096) / 365;
    int64_t d = of - (365 * y + y / 4 - y / 100), m = (5 * d + 2) / 153;

    snprintf(out, 24, "%04u-%02u-%02u %02u:%02u:%02u",
             (unsigned)(y + era * 400 + (m >= 10)) % 10000u,
             (unsigned)(m < 10 ? m + 3 : m - 9) % 100u,
             (unsigned)(d - (153 * m + 2) / 5 + 1) % 100u,
             (unsigned)(second / 3600) % 100u,
             (unsigned)(second / 60 % 60) % 100u,
             (unsigned)(second % 60) % 100u);
}
