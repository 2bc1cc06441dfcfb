/* grant.c: sorts cost lines into classes, months into periods. */
#include "pricing/grant.h"

#include <math.h>
#include <string.h>

const struct grant_flavour grant_flavour_table[GRANT_FLAVOUR_COUNT] = {
#define FLAVOUR(id, name, zh, currency, round_to, shown_per, shown_as,        \
                decimals, basis, year_month, period_month, overhead_frac,     \
                overhead_on, funded_frac, equipment_line, order)              \
    { #id, name, zh, currency, round_to, shown_per, shown_as, decimals,       \
      GRANT_##basis, year_month, period_month, overhead_frac,                 \
      GRANT_##overhead_on, funded_frac, equipment_line, order },
#include "pricing/grant_flavours.def"
};

const struct grant_rule grant_rule_table[] = {
#define GRANT_RULE(flavour, amount, unit, words, title, address, date)        \
    { #flavour, amount, unit, words, title, address, date },
#include "pricing/grant_flavours.def"
};
const int grant_rule_count = sizeof grant_rule_table / sizeof *grant_rule_table;

/* Items that are asked for; the rest (interest, resale, profit tax) never
   is. VAT is that of services. */
static int class_of(int item, int is_equipment, enum grant_class *out)
{
    switch (item) {
    case I_hardware: case I_purchase_tax: case I_setup: case I_network:
        *out = is_equipment ? GRANT_EQUIPMENT : GRANT_SUPPLY;
        return 1;
    case I_repairs: *out = GRANT_SUPPLY; return 1;
    case I_staff: *out = GRANT_STAFF; return 1;
    case I_interest: case I_residual: case I_income_tax: return 0;
    default: *out = GRANT_SERVICE; return 1;
    }
}

static int is_outlay(int item)
{
    return item == I_hardware || item == I_purchase_tax || item == I_setup ||
           item == I_network;
}

static double rounded(double amount, double round_to)
{
    return floor(amount / round_to + 0.5) * round_to;
}

double grant_depreciation(double outlay, double depreciation_year,
                          double use_frac, int first, int last)
{
    int over = (int)floor(12 * depreciation_year + 0.5);

    over = over < 1 ? 1 : over;
    last = last < over ? last : over;
    return last < first ? 0 : outlay * use_frac * (last - first + 1) / over;
}

/* Months of the next period when `done` of `count` are over. */
static int period_months(const struct grant_terms *terms, int done, int count)
{
    int months = terms->period_month;

    if (terms->year_month) {
        int at = (terms->start_month - 1 + done) % 12;
        months = 12 - (at - (terms->year_month - 1) + 12) % 12;
    }
    return months < count - done ? months : count - done;
}

/* Exact cost of one period by class, and of all its items; month 0 belongs
   to the first. */
static double add_up(const struct month *months,
                     const struct grant_period *period, int is_equipment,
                     double cost[GRANT_CLASS_COUNT], double *outlay)
{
    int first = period->first == 1 ? 0 : period->first;
    double all = 0;

    for (int k = 0; k < GRANT_CLASS_COUNT; k++)
        cost[k] = 0;
    *outlay = 0;
    for (int m = first; m < period->first + period->months; m++)
        for (int k = 0; k < ITEM_COUNT; k++) {
            enum grant_class class;
            all += months[m].item[k];
            if (is_outlay(k))
                *outlay += months[m].item[k];
            if (class_of(k, is_equipment, &class))
                cost[class] += months[m].item[k];
        }
    return all;
}

static void close_period(const struct grant_terms *terms, double all,
                         struct grant_period *p)
{
    double base = 0;

    for (int k = 0; k < GRANT_CLASS_COUNT; k++) {
        p->cost[k] = rounded(p->cost[k] * terms->rate, terms->round_to);
        p->direct += p->cost[k];
        if (k != GRANT_EQUIPMENT || terms->overhead_on == GRANT_ON_ALL)
            base += p->cost[k];
    }
    p->overhead = rounded(base * terms->overhead_frac, terms->round_to);
    p->total = p->direct + p->overhead;
    p->funded = rounded(p->total * terms->funded_frac, terms->round_to);
    p->all = rounded(all * terms->rate, terms->round_to);
    p->left = p->all - p->direct;
}

static void add_to_sum(const struct grant_period *p, struct grant_period *sum)
{
    for (int k = 0; k < GRANT_CLASS_COUNT; k++)
        sum->cost[k] += p->cost[k];
    sum->months += p->months;
    sum->direct += p->direct;
    sum->overhead += p->overhead;
    sum->total += p->total;
    sum->funded += p->funded;
    sum->left += p->left;
    sum->all += p->all;
    sum->depreciation += p->depreciation;
}

static void run_period(const double *value, const struct month *months,
                       const struct grant_terms *terms, struct grant *grant,
                       struct grant_period *p)
{
    double outlay, all;
    int last = p->first + p->months - 1;

    all = add_up(months, p, grant->is_equipment, p->cost, &outlay);
    p->depreciation = grant_depreciation(grant->outlay,
                                         value[F_depreciation_year], 1,
                                         p->first, last);
    if (terms->basis == GRANT_DEPRECIATED)
        p->cost[GRANT_EQUIPMENT] += p->depreciation - outlay;
    for (int k = 0; k < GRANT_CLASS_COUNT; k++)
        p->cost[k] *= terms->use_frac;
    close_period(terms, all, p);
    add_to_sum(p, &grant->sum);
}

void grant_run(enum kind kind, const double *value, const struct result *result,
               const struct month *months, const struct grant_terms *terms,
               struct grant *grant)
{
    int own = kind == KIND_OWN;

    memset(grant, 0, sizeof *grant);
    grant->sum.first = 1;
    grant->unit_price = (double)NAN;
    if (own) {
        grant->unit_price = result->item[I_hardware] * terms->rate /
                            result->step[S_machine_used_count];
        grant->depreciation_month =
            (int)fmax(1, floor(12 * value[F_depreciation_year] + 0.5));
        for (int k = 0; k < ITEM_COUNT; k++)
            grant->outlay += is_outlay(k) ? result->item[k] : 0;
    }
    grant->is_equipment = own && (terms->basis == GRANT_DEPRECIATED ||
                                  grant->unit_price >= terms->equipment_line);
    for (int done = 0; done < result->month_count &&
                       grant->count < GRANT_PERIOD_MAX; ) {
        struct grant_period *p = &grant->period[grant->count++];
        p->first = done + 1;
        p->months = period_months(terms, done, result->month_count);
        run_period(value, months, terms, grant, p);
        done += p->months;
    }
}

struct grant_cap grant_cap_of(const struct result *rent,
                              const struct result *like,
                              double depreciation_year,
                              const struct grant_terms *terms)
{
    struct grant_cap cap = { 0, 0, 0 };
    double outlay = 0;

    for (int k = 0; k < ITEM_COUNT; k++)
        outlay += is_outlay(k) ? like->item[k] : 0;
    cap.rent = (rent->item[I_compute] + rent->item[I_upfront]) *
               terms->use_frac * terms->rate;
    cap.cap = grant_depreciation(outlay, depreciation_year, terms->use_frac, 1,
                                 rent->month_count) * terms->rate;
    cap.within = cap.rent <= cap.cap;
    return cap;
}
