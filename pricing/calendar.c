/* calendar.c: months counted from year 0. */
#include "pricing/calendar.h"

int calendar_month(int day, int months)
{
    int count = day / 10000 * 12 + day / 100 % 100 - 1 + months;

    return count / 12 * 10000 + (count % 12 + 1) * 100 + 1;
}

int calendar_start(int day)
{
    return calendar_month(day, day % 100 > 1);
}
