/* reading.c: readings, their order and their times. */
#include "pricing/reading.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "pricing/num.h"

const char *const reading_kind_name[READING_KIND_COUNT] = { "grid", "tariff" };
const char *const reading_basis_name[BASIS_COUNT] = { "", "direct",
                                                      "lifecycle" };

enum { MINUTE_SECOND = 60, HOUR_SECOND = 3600, DAY_SECOND = 86400 };

int reading_compare_place(const struct reading *a, const struct reading *b)
{
    int order = strcmp(a->feed, b->feed);

    if (!order)
        order = (a->kind > b->kind) - (a->kind < b->kind);
    if (!order)
        order = strcmp(a->zone, b->zone);
    if (!order)
        order = strcmp(a->region, b->region);
    return order ? order : (a->tariff > b->tariff) - (a->tariff < b->tariff);
}

int reading_compare(const struct reading *a, const struct reading *b)
{
    int order = reading_compare_place(a, b);

    return order ? order : (a->begin > b->begin) - (a->begin < b->begin);
}

int reading_is_live(const struct reading *reading)
{
    return reading->kind == READING_GRID && !*reading->region &&
           reading->end - reading->begin <= HOUR_SECOND;
}

const struct reading *reading_live(const struct reading_table *table,
                                   const char *zone)
{
    const struct reading *best = NULL;

    for (size_t i = 0; table && i < table->count; i++) {
        const struct reading *row = &table->row[i];

        if (!reading_is_live(row) || strcmp(row->zone, zone) != 0)
            continue;
        if (!best || row->forecast < best->forecast ||
            (row->forecast == best->forecast && row->begin > best->begin))
            best = row;
    }
    return best;
}

const struct reading *reading_tariff(const struct reading_table *table,
                                     const char *zone,
                                     enum tariff_class tariff)
{
    const struct reading *best = NULL;

    for (size_t i = 0; table && i < table->count; i++) {
        const struct reading *row = &table->row[i];

        if (row->kind == READING_TARIFF && row->tariff == tariff &&
            strcmp(row->zone, zone) == 0 &&
            (!best || row->begin > best->begin))
            best = row;
    }
    return best;
}

/* -- time ------------------------------------------------------------------ */

long long second_of_day(int day)
{
    return (long long)day_difference(day, 19700101) * DAY_SECOND;
}

/* The year's length is guessed at first and then put right, the month too. */
int day_of_second(long long second)
{
    const long long number = second / DAY_SECOND - (second % DAY_SECOND < 0);
    int year = (int)(1970 + number / 366), month = 12;

    while (day_difference((year + 1) * 10000 + 101, 19700101) <= number)
        year++;
    while (day_difference(year * 10000 + 101, 19700101) > number)
        year--;
    while (day_difference(year * 10000 + month * 100 + 1, 19700101) > number)
        month--;
    return year * 10000 + month * 100 + 1 +
           (int)(number - day_difference(year * 10000 + month * 100 + 1,
                                         19700101));
}

/* Two digits, below `limit`; -1: none. */
static int two_digits(const char *text, int limit)
{
    int value;

    if (text[0] < '0' || text[0] > '9' || text[1] < '0' || text[1] > '9')
        return -1;
    value = (text[0] - '0') * 10 + text[1] - '0';
    return value < limit ? value : -1;
}

long long second_read(const char *text)
{
    int day, hour, minute, second = 0;

    if (strlen(text) < 17 || text[10] != 'T' || text[13] != ':')
        return -1;
    day = day_read(text, 10);
    hour = two_digits(text + 11, 24);
    minute = two_digits(text + 14, 60);
    text += 16;
    if (*text == ':') {
        second = two_digits(text + 1, 60);
        text += second < 0 ? 0 : 3;
        if (*text == '.')
            text += 1 + strspn(text + 1, "0123456789");
    }
    if (!day || hour < 0 || minute < 0 || second < 0 || strcmp(text, "Z") != 0)
        return -1;
    return second_of_day(day) + hour * HOUR_SECOND + minute * MINUTE_SECOND
           + second;
}

void reading_when(const struct reading *reading, char out[READING_WHEN_BYTE])
{
    const int day = day_of_second(reading->begin);
    const int year = day / 10000 % 10000, month = day / 100 % 100;
    const long long days = (reading->end - reading->begin) / DAY_SECOND;
    const unsigned minute = (unsigned)(reading->begin - second_of_day(day))
                            / MINUTE_SECOND;

    if (days <= 1)
        snprintf(out, READING_WHEN_BYTE, "%04d-%02d-%02d %02u:%02u UTC", year,
                 month, day % 100, minute / 60 % 24, minute % 60);
    else if (days <= 31)
        snprintf(out, READING_WHEN_BYTE, "%04d-%02d", year, month);
    else if (days <= 184)
        snprintf(out, READING_WHEN_BYTE, "%04d-S%d", year, month < 7 ? 1 : 2);
    else
        snprintf(out, READING_WHEN_BYTE, "%04d", year);
}

/* The last Sunday of a month of 31 days. */
static int last_sunday(int year, int month)
{
    const int last = year * 10000 + month * 100 + 31;

    /* 4 January 1970 was a Sunday */
    return last - (day_difference(last, 19700104) % 7 + 7) % 7;
}

/* Midnight at which the local day begins, UTC. */
static long long midnight(int day, int hour, int summer)
{
    const int year = day / 10000;
    const long long winter = second_of_day(day) - hour * HOUR_SECOND;
    const long long first = second_of_day(last_sunday(year, 3)) + HOUR_SECOND;
    const long long last = second_of_day(last_sunday(year, 10)) + HOUR_SECOND;

    /* the change comes after the local midnight of its own day */
    return summer && winter > first && winter - HOUR_SECOND < last
        ? winter - HOUR_SECOND : winter;
}

void local_day(int day, int hour, int summer, long long *begin, long long *end)
{
    *begin = midnight(day, hour, summer);
    *end = midnight(day_of_second(second_of_day(day) + DAY_SECOND), hour,
                    summer);
}

double reading_mean(const struct reading *reading, size_t count,
                    long long begin, long long end)
{
    long long at = begin;
    double sum = 0;

    for (size_t i = 0; i < count && at < end; i++) {
        const struct reading *row = &reading[i];
        const long long until = row->end < end ? row->end : end;

        if (row->end <= at && at == begin)
            continue;
        if (at == begin ? row->begin > at : row->begin != at)
            return (double)NAN;
        sum += row->value * (double)(until - at);
        at = until;
    }
    return at >= end && end > begin ? sum / (double)(end - begin)
                                    : (double)NAN;
}
