/* store_load.c: every feed's rows and the seed into one sorted table. */
#include "pricing/store_sql.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char REVISION[] = "SELECT revision FROM meta";
static const char LOAD_FEEDS[] =
    "SELECT number, id, title, address, licence, kind, good_day, stale_day,"
    " failure_count"
    " FROM feed WHERE kind < 3 ORDER BY kind, id";
static const char LOAD_MACHINES[] =
    "SELECT id, feed, provider, instance, currency, gpu, gpu_count, source"
    " FROM machine ORDER BY id";
static const char LOAD_QUOTES[] =
    "SELECT machine, region, term, payment, day, price_per_hour,"
    " upfront_price, first_seen_day, last_seen_day, gone_day FROM quote"
    " ORDER BY machine, region, term, payment, day";
/* The same of a store that nobody has written since version 3. */
static const char LOAD_QUOTES_3[] =
    "SELECT o.machine, o.region, " STORE_TERM_NUMBER ", "
    STORE_PAYMENT_NUMBER ", q.day, q.price_per_hour, q.upfront_price,"
    " q.first_seen_day, q.last_seen_day, q.gone_day"
    " FROM quote q JOIN offer o ON o.id = q.offer ORDER BY q.offer, q.day";
static const char LOAD_RATES[] =
    "SELECT currency, day, per_eur FROM rate ORDER BY currency, day";

/* -- loading -------------------------------------------------------------- */

/* While loading, a text is a number: its place in a pool without doubles. */
struct pool {
    char *text;
    size_t byte, room;
    uint32_t *start, *slot;     /* where text i starts; hash table, 0 empty */
    size_t count, count_room, slots;
};

enum member { MEMBER_provider, MEMBER_instance, MEMBER_region,
              MEMBER_currency, MEMBER_gpu, MEMBER_source, MEMBER_COUNT };

struct raw {
    uint32_t text[MEMBER_COUNT];
    int day;
    struct price price;
};

enum { FEED_MAX = 255 };

/* A machine of the store: what its prices share. */
struct shared { uint32_t text[MEMBER_COUNT]; struct price price; };

/* Rows by their number in the store; numbers have few gaps. */
struct shelf { struct shared *row; unsigned char *used; size_t room; };

struct loading {
    struct pool pool;
    uint32_t last[MEMBER_COUNT];
    struct shelf machine;
    struct raw *raw;
    size_t count, room;
    struct price_feed feed[FEED_MAX];
    long long number[FEED_MAX]; /* of the store; 0: a feed of the seed */
    size_t feed_count, seed_first;
    struct rate *rate;
    size_t rate_count, rate_room;
    long revision;
};

static uint32_t hash_text(const char *text, size_t byte)
{
    uint32_t hash = 2166136261u;

    for (size_t i = 0; i < byte; i++)
        hash = (hash ^ (unsigned char)text[i]) * 16777619u;
    return hash;
}

static int pool_grow(struct pool *pool)
{
    size_t slots = pool->slots ? pool->slots * 2 : 4096;
    uint32_t *slot = calloc(slots, sizeof *slot);
    uint32_t *start = realloc(pool->start, slots / 2 * sizeof *start);

    if (start)
        pool->start = start;
    if (!slot || !start) {
        free(slot);
        return 0;
    }
    pool->count_room = slots / 2;
    for (size_t i = 0; i < pool->count; i++) {
        const char *text = pool->text + pool->start[i];
        size_t at = hash_text(text, strlen(text)) & (slots - 1);

        while (slot[at])
            at = (at + 1) & (slots - 1);
        slot[at] = (uint32_t)i + 1;
    }
    free(pool->slot);
    pool->slot = slot;
    pool->slots = slots;
    return 1;
}

/* The number of a text; 0 when there is no memory, else number + 1. */
static uint32_t pool_put(struct pool *pool, const char *text)
{
    size_t byte = strlen(text), at;

    if (pool->count == pool->count_room && !pool_grow(pool))
        return 0;
    at = hash_text(text, byte) & (pool->slots - 1);
    while (pool->slot[at]) {
        if (!strcmp(pool->text + pool->start[pool->slot[at] - 1], text))
            return pool->slot[at];
        at = (at + 1) & (pool->slots - 1);
    }
    if (pool->room - pool->byte <= byte) {
        size_t room = (pool->room + byte + 65536) * 2;
        char *more = room > UINT32_MAX ? NULL : realloc(pool->text, room);

        if (!more)
            return 0;
        pool->text = more;
        pool->room = room;
    }
    memcpy(pool->text + pool->byte, text, byte + 1);
    pool->start[pool->count++] = (uint32_t)pool->byte;
    pool->byte += byte + 1;
    pool->slot[at] = (uint32_t)pool->count;
    return pool->slot[at];
}

/* Rows repeat the texts of the row before: those are found at once. */
static int load_text(struct loading *l, uint32_t *out, enum member member,
                     const char *text)
{
    uint32_t last = l->last[member];

    if (!last || strcmp(l->pool.text + l->pool.start[last - 1], text)) {
        last = pool_put(&l->pool, text);
        if (!last)
            return 0;
        l->last[member] = last;
    }
    out[member] = last - 1;
    return 1;
}

static struct raw *next_raw(struct loading *l)
{
    struct raw *rows = sql_grow(l->raw, l->count, &l->room, sizeof *rows);

    if (!rows)
        return NULL;
    l->raw = rows;
    return &rows[l->count];
}

/* The store has no number for feeds that are derived: the program knows. */
static int is_derived(const char *id)
{
    const struct feed *feed = feed_find(id);

    return feed && feed->kind == FEED_DERIVED;
}

/* Feeds that are derived, or all others. */
static int load_feeds(struct loading *l, sqlite3_stmt *query, int derived)
{
    int step;

    while ((step = sqlite3_step(query)) == SQLITE_ROW
           && l->feed_count < FEED_MAX) {
        struct price_feed *feed = &l->feed[l->feed_count];
        int kind = sqlite3_column_int(query, 5);

        if (is_derived(sql_column_text(query, 1)) != derived)
            continue;
        l->number[l->feed_count] = sqlite3_column_int64(query, 0);
        snprintf(feed->id, sizeof feed->id, "%s", sql_column_text(query, 1));
        snprintf(feed->title, sizeof feed->title, "%s",
                 sql_column_text(query, 2));
        snprintf(feed->address, sizeof feed->address, "%s",
                 sql_column_text(query, 3));
        snprintf(feed->licence, sizeof feed->licence, "%s",
                 sql_column_text(query, 4));
        feed->kind = derived ? FEED_DERIVED : kind == FEED_BOOK ? FEED_BOOK
                   : kind == FEED_PROVIDER ? FEED_PROVIDER : FEED_CATALOGUE;
        feed->fetched_day = sqlite3_column_int(query, 6);
        feed->stale_day = sqlite3_column_int(query, 7);
        feed->failure_count = sqlite3_column_int(query, 8);
        l->feed_count++;
    }
    return step == SQLITE_DONE;
}

/* A place for row `id`, NULL: no memory, or a number no honest store has. */
static struct shared *shelf_put(struct shelf *shelf, long long id)
{
    size_t at = (size_t)id;

    if (id < 0 || id > 50000000)
        return NULL;
    if (at >= shelf->room) {
        size_t room = at * 2 + 1024;
        struct shared *row = realloc(shelf->row, room * sizeof *row);
        unsigned char *used;

        if (row)
            shelf->row = row;
        used = row ? realloc(shelf->used, room) : NULL;
        if (!used)
            return NULL;
        memset(used + shelf->room, 0, room - shelf->room);
        shelf->used = used;
        shelf->room = room;
    }
    shelf->used[at] = 1;
    return &shelf->row[at];
}

static const struct shared *shelf_find(const struct shelf *shelf, long long id)
{
    return id >= 0 && (size_t)id < shelf->room && shelf->used[id]
        ? &shelf->row[id] : NULL;
}

static enum status load_machines(struct store *store, struct loading *l,
                                 sqlite3_stmt *query)
{
    static const struct { int column; enum member member; } texts[] = {
        { 2, MEMBER_provider }, { 3, MEMBER_instance },
        { 4, MEMBER_currency }, { 5, MEMBER_gpu }, { 7, MEMBER_source },
    };
    int step;

    while ((step = sqlite3_step(query)) == SQLITE_ROW) {
        long long number = sqlite3_column_int64(query, 1);
        struct shared *shared;
        size_t feed = 0;

        while (feed < l->feed_count && l->number[feed] != number)
            feed++;
        if (feed == l->feed_count)
            continue; /* the seed's come from the program */
        shared = shelf_put(&l->machine, sqlite3_column_int64(query, 0));
        if (!shared)
            return NO_MEMORY;
        *shared = (struct shared){ .price = {
            .gpu_count = sql_column_number(query, 6),
            .fetched_day = l->feed[feed].fetched_day,
            .feed = (unsigned char)feed } };
        for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
            if (!load_text(l, shared->text, texts[i].member,
                           sql_column_text(query, texts[i].column)))
                return NO_MEMORY;
    }
    return step == SQLITE_DONE ? GOOD : sql_failed(store, "machines");
}

static enum status load_quotes(struct store *store, struct loading *l,
                               sqlite3_stmt *query)
{
    int step;

    while ((step = sqlite3_step(query)) == SQLITE_ROW) {
        const struct shared *machine = shelf_find(
            &l->machine, sqlite3_column_int64(query, 0));
        int term = sqlite3_column_int(query, 2);
        int payment = sqlite3_column_int(query, 3);
        double price = sqlite3_column_double(query, 5);
        double upfront = sqlite3_column_double(query, 6);
        int first_seen = sqlite3_column_int(query, 7);
        int last_seen = sqlite3_column_int(query, 8);
        struct raw *raw;

        /* the schema prevents it, a damaged file does not */
        if (!machine || term < 0 || term >= TERM_COUNT || payment < 0
            || payment >= PAYMENT_COUNT || !isfinite(price)
            || !isfinite(upfront) || price < 0 || upfront < 0
            || !(price + upfront > 0))
            continue;
        raw = next_raw(l);
        if (!raw)
            return NO_MEMORY;
        memcpy(raw->text, machine->text, sizeof raw->text);
        if (!load_text(l, raw->text, MEMBER_region, sql_column_text(query, 1)))
            return NO_MEMORY;
        raw->price = machine->price;
        raw->price.term = (unsigned char)term;
        raw->price.payment = (unsigned char)payment;
        raw->day = sqlite3_column_int(query, 4);
        raw->price.price_per_hour = price;
        raw->price.upfront_price = upfront;
        raw->price.effective_day = first_seen ? raw->day : 0;
        raw->price.first_seen_day = first_seen ? first_seen : raw->day;
        if (last_seen)
            raw->price.fetched_day = last_seen;
        raw->price.gone_day = sqlite3_column_int(query, 9);
        l->count++;
    }
    return step == SQLITE_DONE ? GOOD : sql_failed(store, "prices");
}

/* The seed's feeds have their place among the others. */
static int seed_feeds(struct loading *l)
{
    const struct price_table *seed = seed_prices();

    l->seed_first = l->feed_count;
    if (l->feed_count + seed->feed_count > FEED_MAX)
        return 0;
    for (size_t i = 0; i < seed->feed_count; i++) {
        l->number[l->feed_count] = 0;
        l->feed[l->feed_count++] = seed->feed[i];
    }
    return 1;
}

static enum status load_seed(struct loading *l)
{
    const struct price_table *seed = seed_prices();

    for (size_t i = 0; i < seed->count; i++) {
        const struct price *price = &seed->price[i];
        struct raw *raw = next_raw(l);

        if (!raw || !load_text(l, raw->text, MEMBER_provider, price->provider)
            || !load_text(l, raw->text, MEMBER_instance, price->instance)
            || !load_text(l, raw->text, MEMBER_region, price->region)
            || !load_text(l, raw->text, MEMBER_currency, price->currency)
            || !load_text(l, raw->text, MEMBER_gpu, price->gpu)
            || !load_text(l, raw->text, MEMBER_source, price->source))
            return NO_MEMORY;
        raw->price = *price;
        raw->price.feed = (unsigned char)(price->feed + l->seed_first);
        raw->day = price_day(price);
        l->count++;
    }
    return GOOD;
}

static int compare_rate(const struct rate *a, const struct rate *b)
{
    int order = strcmp(a->currency, b->currency);

    return order ? order : (a->day > b->day) - (a->day < b->day);
}

static int add_rate(struct loading *l, const struct rate *rate)
{
    struct rate *rows = sql_grow(l->rate, l->rate_count, &l->rate_room,
                             sizeof *rows);

    if (!rows)
        return 0;
    l->rate = rows;
    rows[l->rate_count++] = *rate;
    return 1;
}

/* The store's rates and the seed's, both in order; the store's win. */
static enum status load_rates(struct store *store, struct loading *l,
                              sqlite3_stmt *query)
{
    const struct rate_table *seed = seed_rates();
    size_t i = 0;
    int step;

    while ((step = sqlite3_step(query)) == SQLITE_ROW) {
        struct rate rate = { "", sqlite3_column_int(query, 1),
                             sqlite3_column_double(query, 2) };

        snprintf(rate.currency, sizeof rate.currency, "%s",
                 sql_column_text(query, 0));
        for (; i < seed->count && compare_rate(&seed->rate[i], &rate) < 0; i++)
            if (!add_rate(l, &seed->rate[i]))
                return NO_MEMORY;
        if (i < seed->count && !compare_rate(&seed->rate[i], &rate))
            i++;
        if (!add_rate(l, &rate))
            return NO_MEMORY;
    }
    for (; i < seed->count; i++)
        if (!add_rate(l, &seed->rate[i]))
            return NO_MEMORY;
    return step == SQLITE_DONE ? GOOD : sql_failed(store, "rates");
}

static int order(uint32_t a, uint32_t b)
{
    return (a > b) - (a < b);
}

/* Same order as price_compare, by numbers where the texts differ. */
static int compare_raw(const void *a, const void *b)
{
    const struct raw *x = a, *y = b;
    int by = order(x->text[MEMBER_provider], y->text[MEMBER_provider]);

    if (!by)
        by = order(x->text[MEMBER_instance], y->text[MEMBER_instance]);
    if (!by)
        by = order(x->text[MEMBER_region], y->text[MEMBER_region]);
    if (!by)
        by = order(x->price.term, y->price.term);
    if (!by)
        by = order(x->price.payment, y->price.payment);
    return by;
}

struct ranked { const char *text; uint32_t number; };

static int compare_ranked(const void *a, const void *b)
{
    return strcmp(((const struct ranked *)a)->text,
                  ((const struct ranked *)b)->text);
}

/* Renumbers the texts by their order. */
static int rank_texts(struct loading *l)
{
    struct pool *pool = &l->pool;
    struct ranked *ranked = calloc(pool->count + 1, sizeof *ranked);
    uint32_t *rank = calloc(pool->count + 1, sizeof *rank);
    int good = ranked && rank;

    for (size_t i = 0; good && i < pool->count; i++)
        ranked[i] = (struct ranked){ pool->text + pool->start[i],
                                     (uint32_t)i };
    if (good) {
        qsort(ranked, pool->count, sizeof *ranked, compare_ranked);
        for (size_t i = 0; i < pool->count; i++)
            rank[ranked[i].number] = (uint32_t)i;
        for (size_t i = 0; i < l->count; i++)
            for (int m = 0; m < MEMBER_COUNT; m++)
                l->raw[i].text[m] = rank[l->raw[i].text[m]];
        for (size_t i = 0; i < pool->count; i++)
            pool->start[i] = (uint32_t)(ranked[i].text - pool->text);
    }
    free(ranked);
    free(rank);
    return good;
}

static int compare_price_rows(const void *a, const void *b)
{
    return price_compare(a, b);
}

/* Rows of one offer are few: they are put in order by the table's own rule. */
static void sort_offers(struct price *price, size_t count)
{
    for (size_t i = 0, next; i < count; i = next) {
        for (next = i + 1; next < count
             && price[next].provider == price[i].provider
             && price[next].instance == price[i].instance
             && price[next].region == price[i].region
             && price[next].term == price[i].term
             && price[next].payment == price[i].payment; next++)
            ;
        if (next - i > 1)
            qsort(&price[i], next - i, sizeof *price, compare_price_rows);
    }
}

/* One block: prices, feeds, rates, texts. */
static enum status assemble(struct loading *l, struct store_tables *out)
{
    size_t prices = l->count * sizeof(struct price);
    size_t feeds = l->feed_count * sizeof(struct price_feed);
    size_t rates = l->rate_count * sizeof(struct rate);
    size_t feeds_at = prices;
    size_t rates_at = (feeds_at + feeds + 15) / 16 * 16;
    size_t text_at = rates_at + rates;
    char *memory = malloc(text_at + l->pool.byte + 1), *text;
    struct price *price;
    int first_day = 0;

    if (!memory)
        return NO_MEMORY;
    price = (struct price *)(void *)memory;
    text = memory + text_at;
    memcpy(memory + feeds_at, l->feed, feeds);
    if (rates)
        memcpy(memory + rates_at, l->rate, rates);
    if (l->pool.byte)
        memcpy(text, l->pool.text, l->pool.byte);
    for (size_t i = 0; i < l->count; i++) {
        const struct raw *raw = &l->raw[i];
#define TEXT(member) .member = text + l->pool.start[raw->text[MEMBER_##member]]
        const struct price texts = { TEXT(provider), TEXT(instance),
            TEXT(region), TEXT(currency), TEXT(gpu), TEXT(source) };
#undef TEXT
        price[i] = raw->price;
        price[i].provider = texts.provider;
        price[i].instance = texts.instance;
        price[i].region = texts.region;
        price[i].currency = texts.currency;
        price[i].gpu = texts.gpu;
        price[i].source = texts.source;
        if (!first_day || raw->day < first_day)
            first_day = raw->day;
    }
    sort_offers(price, l->count);
    *out = (struct store_tables){
        .prices = { price, l->count,
                    (const struct price_feed *)(void *)(memory + feeds_at),
                    l->feed_count, l->revision, first_day },
        .rates = *seed_rates(),
        .memory = memory,
    };
    out->rates.rate = (const struct rate *)(void *)(memory + rates_at);
    out->rates.count = l->rate_count;
    return GOOD;
}

static enum status load_feed_rows(struct store *store, struct loading *l,
                                  sqlite3_stmt *query)
{
    l->revision = (long)sql_ask(store->db, REVISION);
    if (!load_feeds(l, query, 0))
        return sql_failed(store, "feeds");
    if (!seed_feeds(l))
        return STORE_FAILED;
    return sqlite3_reset(query) == SQLITE_OK && load_feeds(l, query, 1)
        ? GOOD : sql_failed(store, "feeds");
}

static enum status load_all(struct store *store, struct loading *l)
{
    const int old = sql_ask(store->db, "PRAGMA user_version") < 4;
    const struct {
        const char *sql;
        enum status (*load)(struct store *store, struct loading *l,
                            sqlite3_stmt *query);
    } part[] = {
        { LOAD_FEEDS, load_feed_rows }, { LOAD_MACHINES, load_machines },
        { old ? LOAD_QUOTES_3 : LOAD_QUOTES, load_quotes },
        { LOAD_RATES, load_rates },
    };
    enum status status = GOOD;

    for (size_t i = 0; i < sizeof part / sizeof *part && status == GOOD;
         i++) {
        sqlite3_stmt *query = NULL;

        status = sql_prepare(store, part[i].sql, &query);
        if (status == GOOD)
            status = part[i].load(store, l, query);
        sqlite3_finalize(query);
    }
    return status;
}

enum status store_load(struct store *store, struct store_tables *out)
{
    struct loading *l = calloc(1, sizeof *l);
    enum status status;

    if (!l)
        return NO_MEMORY;
    status = sql_run(store, "BEGIN"); /* all of it as of one moment */
    if (status == GOOD) {
        status = load_all(store, l);
        store_rollback(store);
    }
    if (status == GOOD)
        status = load_seed(l);
    if (status == GOOD && !rank_texts(l))
        status = NO_MEMORY;
    if (status == GOOD) {
        if (l->count)
            qsort(l->raw, l->count, sizeof *l->raw, compare_raw);
        status = assemble(l, out);
        if (status == GOOD)
            status = store_own_load(store, &out->own);
        if (status == GOOD)
            status = store_reading_load(store, &out->readings);
    }
    free(l->pool.text);
    free(l->pool.start);
    free(l->pool.slot);
    free(l->machine.row);
    free(l->machine.used);
    free(l->raw);
    free(l->rate);
    free(l);
    return status;
}

void store_tables_free(struct store_tables *tables)
{
    free(tables->memory);
    store_own_free(&tables->own);
    store_reading_free(&tables->readings);
    *tables = (struct store_tables){ .memory = NULL };
}
