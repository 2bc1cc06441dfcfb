/* everywhere.c: gathers GPUs and clouds, then runs the run on each. */
#include "pricing/everywhere.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "pricing/alternatives.h"
#include "pricing/catalogue.h"

/* A study is some tens of kilobytes that each use writes whole. */
#define UNWRITTEN __attribute__((uninitialized))

struct offer {
    const struct gpu *gpu;
    const char *provider;
    const struct price *price;
    double usd_per_gpu_hour;
};

static struct offer *offer_of(struct offer *offers, int *count,
                              const struct gpu *gpu, const char *provider)
{
    for (int i = 0; i < *count; i++)
        if (offers[i].gpu == gpu && strcmp(offers[i].provider, provider) == 0)
            return &offers[i];
    if (*count == EVERYWHERE_MAX)
        return NULL;
    offers[*count] = (struct offer){ gpu, provider, NULL, INFINITY };
    return &offers[(*count)++];
}

/* Prices come sorted, so that a GPU is looked up once a run of rows. */
static int gather_offers(const struct study *study, const struct world *world,
                         struct offer *offers)
{
    const struct price_table *table = world->prices;
    const struct gpu *gpu = NULL;
    const char *name = "";
    double per_usd;
    int count = 0, rate_day;

    for (size_t i = 0; i < table->count; i++) {
        const struct price *p = &table->price[i];
        struct offer *offer;
        double usd;
        if (p->term != TERM_ON_DEMAND || !*p->gpu || !(p->gpu_count > 0) ||
            price_day(p) > study->as_of_day ||
            price_state(table, p, study->as_of_day) == PRICE_GONE)
            continue;
        if (strcmp(name, p->gpu) != 0)
            gpu = gpu_find(name = p->gpu);
        if (!gpu || !rate_find(world->rates, p->currency, study->as_of_day,
                               &per_usd, &rate_day))
            continue;
        usd = p->price_per_hour / per_usd / p->gpu_count;
        offer = offer_of(offers, &count, gpu, p->provider);
        if (!offer || !(usd < offer->usd_per_gpu_hour) ||
            price_find(table, p->provider, p->instance, p->region,
                       TERM_ON_DEMAND, (enum payment)p->payment,
                       study->as_of_day) != p)
            continue;
        offer->price = p;
        offer->usd_per_gpu_hour = usd;
    }
    return count;
}

/* Machines as they are usually built. */
static double usual_count(const struct gpu *gpu)
{
    return gpu->housing == HOUSING_SXM ? 8 : 4;
}

static void run_row(const struct run_spec *wanted, const struct study *study,
                    const struct run_option *reference,
                    const struct world *world, const struct alternative *from,
                    struct everywhere *out)
{
    struct everywhere_row *row = &out->row[out->count];
    struct study bench UNWRITTEN;
    struct result result;
    struct work work;
    struct run_spec spec = *wanted;
    struct option *o = &bench.option[1];

    if (out->count == EVERYWHERE_MAX ||
        !alternative_study(study, world, from, &bench))
        return;
    /* what is bought is used as much of its time as option a, whatever the
       work of option a */
    if (o->kind == KIND_OWN)
        o->value[F_machine_count] = 1;
    work = work_of(o->kind == KIND_OWN ? o->value : bench.option[0].value);
    model_run(o->kind, o->value, &work, &result, NULL);
    if (isnan(spec.run_gpu_count))
        spec.run_gpu_count = o->value[F_gpu_count];
    run_option_of(&spec, o, &result, reference, &row->run);
    if (isnan(wanted->run_gpu_count) && row->run.fits == FITS_NOT &&
        row->run.advice.gpu_count > 0) {
        spec.run_gpu_count = ceil(row->run.advice.gpu_count /
                                  o->value[F_gpu_count]) *
                             o->value[F_gpu_count];
        run_option_of(&spec, o, &result, reference, &row->run);
    }
    if (!row->run.gpu || !isfinite(row->run.cost_full))
        return;
    row->kind = from->kind;
    row->price = from->price;
    row->gpu = row->run.gpu;
    row->gpu_count = o->value[F_gpu_count];
    row->cheapest = row->fastest = row->greenest = 0;
    row->old = row->price && price_state(world->prices, row->price,
                                         study->as_of_day) == PRICE_OLD;
    memcpy(row->label, o->made_label, sizeof row->label);
    out->count++;
}

static int fits(const struct everywhere_row *row)
{
    return row->run.fits != FITS_NOT;
}

static int by_cost(const void *a, const void *b)
{
    const struct everywhere_row *x = a, *y = b;

    if (fits(x) != fits(y))
        return fits(y) - fits(x);
    if (x->run.cost_full < y->run.cost_full ||
        x->run.cost_full > y->run.cost_full)
        return x->run.cost_full < y->run.cost_full ? -1 : 1;
    return strcmp(x->label, y->label);
}

static void mark_best(struct everywhere *out)
{
    int best[3] = { -1, -1, -1 };
    double low[3] = { INFINITY, INFINITY, INFINITY };

    for (int i = 0; i < out->count; i++) {
        const struct run_option *run = &out->row[i].run;
        const double value[3] = { run->cost_full, run->wall_hour, run->kg };
        for (int k = 0; k < 3; k++)
            if (fits(&out->row[i]) && value[k] < low[k]) {
                low[k] = value[k];
                best[k] = i;
            }
    }
    if (best[0] >= 0)
        out->row[best[0]].cheapest = 1;
    if (best[1] >= 0)
        out->row[best[1]].fastest = 1;
    if (best[2] >= 0)
        out->row[best[2]].greenest = 1;
}

void everywhere_run(const struct run_spec *wanted, const struct study *study,
                    const struct run_option *reference,
                    const struct world *world, struct everywhere *out)
{
    struct offer offers[EVERYWHERE_MAX];
    int count = gather_offers(study, world, offers);

    out->count = 0;
    for (int i = 0; i < count; i++) {
        struct alternative from = { .kind = KIND_RENT };
        from.price = offers[i].price;
        from.gpu = offers[i].gpu;
        if (from.price)
            run_row(wanted, study, reference, world, &from, out);
    }
    for (size_t i = 0; i < gpu_count_all(); i++) {
        const struct gpu *gpu = gpu_at(i);
        struct alternative from = { .kind = KIND_OWN };
        from.gpu = gpu;
        from.gpu_count = usual_count(gpu);
        if (!isnan(own_gpu_price(world->own, gpu->id, study->as_of_day,
                                 NULL).fact.value))
            run_row(wanted, study, reference, world, &from, out);
    }
    qsort(out->row, (size_t)out->count, sizeof *out->row, by_cost);
    mark_best(out);
}
