/* page.h: what every page shares, and the start page. */
#ifndef GPUTCO_FCGI_PAGE_H
#define GPUTCO_FCGI_PAGE_H

#include "fcgi/answer.h"

#define ASSET_ICON "/favicon.svg"

/* From the doctype to the opened <main>. class is a constant; english and
   chinese are the page's addresses in either language; search engines are
   told of them when they are whole. */
void page_head(struct text *out, int zh, const char *title, const char *class,
               const char *english, const char *chinese);

/* The same with further lines of the head, markup of ours; NULL: none. */
void page_head_more(struct text *out, int zh, const char *title,
                    const char *class, const char *english,
                    const char *chinese, const struct text *more);

/* How a page is found as a card: discovery for oEmbed and the words that
   others show with a link. Nothing when `address`, the page's own, is not
   whole. */
void page_card(struct text *out, const char *base_url, const char *address,
               const char *title, const char *words);

/* Closes <main> and the rest. */
void page_foot(struct text *out, int zh);

/* The whole start page: the usual question, answered with the prices at hand
   and dated (the script asks for the newest at once), and its form. */
void out_site_index(const struct world *world, const char *base_url, int zh,
                    struct text *out);

#endif
