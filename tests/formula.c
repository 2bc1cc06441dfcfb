/* formula.c: recursive descent over formula text. Grammar:
     sum     = product { (+|-) product }
     product = atom { (*|/) atom }
     atom    = literal | name | ( sum ) | FUNCTION ( arguments )
   and a comparison as the first argument of IF. No unary minus (0 - x), no
   division of two C ints. */
#include "tests/formula.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- reading ----------------------------------------------------------- */

struct formula_reader {
    struct formula_tree *tree;
    const char *at;
    formula_find *find;
};

static int read_sum(struct formula_reader *r);

static int give_up(struct formula_reader *r, const char *error)
{
    if (!r->tree->error) {
        r->tree->error = error;
        r->tree->rest = r->at;
    }
    return 0;
}

static int add_node(struct formula_reader *r, enum formula_op op, int a,
                    int b, int c)
{
    struct formula_node *node;

    if (r->tree->count == FORMULA_NODE_MAX)
        return give_up(r, "too long");
    node = &r->tree->node[r->tree->count];
    *node = (struct formula_node){ op, 0, -1, { a, b, c }, 0 };
    return r->tree->count++;
}

static void skip_blanks(struct formula_reader *r)
{
    while (*r->at == ' ' || *r->at == '\n')
        r->at++;
}

static int take(struct formula_reader *r, const char *token)
{
    skip_blanks(r);
    if (strncmp(r->at, token, strlen(token)) != 0)
        return 0;
    r->at += strlen(token);
    return 1;
}

static int read_literal(struct formula_reader *r)
{
    int node = add_node(r, FORMULA_LITERAL, 0, 0, 0);
    size_t whole = strspn(r->at, "0123456789"), length = whole;
    char copy[64];

    if (r->at[length] == '.')
        length += 1 + strspn(r->at + length + 1, "0123456789");
    if (r->at[length] == 'e') {
        size_t sign = r->at[length + 1] == '-' || r->at[length + 1] == '+';
        length += 1 + sign + strspn(r->at + length + 1 + sign, "0123456789");
    }
    if (length >= sizeof copy || isalpha((unsigned char)r->at[length]) ||
        !isdigit((unsigned char)r->at[length - 1]))
        return give_up(r, "not a number");
    memcpy(copy, r->at, length);
    copy[length] = '\0';
    r->tree->node[node].literal = strtod(copy, NULL);
    r->tree->node[node].whole = length == whole;
    r->at += length;
    return node;
}

static const struct { const char *name; enum formula_op op; int count; }
functions[] = {
    { "IF", FORMULA_IF, 3 },           { "MIN", FORMULA_MIN, 2 },
    { "MAX", FORMULA_MAX, 2 },         { "POWER", FORMULA_POWER, 2 },
    { "ROUNDUP", FORMULA_ROUNDUP, 1 }, { "ROUNDDOWN", FORMULA_ROUNDDOWN, 1 },
    { "MOD", FORMULA_MOD, 2 },         { "NA", FORMULA_NA, 0 },
    { "PREV", FORMULA_PREV, 1 },
};

static int read_comparison(struct formula_reader *r)
{
    static const struct { const char *token; enum formula_op op; } sign[] = {
        { "<=", FORMULA_LESS_EQUAL }, { ">=", FORMULA_GREATER_EQUAL },
        { "<", FORMULA_LESS }, { ">", FORMULA_GREATER },
    };
    int left = read_sum(r);

    for (size_t i = 0; i < sizeof sign / sizeof *sign; i++)
        if (take(r, sign[i].token)) {
            int right = read_sum(r);
            return add_node(r, sign[i].op, left, right, 0);
        }
    return give_up(r, "IF wants a comparison");
}

/* C gives ints for IF, MIN and MAX of ints. */
static int whole_result(const struct formula_tree *tree, enum formula_op op,
                        const int part[3])
{
    int first = tree->node[part[0]].whole, second = tree->node[part[1]].whole;

    if (op == FORMULA_IF)
        return second && tree->node[part[2]].whole;
    return (op == FORMULA_MIN || op == FORMULA_MAX) && first && second;
}

static int read_call(struct formula_reader *r, const char *name,
                     size_t length)
{
    int part[3] = { 0, 0, 0 }, node;
    size_t f = 0;

    while (f < sizeof functions / sizeof *functions &&
           (strlen(functions[f].name) != length ||
            memcmp(functions[f].name, name, length) != 0))
        f++;
    if (f == sizeof functions / sizeof *functions)
        return give_up(r, "no such function");
    for (int i = 0; i < functions[f].count && !r->tree->error; i++) {
        if (i > 0 && !take(r, ","))
            return give_up(r, "too few arguments");
        part[i] = i == 0 && functions[f].op == FORMULA_IF ? read_comparison(r)
                                                          : read_sum(r);
    }
    if (!take(r, ")"))
        return give_up(r, "no closing bracket where one should be");
    if (functions[f].op == FORMULA_PREV) {
        if (r->tree->node[part[0]].op != FORMULA_NAME)
            return give_up(r, "PREV wants a name");
        r->tree->node[part[0]].op = FORMULA_PREV;
        return part[0];
    }
    node = add_node(r, functions[f].op, part[0], part[1], part[2]);
    r->tree->node[node].whole =
        whole_result(r->tree, functions[f].op, part);
    return node;
}

static int read_name(struct formula_reader *r)
{
    const char *name = r->at;
    size_t length = 0;
    int slot, node;

    while (isalnum((unsigned char)name[length]) || name[length] == '_')
        length++;
    r->at += length;
    if (take(r, "("))
        return read_call(r, name, length);
    slot = r->find ? r->find(name, length) : -1;
    if (slot < 0) {
        r->at = name;
        return give_up(r, "no such name");
    }
    node = add_node(r, FORMULA_NAME, 0, 0, 0);
    r->tree->node[node].slot = slot;
    return node;
}

static int read_atom(struct formula_reader *r)
{
    skip_blanks(r);
    if (r->tree->error)
        return 0;
    if (isdigit((unsigned char)*r->at))
        return read_literal(r);
    if (isalpha((unsigned char)*r->at))
        return read_name(r);
    if (take(r, "(")) {
        int node = read_sum(r);
        return take(r, ")") ? node : give_up(r, "no closing bracket");
    }
    return give_up(r, "a number, a name or a bracket should stand here");
}

static int read_two(struct formula_reader *r, enum formula_op op, int left,
                    int right)
{
    int node = add_node(r, op, left, right, 0);
    const struct formula_node *nodes = r->tree->node;

    r->tree->node[node].whole = nodes[left].whole && nodes[right].whole;
    if (op == FORMULA_DIVIDE && nodes[node].whole)
        return give_up(r, "C would divide integers");
    return node;
}

static int read_product(struct formula_reader *r)
{
    int left = read_atom(r);

    while (!r->tree->error) {
        if (take(r, "*"))
            left = read_two(r, FORMULA_TIMES, left, read_atom(r));
        else if (take(r, "/"))
            left = read_two(r, FORMULA_DIVIDE, left, read_atom(r));
        else
            break;
    }
    return left;
}

static int read_sum(struct formula_reader *r)
{
    int left = read_product(r);

    while (!r->tree->error) {
        if (take(r, "+"))
            left = read_two(r, FORMULA_ADD, left, read_product(r));
        else if (take(r, "-"))
            left = read_two(r, FORMULA_SUBTRACT, left, read_product(r));
        else
            break;
    }
    return left;
}

int formula_parse(struct formula_tree *tree, const char *text,
                  formula_find *find)
{
    struct formula_reader r = { tree, text, find };

    tree->count = 0;
    tree->text = text;
    tree->error = NULL;
    tree->root = read_sum(&r);
    skip_blanks(&r);
    if (*r.at)
        give_up(&r, "something follows that is no part of a formula");
    tree->rest = tree->error ? tree->rest : r.at;
    return tree->error == NULL;
}

/* --- working out --------------------------------------------------------- */

static double value_of(const struct formula_tree *tree, int at,
                       const double *value, const double *before)
{
    const struct formula_node *node = &tree->node[at];
    double a, b;

    switch (node->op) {
    case FORMULA_LITERAL: return node->literal;
    case FORMULA_NAME: return value[node->slot];
    case FORMULA_PREV: return before[node->slot];
    case FORMULA_NA: return (double)NAN;
    case FORMULA_IF:
        return value_of(tree, node->part[0], value, before) > 0
             ? value_of(tree, node->part[1], value, before)
             : value_of(tree, node->part[2], value, before);
    case FORMULA_ROUNDUP:
        return ceil(value_of(tree, node->part[0], value, before));
    case FORMULA_ROUNDDOWN:
        return floor(value_of(tree, node->part[0], value, before));
    case FORMULA_ADD: case FORMULA_SUBTRACT: case FORMULA_TIMES:
    case FORMULA_DIVIDE: case FORMULA_LESS: case FORMULA_LESS_EQUAL:
    case FORMULA_GREATER: case FORMULA_GREATER_EQUAL: case FORMULA_MIN:
    case FORMULA_MAX: case FORMULA_POWER: case FORMULA_MOD: break;
    }
    a = value_of(tree, node->part[0], value, before);
    b = value_of(tree, node->part[1], value, before);
    switch (node->op) {
    case FORMULA_ADD: return a + b;
    case FORMULA_SUBTRACT: return a - b;
    case FORMULA_TIMES: return a * b;
    case FORMULA_DIVIDE: return a / b;
    case FORMULA_LESS: return a < b;
    case FORMULA_LESS_EQUAL: return a <= b;
    case FORMULA_GREATER: return a > b;
    case FORMULA_GREATER_EQUAL: return a >= b;
    case FORMULA_MIN: return a < b ? a : b;
    case FORMULA_MAX: return a > b ? a : b;
    case FORMULA_POWER: return pow(a, b);
    case FORMULA_MOD: return a - b * floor(a / b);
    case FORMULA_LITERAL: case FORMULA_NAME: case FORMULA_PREV:
    case FORMULA_NA: case FORMULA_IF: case FORMULA_ROUNDUP:
    case FORMULA_ROUNDDOWN: break;
    }
    return (double)NAN;
}

double formula_value(const struct formula_tree *tree, const double *value,
                     const double *before)
{
    return value_of(tree, tree->root, value, before);
}

/* --- dimensions ------------------------------------------------------------ */

static char base_name[FORMULA_BASE_MAX][16];
static int base_count;

static int base_of(const char *name, size_t length)
{
    for (int i = 0; i < base_count; i++)
        if (strlen(base_name[i]) == length &&
            memcmp(base_name[i], name, length) == 0)
            return i;
    if (base_count == FORMULA_BASE_MAX || length == 0 ||
        length >= sizeof base_name[0])
        return -1;
    memcpy(base_name[base_count], name, length);
    base_name[base_count][length] = '\0';
    return base_count++;
}

int dimension_read(const char *text, struct dimension *out)
{
    int sign = 1;

    memset(out, 0, sizeof *out);
    for (;;) {
        size_t length = strcspn(text, "*/");
        if (length != 1 || *text != '1') {
            int base = base_of(text, length);
            if (base < 0)
                return 0;
            out->power[base] += sign;
        }
        if (text[length] == '\0')
            return 1;
        sign = text[length] == '/' ? -1 : 1;
        text += length + 1;
    }
}

int dimension_same(const struct dimension *a, const struct dimension *b)
{
    return a->any || b->any ||
           memcmp(a->power, b->power, sizeof a->power) == 0;
}

void dimension_print(const struct dimension *dimension, char *out,
                     size_t room)
{
    size_t used = 0;

    out[0] = '\0';
    for (int i = 0; i < base_count && used < room; i++)
        if (dimension->power[i])
            used += (size_t)snprintf(out + used, room - used, "%s%s^%d",
                                     used ? " " : "", base_name[i],
                                     dimension->power[i]);
    if (used == 0)
        snprintf(out, room, "%s", dimension->any ? "0" : "1");
}

static int is_pure(const struct dimension *dimension)
{
    static const struct dimension pure;

    return dimension_same(dimension, &pure);
}

static const char *dimension_of(const struct formula_tree *tree, int at,
                                const struct dimension *of,
                                struct dimension *out)
{
    const struct formula_node *node = &tree->node[at];
    struct dimension part[3];
    const char *why = NULL;
    int count = 0;

    memset(out, 0, sizeof *out);
    memset(part, 0, sizeof part);
    switch (node->op) {
    case FORMULA_LITERAL: out->any = !(node->literal > 0); return NULL;
    case FORMULA_NA: out->any = 1; return NULL;
    case FORMULA_NAME:
    case FORMULA_PREV: *out = of[node->slot]; return NULL;
    case FORMULA_ROUNDUP:
    case FORMULA_ROUNDDOWN: count = 1; break;
    case FORMULA_IF: count = 3; break;
    case FORMULA_ADD: case FORMULA_SUBTRACT: case FORMULA_TIMES:
    case FORMULA_DIVIDE: case FORMULA_LESS: case FORMULA_LESS_EQUAL:
    case FORMULA_GREATER: case FORMULA_GREATER_EQUAL: case FORMULA_MIN:
    case FORMULA_MAX: case FORMULA_POWER: case FORMULA_MOD: count = 2; break;
    }
    for (int i = 0; i < count && !why; i++)
        why = dimension_of(tree, node->part[i], of, &part[i]);
    if (why)
        return why;
    switch (node->op) {
    case FORMULA_TIMES:
    case FORMULA_DIVIDE:
        for (int i = 0; i < FORMULA_BASE_MAX; i++)
            out->power[i] = part[0].power[i] +
                (node->op == FORMULA_TIMES ? 1 : -1) * part[1].power[i];
        return NULL;
    case FORMULA_ROUNDUP: case FORMULA_ROUNDDOWN:
        return is_pure(&part[0]) ? NULL : "rounds what is no pure number";
    case FORMULA_POWER:
        return is_pure(&part[0]) && is_pure(&part[1])
             ? NULL : "power of or by what is no pure number";
    case FORMULA_LESS: case FORMULA_LESS_EQUAL: case FORMULA_GREATER:
    case FORMULA_GREATER_EQUAL:
        return dimension_same(&part[0], &part[1])
             ? NULL : "compares unlike dimensions";
    case FORMULA_IF:
        part[0] = part[2];
        break;
    case FORMULA_ADD: case FORMULA_SUBTRACT: case FORMULA_MIN:
    case FORMULA_MAX: case FORMULA_MOD: case FORMULA_LITERAL:
    case FORMULA_NAME: case FORMULA_PREV: case FORMULA_NA: break;
    }
    *out = part[0].any ? part[1] : part[0];
    return dimension_same(&part[0], &part[1])
         ? NULL : "adds or chooses between unlike dimensions";
}

int formula_dimension(const struct formula_tree *tree,
                      const struct dimension *of, struct dimension *out,
                      const char **why)
{
    *why = dimension_of(tree, tree->root, of, out);
    return *why == NULL;
}
