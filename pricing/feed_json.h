/* feed_json.h: for readers of small JSON bodies: gathers one body, a bound on
   its size, and reads members without surprises. */
#ifndef GPUTCO_PRICING_FEED_JSON_H
#define GPUTCO_PRICING_FEED_JSON_H

#include <stddef.h>

#include <cjson/cJSON.h>

#include "pricing/feed.h"

/* The two bounds together: the largest tree, of members with texts, and its
   text take some 50 MiB, of the 64 that a refresh may hold. */
enum { FEED_PAGE_BYTE = 8 * 1024 * 1024, FEED_DEPTH_MAX = 64,
       FEED_VALUE_MAX = 250000 };

/* One body as it comes in; all zero to begin with. */
struct feed_page { char *text; size_t byte, room; };

/* NO_MEMORY, or FEED_REFUSED past FEED_PAGE_BYTE; `why` then says so. */
enum status feed_page_add(struct feed_page *page, const char *bytes,
                          size_t count, struct feed_parse *parse);

/* The body as a tree (the caller's to delete) and the page empty again; NULL
   with a sentence in parse->why when it is no JSON in UTF-8, has anything
   after, or is deeper than FEED_DEPTH_MAX, or holds more than FEED_VALUE_MAX
   values. */
cJSON *feed_page_read(struct feed_page *page, struct feed_parse *parse);
void feed_page_close(struct feed_page *page);

/* 1 if any member of the object stands in it twice: which one is meant nobody
   can tell; also when there is no memory to find out. Its members' own members
   are not looked at. */
int feed_json_twice(const cJSON *object);

/* Text of a member, "" when it is missing, null or no text. */
const char *feed_json_text(const cJSON *object, const char *name);

/* A price of a member that is a number: writes *out and returns -1, or the
   refusal. */
int feed_json_price(const cJSON *object, const char *name, double *out);

/* Any number, also as text: writes *out and returns -1, or the refusal.
   `member` may be NULL. */
int feed_json_value(const cJSON *member, double *out);

/* First ten characters as a day, 0: none. */
int feed_json_day(const cJSON *object, const char *name);

#endif
