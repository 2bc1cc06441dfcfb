/* num.c: numbers and dates as text. */
#include "pricing/num.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int is_digit(char c) { return c >= '0' && c <= '9'; }

static size_t skip_digits(const char *text, size_t at, size_t length)
{
    while (at < length && is_digit(text[at]))
        at++;
    return at;
}

/* 1 if text[0..length) is a number of the one grammar. */
static int well_formed(const char *text, size_t length)
{
    size_t at = length > 0 && text[0] == '-', start = at;

    at = skip_digits(text, at, length);
    if (at == start || (text[start] == '0' && at - start > 1))
        return 0;
    if (at < length && text[at] == '.') {
        start = ++at;
        at = skip_digits(text, at, length);
        if (at == start)
            return 0;
    }
    if (at < length && (text[at] == 'e' || text[at] == 'E')) {
        at++;
        if (at < length && (text[at] == '+' || text[at] == '-'))
            at++;
        start = at;
        at = skip_digits(text, at, length);
        if (at == start)
            return 0;
    }
    return at == length;
}

/* 1 if a digit other than 0 stands before the exponent. */
static int has_value(const char *text)
{
    for (; *text && *text != 'e' && *text != 'E'; text++)
        if (*text >= '1' && *text <= '9')
            return 1;
    return 0;
}

enum num_status num_read(const char *text, size_t length, int percent,
                         double *out)
{
    char copy[NUM_LENGTH_MAX + 1];
    double value, divisor = 1;

    if (length == 0)
        return NUM_EMPTY;
    if (length > NUM_LENGTH_MAX)
        return NUM_TOO_LONG;
    if (percent && text[length - 1] == '%') {
        length--;
        divisor = 100;
    }
    if (!well_formed(text, length))
        return NUM_NOT_A_NUMBER;
    memcpy(copy, text, length);
    copy[length] = '\0';
    value = strtod(copy, NULL) / divisor;
    if (!isfinite(value))
        return NUM_NOT_FINITE;
    if (fpclassify(value) == FP_SUBNORMAL ||
        (fpclassify(value) == FP_ZERO && has_value(copy)))
        return NUM_UNDERFLOW;
    *out = value + 0.0; /* -0 + 0 is 0 */
    return NUM_GOOD;
}

const char *num_code(enum num_status status)
{
    static const char *const code[] = { "", "empty", "not_a_number",
                                        "not_finite", "underflow",
                                        "too_long" };
    return code[status];
}

static size_t print_integer(char *out, double value)
{
    char digits[24];
    size_t count = 0, length = 0;
    unsigned long long rest = (unsigned long long)fabs(value);

    do {
        digits[count++] = (char)('0' + rest % 10);
        rest /= 10;
    } while (rest);
    if (value < 0)
        out[length++] = '-';
    while (count)
        out[length++] = digits[--count];
    out[length] = '\0';
    return length;
}

static int same_double(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0;
}

/* Powers of ten that a double holds exactly. */
static const double ten_to[] = {
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13,
    1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22 };

__extension__ typedef unsigned __int128 wide;

/* Largest e with 10^e <= value, for 1e-4 <= value < 1e15. */
static int exponent_of(double value)
{
    int e = 0;

    if (value >= 1) {
        while (value >= ten_to[e + 1])
            e++;
        return e;
    }
    for (e = -1; value * ten_to[-e] < 1; e--)
        ;
    return e;
}

/* value * 10^power, rounded to a whole number, halves to even: exact, since
   53 bits times 10^20 fit into 128. power is 2 … 20. */
static unsigned long long scaled(double value, int power)
{
    int binary;
    wide mantissa = (wide)ldexp(frexp(value, &binary), 53), product, rest, half;
    int shift = 53 - binary; /* value = mantissa / 2^shift */
    unsigned long long whole;

    product = mantissa * (wide)ten_to[power / 2] * (wide)ten_to[(power + 1) / 2];
    whole = (unsigned long long)(product >> shift);
    rest = product & (((wide)1 << shift) - 1);
    half = (wide)1 << (shift - 1);
    return whole + (rest > half || (rest == half && (whole & 1)));
}

/* Digits with the point behind `before` of them ("" "0.00…" when none),
   without zeros at the end. */
static size_t print_digits(char *out, int negative, unsigned long long digits,
                           int count, int before)
{
    char text[24];
    size_t length = 0;
    int last = count;

    for (int i = count; i-- > 0; digits /= 10)
        text[i] = (char)('0' + digits % 10);
    while (last > before && last > 1 && text[last - 1] == '0')
        last--;
    if (negative)
        out[length++] = '-';
    if (before <= 0) {
        out[length++] = '0';
        out[length++] = '.';
        for (int i = before; i < 0; i++)
            out[length++] = '0';
    }
    for (int i = 0; i < last; i++) {
        if (i == before && before > 0)
            out[length++] = '.';
        out[length++] = text[i];
    }
    out[length] = '\0';
    return length;
}

/* The usual sizes without the library: 15 digits when they read back (an
   integer below 2^53 over a power of ten is divided exactly), else 17. */
static size_t print_fast(char *out, double value)
{
    double size = fabs(value), tenfold, fifteen;
    int e = exponent_of(size), power = 14 - e;

    tenfold = size * ten_to[power];
    fifteen = floor(tenfold + 0.5);
    if (fifteen < 1e15 && same_double(fifteen / ten_to[power], size))
        return print_digits(out, value < 0, (unsigned long long)fifteen, 15,
                            e + 1);
    {
        unsigned long long digits = scaled(size, power + 2);
        if (digits >= 100000000000000000ULL) {
            digits /= 10;
            e++;
        }
        return print_digits(out, value < 0, digits, 17, e + 1);
    }
}

size_t num_print(char out[NUM_TEXT_BYTE], double value)
{
    double size = fabs(value);

    if (size < 1e15 && floor(size) >= size)
        return print_integer(out, value);
    if (size >= 1e-4 && size < 1e15)
        return print_fast(out, value);
    for (int digits = 15; ; digits = 17) {
        int length = snprintf(out, NUM_TEXT_BYTE, "%.*g", digits, value);
        if (digits == 17 || same_double(strtod(out, NULL), value))
            return (size_t)length;
    }
}

static const int month_days[] = { 31, 28, 31, 30, 31, 30,
                                  31, 31, 30, 31, 30, 31 };

static int is_leap(int year)
{
    return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

int day_read(const char *text, size_t length)
{
    int year, month, day;

    if (length != 10 || text[4] != '-' || text[7] != '-')
        return 0;
    for (size_t i = 0; i < length; i++)
        if (i != 4 && i != 7 && !is_digit(text[i]))
            return 0;
    year = (text[0] - '0') * 1000 + (text[1] - '0') * 100 +
           (text[2] - '0') * 10 + (text[3] - '0');
    month = (text[5] - '0') * 10 + (text[6] - '0');
    day = (text[8] - '0') * 10 + (text[9] - '0');
    if (year < 1 || month < 1 || month > 12 || day < 1 ||
        day > month_days[month - 1] + (month == 2 && is_leap(year)))
        return 0;
    return year * 10000 + month * 100 + day;
}

void day_print(char out[11], int day)
{
    snprintf(out, 11, "%04u-%02u-%02u", (unsigned)day / 10000 % 10000,
             (unsigned)day / 100 % 100, (unsigned)day % 100);
}

/* Days since 1 March of year 0, by the usual shift of the year's start. */
static int day_number(int day)
{
    int y = day / 10000, m = day / 100 % 100, d = day % 100;

    if (m < 3) {
        y--;
        m += 12;
    }
    return 365 * y + y / 4 - y / 100 + y / 400 + (153 * (m - 3) + 2) / 5 + d;
}

int day_difference(int later, int earlier)
{
    return day_number(later) - day_number(earlier);
}

int day_of_time(long long second)
{
    const time_t when = (time_t)second;
    struct tm tm;

    if (second < 0 || second > 253402300799 || !gmtime_r(&when, &tm))
        return 0;
    return (tm.tm_year + 1900) * 10000 + (tm.tm_mon + 1) * 100 + tm.tm_mday;
}
