/* accept.h: which of some media types a client wants (RFC 9110 12.5.1). */
#ifndef GPUTCO_FCGI_ACCEPT_H
#define GPUTCO_FCGI_ACCEPT_H

/* Index of the media type ("text/html; charset=utf-8": parameters do not
   count) that the header likes best, earlier ones first at equal weight;
   types that are NULL are passed over. -1 when none is acceptable. An empty
   header accepts everything. */
int accept_best(const char *header, const char *const *media, int count);

#endif
