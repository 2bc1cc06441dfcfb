/* grant_ask.h: the keys of a funding request as terms (pricing/grant.h). */
#ifndef GPUTCO_FCGI_GRANT_ASK_H
#define GPUTCO_FCGI_GRANT_ASK_H

#include "fcgi/answer.h"
#include "pricing/grant.h"

/* A request worked out. Big. */
struct grant_pack {
    const struct grant_flavour *flavour;
    struct grant_terms terms;
    const char *currency;       /* of the request */
    int rate_day;               /* of terms.rate, 0: none was needed */
    int option;                 /* what is asked for */
    struct grant grant;
    int like;                   /* owned option a rent is held against; -1 */
    struct grant_cap cap;       /* when like is not -1 */
};

/* The flavour that key `grant` names, NULL when none. */
const struct grant_flavour *grant_flavour_of(const struct input *input);

/* Adds what is wrong with the keys to `problems`, and a warning when the
   exchange rate is old. After the study is read. */
void grant_check(struct answer *answer, struct problems *problems);

/* Of a complete answer that names a flavour. */
void grant_work_out(const struct answer *answer, struct grant_pack *pack);

/* The keys as they stand in a canonical query: key and value of each, in
   order; 0 when there is no i-th one. value has room for 40 bytes. */
int grant_query_key(const struct input *input, int i, const char **key,
                    char *value);

#endif
