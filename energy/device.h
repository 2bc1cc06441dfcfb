/* device.h: accelerators and complete machines, from the .csv files of
   energy/. */
#ifndef GPUTCO_ENERGY_DEVICE_H
#define GPUTCO_ENERGY_DEVICE_H

#include <stddef.h>

#include "energy/fact.h"

enum precision { PRECISION_FP32, PRECISION_TF32, PRECISION_FP16,
                 PRECISION_BF16, PRECISION_FP8, PRECISION_INT8,
                 PRECISION_COUNT };
extern const char *const precision_name[PRECISION_COUNT]; /* "fp32" ... */

/* How a card is housed; decides host estimates (MODEL, presets). */
enum housing { HOUSING_CONSUMER /* and workstation */, HOUSING_PCIE,
               HOUSING_SXM /* SXM, OAM, superchip */ };

struct gpu {
    const char *id, *name, *vendor, *architecture, *segment, *form_factor,
               *interconnect, *release_date, *note;
    enum housing housing;
    struct fact memory_gib, bandwidth_gb_per_s;
    struct fact peak_tflops[PRECISION_COUNT]; /* dense; FP32 accumulation */
    struct fact gpu_watt;          /* TDP */
    struct fact gpu_idle_watt;     /* measured, else 0.1 TDP (estimate) */
    struct fact embodied_gpu_kg;   /* value as MODEL chooses it */
    double embodied_gpu_kg_low, embodied_gpu_kg_high; /* NAN: no band */
};

struct server {
    const char *id, *name, *vendor, *kind, *gpu, *note;
    int gpu_count;
    struct fact host_watt;         /* machine without GPUs; NAN unknown */
    struct fact max_watt, idle_watt;
};

size_t gpu_count_all(void);
const struct gpu *gpu_at(size_t i);
const struct gpu *gpu_find(const char *id);       /* exact id, or NULL */
const char *gpu_nearest(const char *text);        /* closest id for a hint, or NULL */

size_t server_count_all(void);
const struct server *server_at(size_t i);
const struct server *server_find(const char *id); /* or NULL */
/* First server row of that GPU and count whose host_watt is known, or NULL. */
const struct server *server_of_gpu(const char *gpu, double gpu_count);

/* Embodied carbon of one host by housing: 2,500 kg SXM, 1,200 kg otherwise. */
struct fact embodied_host(enum housing housing);

#endif
