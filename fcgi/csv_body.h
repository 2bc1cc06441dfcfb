/* csv_body.h: the CSV of an answer as a question again. */
#ifndef GPUTCO_FCGI_CSV_BODY_H
#define GPUTCO_FCGI_CSV_BODY_H

#include "fcgi/input.h"

/* The section whose rows are the keys and values asked. */
#define CSV_ASKED "asked"

/* Reads a body with at least the columns section, name and value, in any
   order, into entries of `input`: those of section "asked"; other rows are
   passed over. Mistakes go to input->problems, all of them. */
void csv_body_read(struct input *input, const char *body, size_t byte);

/* One pair of a canonical query, decoded; longer parts than fit are cut. */
struct query_pair { char key[64], value[1024]; };

/* Reads the pair at *at and moves on. 0 at the end. */
int query_pair_next(const char **at, struct query_pair *pair);

#endif
