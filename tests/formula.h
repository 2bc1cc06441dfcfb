/* formula.h: reads formula text as it stands in the tables, works it out and
   infers its dimension. Independent of the C compiler, which compiles the
   same characters. Tests include formula.c. */
#ifndef GPUTCO_TESTS_FORMULA_H
#define GPUTCO_TESTS_FORMULA_H

#include <stddef.h>

enum { FORMULA_NODE_MAX = 256, FORMULA_BASE_MAX = 32 };

enum formula_op { FORMULA_LITERAL, FORMULA_NAME, FORMULA_PREV, FORMULA_ADD,
                  FORMULA_SUBTRACT, FORMULA_TIMES, FORMULA_DIVIDE,
                  FORMULA_LESS, FORMULA_LESS_EQUAL, FORMULA_GREATER,
                  FORMULA_GREATER_EQUAL, FORMULA_IF, FORMULA_MIN, FORMULA_MAX,
                  FORMULA_POWER, FORMULA_ROUNDUP, FORMULA_ROUNDDOWN,
                  FORMULA_MOD, FORMULA_NA };

struct formula_node {
    enum formula_op op;
    double literal;
    int slot;        /* of a name */
    int part[3];     /* operands */
    int whole;       /* an int for the C compiler */
};

/* error is NULL when the text was understood; then `rest` is where it did not
   go on. */
struct formula_tree {
    struct formula_node node[FORMULA_NODE_MAX];
    int count, root;
    const char *text, *rest, *error;
};

/* Slot of a name, or -1 when nobody knows it. */
typedef int formula_find(const char *name, size_t length);

/* 1 when the whole text is one formula of the allowed grammar. */
int formula_parse(struct formula_tree *tree, const char *text,
                  formula_find *find);

/* Its value; value and before by slot, before for PREV. */
double formula_value(const struct formula_tree *tree, const double *value,
                     const double *before);

/* Powers of base units. any: a literal 0, which fits everything. */
struct dimension { int power[FORMULA_BASE_MAX]; int any; };

/* Reads "money/kW/hour"; 1 when it is a dimension. */
int dimension_read(const char *text, struct dimension *out);
int dimension_same(const struct dimension *a, const struct dimension *b);
void dimension_print(const struct dimension *dimension, char *out,
                     size_t room);

/* The dimension of a formula; `of` by slot. 1, or 0 with the reason. */
int formula_dimension(const struct formula_tree *tree,
                      const struct dimension *of, struct dimension *out,
                      const char **why);

#endif
