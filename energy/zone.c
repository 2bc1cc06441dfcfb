/* zone.c: look-ups in the tables of places. The joins between a place and
   its figures are written in zones.csv, regions.csv and providers.csv and
   made by the compiler (csv2c.c). */
#include "energy/zone.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

#define EMPTY_FACT { NAN, { "", "", "", "" }, 0 }

#define EMBER_NONE EMPTY_FACT
#define EMBER(iso3, name, value, basis, title, address, date, licence, note) \
    { value, { title, address, date, licence }, 0 }
#include "energy/grid_ember.inc"

#define ELECTRICITY_MAPS_NONE EMPTY_FACT
#define ELECTRICITY_MAPS(name, country, value, basis, title, address, date, \
                         licence, note) \
    { value, { title, address, date, licence }, 0 }
#include "energy/grid_electricity_maps.inc"

#define WATER_NONE EMPTY_FACT
#define WATER(scope, name, value, title, address, date, licence, estimate, \
              note) \
    { value, { title, address, date, licence }, estimate }
#include "energy/water.inc"

#define PUE(name, value, title, address, date, licence, estimate, note) \
    { value, { title, address, date, licence }, estimate }
#include "energy/pue.inc"

static const struct zone zones[] = {
#define ROW(id, name, grid_zone, tariff_zone, ember, maps, water, of_parent) \
    { id, name, grid_zone, ember, "lifecycle, production", maps, water, \
      of_parent, tariff_zone },
#include "energy/zones.inc"
};

static const struct region regions[] = {
#define ROW(provider, id, name, zone, maps, pue, water, title, address,     \
            date, licence) \
    { provider, id, name, zone, pue, water, maps },
#include "energy/regions.inc"
};

static const struct provider {
    const char *id, *name;
    struct fact pue_ratio, wue_l_per_kwh;
} providers[] = {
#define ROW(id, name, pue, water) { id, name, pue, water },
#include "energy/providers.inc"
};

static const struct fact other_pue = PUE_ESTIMATE;

size_t zone_count_all(void)
{
    return COUNT(zones);
}

const struct zone *zone_at(size_t i)
{
    return &zones[i];
}

const struct zone *zone_find(const char *id)
{
    for (size_t i = 0; i < COUNT(zones); i++)
        if (strcmp(zones[i].id, id) == 0)
            return &zones[i];
    return NULL;
}

size_t region_count_all(void)
{
    return COUNT(regions);
}

const struct region *region_at(size_t i)
{
    return &regions[i];
}

const struct region *region_find(const char *provider, const char *id)
{
    for (size_t i = 0; i < COUNT(regions); i++)
        if (strcmp(regions[i].provider, provider) == 0 &&
            strcmp(regions[i].id, id) == 0)
            return &regions[i];
    return NULL;
}

/* Lower-case letters and digits only: "US East 1" and "us-east-1" agree.
   Bytes past ASCII stay, so that "São Paulo" matches itself. */
static void plain(const char *text, char *out, size_t size)
{
    size_t n = 0;

    for (; *text && n + 1 < size; text++) {
        const unsigned char c = (unsigned char)*text;

        if (isalnum(c) || c >= 0x80)
            out[n++] = (char)tolower(c);
    }
    out[n] = '\0';
}

/* 0 equal, 1 one within the other, 2 unlike. */
static int likeness(const char *text, const char *other)
{
    char b[64];

    plain(other, b, sizeof b);
    if (strcmp(text, b) == 0)
        return 0;
    return strstr(b, text) != NULL || strstr(text, b) != NULL ? 1 : 2;
}

const struct region *region_nearest(const char *provider, const char *text)
{
    char a[64];
    const struct region *best = NULL;
    int least = 2;

    plain(text, a, sizeof a);
    if (a[0] == '\0')
        return NULL;
    for (size_t i = 0; i < COUNT(regions); i++) {
        int by_id, by_name, d;

        if (strcmp(regions[i].provider, provider) != 0)
            continue;
        by_id = likeness(a, regions[i].id);
        by_name = likeness(a, regions[i].name);
        d = by_id < by_name ? by_id : by_name;
        if (d < least) {
            least = d;
            best = &regions[i];
        }
    }
    return best;
}

static const struct provider *provider_find(const char *id)
{
    for (size_t i = 0; i < COUNT(providers); i++)
        if (strcmp(providers[i].id, id) == 0)
            return &providers[i];
    return NULL;
}

const char *provider_name(const char *provider)
{
    const struct provider *p = provider_find(provider);

    return p ? p->name : provider;
}

struct fact provider_pue(const char *provider)
{
    const struct provider *p = provider_find(provider);

    return p ? p->pue_ratio : other_pue;
}

struct fact provider_wue(const char *provider)
{
    static const struct fact unknown = EMPTY_FACT;
    const struct provider *p = provider_find(provider);

    return p ? p->wue_l_per_kwh : unknown;
}
