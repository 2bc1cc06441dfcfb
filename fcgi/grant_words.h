/* grant_words.h: the sentences of a funding request. */
#ifndef GPUTCO_FCGI_GRANT_WORDS_H
#define GPUTCO_FCGI_GRANT_WORDS_H

#include "fcgi/grant_ask.h"
#include "fcgi/paper.h"

enum grant_say { GRANT_SAY_WORK, GRANT_SAY_BUY, GRANT_SAY_HIRE,
                 GRANT_SAY_HIRE_UPFRONT,
                 GRANT_SAY_COMPARED, GRANT_SAY_SUM, GRANT_SAY_ENERGY,
                 GRANT_SAY_DEPRECIATION, GRANT_SAY_RENT_WITHIN,
                 GRANT_SAY_RENT_ABOVE, GRANT_SAY_RATE, GRANT_SAY_NO_RATE,
                 GRANT_SAY_EQUIPMENT, GRANT_SAY_SUPPLY, GRANT_SAY_CALCULATOR,
                 GRANT_SAY_COUNT };

/* One paragraph. */
void grant_say(const struct answer *answer, const struct grant_pack *pack,
               enum grant_say say, struct paper *paper);

/* Work, hours, price, choice and sum: 200 to 500 words in all. */
void grant_justify(const struct answer *answer, const struct grant_pack *pack,
                   struct paper *paper);

#endif
