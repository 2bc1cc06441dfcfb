/* out_json.h: a study's answer, and mistakes, as JSON. */
#ifndef GPUTCO_FCGI_OUT_JSON_H
#define GPUTCO_FCGI_OUT_JSON_H

#include "fcgi/answer.h"

/* The document of the interface contract ("JSON"). */
void out_json(const struct answer *answer, struct text *out);

/* The same document with members of another address's own: `root` writes
   them into the document, `option` into an option. path: the address of the
   permalink; query, when not NULL, writes it instead of the study's. */
struct json_more {
    const void *of;
    const char *path;
    void (*query)(const void *of, struct text *out);
    void (*root)(const void *of, struct text *out);
    void (*option)(const void *of, int option, struct text *out);
};
void out_json_more(const struct answer *answer, const struct json_more *more,
                   struct text *out);

/* application/problem+json (RFC 9457) with every mistake. title is a
   constant. */
void out_problem(int status, const char *title,
                 const struct problems *problems, struct text *out);

/* The field table, for /fields.json. */
void out_fields(struct text *out);

#endif
