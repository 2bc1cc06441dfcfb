/* catalogue.c: look-ups in the tables of hardware prices, tariffs, sites and
   instances. The rows are few, so a walk over a table is quick enough. */
#include "pricing/catalogue.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#include "energy/device.h"
#include "energy/zone.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

const char *const tariff_class_name[TARIFF_CLASS_COUNT] = {
    [TARIFF_HOUSEHOLD] = "household",
    [TARIFF_COMMERCIAL] = "commercial",
    [TARIFF_INDUSTRIAL] = "industrial",
};

/* A price of something named: a device, a machine, a zone. */
struct priced {
    const char *key;
    struct dated_price price;
};

#define PRICED(key, kind, value, currency, title, address, date, licence, \
               estimate) \
    { key, { { value, { title, address, date, licence }, estimate }, \
             currency, kind } },

static const struct priced gpu_prices[] = {
#define ROW(gpu, kind, value, low, high, currency, title, address, date, \
            licence, estimate, note) \
    PRICED(gpu, kind, value, currency, title, address, date, licence, estimate)
#include "pricing/gpu_prices.inc"
};

static const struct priced server_prices[] = {
#define ROW(server, kind, value, currency, title, address, date, licence, \
            estimate, note) \
    PRICED(server, kind, value, currency, title, address, date, licence, \
           estimate)
#include "pricing/server_prices.inc"
};

static const struct tariff {
    struct priced priced;
    enum tariff_class tariff;
} tariffs[] = {
#define ROW(zone, tariff, value, currency, band, tax, title, address, date, \
            licence, estimate, note) \
    { PRICED(zone, tax, value, currency, title, address, date, licence, \
             estimate) tariff },
#include "pricing/tariffs.inc"
};

static const struct instance instances[] = {
#define ROW(provider, id, gpu, gpu_name, gpu_count, gpu_memory, vcpu, \
            memory, title, address, date, licence) \
    { provider, id, gpu, gpu_name, gpu_count, gpu_memory, vcpu, memory, \
      { title, address, date, licence } },
#include "pricing/instances.inc"
};

static const struct alias {
    const char *name;
    double memory_gib; /* NAN: the name alone decides */
    const char *gpu;
} aliases[] = {
#define ROW(name, memory_gib, gpu) { name, memory_gib, gpu },
#include "pricing/gpu_names.inc"
};

#define PUE(name, value, title, address, date, licence, estimate, note) \
    { value, { title, address, date, licence }, estimate }
#include "energy/pue.inc"

static const struct site sites[] = {
#define ROW(id, name, pue, hosting, currency, tariff, title, address, date, \
            licence, estimate) \
    { id, name, pue, \
      { { hosting, { title, address, date, licence }, estimate }, currency, \
        "rent" }, \
      tariff },
#include "pricing/sites.inc"
};

static const struct dated_price no_price = {
    { NAN, { "", "", "", "" }, 0 }, "", ""
};

/* A price paid now says more than the list price of the launch. */
static int rank(const char *kind)
{
    return strcmp(kind, "street") == 0;
}

static struct dated_price newest(const struct priced *row, size_t count,
                                 const char *key, int day, int *later)
{
    const struct dated_price *best = &no_price;
    int best_day = 0, after = 0;

    for (size_t i = 0; i < count; i++) {
        int of;

        if (strcmp(row[i].key, key) != 0)
            continue;
        of = fact_day(row[i].price.fact.source.date);
        if (of > day) {
            after = 1;
        } else if (of > best_day || (of == best_day &&
                   rank(row[i].price.kind) > rank(best->kind))) {
            best = &row[i].price;
            best_day = of;
        }
    }
    if (later != NULL)
        *later = after;
    return *best;
}

struct dated_price gpu_price_find(const char *gpu, int day, int *later)
{
    return newest(gpu_prices, COUNT(gpu_prices), gpu, day, later);
}

struct dated_price server_price_find(const char *server, int day, int *later)
{
    return newest(server_prices, COUNT(server_prices), server, day, later);
}

/* Newest tariff of one class, whatever the day; NULL when there is none. */
static const struct dated_price *newest_tariff(const char *zone,
                                               enum tariff_class tariff)
{
    const struct dated_price *best = NULL;
    int best_day = 0;

    for (size_t i = 0; i < COUNT(tariffs); i++) {
        const struct priced *row = &tariffs[i].priced;
        int of;

        if (tariffs[i].tariff != tariff || strcmp(row->key, zone) != 0)
            continue;
        of = fact_day(row->price.fact.source.date);
        if (of > best_day) {
            best = &row->price;
            best_day = of;
        }
    }
    return best;
}

struct dated_price tariff_find(const char *zone, enum tariff_class want,
                               enum tariff_class *used)
{
    static const enum tariff_class order[][TARIFF_CLASS_COUNT] = {
        [TARIFF_HOUSEHOLD] = { TARIFF_HOUSEHOLD, TARIFF_COMMERCIAL,
                               TARIFF_INDUSTRIAL },
        [TARIFF_COMMERCIAL] = { TARIFF_COMMERCIAL, TARIFF_INDUSTRIAL,
                                TARIFF_HOUSEHOLD },
        [TARIFF_INDUSTRIAL] = { TARIFF_INDUSTRIAL, TARIFF_COMMERCIAL,
                                TARIFF_HOUSEHOLD },
    };
    const struct zone *place = zone_find(zone);

    *used = want;
    if (place == NULL)
        return no_price;
    for (size_t i = 0; i < TARIFF_CLASS_COUNT; i++) {
        const struct dated_price *found =
            newest_tariff(place->tariff_zone, order[want][i]);

        if (found != NULL) {
            *used = order[want][i];
            return *found;
        }
    }
    return no_price;
}

size_t instance_count_all(void)
{
    return COUNT(instances);
}

const struct instance *instance_at(size_t i)
{
    return &instances[i];
}

const struct instance *instance_find(const char *provider, const char *id)
{
    for (size_t i = 0; i < COUNT(instances); i++)
        if (strcmp(instances[i].id, id) == 0 &&
            strcmp(instances[i].provider, provider) == 0)
            return &instances[i];
    return NULL;
}

enum { PLAIN_MAX = 64 };

/* Letters and digits in lower case, without the maker's and the line's name:
   "NVIDIA A100-SXM4-80GB" and "A100 SXM4 80GB" are one name. */
static void plain(const char *name, char out[PLAIN_MAX])
{
    static const char *const front[] = { "nvidia", "amd", "intel", "aws",
                                         "google", "tesla", "geforce",
                                         "instinct", "habana" };
    size_t n = 0;

    for (; *name && n + 1 < PLAIN_MAX; name++)
        if (isalnum((unsigned char)*name))
            out[n++] = (char)tolower((unsigned char)*name);
    out[n] = '\0';
    for (size_t i = 0; i < COUNT(front); i++) {
        size_t length = strlen(front[i]);

        if (strncmp(out, front[i], length) == 0)
            memmove(out, out + length, strlen(out + length) + 1);
    }
}

/* Feeds give the usable memory, the package's or a round figure: within a
   tenth it is the same card. 40 and 80, 16 and 32, 80 and 94 stay apart. */
static int same_memory(double a, double b)
{
    return fabs(a - b) <= 0.1 * b;
}

static const char *if_memory_fits(const char *id, double memory_gib)
{
    const struct gpu *gpu = gpu_find(id);

    if (gpu == NULL || (!isnan(memory_gib) &&
                        !same_memory(memory_gib, gpu->memory_gib.value)))
        return NULL;
    return gpu->id;
}

static int same_name(const char *wanted, const char *name)
{
    char other[PLAIN_MAX];

    plain(name, other);
    return strcmp(wanted, other) == 0;
}

const char *gpu_of_name(const char *name, double memory_gib)
{
    char wanted[PLAIN_MAX];

    plain(name, wanted);
    for (size_t i = 0; i < COUNT(aliases); i++) {
        if (!same_name(wanted, aliases[i].name))
            continue;
        if (isnan(aliases[i].memory_gib))
            return if_memory_fits(aliases[i].gpu, memory_gib);
        if (!isnan(memory_gib) &&
            same_memory(memory_gib, aliases[i].memory_gib))
            return aliases[i].gpu;
    }
    for (size_t i = 0; i < gpu_count_all(); i++)
        if (same_name(wanted, gpu_at(i)->id) ||
            same_name(wanted, gpu_at(i)->name))
            return if_memory_fits(gpu_at(i)->id, memory_gib);
    return NULL;
}

size_t site_count_all(void)
{
    return COUNT(sites);
}

const struct site *site_at(size_t i)
{
    return &sites[i];
}

const struct site *site_find(const char *id)
{
    for (size_t i = 0; i < COUNT(sites); i++)
        if (strcmp(sites[i].id, id) == 0)
            return &sites[i];
    return NULL;
}
