/* doctor.c: the store and its feeds, one after the other. */
#include "fcgi/doctor.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "fcgi/json.h"
#include "pricing/num.h"
#include "pricing/store.h"

enum health { HEALTH_GOOD, HEALTH_NEVER, HEALTH_OLD, HEALTH_FAILING };
static const char *const health_name[] = { "good", "never asked", "old",
                                           "failing" };

struct finding {
    const struct feed *feed;
    struct feed_state state;
    enum health health;
    int age_day;                /* since it was last read well; -1 never */
};

static void look_at(struct store *store, const struct world *world,
                    const struct feed *feed, struct finding *f)
{
    *f = (struct finding){ .feed = feed, .age_day = -1 };
    if (store)
        store_feed_state(store, feed->id, &f->state);
    if (f->state.good_day)
        f->age_day = day_difference(world->today, f->state.good_day);
    f->health = f->state.failure_count ? HEALTH_FAILING
              : f->age_day < 0 ? HEALTH_NEVER
              : f->age_day > feed->stale_day ? HEALTH_OLD : HEALTH_GOOD;
}

/* What waits or was refused the last time, when a failing feed is asked again,
   and the key that a feed never asked may lack. */
static void put_more(const struct finding *f, struct text *out)
{
    char line[120], day[11];

    if (f->state.held_count || f->state.refused_count) {
        snprintf(line, sizeof line, "  %ld held, %ld refused",
                 f->state.held_count, f->state.refused_count);
        text_str(out, line);
    }
    if (f->health == HEALTH_FAILING && f->state.next_try) {
        day_print(day, day_of_time(f->state.next_try));
        snprintf(line, sizeof line, "  again from %s %02d:%02d UTC", day,
                 (int)(f->state.next_try / 3600 % 24),
                 (int)(f->state.next_try / 60 % 60));
        text_str(out, line);
    }
    if (f->health == HEALTH_NEVER && *f->feed->key_name) {
        text_str(out, "  needs ");
        text_str(out, f->feed->key_name);
    }
}

static void put_text(const struct finding *f, struct text *out)
{
    char line[200], day[11] = "-";

    if (f->state.good_day)
        day_print(day, f->state.good_day);
    snprintf(line, sizeof line, "%-24s %-12s %-10s %5d of %3d days %7ld rows",
             f->feed->id, health_name[f->health], day,
             f->age_day < 0 ? 0 : f->age_day, f->feed->stale_day,
             f->state.offer_count);
    text_str(out, line);
    put_more(f, out);
    if (*f->state.last_error) {
        text_str(out, "  ");
        text_str(out, f->state.last_error);
    }
    text_char(out, '\n');
}

/* The members of an object. */
static void put_json(const struct finding *f, struct text *out)
{
    char day[11] = "";

    if (f->state.good_day)
        day_print(day, f->state.good_day);
    json_pair_string(out, "feed", f->feed->id);
    json_pair_string(out, "state", health_name[f->health]);
    json_pair_string(out, "good_day", day);
    json_pair_number(out, "age_day", f->age_day < 0 ? (double)NAN
                                                    : f->age_day);
    json_pair_number(out, "stale_day", f->feed->stale_day);
    json_pair_number(out, "offer_count", (double)f->state.offer_count);
    json_pair_number(out, "failure_count", f->state.failure_count);
    json_pair_string(out, "last_error", f->state.last_error);
    json_pair_number(out, "next_try", f->state.next_try
                     ? (double)f->state.next_try : (double)NAN);
    json_pair_number(out, "held_count", (double)f->state.held_count);
    json_pair_number(out, "refused_count", (double)f->state.refused_count);
    json_pair_string(out, "key_name", f->feed->key_name);
}

static void put_head(const struct world *world, const char *fault, int as_json,
                     struct text *out)
{
    const char *store = world->store ? world->store : "";

    if (as_json) {
        text_char(out, '{');
        json_pair_string(out, "store", store);
        json_pair_string(out, "store_fault", fault);
        json_pair_number(out, "price_count", (double)world->prices->count);
        json_pair_number(out, "rate_count", (double)world->rates->count);
        json_pair_number(out, "own_price_count",
                         world->own ? (double)world->own->count : 0);
        json_name(out, "feeds");
        text_char(out, '[');
        return;
    }
    {
        char line[200];
        text_str(out, "store ");
        text_str(out, store);
        text_str(out, *fault ? ": " : ": good");
        text_str(out, fault);
        snprintf(line, sizeof line, "\n%zu prices, %zu exchange rates, %zu own "
                 "prices\n", world->prices->count, world->rates->count,
                 world->own ? world->own->count : 0);
        text_str(out, line);
    }
}

static int is_well(const struct finding *f)
{
    return f->health != HEALTH_OLD && f->health != HEALTH_FAILING;
}

/* Asked only when named, and never was: people are told how many. */
static int is_idle(const struct finding *f)
{
    return f->feed->flags & FEED_ON_REQUEST && f->health == HEALTH_NEVER;
}

static void put_end(int idle, int good, int as_json, struct text *out)
{
    char line[80];

    if (as_json) {
        text_char(out, ']');
        json_pair_bool(out, "good", good);
        text_str(out, "}\n");
        return;
    }
    snprintf(line, sizeof line, "%d more are asked only when named\n", idle);
    text_str(out, line);
    text_str(out, good ? "all is well\n" : "something is wrong\n");
}

int doctor_run(const struct world *world, int as_json, struct text *out)
{
    struct store *store = NULL;
    char why[300] = "";
    int good = store_open(world->store ? world->store : "", STORE_READ, &store,
                          why, sizeof why) == GOOD;
    int idle = 0;

    put_head(world, good ? "" : why, as_json, out);
    for (size_t i = 0; i < feed_count_all(); i++) {
        struct finding f;
        look_at(store, world, feed_at(i), &f);
        good = good && is_well(&f);
        idle += is_idle(&f);
        if (as_json) {
            json_next(out);
            text_char(out, '{');
            put_json(&f, out);
            text_char(out, '}');
        } else if (!is_idle(&f))
            put_text(&f, out);
    }
    put_end(idle, good, as_json, out);
    store_close(store);
    return good;
}

/* --- one feed ---------------------------------------------------------------- */

enum { RUN_ROOM = GENERATIONS_KEPT + 1 }; /* the good one in use is kept too */

struct count { const char *name, *words; long value; };
enum { COUNT_KINDS = 7 };

static void counts_of(const struct generation *g,
                      struct count out[COUNT_KINDS])
{
    const struct count counts[COUNT_KINDS] = {
        { "row_count", "rows", g->row_count },
        { "offer_count", "prices", g->offer_count },
        { "new_count", "new", g->new_count },
        { "changed_count", "changed", g->changed_count },
        { "gone_count", "gone", g->gone_count },
        { "held_count", "held", g->held_count },
        { "refused_count", "refused", g->refused_count },
    };

    memcpy(out, counts, sizeof counts);
}

/* By reason, also of rows passed over as expected and of what was remarked. */
static void put_reasons_json(const struct tally *tally, struct text *out)
{
    json_name(out, "reasons");
    text_char(out, '[');
    for (int i = 0; i < REFUSAL_COUNT; i++) {
        if (!tally->refused[i])
            continue;
        json_next(out);
        text_char(out, '{');
        json_pair_string(out, "id", refusal_table[i].id);
        json_pair_string(out, "words", refusal_table[i].words);
        json_pair_bool(out, "refused", refusal_table[i].alarm == 1);
        json_pair_number(out, "count", (double)tally->refused[i]);
        json_pair_string(out, "first", tally->example[i]);
        text_char(out, '}');
    }
    text_char(out, ']');
}

static void put_run(const struct generation *g, int as_json, struct text *out)
{
    struct count count[COUNT_KINDS];
    char line[TALLY_LINE], day[11];

    counts_of(g, count);
    day_print(day, day_of_time(g->finished));
    if (as_json) {
        json_next(out);
        text_char(out, '{');
        json_pair_number(out, "finished", (double)g->finished);
        json_pair_string(out, "state", generation_end_name[g->end]);
        for (int i = 0; i < COUNT_KINDS; i++)
            json_pair_number(out, count[i].name, (double)count[i].value);
        put_reasons_json(&g->tally, out);
        json_pair_string(out, "note", g->note);
        text_char(out, '}');
        return;
    }
    snprintf(line, sizeof line, "  %s %02d:%02d  %-9s", day,
             (int)(g->finished / 3600 % 24), (int)(g->finished / 60 % 60),
             generation_end_name[g->end]);
    text_str(out, line);
    for (int i = 0; i < COUNT_KINDS; i++) {
        snprintf(line, sizeof line, "%s %ld %s", i ? "," : " ",
                 count[i].value, count[i].words);
        text_str(out, line);
    }
    text_str(out, *g->note ? "  " : "");
    text_str(out, g->note);
    text_char(out, '\n');
    for (int i = 0; i < REFUSAL_COUNT; i++)
        if (tally_line(&g->tally, i, line, sizeof line)) {
            text_str(out, "    ");
            text_str(out, line);
            text_char(out, '\n');
        }
}

static void put_held(const struct held *held, int as_json, struct text *out)
{
    char number[80], day[11];

    day_print(day, held->first_day);
    if (as_json) {
        json_next(out);
        text_char(out, '{');
        json_pair_string(out, "provider", held->provider);
        json_pair_string(out, "instance", held->instance);
        json_pair_string(out, "region", held->region);
        json_pair_string(out, "term", term_name[held->term]);
        json_pair_string(out, "payment", payment_name[held->payment]);
        json_pair_number(out, "price_per_hour", held->price_per_hour);
        json_pair_number(out, "upfront_price", held->upfront_price);
        json_pair_string(out, "since", day);
        text_char(out, '}');
        return;
    }
    snprintf(number, sizeof number, "  %.6g an hour, %.6g upfront, since %s\n",
             held->price_per_hour, held->upfront_price, day);
    text_str(out, "  ");
    text_str(out, held->provider);
    for (int i = 0; i < 4; i++) {
        text_char(out, ' ');
        text_str(out, i == 0 ? held->instance : i == 1 ? held->region
                 : i == 2 ? term_name[held->term] : payment_name[held->payment]);
    }
    text_str(out, number);
}

int doctor_feed(const struct world *world, const char *id, int as_json,
                struct text *out)
{
    const struct feed *feed = feed_find(id);
    struct generation run[RUN_ROOM];
    struct store_kept kept = { 0 };
    struct store *store = NULL;
    struct finding f;
    size_t count = 0;
    char why[300] = "";
    int good;

    if (!feed)
        return -1;
    good = store_open(world->store ? world->store : "", STORE_READ, &store,
                      why, sizeof why) == GOOD
           && store_generations(store, id, run, RUN_ROOM, &count) == GOOD
           && store_kept(store, id, &kept) == GOOD;
    if (store && !good)
        snprintf(why, sizeof why, "%s", store_why(store));
    look_at(store, world, feed, &f);
    good = good && is_well(&f);
    if (as_json) {
        text_char(out, '{');
        put_json(&f, out);
        json_pair_string(out, "title", feed->title);
        json_pair_string(out, "address", feed->address);
        json_pair_string(out, "store_fault", why);
        json_name(out, "runs");
        text_char(out, '[');
    } else {
        put_text(&f, out);
        text_str(out, feed->title);
        text_char(out, '\n');
        text_str(out, feed->address);
        text_str(out, *why ? "\nstore: " : "");
        text_str(out, why);
        text_str(out, count ? "\nruns, in UTC, newest first\n" : "\n");
    }
    for (size_t i = 0; i < count; i++)
        put_run(&run[i], as_json, out);
    if (as_json) {
        text_char(out, ']');
        json_name(out, "held");
        text_char(out, '[');
    } else if (kept.kept.held_count) {
        text_str(out, "held: taken when another day has them too, or with "
                      "gputco refresh --accept\n");
    }
    for (size_t i = 0; i < kept.kept.held_count; i++)
        put_held(&kept.kept.held[i], as_json, out);
    if (as_json) {
        text_char(out, ']');
        json_pair_bool(out, "good", good);
        text_str(out, "}\n");
    }
    store_kept_free(&kept);
    store_close(store);
    return good;
}
