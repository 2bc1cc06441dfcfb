/* listing.h: how sure the answer is and what else there is, as tables of
   words, for the page and for plain text alike. */
#ifndef GPUTCO_FCGI_LISTING_H
#define GPUTCO_FCGI_LISTING_H

#include "fcgi/answer.h"

enum listed { LISTED_CASES, LISTED_COSTS, LISTED_CARBON, LISTED_SWINGS,
              LISTED_GRID, LISTED_ALTERNATIVES, LISTED_FRONT, LISTED_COUNT };

enum { LISTING_ROW_MAX = RANGE_MAX, LISTING_COLUMN_MAX = 12 };

/* title, note and head are in the reader's language. Column 0 says what a row
   is about. */
struct listing {
    char title[200];
    const char *note;                   /* "" none */
    int columns, rows;
    size_t at[LISTING_ROW_MAX + 1][LISTING_COLUMN_MAX]; /* row 0: heads */
    int link[LISTING_ROW_MAX + 1];      /* row of answer->alternatives, -1 */
    struct text store;
};

/* Fills it in; 0 rows when the answer has nothing of the kind. brief: options
   by their letters alone. Big; listing_free gives its text back. */
void listing_make(const struct answer *answer, enum listed listed, int brief,
                  struct listing *out);
void listing_free(struct listing *listing);

/* A cell; row 0 holds the heads. Never NULL. */
const char *listing_cell(const struct listing *listing, int row, int column);

/* Value and unit of a figure that was explained, as people read it. */
void listing_node(const struct answer *answer, const struct explain_node *node,
                  struct text *out);

#endif
