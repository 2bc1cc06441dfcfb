/* embed.h: an answer as a card for other people's pages: sentence, figure,
   date and the way to the whole answer. No script, nothing of others. */
#ifndef GPUTCO_FCGI_EMBED_H
#define GPUTCO_FCGI_EMBED_H

#include "fcgi/out_svg.h"
#include "fcgi/train.h"

enum { EMBED_WIDTH = 600 };     /* of a card, unless another is asked for */

/* What stands in a card: of a study; of a training run. */
void embed_body(const struct answer *answer, enum figure figure, int width,
                enum theme theme, struct text *out);
void embed_train_body(const struct train_answer *answer, struct text *out);

/* The whole page around a body. link: address of the whole answer, not
   escaped; day: of its prices. */
struct embed_frame {
    int zh;
    enum theme theme;
    const char *title, *link;
    int as_of_day;
};
void embed_page(const struct embed_frame *frame, const struct text *body,
                struct text *out);

/* Height that shows a card of that width without a scroll bar, by its body:
   estimated from the number of characters and the figure's own height. */
int embed_height(const struct text *body, int width);

/* An <iframe> that shows the card at `address`. */
void embed_iframe(const char *address, const char *title, int width,
                  int height, struct text *out);

#endif
