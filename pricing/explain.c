/* explain.c: reads the names in a formula's text and looks each of them up:
   another formula, a field, a constant or what the study gives. */
#include "pricing/explain.h"

#include <math.h>
#include <string.h>

#include "pricing/resolve.h"

static const struct constant {
    const char *name;
    double value;
    const char *source;
} constants[] = {
#define CONST(name, dimension, number, source) { #name, number, source },
#include "energy/consts.def"
};

/* Names that stand in formulas without a line of their own there. */
static const struct further {
    const char *name, *label;
    enum unit unit;
    const char *formula;    /* NULL: the sum of cost lines of a class */
} further[] = {
    { "work_speed_hour_per_month", "Work a month", UNIT_WORK,
      "busy_frac * hour_per_month * machine_count * machine_speed * "
      "(1 - rework_frac)" },
    { "work_hour_per_month", "Hours that option a works a month",
      UNIT_HOUR_PER_MONTH, "busy_frac * hour_per_month * machine_count" },
    { "capital_cost", "Outlay of the month", UNIT_MONEY, NULL },
    { "taxed_cost", "Running costs that bear VAT", UNIT_MONEY, NULL },
    { "running_cost", "Running costs", UNIT_MONEY, NULL },
    { "commitment_count", "1 when the term is a commitment", UNIT_COUNT,
      "term" },
    { "term_month", "Length of a commitment", UNIT_MONTH, "term" },
    { "total_cost", "Sum of all flows", UNIT_MONEY, "flow_cost" },
    { "npv_cost", "Present value", UNIT_MONEY,
      "flow_cost / POWER(1 + discount_frac, at_month / month_per_year)" },
};

enum { OF_WORK, OF_HOURS, OF_CAPITAL, OF_TAXED, OF_RUNNING, OF_COMMITMENT,
       OF_TERM, OF_TOTAL, OF_NPV };

#define COUNT(list) (int)(sizeof(list) / sizeof *(list))

struct walk {
    const struct study *study;
    const struct option *o;
    int option;
    struct work work;
    struct result result;
    struct month *months;
    struct explanation *out;
};

static int is_name(const char *text, size_t length, const char *name)
{
    return strlen(name) == length && memcmp(text, name, length) == 0;
}

static int fits_kind(const struct formula *formula, enum kind kind)
{
    return strcmp(formula->kind, "BOTH") == 0 ||
           strcmp(formula->kind, kind == KIND_OWN ? "OWN" : "RENT") == 0;
}

static const struct formula *formula_of(enum kind kind, const char *name,
                                        size_t length)
{
    for (int i = 0; i < formula_count; i++)
        if (fits_kind(&formula_table[i], kind) &&
            is_name(name, length, formula_table[i].name))
            return &formula_table[i];
    return NULL;
}

static const struct constant *constant_of(const char *name, size_t length)
{
    for (int i = 0; i < COUNT(constants); i++)
        if (is_name(name, length, constants[i].name))
            return &constants[i];
    return NULL;
}

static int further_of(const char *name, size_t length)
{
    for (int i = 0; i < COUNT(further); i++)
        if (is_name(name, length, further[i].name))
            return i;
    return -1;
}

static int is_monthly(const struct formula *formula)
{
    return formula->part == PART_MONTH || formula->part == PART_COST ||
           formula->part == PART_CLOSING;
}

/* --- nodes ---------------------------------------------------------------- */

static struct explain_node *node_add(struct walk *w, int depth,
                                     const char *name, const char *label,
                                     enum unit unit, double value)
{
    struct explain_node *node;

    if (w->out->count == EXPLAIN_NODE_MAX || depth > EXPLAIN_DEPTH_MAX) {
        w->out->cut = 1;
        return NULL;
    }
    node = &w->out->node[w->out->count++];
    memset(node, 0, sizeof *node);
    node->kind = EXPLAIN_FORMULA;
    node->depth = depth;
    node->option = w->option;
    node->field = -1;
    node->name = name;
    node->label = label;
    node->unit = unit;
    node->value = value;
    node->formula = node->note = "";
    node->month = -1;
    return node;
}

/* 1 if the same figure was taken apart further up. */
static int is_again(const struct walk *w, const struct explain_node *node)
{
    for (int i = 0; i < w->out->count; i++) {
        const struct explain_node *other = &w->out->node[i];
        if (other != node && !other->again && other->kind == node->kind &&
            other->option == node->option && other->month == node->month &&
            strcmp(other->name, node->name) == 0)
            return 1;
    }
    return 0;
}

static void add_name(struct walk *w, const char *name, size_t length,
                     int month, int depth);
static void add_previous(struct walk *w, const char *name, size_t length,
                         int month, int depth);

/* Each name of a formula once, in their order. */
static void add_parts(struct walk *w, const char *formula, int month, int depth)
{
    const char *seen[64];
    size_t seen_length[64];
    int count = 0, before = 0;

    for (const char *at = formula; *at; ) {
        size_t length = 0;
        int known = 0;
        while ((at[length] >= 'a' && at[length] <= 'z') ||
               (at[length] >= 'A' && at[length] <= 'Z') || at[length] == '_' ||
               (length > 0 && at[length] >= '0' && at[length] <= '9'))
            length++;
        if (length == 0) {
            /* 1e-9 holds no name */
            if (*at >= '0' && *at <= '9' && at[1] == 'e')
                at++;
            at++;
            continue;
        }
        before = before || is_name(at, length, "PREV");
        if (*at < 'a') {
            at += length;
            continue;
        }
        for (int i = 0; i < count; i++)
            known |= seen_length[i] == length &&
                     memcmp(seen[i], at, length) == 0;
        if (!known && count < COUNT(seen)) {
            seen[count] = at;
            seen_length[count++] = length;
            (before ? add_previous : add_name)(w, at, length, month, depth);
        }
        before = 0;
        at += length;
    }
}

static void add_field(struct walk *w, int field, int depth)
{
    const struct field *row = &field_table[field];
    struct explain_node *node = node_add(w, depth, row->name, row->label,
                                         row->unit, w->o->value[field]);

    if (!node)
        return;
    node->kind = EXPLAIN_INPUT;
    node->field = field;
}

static void add_constant(struct walk *w, const struct constant *constant,
                         int depth)
{
    struct explain_node *node = node_add(w, depth, constant->name,
                                         constant->source, UNIT_NUMBER,
                                         constant->value);

    if (!node)
        return;
    node->kind = EXPLAIN_CONSTANT;
    node->option = -1;
    node->note = constant->source;
}

/* --- formulas ------------------------------------------------------------- */

/* The value of a line of a month; before month 0 everything is 0. */
static double month_value(const struct walk *w, const struct formula *formula,
                          int month)
{
    if (month < 0)
        return 0;
    return formula->item ? w->months[month].item[formula->index]
                         : w->months[month].step[formula->index];
}

/* A month that shows what a line does: the first in which it is not nil. */
static int telling_month(const struct walk *w, const struct formula *formula)
{
    for (int m = 0; m <= w->result.month_count; m++)
        if (fabs(month_value(w, formula, m)) > 0)
            return m;
    return 0;
}

/* month: which one of a line of the schedule; -1: an item in all, or the
   month that tells most. */
static void add_formula(struct walk *w, const struct formula *formula,
                        int month, int depth)
{
    struct explain_node *node;
    int of_month = is_monthly(formula);
    double value = of_month ? month_value(w, formula, month)
                            : w->result.step[formula->index];

    node = node_add(w, depth, formula->name, formula->label, formula->unit,
                    value);
    if (!node)
        return;
    node->formula = formula->text;
    node->month = of_month ? month : -1;
    node->again = is_again(w, node) || (of_month && month < 0);
    if (!node->again)
        add_parts(w, formula->text, month, depth + 1);
}

/* PREV(x) is x of the month before: its number is enough. */
static void add_previous(struct walk *w, const char *name, size_t length,
                         int month, int depth)
{
    const struct formula *formula = formula_of(w->o->kind, name, length);
    struct explain_node *node;

    if (!formula)
        return;
    node = node_add(w, depth, formula->name, formula->label, formula->unit,
                    month_value(w, formula, month - 1));
    if (!node)
        return;
    node->formula = formula->text;
    node->month = month - 1;
    node->again = 1;
}

/* An item is the sum of its line over the months. */
static void add_item(struct walk *w, const struct formula *formula, int depth)
{
    struct explain_node *node =
        node_add(w, depth, formula->name, formula->label, formula->unit,
                 w->result.item[formula->index]);

    if (!node)
        return;
    node->kind = EXPLAIN_SUM;
    node->formula = formula->text;
    add_formula(w, formula, telling_month(w, formula), depth + 1);
}

static int in_class(const struct formula *formula, int of)
{
    if (of == OF_RUNNING)
        return strcmp(formula->class, "RUNNING") == 0 ||
               strcmp(formula->class, "TAXED") == 0;
    return strcmp(formula->class, of == OF_CAPITAL ? "CAPITAL" : "TAXED") == 0;
}

static void add_class(struct walk *w, int of, int month, int depth)
{
    struct explain_node *node = node_add(w, depth, further[of].name,
                                         further[of].label, UNIT_MONEY, 0);
    double sum = 0;

    if (!node)
        return;
    node->formula = "the sum of its parts";
    node->month = month;
    for (int i = 0; i < formula_count; i++)
        if (*formula_table[i].class && in_class(&formula_table[i], of) &&
            fits_kind(&formula_table[i], w->o->kind))
            sum += month_value(w, &formula_table[i], month);
    node->value = sum;
    node->again = is_again(w, node) || month < 0;
    if (node->again)
        return;
    for (int i = 0; i < formula_count; i++)
        if (*formula_table[i].class && in_class(&formula_table[i], of) &&
            fits_kind(&formula_table[i], w->o->kind))
            add_formula(w, &formula_table[i], month, depth + 1);
}

/* The work is what option `a` does. */
static void add_work(struct walk *w, int of, int depth)
{
    struct walk first = *w;
    struct explain_node *node;

    first.option = 0;
    first.o = &w->study->option[0];
    node = node_add(&first, depth, further[of].name, further[of].label,
                    further[of].unit,
                    of == OF_WORK ? w->work.speed_hour_per_month
                                  : w->work.machine_hour_per_month);
    if (!node)
        return;
    node->formula = further[of].formula;
    node->again = is_again(&first, node);
    if (!node->again)
        add_parts(&first, further[of].formula, -1, depth + 1);
}

static void add_term(struct walk *w, int of, int depth)
{
    int months = w->o->kind == KIND_RENT
               ? term_month_of((int)w->o->value[F_term]) : 0;
    struct explain_node *node =
        node_add(w, depth, further[of].name, further[of].label,
                 further[of].unit, of == OF_TERM ? months : months > 0);

    if (!node)
        return;
    node->formula = further[of].formula;
    node->again = is_again(w, node);
    if (!node->again && w->o->kind == KIND_RENT)
        add_field(w, F_term, depth + 1);
}

/* total_cost and npv_cost, from the flow of the last month. */
static void add_total(struct walk *w, int of, int depth)
{
    struct explain_node *node =
        node_add(w, depth, further[of].name, further[of].label, UNIT_MONEY,
                 of == OF_NPV ? w->result.npv_cost : w->result.total_cost);

    if (!node)
        return;
    node->kind = EXPLAIN_SUM;
    node->formula = further[of].formula;
    node->again = is_again(w, node);
    if (!node->again)
        add_parts(w, further[of].formula, w->result.month_count, depth + 1);
}

static void add_further(struct walk *w, int of, int month, int depth)
{
    if (of == OF_WORK || of == OF_HOURS)
        add_work(w, of, depth);
    else if (of == OF_COMMITMENT || of == OF_TERM)
        add_term(w, of, depth);
    else if (of == OF_TOTAL || of == OF_NPV)
        add_total(w, of, depth);
    else
        add_class(w, of, month, depth);
}

static void add_month(struct walk *w, int month, int depth)
{
    struct explain_node *node = node_add(w, depth, "at_month",
                                         "Month of the schedule", UNIT_MONTH,
                                         month);

    if (!node)
        return;
    node->kind = EXPLAIN_CONSTANT;
    node->option = -1;
}

static void add_name(struct walk *w, const char *name, size_t length,
                     int month, int depth)
{
    const struct formula *formula = formula_of(w->o->kind, name, length);
    const struct constant *constant = constant_of(name, length);
    int of = further_of(name, length), field = field_find(name, length);

    if (is_name(name, length, "at_month"))
        add_month(w, month, depth);
    else if (formula)
        add_formula(w, formula, month, depth);
    else if (of >= 0)
        add_further(w, of, month, depth);
    else if (constant)
        add_constant(w, constant, depth);
    else if (field >= 0)
        add_field(w, field, depth);
}

/* --- the whole ------------------------------------------------------------ */

int explain_knows(enum kind kind, const char *name)
{
    size_t length = strlen(name);
    int field = field_find(name, length);

    return formula_of(kind, name, length) != NULL ||
           further_of(name, length) >= 0 ||
           (field >= 0 && field_applies(field, kind));
}

int explain_run(const struct study *study, int option, const char *name,
                struct month *months, struct explanation *out)
{
    struct walk w;
    const struct formula *formula;
    size_t length = strlen(name);
    int field = field_find(name, length), of = further_of(name, length);

    w.study = study;
    w.option = option;
    w.o = &study->option[option];
    w.work = work_of(study->option[0].value);
    w.months = months;
    w.out = out;
    out->count = out->cut = 0;
    model_run(w.o->kind, w.o->value, &w.work, &w.result, months);
    formula = formula_of(w.o->kind, name, length);
    if (formula && formula->item)
        add_item(&w, formula, 0);
    else if (formula)
        add_formula(&w, formula,
                    is_monthly(formula) ? telling_month(&w, formula) : -1, 0);
    else if (of >= 0)
        add_further(&w, of, w.result.month_count, 0);
    else if (field >= 0 && option_has(option, w.o->kind, field))
        add_field(&w, field, 0);
    return out->count > 0;
}
