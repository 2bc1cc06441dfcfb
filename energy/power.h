/* power.h: what GPUs, their machines and the hall draw under a kind of load,
   fitted on metered runs (tests/fit_power.py). Pure. Three scopes, never
   mixed: the GPU alone, the node (machine at the wall, host included), the
   facility (node times PUE, once). */
#ifndef GPUTCO_ENERGY_POWER_H
#define GPUTCO_ENERGY_POWER_H

#include "energy/device.h"
#include "energy/train.h"

/* In the order of the choices of the field load. */
enum load { LOAD_TDP, LOAD_TRAINING_LARGE, LOAD_TRAINING_MID,
            LOAD_TRAINING_SMALL, LOAD_INFERENCE, LOAD_IDLE, LOAD_CUSTOM,
            LOAD_COUNT };

/* The class of a training run. task: what is trained; active_param_count may
   be NAN (then a large one is assumed); tuned: a benchmark kept busy. */
enum load power_load_of(enum train_task task, double active_param_count,
                        const struct gpu *gpu, int tuned);

/* Share of the TDP that a busy GPU draws (field gpu_load_frac); NAN for
   custom. idle: the bare idle draw over the TDP, with the draw of an open
   context on top. */
struct fact power_gpu_load_frac(enum load load, const struct gpu *gpu);

/* Draw of an idle GPU that keeps a context open, in watts. */
struct fact power_context_watt(const struct gpu *gpu);

/* Host of a busy machine over the sum of its GPUs' TDP, as metered at the
   wall: processors, memory, adapters, losses of the power supplies, no fans.
   NAN where nobody metered one. And over what the maker's rating of a whole
   system leaves for it, which is a bound and not a draw. */
struct fact power_host_ratio(const struct gpu *gpu);
struct fact power_host_of_rated(void);

/* Watts of a chip with its share of host and network, for accelerators that
   are only metered so; NAN otherwise. */
struct fact power_system_watt(const struct gpu *gpu);

/* Share left of the node's draw when a run of wall_hour on node_count nodes
   mostly starts, evaluates and waits; 1 from ten minutes on. */
double power_short_ratio(double node_count, double wall_hour);

/* Switches and cables of a cluster over the draw of its nodes: 0 for one
   node, 0.05 below 64 nodes, 0.136 from there (the range of what was seen). */
double power_network_ratio(double node_count);

#endif
