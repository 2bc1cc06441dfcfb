/* readings.h: what feeds say of grid and tariffs now, beside the facts that
   results use: cells of a place's row, and a table of all. */
#ifndef GPUTCO_FCGI_READINGS_H
#define GPUTCO_FCGI_READINGS_H

#include "energy/zone.h"
#include "fcgi/tables.h"

/* Columns of a row of places, and their cells; for JSON and CSV. */
enum { LIVE_COLUMN_COUNT = 12 };
extern const struct sheet_column live_columns[LIVE_COLUMN_COUNT];
void live_cells(const struct table_call *c, struct sheet *sheet,
                const struct zone *zone);

/* The newest of every place and kind: of whole grids by the hour, or all but
   those, or both. HTML: nothing when there is none. */
enum readings_part { READINGS_LIVE = 1, READINGS_OTHER = 2 };
void readings_put(const struct table_call *c, int parts);

#endif
