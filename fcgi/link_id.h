/* link_id.h: names of saved studies that nobody can guess. */
#ifndef GPUTCO_FCGI_LINK_ID_H
#define GPUTCO_FCGI_LINK_ID_H

#include "pricing/store.h"

/* 128 bits from the system as base64url (RFC 4648 5) without padding. 1, or 0
   when the system gives none. */
int link_id_new(char id[STUDY_ID_LENGTH + 1]);

/* 1 for what link_id_new could have written: also the last character, which
   holds two bits only, is looked at. */
int link_id_is(const char *id);

#endif
