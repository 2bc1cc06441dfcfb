/* form.h: the form of /compare, out of the field table; works without
   script. */
#ifndef GPUTCO_FCGI_FORM_H
#define GPUTCO_FCGI_FORM_H

#include "fcgi/answer.h"

/* What the groups of fields are called: English, to be said. */
extern const char *const group_title[GROUP_COUNT];

/* FRESH: presets of the field table only, nothing that depends on a day.
   ANSWERED: with the values the answer used. BROKEN: with the problems of
   answer->input beside their fields. */
enum form_state { FORM_FRESH, FORM_ANSWERED, FORM_BROKEN };

/* Keeps everything that was typed: in its control, among the further keys,
   or hidden. */
void form_write(const struct answer *answer, enum form_state state,
                struct text *out);

/* The same without the long lists, for a page that has them already: a list
   holds its first line and what was chosen, and says in data-list what it is
   a list of. */
void form_write_short(const struct answer *answer, enum form_state state,
                      struct text *out);

/* Writes the id of a key's control. */
void form_id(const char *key, struct text *out);

/* The key whose control shows a mistake: that of a declaration ("b") when it
   was made inside one ("b.region"). */
const char *form_key(const struct answer *answer, const char *key,
                     char letter[2]);

#endif
