/* out_train.h: the answer about a run as JSON, text and page. */
#ifndef GPUTCO_FCGI_OUT_TRAIN_H
#define GPUTCO_FCGI_OUT_TRAIN_H

#include "fcgi/train.h"

/* What the run is and takes; what does it at least cost: plain text. */
void out_train_what(const struct train_answer *answer, struct text *out);
void out_train_best(const struct train_answer *answer, struct text *out);

void out_train_json(const struct train_answer *answer, struct text *out);
void out_train_text(const struct train_answer *answer, struct text *out);
void out_train_html(const struct train_answer *answer, struct text *out);

/* The page with the form only: bare, or with the problems of
   answer->study.input on top. */
void out_train_form(const struct train_answer *answer, struct text *out);

#endif
