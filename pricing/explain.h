/* explain.h: how a figure of an option came about: its formula, the numbers
   put in, and those of these, down to the inputs. Pure. */
#ifndef GPUTCO_PRICING_EXPLAIN_H
#define GPUTCO_PRICING_EXPLAIN_H

#include "pricing/pricing.h"

enum { EXPLAIN_NODE_MAX = 320, EXPLAIN_DEPTH_MAX = 16 };

enum explained { EXPLAIN_INPUT,    /* a field: origin and source say the rest */
                 EXPLAIN_CONSTANT, /* note: where it is from */
                 EXPLAIN_FORMULA,
                 EXPLAIN_SUM };    /* over months 0 … M of the one part */

/* Nodes stand in order, each followed by its parts, which have a greater
   depth. A figure that was taken apart before, or a line of an earlier
   month, is not taken apart: `again`. */
struct explain_node {
    enum explained kind;
    int depth;
    int option;             /* whose figure: the work is option a's; -1 of
                               a constant */
    int field;              /* of an input, else -1 */
    const char *name, *label;
    enum unit unit;
    double value;
    const char *formula;    /* "" for inputs and constants */
    const char *note;       /* "" or source of a constant */
    int month;              /* of the schedule, -1: none */
    int again;
};

struct explanation {
    struct explain_node node[EXPLAIN_NODE_MAX];
    int count;
    int cut;                /* 1: some did not fit */
};

/* Explains a figure of a resolved option by its name: a field, a step, an
   item, total_cost or npv_cost. months: room for MONTH_MAX + 1. 0 when the
   option has no figure of that name. */
int explain_run(const struct study *study, int option, const char *name,
                struct month *months, struct explanation *out);

/* 1 if some option of that kind may have a figure of that name. */
int explain_knows(enum kind kind, const char *name);

#endif
