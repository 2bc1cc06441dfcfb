/* table_page.h: what stands around the rows of a table: the page of a browser,
   the members of JSON, links to the same as a file. */
#ifndef GPUTCO_FCGI_TABLE_PAGE_H
#define GPUTCO_FCGI_TABLE_PAGE_H

#include "fcgi/tables.h"

enum { ADDRESS_ROOM = 400, WORDS_BYTE_MAX = 8192 };

/* The English words in the language asked for. */
const char *table_tell(const struct table_call *c, const char *english);

/* The day asked for (yyyymmdd), today when none is; 0 and a problem when it is
   no day, later than today or before the first price. */
int table_day(struct table_call *c);

/* What was typed, but for the language and the place in a list; lang=zh behind
   it when zh. `before` stands before the first pair; nothing when there is
   none. */
void table_query(const struct table_call *c, int zh, const char *before,
                 struct text *out);

/* From the doctype to the section of the table; title and lead in English,
   lead "" none. */
void table_page_open(struct table_call *c, const char *address,
                     const char *title, const char *lead);
void table_page_close(struct table_call *c);

/* Links to the same table as a file. */
void table_files(struct table_call *c, const char *address);

/* Adds the day asked for and the language to an address of ours. */
void table_keep(const struct table_call *c, char address[ADDRESS_ROOM]);

/* Address of a row of a table, with both. */
void table_local(const struct table_call *c, char out[ADDRESS_ROOM],
                 const char *table, const char *name);

/* A source's address when it is one that may be followed, else "". */
const char *table_followed(const char *address);

/* What stands around the rows of a simple table, in any form. */
void table_rows_open(struct table_call *c, struct sheet *sheet,
                     const char *address, const char *title,
                     const char *lead, const struct sheet_column *column,
                     int count);
void table_rows_after(struct table_call *c, const char *address);
void table_rows_close(struct table_call *c, struct sheet *sheet,
                      const char *address);

#endif
