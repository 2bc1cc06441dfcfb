/* cells.h: formula text, as it stands in the tables, into the formula of a
   spreadsheet. Pure. */
#ifndef GPUTCO_FCGI_CELLS_H
#define GPUTCO_FCGI_CELLS_H

#include "fcgi/app.h"

/* Where the names of a formula are found. */
struct cells {
    const void *from;   /* handed on to the two below */
    /* Writes the cell that holds a name, with `before` the one of the month
       before. 0 when nobody knows the name. */
    int (*name)(const void *from, const char *name, size_t length,
                int before, struct text *out);
    /* Writes the cell that holds a number. 0 when there is none. */
    int (*number)(const void *from, double number, struct text *out);
};

/* Appends the formula, without a leading '='. Numbers other than 0 and 1 are
   cells too, ROUNDUP and ROUNDDOWN get their second argument, PREV(x) becomes
   the cell before. 1, or 0 when some name or number has no cell. */
int cells_formula(const char *text, const struct cells *cells,
                  struct text *out);

/* Calls `found` for every number other than 0 and 1 in the text. */
void cells_numbers(const char *text, void (*found)(void *to, double number),
                   void *to);

/* "AB12", with `fixed` "$AB$12"; row and column count from 0. */
void cells_at(int row, int column, int fixed, struct text *out);

#endif
