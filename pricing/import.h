/* import.h: somebody's own price book, a CSV file with a header. Pure: bytes
   in, rows and mistakes out; every mistake of every line is told.

   Columns, in any order; what a row does not need stays empty:
   what            rent, gpu, server or tariff
   id              of gpu, server: a name of the table; of tariff: the zone
   provider, instance, region            of rent, as the provider spells them
   term, payment   of rent; empty: on_demand, no_upfront
   gpu, gpu_count  of rent, for an instance that is not in the table
   class           of tariff: household, commercial or industrial
   price           an hour of the machine (0 where the whole is paid upfront),
                   one GPU or system, or a kWh
   upfront_price   of rent with a commitment
   currency        ISO 4217
   from            the day it holds from, YYYY-MM-DD */
#ifndef GPUTCO_PRICING_IMPORT_H
#define GPUTCO_PRICING_IMPORT_H

#include <stddef.h>

#include "pricing/feed.h"
#include "pricing/own.h"

enum { IMPORT_LINE_MAX = 100000 };

/* Where rows and mistakes go; texts live until the call returns. Nonzero from
   one of the first two: stop. code is of the vocabulary of inputs. */
struct import_sink {
    void *context;
    int (*rent)(void *context, const struct feed_row *row);
    int (*own)(void *context, const struct own_price *price);
    void (*mistake)(void *context, long line, const char *column,
                    const char *code, const char *hint);
};

struct import; /* NULL from import_begin: no memory */
struct import *import_begin(const struct import_sink *sink,
                            const struct rate_table *rates);
void import_bytes(struct import *import, const char *bytes, size_t count);

/* 1 when the file was whole and without a mistake. NO_MEMORY is a mistake of
   code "memory". */
int import_end(struct import *import);
void import_close(struct import *import); /* accepts NULL */

#endif
