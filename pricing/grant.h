/* grant.h: what a funder is asked for: the cost of one option by budget
   period and kind of cost. Pure: no I/O, clock, allocation or globals. Money
   in the study's currency unless said otherwise; months count from 1. */
#ifndef GPUTCO_PRICING_GRANT_H
#define GPUTCO_PRICING_GRANT_H

#include "pricing/pricing.h"

enum grant_class { GRANT_EQUIPMENT, GRANT_SUPPLY, GRANT_SERVICE, GRANT_STAFF,
                   GRANT_CLASS_COUNT };
enum grant_basis { GRANT_PAID, GRANT_DEPRECIATED };
enum grant_overhead { GRANT_ON_ALL, GRANT_NOT_ON_EQUIPMENT };

/* A funder, as in grant_flavours.def. */
struct grant_flavour {
    const char *id, *name;
    int zh;
    const char *currency;       /* "": that of the study */
    double round_to, shown_per;
    const char *shown_as;
    int decimals;
    enum grant_basis basis;
    int year_month, period_month;
    double overhead_frac;
    enum grant_overhead overhead_on;
    double funded_frac, equipment_line; /* line in the flavour's currency */
    const char *order;
};

struct grant_rule {
    const char *flavour;
    double amount;              /* 0: none */
    const char *unit, *words, *title, *address, *date;
};

enum { GRANT_FLAVOUR_COUNT = 0
#define FLAVOUR(...) + 1
#include "pricing/grant_flavours.def"
};
extern const struct grant_flavour grant_flavour_table[GRANT_FLAVOUR_COUNT];
extern const struct grant_rule grant_rule_table[];
extern const int grant_rule_count;

/* What is asked. year_month 1-12: budget years begin in that month and the
   first one is what is left of it; 0: periods of period_month (at least 3)
   months from the start. equipment_line, round_to: in the funder's currency,
   of which `rate` are one of the study's. */
struct grant_terms {
    enum grant_basis basis;
    enum grant_overhead overhead_on;
    double overhead_frac, use_frac, funded_frac, equipment_line, round_to, rate;
    int start_month, year_month, period_month;
};

/* Amounts are in the funder's currency, rounded to round_to; each sum is the
   sum of the rounded amounts. */
struct grant_period {
    int first, months;
    double cost[GRANT_CLASS_COUNT];
    double direct;              /* sum of cost */
    double overhead;
    double total;               /* direct and overhead: what is asked for */
    double funded;              /* funded_frac of it */
    double left;                /* cost of the option that is not asked for:
                                   interest, profit tax, resale, what is not
                                   depreciated yet, use by others */
    double all;                 /* direct and left: the option's cost */
    double depreciation;        /* of the outlay, whole, not rounded */
};

enum { GRANT_PERIOD_MAX = 64 };

struct grant {
    struct grant_period period[GRANT_PERIOD_MAX];
    int count;
    struct grant_period sum;    /* first 1 */
    double unit_price;          /* of one machine, in the funder's currency;
                                   NAN for rent */
    int is_equipment;           /* unit_price reaches the line */
    double outlay;              /* CAPITAL items in all */
    int depreciation_month;
};

/* months: 0 ... count of one option as model_run wrote them. value: its
   fields. */
void grant_run(enum kind kind, const double *value, const struct result *result,
               const struct month *months, const struct grant_terms *terms,
               struct grant *grant);

/* Depreciation of an outlay within months first ... last: straight line over
   round(12 depreciation_year) months from month 1, times the share of use. */
double grant_depreciation(double outlay, double depreciation_year,
                          double use_frac, int first, int last);

/* Rent (compute and upfront) against the depreciation of like equipment over
   the same months. */
struct grant_cap { double rent, cap; int within; };
struct grant_cap grant_cap_of(const struct result *rent,
                              const struct result *like,
                              double depreciation_year,
                              const struct grant_terms *terms);

#endif
