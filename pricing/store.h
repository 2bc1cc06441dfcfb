/* store.h: the one seam to where prices are kept between runs. One
   connection is one `struct store`; not shared between threads. SQL lives
   only behind this header (store_sqlite.c; another engine could follow). */
#ifndef GPUTCO_PRICING_STORE_H
#define GPUTCO_PRICING_STORE_H

#include "pricing/price.h"
#include "pricing/status.h"

struct store;

enum store_mode { STORE_READ, STORE_WRITE /* creates the file and schema */ };

/* Opens `where` (a file name). GOOD, or STORE_FAILED / STORE_MISSING with
   *out untouched and one sentence in `why` (why_byte). */
enum status store_open(const char *where, enum store_mode mode,
                       struct store **out, char *why, size_t why_byte);
void store_close(struct store *store); /* accepts NULL */

/* A number that moves whenever another connection commits; cheap enough to
   ask once a second. */
enum status store_version(struct store *store, long *version);

/* Loads every feed's observations (all days) and rates into fresh, sorted
   tables, merged with the seed. The caller frees both with
   store_tables_free when no reader is left. */
struct store_tables { struct price_table prices; struct rate_table rates; void *memory; };
enum status store_load(struct store *store, struct store_tables *out);
void store_tables_free(struct store_tables *tables);

#endif
