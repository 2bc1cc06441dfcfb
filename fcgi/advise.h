/* advise.h: a budget, a model and a driver in; a tier with builds out. */
#ifndef GPUTCO_FCGI_ADVISE_H
#define GPUTCO_FCGI_ADVISE_H

#include "energy/train.h"
#include "fcgi/answer.h"
#include "pricing/advise.h"

enum task { TASK_TRAINING, TASK_FINETUNING, TASK_LORA, TASK_QLORA,
            TASK_INFERENCE };

/* One build of the tier, owned, with what it costs and what may be rented
   instead. NAN where nothing is known. */
struct advised_build {
    const struct tier_build *build;
    const struct gpu *gpu;
    double total_gib_per_gpu;        /* what the model needs on each */
    enum train_fits fits;
    int has_precision;
    double card_cost, capex_cost;    /* GPUs alone, and with the host: price
                                        of today, study's currency */
    double cost_per_gpu_hour;        /* owned, as /compare says it */
    int within_budget;               /* -1: no budget, or no price */
    const struct price *rent;        /* NULL: nothing like it is offered */
    double rent_price_per_hour, rent_cost_per_gpu_hour;
    int rent_old;                    /* that price is, on the day asked for */
    const char *driver_needed;       /* NULL: not known */
    int driver_good;                 /* -1: no driver given */
    char query[320];                 /* of /compare: this build and the rent */
};

enum { ADVISED_BUILD_MAX = 12 };

struct advice {
    const struct input *input;
    const char *base_url;
    struct study study;              /* day, currency, what else was typed */
    struct warnings warnings;
    double budget, budget_cny, param_count, sample_count;
    enum task task;
    int tier, tier_by_budget, tier_by_size;  /* -1: none */
    double state_gib, weight_gib;    /* of the whole model */
    char driver[DRIVER_TEXT_BYTE];   /* "" when none was given */
    struct advised_build build[ADVISED_BUILD_MAX];
    int build_count;
};

/* Reads keys and answers. 1 when complete. */
int advice_run(struct advice *advice, struct input *input,
               const struct world *world, const char *base_url);

#endif
