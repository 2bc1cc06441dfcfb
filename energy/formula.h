/* formula.h: the functions a formula may use, for the C compiler.
   A spreadsheet has the same ones under the same names, so the characters of
   a formula serve both. NA() is "no such number" and spreads like NaN. */
#ifndef GPUTCO_ENERGY_FORMULA_H
#define GPUTCO_ENERGY_FORMULA_H

#include <math.h>

#define IF(condition, then, otherwise) ((condition) ? (then) : (otherwise))
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#define POWER(base, exponent) formula_power((base), (exponent))
#define ROUNDUP(x) ceil(x)
#define ROUNDDOWN(x) floor(x)
#define MOD(a, b) ((a) - (b) * floor((a) / (b)))
#define NA() ((double)NAN)

/* pow, without its cost where nothing grows or no year has passed. */
static inline double formula_power(double base, double exponent)
{
    return (base >= 1 && base <= 1) || (exponent >= 0 && exponent <= 0)
           ? 1 : pow(base, exponent);
}

/* Which lines of a table belong to which kind of option:
   OF_OWN_BOTH(x) is x, OF_OWN_RENT(x) is nothing, and so on. */
#define OF_OWN_OWN(...) __VA_ARGS__
#define OF_OWN_BOTH(...) __VA_ARGS__
#define OF_OWN_RENT(...)
#define OF_RENT_RENT(...) __VA_ARGS__
#define OF_RENT_BOTH(...) __VA_ARGS__
#define OF_RENT_OWN(...)

#endif
