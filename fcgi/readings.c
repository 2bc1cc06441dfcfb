/* readings.c: live grid values and fetched tariffs, told with their times. */
#include "fcgi/readings.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "fcgi/html.h"
#include "fcgi/say.h"
#include "pricing/feed.h"
#include "pricing/num.h"

const struct sheet_column live_columns[LIVE_COLUMN_COUNT] = {
    { "live_g_per_kwh", "Grid now", "g CO2e/kWh", 1 },
    { "live_time", "Time", "", 0 }, { "live_basis", "Basis", "", 0 },
    { "live_state", "State", "", 0 }, { "live_source", "Source", "", 0 },
    { "live_yesterday_g_per_kwh", "Mean of yesterday", "g CO2e/kWh", 1 },
    { "fetched_household_price_per_kwh", "Household tariff", "/kWh", 1 },
    { "fetched_commercial_price_per_kwh", "Commercial tariff", "/kWh", 1 },
    { "fetched_industrial_price_per_kwh", "Industrial tariff", "/kWh", 1 },
    { "fetched_currency", "Currency", "", 0 },
    { "fetched_tariff_time", "Time", "", 0 },
    { "fetched_tariff_source", "Source", "", 0 },
};

/* None is of the last kWh alone. */
static const char *const basis_words[BASIS_COUNT] = {
    "", "direct, average", "lifecycle, average" };

static const char *source_of(const struct reading *reading)
{
    const struct feed *feed = feed_find(reading->feed);

    return feed ? feed->title : reading->feed;
}

/* What results use in the reading's place; "" date: nothing. */
static struct fact used_fact(const struct reading *reading)
{
    const struct zone *zone = zone_find(reading->zone);
    enum tariff_class used;
    struct dated_price tariff;

    if (reading->kind == READING_GRID)
        return zone ? zone->grid_g_per_kwh
                    : (struct fact){ NAN, { "", "", "", "" }, 0 };
    tariff = tariff_find(reading->zone, reading->tariff, &used);
    return used == reading->tariff && tariff.currency &&
           strcmp(tariff.currency, reading->currency) == 0 ? tariff.fact
        : (struct fact){ NAN, { "", "", "", "" }, 0 };
}

/* An hour is the grid's state for so long. */
enum { LIVE_DAY = 2 };

static const char *state_of(const struct table_call *c,
                            const struct reading *reading)
{
    const int of = day_of_second(reading->begin);

    if (!reading_is_live(reading)) {
        const struct fact used = used_fact(reading);

        return !isnan(used.value) && of > fact_day(used.source.date) ? "newer"
                                                                     : "";
    }
    return day_difference(c->world->today, of) > LIVE_DAY ? "old"
         : reading->forecast ? "forecast"
         : reading->estimated ? "estimated" : "measured";
}

/* Mean of the whole day before today: the local day of Great Britain, the day
   UTC of others. NAN when some of it is not known. */
static double mean_of_yesterday(const struct table_call *c,
                                const struct reading *live)
{
    const struct reading_table *table = c->world->readings;
    const int day = day_of_second(second_of_day(c->world->today) - 1);
    long long begin, end;
    size_t first = 0, count = 0;

    local_day(day, 0, strcmp(live->zone, "GB") == 0, &begin, &end);
    while (reading_compare_place(&table->row[first], live) != 0)
        first++;
    while (first + count < table->count &&
           reading_compare_place(&table->row[first + count], live) == 0)
        count++;
    return reading_mean(&table->row[first], count, begin, end);
}

static void grid_cells(const struct table_call *c, struct sheet *sheet,
                       const struct reading *live)
{
    char when[READING_WHEN_BYTE] = "";

    if (live)
        reading_when(live, when);
    sheet_number(sheet, live ? live->value : (double)NAN, 3);
    sheet_text(sheet, when, "");
    sheet_text(sheet, live ? basis_words[live->basis] : "", "");
    sheet_text(sheet, live ? state_of(c, live) : "", "");
    sheet_text(sheet, live ? source_of(live) : "", "");
    sheet_number(sheet, live ? mean_of_yesterday(c, live) : (double)NAN, 3);
}

void live_cells(const struct table_call *c, struct sheet *sheet,
                const struct zone *zone)
{
    const struct reading *newest = NULL;
    char when[READING_WHEN_BYTE] = "";

    grid_cells(c, sheet, reading_live(c->world->readings, zone->id));
    for (int k = 0; k < TARIFF_CLASS_COUNT; k++) {
        const struct reading *tariff = reading_tariff(
            c->world->readings, zone->id, (enum tariff_class)k);

        sheet_number(sheet, tariff ? tariff->value : (double)NAN, 3);
        if (tariff && (!newest || tariff->begin > newest->begin))
            newest = tariff;
    }
    if (newest)
        reading_when(newest, when);
    sheet_text(sheet, newest ? newest->currency : "", "");
    sheet_text(sheet, when, "");
    sheet_text(sheet, newest ? source_of(newest) : "", "");
}

/* -- the table of all ------------------------------------------------------ */

static const struct sheet_column columns[] = {
    { "name", "Country or state", "", 0 }, { "zone", "Id", "", 0 },
    { "region", "Region", "", 0 }, { "what", "What", "", 0 },
    { "value", "Value", "", 1 }, { "unit", "Unit", "", 0 },
    { "time", "Time", "", 0 }, { "basis", "Basis", "", 0 },
    { "state", "State", "", 0 },
    { "used_value", "Used in results", "", 1 },
    { "used_date", "Date", "", 0 }, { "source", "Source", "", 0 },
};

enum { COLUMN_COUNT = sizeof columns / sizeof *columns };

static const char *told(const struct table_call *c, const char *english)
{
    return c->form == SHEET_HTML ? say(c->zh, english) : english;
}

static void reading_row(const struct table_call *c, struct sheet *sheet,
                        const struct reading *reading)
{
    static const char *const what[TARIFF_CLASS_COUNT] = {
        [TARIFF_HOUSEHOLD] = "Household tariff",
        [TARIFF_COMMERCIAL] = "Commercial tariff",
        [TARIFF_INDUSTRIAL] = "Industrial tariff",
    };
    const struct zone *zone = zone_find(reading->zone);
    const struct fact used = used_fact(reading);
    const int grid = reading->kind == READING_GRID;
    char when[READING_WHEN_BYTE], unit[20];

    reading_when(reading, when);
    snprintf(unit, sizeof unit, "%s/kWh", grid ? "g CO2e" : reading->currency);
    sheet_row(sheet);
    sheet_text(sheet, zone ? zone->name : "", "");
    sheet_text(sheet, reading->zone, "");
    sheet_text(sheet, reading->region, "");
    sheet_text(sheet, told(c, grid ? "Grid factor" : what[reading->tariff]),
               "");
    sheet_number(sheet, reading->value, grid ? 3 : 4);
    sheet_text(sheet, unit, "");
    sheet_text(sheet, when, "");
    sheet_text(sheet, told(c, grid ? basis_words[reading->basis]
                                   : reading->note), "");
    sheet_text(sheet, told(c, state_of(c, reading)), "");
    sheet_number(sheet, used.value, grid ? 3 : 4);
    sheet_text(sheet, used.source.date, "");
    sheet_text(sheet, source_of(reading), "");
}

/* Is another of the same place told in this one's stead? A newer one, and
   what was measured before what is forecast. */
static int is_followed(const struct reading_table *table, size_t i)
{
    const struct reading *row = &table->row[i];

    for (size_t k = i + 1; k < table->count &&
         reading_compare_place(row, &table->row[k]) == 0; k++)
        if (row->forecast || !table->row[k].forecast)
            return 1;
    return row->forecast && i > 0 &&
           reading_compare_place(row, row - 1) == 0;
}

static int is_told(const struct reading_table *table, size_t i, int parts)
{
    return parts & (reading_is_live(&table->row[i]) ? READINGS_LIVE
                                                    : READINGS_OTHER) &&
           !is_followed(table, i);
}

/* The first of these parts from `i` on; count: there is none. */
static size_t next_told(const struct reading_table *table, size_t i,
                        int parts)
{
    while (i < table->count && !is_told(table, i, parts))
        i++;
    return i;
}

static const char note[] =
    "Results use the yearly grid factors and the dated tariffs of the table of "
    "places. What the feeds say now stands beside them and changes no result.";

/* For people: the grids that are known by the hour. */
static const struct sheet_column now_columns[] = {
    { "name", "Country or state", "", 0 }, { "zone", "Id", "", 0 },
    { "value", "Grid now", "g CO2e/kWh", 1 }, { "time", "Time", "", 0 },
    { "basis", "Basis", "", 0 }, { "state", "State", "", 0 },
    { "yesterday", "Mean of yesterday", "", 1 },
    { "used_value", "Used in results", "", 1 },
    { "used_date", "Year", "", 0 }, { "source", "Source", "", 0 },
};

static void now_row(const struct table_call *c, struct sheet *sheet,
                    const struct reading *reading)
{
    const struct zone *zone = zone_find(reading->zone);
    const struct fact used = used_fact(reading);
    char when[READING_WHEN_BYTE];

    reading_when(reading, when);
    sheet_row(sheet);
    sheet_text(sheet, zone ? zone->name : "", "");
    sheet_text(sheet, reading->zone, "");
    sheet_number(sheet, reading->value, 3);
    sheet_text(sheet, when, "");
    sheet_text(sheet, told(c, basis_words[reading->basis]), "");
    sheet_text(sheet, told(c, state_of(c, reading)), "");
    sheet_number(sheet, mean_of_yesterday(c, reading), 3);
    sheet_number(sheet, used.value, 3);
    sheet_text(sheet, used.source.date, "");
    sheet_text(sheet, source_of(reading), "");
}

static const struct part {
    const char *title;
    const struct sheet_column *column;
    int count;
    void (*row)(const struct table_call *c, struct sheet *sheet,
                const struct reading *reading);
} part_table[] = {
    [READINGS_LIVE] = { "The grid now", now_columns,
        sizeof now_columns / sizeof *now_columns, now_row },
    [READINGS_OTHER] = { "Other values of the feeds", columns, COLUMN_COUNT,
        reading_row },
    [READINGS_LIVE | READINGS_OTHER] = { "", columns, COLUMN_COUNT,
        reading_row },
};

void readings_put(const struct table_call *c, int parts)
{
    static const struct reading_table none = { NULL, 0 };
    const struct reading_table *table = c->world->readings ? c->world->readings
                                                           : &none;
    const struct part *part = &part_table[parts];
    struct sheet sheet;
    size_t i = next_told(table, 0, parts);

    if (c->form == SHEET_HTML && i == table->count)
        return;
    /* said once, above the first of both */
    if (c->form == SHEET_HTML && (parts & READINGS_LIVE ||
        next_told(table, 0, READINGS_LIVE) == table->count))
        html_element(c->out, "p", NULL, told(c, note));
    sheet_open(&sheet, c->out, c->form, c->zh, part->column, part->count,
               part->title);
    for (; i < table->count; i = next_told(table, i + 1, parts))
        part->row(c, &sheet, &table->row[i]);
    sheet_close(&sheet);
}
