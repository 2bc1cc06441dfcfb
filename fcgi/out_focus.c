/* out_focus.c: months and items of the model as charges. What the model pays
   in month 0 stands in the first period. */
#include "fcgi/out_focus.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "pricing/hash.h"
#include "fcgi/sheet.h"
#include "pricing/calendar.h"
#include "pricing/num.h"

#define UNWRITTEN __attribute__((uninitialized))

enum { PIECE_BYTE_MAX = 64 * 1024 };

static const char head[] =
    "BillingAccountId,BillingAccountName,BillingCurrency,BillingPeriodStart,"
    "BillingPeriodEnd,ChargePeriodStart,ChargePeriodEnd,ChargeCategory,"
    "ChargeClass,ChargeDescription,ListCost,ContractedCost,BilledCost,"
    "EffectiveCost,PricingQuantity,PricingUnit,ProviderName,PublisherName,"
    "InvoiceIssuerName,ServiceCategory,ServiceName,x_Option,x_Item,"
    "x_EnergyKwh,x_CarbonKgLocation,x_CarbonKgEmbodied,x_PriceObserved,"
    "x_ModelVersion,x_Warnings\r\n";

enum class { CLASS_CAPITAL, CLASS_RUNNING, CLASS_TAXED, CLASS_OTHER };

/* By item; what closing.def adds is OTHER. */
static const enum class class_of[ITEM_COUNT] = {
#define COST(kind, class, name, ...) CLASS_##class,
#include "pricing/costs.def"
#define ITEM(kind, name, ...) CLASS_OTHER,
#define ITEM_EACH(name, ...) CLASS_OTHER,
#include "pricing/closing.def"
};

struct charge {
    int month;                  /* 1 ... M */
    const char *category, *item, *words;
    double list, billed, effective;
    double quantity;            /* NAN: none */
    const char *unit, *service;
    double kwh, location_kg, embodied_kg;
};

struct bill {
    const struct answer *answer;
    struct text *out;
    int option, start;
    char account[32];
    const char *provider, *service;
    char observed[11], warnings[200]; /* codes of what is said of the price */
    const struct month *months;
};

/* --- cells ---------------------------------------------------------------- */

static void put_text(struct bill *bill, const char *text)
{
    text_char(bill->out, ',');
    csv_cell(bill->out, text);
}

static void put_number(struct bill *bill, double value)
{
    char digits[NUM_TEXT_BYTE];

    text_char(bill->out, ',');
    if (!isfinite(value))
        return;
    num_print(digits, value);
    text_str(bill->out, digits);
}

static void put_period(struct bill *bill, int month)
{
    char day[11], line[32];

    for (int end = 0; end < 2; end++) {
        day_print(day, calendar_month(bill->start, month - 1 + end));
        snprintf(line, sizeof line, "%sT00:00:00Z", day);
        put_text(bill, line);
    }
}

static void put_charge(struct bill *bill, const struct charge *c)
{
    char letter[2] = { (char)('a' + bill->option), '\0' }, words[160];

    csv_cell(bill->out, bill->account);
    put_text(bill, answer_label(bill->answer, bill->option));
    put_text(bill, bill->answer->study.currency);
    put_period(bill, c->month);
    put_period(bill, c->month);
    put_text(bill, c->category);
    put_text(bill, "");
    snprintf(words, sizeof words, "Estimate: %s", c->words);
    put_text(bill, words);
    put_number(bill, c->list);
    put_number(bill, c->billed); /* ContractedCost */
    put_number(bill, c->billed);
    put_number(bill, c->effective);
    put_number(bill, c->quantity);
    put_text(bill, c->unit);
    for (int i = 0; i < 3; i++)
        put_text(bill, bill->provider);
    put_text(bill, c->service);
    put_text(bill, bill->service);
    put_text(bill, letter);
    put_text(bill, c->item);
    put_number(bill, c->kwh);
    put_number(bill, c->location_kg);
    put_number(bill, c->embodied_kg);
    put_text(bill, bill->observed);
    put_text(bill, MODEL_VERSION);
    put_text(bill, bill->warnings);
    text_str(bill->out, "\r\n");
}

/* --- charges -------------------------------------------------------------- */

static const double *values(const struct bill *bill)
{
    return bill->answer->study.option[bill->option].value;
}

static const double *steps(const struct bill *bill)
{
    return bill->answer->result[bill->option].step;
}

static int month_count(const struct bill *bill)
{
    return bill->answer->result[bill->option].month_count;
}

static double location_kg(const struct bill *bill, int m)
{
    const double *v = values(bill);

    return steps(bill)[S_meter_kwh_per_month] * v[F_grid_g_per_kwh] / 1000 *
           pow(1 + v[F_grid_growth_frac],
               bill->months[m].step[M_year_index]);
}

/* Upfronts that cover month m: each one over its term, or what is left. */
static double upfront_share(const struct bill *bill, int m)
{
    int term = term_month_of((int)values(bill)[F_term]);
    int start, end;

    if (term == 0)
        return 0;
    start = (m - 1) / term * term;
    end = start + term < month_count(bill) ? start + term : month_count(bill);
    return bill->months[start].item[I_upfront] / (end - start);
}

/* List price of an item of month m; list_rented: of compute and upfront. */
static double list_of(const struct bill *bill, int m, int item,
                      double list_rented)
{
    const double *v = values(bill), *month = bill->months[m].step;

    switch (item) {
    case I_compute:
        return month[M_paid_month] * month[M_rent_growth_ratio] *
               steps(bill)[S_billed_machine_hour_per_month] *
               v[F_rent_price_per_hour];
    case I_upfront:
        return month[M_term_begin_count] * month[M_term_share_frac] *
               month[M_upfront_growth_ratio] * v[F_rent_upfront_price] *
               steps(bill)[S_machine_used_count];
    case I_support: return v[F_support_frac] * list_rented;
    default: return bill->months[m].item[item];
    }
}

static const char *category_of(int item)
{
    if (item == I_purchase_tax || item == I_service_tax ||
        item == I_income_tax)
        return "Tax";
    if (item == I_residual)
        return "Credit";
    return class_of[item] == CLASS_CAPITAL || item == I_upfront ? "Purchase"
                                                                : "Usage";
}

static void set_quantity(const struct bill *bill, int m, int item,
                         struct charge *c)
{
    c->quantity = 1;
    c->unit = "Months";
    if (strcmp(c->category, "Tax") == 0) {
        c->quantity = (double)NAN;
        c->unit = "";
    } else if (item == I_compute) {
        c->quantity = bill->months[m].step[M_paid_month] *
                      steps(bill)[S_billed_machine_hour_per_month];
        c->unit = "Hours";
    } else if (item == I_energy) {
        c->quantity = c->kwh = steps(bill)[S_meter_kwh_per_month];
        c->unit = "kWh";
    } else if (item == I_hardware || item == I_upfront) {
        c->quantity = steps(bill)[S_machine_used_count];
        c->unit = "Units";
    } else if (strcmp(c->category, "Usage") != 0) {
        c->unit = "Units";
    }
}

static const char *service_of(int item)
{
    return item == I_storage ? "Storage" : item == I_egress ? "Networking"
         : item == I_staff || item == I_other || item == I_interest ||
           item == I_income_tax ? "Other" : "Compute";
}

static int is_always_shown(const struct bill *bill, int m, int item)
{
    int own = bill->answer->study.option[bill->option].kind == KIND_OWN;

    return m > 0 && item == (own ? I_energy : I_compute);
}

static void put_item(struct bill *bill, int m, int item, double list)
{
    double amount = bill->months[m].item[item];
    struct charge c = { .month = m ? m : 1, .category = category_of(item),
        .item = item_table[item].name, .words = item_table[item].label,
        .list = list, .billed = amount, .effective = amount,
        .service = service_of(item), .kwh = (double)NAN,
        .location_kg = (double)NAN, .embodied_kg = (double)NAN };
    int main_row = is_always_shown(bill, m, item);

    if (!main_row && !(fabs(amount) > 0) && !(fabs(list) > 0))
        return;
    set_quantity(bill, m, item, &c);
    if (class_of[item] == CLASS_CAPITAL || item == I_residual ||
        item == I_upfront)
        c.effective = 0;
    if (main_row) {
        c.kwh = steps(bill)[S_meter_kwh_per_month];
        c.location_kg = location_kg(bill, m);
    }
    if (main_row && item == I_compute) {
        c.effective += upfront_share(bill, m);
        c.embodied_kg = steps(bill)[S_embodied_kg] / month_count(bill);
    }
    put_charge(bill, &c);
}

/* What the machines lose in a month, from price to resale. */
static void put_share(struct bill *bill, int m)
{
    const struct result *r = &bill->answer->result[bill->option];
    double all = r->item[I_residual];
    struct charge c = { .month = m, .category = "Usage",
        .item = "hardware_share", .words = "Hardware, share of the month",
        .quantity = 1, .unit = "Months", .service = "Compute",
        .kwh = (double)NAN, .location_kg = (double)NAN };

    for (int k = 0; k < ITEM_COUNT; k++)
        if (class_of[k] == CLASS_CAPITAL)
            all += r->item[k];
    c.effective = all / r->month_count;
    c.embodied_kg = r->step[S_embodied_kg] / r->month_count;
    put_charge(bill, &c);
}

static void put_month(struct bill *bill, int m)
{
    int own = bill->answer->study.option[bill->option].kind == KIND_OWN;
    double rented = 0, taxed = 0;

    if (own && m > 0)
        put_share(bill, m);
    for (int k = 0; k < ITEM_COUNT; k++) {
        double list;
        if (own ? !item_table[k].own : !item_table[k].rent)
            continue;
        list = k == I_service_tax ? values(bill)[F_service_tax_frac] * taxed
                                  : list_of(bill, m, k, rented);
        rented += k == I_compute || k == I_upfront ? list : 0;
        taxed += class_of[k] == CLASS_TAXED ? list : 0;
        put_item(bill, m, k, list);
    }
}

/* --- options -------------------------------------------------------------- */

static void list_warnings(struct bill *bill, const char *field)
{
    const struct warnings *all = &bill->answer->warnings;
    size_t used = 0;

    *bill->warnings = '\0';
    for (int i = 0; i < all->count; i++) {
        const struct warning *one = &all->warning[i];
        const size_t room = sizeof bill->warnings - used;

        if (one->option == 'a' + bill->option && !strcmp(one->field, field)
            && strlen(one->code) + 2 < room)
            used += (size_t)snprintf(bill->warnings + used, room, "%s%s",
                                     used ? " " : "", one->code);
    }
}

static void name_option(struct bill *bill)
{
    const struct option *o = &bill->answer->study.option[bill->option];
    int own = o->kind == KIND_OWN;
    int source = bill->answer->source_of[bill->option]
                     [own ? F_gpu_price : F_rent_price_per_hour];
    char day[11];

    bill->provider = own ? "Own organisation" : o->name[F_provider];
    bill->service = own ? "Owned GPU" : o->name[F_instance];
    bill->observed[0] = '\0';
    list_warnings(bill, own ? "gpu_price" : "rent_price_per_hour");
    if (source)
        snprintf(bill->observed, sizeof bill->observed, "%.10s",
                 cited_date(&bill->answer->cited[source - 1], day));
}

static void put_option(struct bill *bill)
{
    struct month months[MONTH_MAX + 1] UNWRITTEN;
    struct result result;
    const struct study *study = &bill->answer->study;
    struct work work = work_of(study->option[0].value);

    model_run(study->option[bill->option].kind, values(bill), &work, &result,
              months);
    bill->months = months;
    name_option(bill);
    for (int m = 0; m <= month_count(bill); m++)
        put_month(bill, m);
    bill->months = NULL;
}

void out_focus(const struct answer *answer, struct text *out)
{
    struct bill bill = { .answer = answer, .out = out };
    struct text query;

    text_init(&query, PIECE_BYTE_MAX);
    answer_query(answer, &query);
    snprintf(bill.account, sizeof bill.account, "estimate:%016llx",
             (unsigned long long)hash_text(HASH_START,
                                           query.at ? query.at : ""));
    text_free(&query);
    bill.start = answer->start_day;
    if (answer->input->key_value[K_bom] > 0)
        text_str(out, "\xEF\xBB\xBF");
    text_str(out, head);
    for (int i = 0; i < answer->study.option_count; i++) {
        bill.option = i;
        put_option(&bill);
    }
}
