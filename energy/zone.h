/* zone.h: places: grid factors, water, cloud regions,
   from the .csv files of energy/. */
#ifndef GPUTCO_ENERGY_ZONE_H
#define GPUTCO_ENERGY_ZONE_H

#include <stddef.h>

#include "energy/fact.h"

struct zone {
    const char *id, *name;      /* "DE", "US-CA" */
    const char *grid_zone;      /* zone whose grid row is used: "US" for "US-CA" */
    struct fact grid_g_per_kwh; /* Ember, lifecycle, production; NAN unknown */
    const char *grid_basis;     /* "lifecycle, production" */
    struct fact grid_alternative; /* Electricity Maps, lifecycle, consumption */
    struct fact grid_water_l_per_kwh; /* off site; NAN unknown */
    int grid_of_parent;         /* US state on the US grid: warn */
    const char *tariff_zone;    /* key of its tariff rows; "" has none */
};

size_t zone_count_all(void);
const struct zone *zone_at(size_t i);
const struct zone *zone_find(const char *id);

/* One cloud region. pue/wue: the region's own, else the provider's fleet
   figure, else 1.2 (estimate) for PUE and NAN for water. */
struct region {
    const char *provider, *id, *name;
    const char *zone;           /* zone id, "" unknown */
    struct fact pue_ratio, wue_l_per_kwh;
    struct fact grid_g_per_kwh; /* of its own part of the grid, by Electricity
                                   Maps; NAN unknown. Results use the zone's. */
};

size_t region_count_all(void);
const struct region *region_at(size_t i);
const struct region *region_find(const char *provider, const char *id);
/* Region whose display name or near spelling is `text`, for a hint; or NULL. */
const struct region *region_nearest(const char *provider, const char *text);
/* What people call a provider: "AWS"; the id when it is not listed. */
const char *provider_name(const char *provider);
/* The provider's fleet PUE or WUE, else the estimate, for regions not listed. */
struct fact provider_pue(const char *provider);
struct fact provider_wue(const char *provider);

#endif
