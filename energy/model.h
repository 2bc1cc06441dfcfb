/* model.h: known networks with their shape, from models.csv. */
#ifndef GPUTCO_ENERGY_MODEL_H
#define GPUTCO_ENERGY_MODEL_H

#include <stddef.h>

#include "energy/train.h"

/* What is not published is NAN. token_count and sequence_token: what the
   published run used. */
struct model {
    const char *id, *name, *note;
    struct train_shape shape;
    double sequence_token, token_count, forward_gflop_per_sample;
    struct source source;
};

size_t model_count_all(void);
const struct model *model_at(size_t i);
const struct model *model_find(const char *id); /* exact id, or NULL */
/* Closest id for a mistyped one, or NULL. */
const char *model_nearest(const char *text);

#endif
