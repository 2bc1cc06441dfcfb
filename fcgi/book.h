/* book.h: `gputco import`: takes an own price book into the store, all of it
   or nothing, with every mistake by line. */
#ifndef GPUTCO_FCGI_BOOK_H
#define GPUTCO_FCGI_BOOK_H

#include <stdio.h>

#include "pricing/status.h"
#include "pricing/world.h"

/* Gathers files into one book; NULL: no memory. */
struct book;
struct book *book_open(const struct world *world);
void book_close(struct book *book); /* accepts NULL */

/* Reads one file; its mistakes go to `errors`, a line each, with the name. 1
   when it was whole and without one. */
int book_read(struct book *book, FILE *file, const char *name, FILE *errors);

/* Judges what was read and, unless dry, keeps it under the name; says what
   changed on `out`. GOOD, or a status whose words went to `errors`. */
enum status book_keep(struct book *book, const char *name, int dry, FILE *out,
                      FILE *errors);

#endif
