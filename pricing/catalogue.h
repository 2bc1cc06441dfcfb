/* catalogue.h: dated prices of hardware and power, and what instances hold,
   from the .csv files of pricing/. */
#ifndef GPUTCO_PRICING_CATALOGUE_H
#define GPUTCO_PRICING_CATALOGUE_H

#include <stddef.h>

#include "energy/fact.h"

enum tariff_class { TARIFF_HOUSEHOLD, TARIFF_COMMERCIAL, TARIFF_INDUSTRIAL,
                    TARIFF_CLASS_COUNT };
extern const char *const tariff_class_name[TARIFF_CLASS_COUNT];

/* A price in its own currency (ISO 4217). */
struct dated_price { struct fact fact; const char *currency, *kind; };

/* Newest dated price on or before `day`, street before launch of the same
   day. fact.value NAN when there is none. *later (may be NULL) is set to 1
   when one exists after `day`. */
struct dated_price gpu_price_find(const char *gpu, int day, int *later);
struct dated_price server_price_find(const char *server, int day, int *later);

/* Tariff of a zone. The class that is missing takes the next: commercial <->
   industrial, then household (household takes commercial, then industrial);
   *used tells which. A tariff newer than `day` is still given: the caller
   warns. fact.value NAN when the zone has none. */
struct dated_price tariff_find(const char *zone, enum tariff_class want,
                               enum tariff_class *used);

/* What a rented machine holds. gpu: id of the device table, "" when the
   accelerator is not in it (gpu_name then says what it is). */
struct instance {
    const char *provider, *id, *gpu, *gpu_name;
    double gpu_count;           /* slices are fractions */
    double gpu_memory_gib, vcpu_count, memory_gib; /* NAN unknown */
    struct source source;
};
size_t instance_count_all(void);
const struct instance *instance_at(size_t i);
const struct instance *instance_find(const char *provider, const char *id);

/* Device id for a GPU name as feeds spell it ("A100-80GB", "H100 NVL",
   "A100" with 40 GiB) and memory a GPU in GiB (NAN unknown); NULL when it
   cannot be told for certain. */
const char *gpu_of_name(const char *name, double memory_gib);

/* Where owned machines stand, and what that presets. */
struct site {
    const char *id, *name;      /* "office", "server_room", "colocation" */
    struct fact pue_ratio;
    struct dated_price hosting_price_per_kw_month;
    enum tariff_class tariff;
};
size_t site_count_all(void);
const struct site *site_at(size_t i);
const struct site *site_find(const char *id);

#endif
