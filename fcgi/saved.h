/* saved.h: an answer kept under a short link with every document it is shown
   in, so that the link shows the same digits whatever becomes of prices,
   formulas and program. Nothing of who saves is kept. */
#ifndef GPUTCO_FCGI_SAVED_H
#define GPUTCO_FCGI_SAVED_H

#include "fcgi/answer.h"
#include "fcgi/format.h"
#include "pricing/store.h"

/* Writes an answer, marked is_saved, as one format. */
typedef void saved_write(const struct answer *answer, enum format format,
                         struct text *out);

/* Keeps `answer`, which is complete and marked is_saved by this, in each of `formats` (AS_* ORed, JSON
   among them) and both languages. Writes id only when GOOD; else `why` is one
   sentence for the log. */
enum status saved_keep(struct answer *answer, unsigned formats,
                       saved_write *write, char id[STUDY_ID_LENGTH + 1],
                       char *why, size_t why_byte);

/* A study that was kept. query: without its language. */
struct saved {
    struct study_head head;
    int zh;                     /* the language it was saved in */
    struct text query, document;
};

/* Finds a study and one document in a language (-1: the one it was saved
   in). GOOD: the caller frees with saved_free. NOT_FOUND: no such study, or
   no such document; saved->head.id is "" in the first case. */
enum status saved_find(const char *store, const char *id, enum format format,
                       int zh, struct saved *saved, char *why,
                       size_t why_byte);
void saved_free(struct saved *saved);

/* A document that begins with a line of title: the title and the rest. */
void saved_split(const struct saved *saved, struct text *title,
                 struct text *rest);

/* The address of a saved study, absolute when base_url is. */
void saved_address(const struct study_head *head, const char *base_url,
                   struct text *out);

#endif
