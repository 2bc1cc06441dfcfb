/* fact.c: reads the dates that facts carry. */
#include "energy/fact.h"

#include <string.h>

/* Reads `digits` digits; -1 when there are fewer. */
static int read_digits(const char **s, int digits)
{
    int value = 0;

    for (; digits > 0; digits--, (*s)++) {
        if (**s < '0' || **s > '9')
            return -1;
        value = value * 10 + (**s - '0');
    }
    return value;
}

static int days_in_month(int year, int month)
{
    static const int days[] = { 31, 28, 31, 30, 31, 30,
                                31, 31, 30, 31, 30, 31 };
    int leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;

    return days[month - 1] + (month == 2 && leap);
}

/* "S2" and "Q3" name the month in which the half or quarter starts. */
static int period_month(const char *s)
{
    if (strlen(s) != 2)
        return 0;
    if (s[0] == 'S' && s[1] >= '1' && s[1] <= '2')
        return (s[1] - '1') * 6 + 1;
    if (s[0] == 'Q' && s[1] >= '1' && s[1] <= '4')
        return (s[1] - '1') * 3 + 1;
    return 0;
}

int fact_day(const char *date)
{
    int year = read_digits(&date, 4), month = 1, day = 1;

    if (year < 1000)
        return 0;
    if (*date == '-') {
        date++;
        month = period_month(date);
        if (month > 0)
            return year * 10000 + month * 100 + 1;
        month = read_digits(&date, 2);
        if (month < 1 || month > 12)
            return 0;
        if (*date == '-') {
            date++;
            day = read_digits(&date, 2);
            if (day < 1 || day > days_in_month(year, month))
                return 0;
        }
    }
    return *date ? 0 : year * 10000 + month * 100 + day;
}
