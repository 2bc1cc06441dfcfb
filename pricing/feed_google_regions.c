/* feed_google_regions.c: Google's table of the grid of its regions, a CSV file
   a year, which stands in the file's name alone. The last column is called
   life-cycle to 2020 and is of the grid's operation since. Google's own
   share of carbon-free energy, blank where unknown, is a market figure and
   not read. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "energy/zone.h"
#include "pricing/csv.h"
#include "pricing/feed.h"

enum { COLUMN_COUNT = 4 };

struct regions {
    struct feed_parse parse;
    const struct feed *feed;
    struct feed_sink sink;
    struct csv *csv;
    int year;
    enum reading_basis basis;   /* BASIS_NONE: the header is yet to come */
    enum status status;         /* why reading stopped */
};

static int use_row(void *context, const struct csv_row *row);

static struct feed_parse *regions_begin(const struct feed *feed,
                                        const struct feed_sink *sink)
{
    struct regions *r = calloc(1, sizeof *r);

    if (!r)
        return NULL;
    r->feed = feed;
    r->sink = *sink;
    r->year = (int)feed_number(strchr(feed->id, '-') + 1); /* google-2025 */
    snprintf(r->parse.version, sizeof r->parse.version, "%d", r->year);
    r->csv = csv_open(use_row, r);
    if (!r->csv) {
        free(r);
        return NULL;
    }
    return &r->parse;
}

static void regions_close(struct feed_parse *parse)
{
    struct regions *r = (struct regions *)parse;

    csv_close(r->csv);
    free(r);
}

static int use_header(struct regions *r, const struct csv_row *row)
{
    static const char *const name[] = { "Google Cloud Region", "Location",
                                        "Google CFE" };
    static const char unit[] = "rid carbon intensity (gCO2eq / kWh)";
    const char *last = row->count == COLUMN_COUNT ? row->field[3] : "";

    for (int i = 0; i < 3; i++)
        if (row->count != COLUMN_COUNT || strcmp(row->field[i], name[i])) {
            r->status = feed_refuse(&r->parse, "schema: no column \"%s\"",
                                    name[i]);
            return 1;
        }
    if (strncmp(last, "Lifecycle g", 11) == 0 && !strcmp(last + 11, unit))
        r->basis = BASIS_LIFECYCLE;
    else if (*last == 'G' && strcmp(last + 1, unit) == 0)
        r->basis = BASIS_DIRECT;
    else
        r->status = feed_refuse(&r->parse, "unit: the last column is \"%.60s\"",
                                last);
    return r->status != GOOD;
}

static int use_row(void *context, const struct csv_row *row)
{
    struct regions *r = context;
    const char *id = row->field[0];
    const struct region *known = region_find("gcp", id);
    struct reading reading = {
        .kind = READING_GRID, .basis = r->basis,
        .begin = second_of_day(r->year * 10000 + 101),
        .end = second_of_day((r->year + 1) * 10000 + 101),
    };
    const struct feed_row about = { .provider = "", .instance = id };
    int why;

    if (r->basis == BASIS_NONE)
        return use_header(r, row);
    if (row->count != COLUMN_COUNT) {
        r->status = feed_refuse(&r->parse, "csv: line %ld has %zu columns",
                                row->line, row->count);
        return 1;
    }
    why = row->control ? REFUSED_control_char
        : !known || !*known->zone || strlen(id) >= sizeof reading.region
        ? REFUSED_unknown_region : feed_value(row->field[3], &reading.value);
    if (why >= 0) {
        r->status = r->sink.refused(r->sink.context, (enum refusal)why, &about)
            ? NO_MEMORY : GOOD;
        return r->status != GOOD;
    }
    snprintf(reading.zone, sizeof reading.zone, "%s", known->zone);
    snprintf(reading.region, sizeof reading.region, "%s", id);
    r->status = r->sink.reading(r->sink.context, &reading) ? NO_MEMORY : GOOD;
    return r->status != GOOD;
}

static enum status told(struct regions *r, enum csv_fault fault)
{
    if (fault == CSV_GOOD)
        return GOOD;
    if (fault == CSV_STOPPED)
        return r->status;
    if (fault == CSV_NO_MEMORY)
        return NO_MEMORY;
    return feed_refuse(&r->parse, "%s: line %ld: %s",
                       fault == CSV_ENCODING ? "encoding"
                       : fault == CSV_TOO_LONG ? "too_long" : "csv",
                       csv_line(r->csv), csv_words(fault));
}

static enum status regions_bytes(struct feed_parse *parse, const char *bytes,
                                 size_t count)
{
    struct regions *r = (struct regions *)parse;

    return told(r, csv_bytes(r->csv, bytes, count));
}

static enum status regions_end(struct feed_parse *parse)
{
    struct regions *r = (struct regions *)parse;
    int whole;
    enum status status = told(r, csv_end(r->csv, &whole));

    if (status == GOOD && r->basis == BASIS_NONE)
        status = feed_refuse(parse, "schema: no header");
    if (status == GOOD && !whole && !(r->feed->flags & FEED_OPEN_END))
        status = feed_refuse(parse, "incomplete: the file ends within line %ld",
                             csv_line(r->csv));
    return status;
}

const struct feed_reader feed_reader_google_regions = {
    "google_regions", 1, 0, regions_begin, regions_bytes, regions_end,
    regions_close, NULL
};
