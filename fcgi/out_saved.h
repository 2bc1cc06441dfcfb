/* out_saved.h: a saved study as it is shown: its documents as they were
   written, with link, day and model version around them. */
#ifndef GPUTCO_FCGI_OUT_SAVED_H
#define GPUTCO_FCGI_OUT_SAVED_H

#include "fcgi/saved.h"

/* Its page, in language zh. formats: AS_* ORed, those it can be had in. both:
   then and now, shown above; NULL: not asked for. */
struct then_now;
void out_saved_html(const struct saved *saved, unsigned formats,
                    const char *base_url, int zh, const struct then_now *both,
                    struct text *out);

/* The document of /compare.json as saved, with one more member, "saved". */
void out_saved_json(const struct saved *saved, const char *base_url,
                    struct text *out);

/* The text as saved, and a last line with the link. */
void out_saved_text(const struct saved *saved, const char *base_url,
                    struct text *out);

/* What is answered to who has just saved it: link, days, version. */
void out_saved_new_html(const struct study_head *head, const char *base_url,
                        int zh, struct text *out);
void out_saved_new_json(const struct study_head *head, const char *base_url,
                        struct text *out);

/* A page that says why there is nothing to show; words is English, a
   constant. */
void out_saved_none(const char *words, int zh, struct text *out);

#endif
