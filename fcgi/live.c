/* live.c: exchanges the world under running readers with hazard pointers.

   A reader writes the pointer it is about to use into its own slot and then
   looks whether it is still the current one; only then does it use it. The
   writer first replaces the current pointer and looks at the slots after
   that. All four accesses are sequentially consistent, so there is one order
   of them: if the reader's second look saw the old pointer, it came before
   the exchange, hence so did its slot, and the writer finds it there. If it
   saw the new one it starts over and never touches the old world. An old
   world is freed only after a look at all slots without finding it; it can
   never come back into a slot for use since it is never current again. */
#include "fcgi/live.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pricing/store.h"

enum { RETRY_TICK = 5, CACHE_LINE_BYTE = 64 };

/* Tables loaded from the store; shared by worlds that differ in their date
   only. Counted by the one writing thread. */
struct loaded {
    struct store_tables tables;
    unsigned worlds;
};

struct edition {
    struct world world;
    struct loaded *loaded;      /* NULL: built-in prices */
    char why[128], reason[240];
    struct edition *older;      /* list of those no longer current */
};

struct reader {
    _Alignas(CACHE_LINE_BYTE) _Atomic(struct edition *) holds;
};

struct live {
    struct reader reader[LIVE_READER_MAX];
    _Atomic(struct edition *) current;
    struct edition *retired;
    struct store *store;        /* NULL while it cannot be opened */
    long version;
    unsigned wait_tick;         /* ticks until the next try after a failure */
    FILE *log;
    int told;                   /* the failure is in the log */
    char where[];
};

static void loaded_drop(struct loaded *loaded)
{
    if (loaded && --loaded->worlds == 0) {
        store_tables_free(&loaded->tables);
        free(loaded);
    }
}

static void edition_free(struct edition *edition)
{
    if (edition)
        loaded_drop(edition->loaded);
    free(edition);
}

static int is_held(struct live *live, const struct edition *edition)
{
    for (unsigned i = 0; i < LIVE_READER_MAX; i++)
        if (atomic_load(&live->reader[i].holds) == edition)
            return 1;
    return 0;
}

static void sweep(struct live *live)
{
    struct edition **at = &live->retired;

    while (*at) {
        struct edition *edition = *at;
        if (is_held(live, edition)) {
            at = &edition->older;
        } else {
            *at = edition->older;
            edition_free(edition);
        }
    }
}

/* Takes over `next`. */
static void publish(struct live *live, struct edition *next)
{
    struct edition *last = atomic_exchange(&live->current, next);

    if (last) {
        last->older = live->retired;
        live->retired = last;
    }
}

/* A new edition on `loaded` (NULL: built-in), or NULL without memory. */
static struct edition *edition_new(const struct live *live,
                                   struct loaded *loaded, int today,
                                   const char *why)
{
    struct edition *made = calloc(1, sizeof *made);

    if (!made)
        return NULL;
    if (loaded)
        loaded->worlds++;
    made->loaded = loaded;
    snprintf(made->why, sizeof made->why, "%s", why);
    if (!loaded)
        snprintf(made->reason, sizeof made->reason,
                 "only the prices built into the program are used; "
                 "the price store cannot be read (%s)", made->why);
    made->world = (struct world){
        .prices = loaded ? &loaded->tables.prices : seed_prices(),
        .rates = loaded ? &loaded->tables.rates : seed_rates(),
        .own = loaded ? &loaded->tables.own : NULL,
        .readings = loaded ? &loaded->tables.readings : NULL,
        .today = today,
        .degraded = loaded == NULL,
        .degraded_reason = made->reason,
        .store = live->where,
    };
    return made;
}

static void tell(struct live *live, const char *step, const char *why)
{
    if (live->log && !live->told)
        fprintf(live->log, "gputco: %s %s: %s\n", step, live->where, why);
    live->told = 1;
}

static void store_lost(struct live *live, const char *step, const char *why)
{
    tell(live, step, why);
    store_close(live->store);
    live->store = NULL;
    live->wait_tick = RETRY_TICK; /* and then anew, whatever the version */
}

/* Tables newer than the current ones, or NULL when there are none to be had;
   `why` says what failed, "" if nothing did. */
static struct loaded *load(struct live *live, char *why, size_t why_byte)
{
    struct loaded *loaded;
    enum status status;
    long version;
    int fresh = live->store == NULL;

    why[0] = '\0';
    if (fresh) {
        status = store_open(live->where, STORE_READ, &live->store, why,
                            why_byte);
        if (status != GOOD) {
            live->store = NULL;
            if (!why[0])
                snprintf(why, why_byte, "%s", status_words(status));
            store_lost(live, "open store", why);
            return NULL;
        }
    }
    status = store_version(live->store, &version);
    if (status == GOOD && !fresh && version == live->version)
        return NULL;
    loaded = status == GOOD ? calloc(1, sizeof *loaded) : NULL;
    if (status == GOOD)
        status = loaded ? store_load(live->store, &loaded->tables) : NO_MEMORY;
    if (status != GOOD) {
        free(loaded);
        snprintf(why, why_byte, "%s", status_words(status));
        store_lost(live, "read store", why);
        return NULL;
    }
    live->version = version;
    live->told = 0;
    return loaded;
}

static int refresh(struct live *live, int today)
{
    struct edition *current = atomic_load(&live->current);
    struct edition *next = NULL;
    struct loaded *loaded = NULL;
    char why[200] = "";

    if (live->wait_tick > 0)
        live->wait_tick--;
    else
        loaded = load(live, why, sizeof why);

    if (loaded) {
        next = edition_new(live, loaded, today, "");
        if (!next) {
            store_tables_free(&loaded->tables);
            free(loaded);
            store_lost(live, "read store", status_words(NO_MEMORY));
        }
    } else if (!current) {
        next = edition_new(live, NULL, today, why);
    } else if (current->world.today != today) {
        next = edition_new(live, current->loaded, today, current->why);
    }
    if (next)
        publish(live, next);
    return next != NULL;
}

struct live *live_open(const char *where, int today, FILE *log)
{
    size_t byte = strlen(where) + 1;
    size_t room = sizeof(struct live) + byte;
    struct live *live;

    room = (room + CACHE_LINE_BYTE - 1) / CACHE_LINE_BYTE * CACHE_LINE_BYTE;
    live = aligned_alloc(CACHE_LINE_BYTE, room);
    if (!live)
        return NULL;
    memset(live, 0, room);
    memcpy(live->where, where, byte);
    live->log = log;
    for (unsigned i = 0; i < LIVE_READER_MAX; i++)
        atomic_init(&live->reader[i].holds, NULL);
    atomic_init(&live->current, NULL);
    if (!refresh(live, today)) {
        live_close(live);
        return NULL;
    }
    return live;
}

void live_tick(struct live *live, int today)
{
    refresh(live, today);
    sweep(live);
}

const struct world *live_pin(struct live *live, unsigned reader)
{
    struct edition *seen = atomic_load(&live->current), *again;

    for (;;) {
        atomic_store(&live->reader[reader].holds, seen);
        again = atomic_load(&live->current);
        if (again == seen)
            return &seen->world;
        seen = again;
    }
}

void live_unpin(struct live *live, unsigned reader)
{
    atomic_store(&live->reader[reader].holds, NULL);
}

void live_close(struct live *live)
{
    if (!live)
        return;
    sweep(live);
    edition_free(atomic_load(&live->current));
    store_close(live->store);
    free(live);
}
