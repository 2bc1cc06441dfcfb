/* accept.c: believing or not believing what a feed says (see accept.h). */
#include "pricing/accept.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pricing/accept_reading.h"
#include "pricing/cross.h"
#include "pricing/num.h"
#include "pricing/utf8.h"

/* No machine costs that much an hour; 72 GPUs of a rack cost some 800 USD on
   AWS in 2026. Beyond it the unit or the currency is another. */
static const double price_ceiling = 1e6, gpu_price_ceiling = 500;
static const double gpu_memory_ceiling_gib = 2048; /* MiB read as GiB is more */
static const int first_day_ever = 20060824;        /* EC2 begins */

enum { NAME_BYTE = 120, BLOCK_BYTE = 65536 };

/* Text of the batch: blocks that never move. */
struct block { struct block *next; size_t used; char text[BLOCK_BYTE]; };

struct rows { struct feed_row *row; size_t count, room; };

/* The largest feed of prices had some 20,000 rows in 2026, the ECB's history
   since 1999 some 200,000 rates. */
enum { ROW_MAX = 200000, RATE_MAX = 1000000, READING_MAX = 20000,
       CURRENCY_DAY_MIN = 10 };

struct batch {
    const struct feed *feed;
    struct tally tally;
    struct rows good, kept;
    struct rate *rate;
    size_t rate_count, rate_room;
    struct reading *reading;
    size_t reading_count, reading_room;
    int full;                   /* more came than is ever taken */
    struct block *block;
    const char *last[8];        /* the latest text of each member */
    const struct price_table *others;
    int day;
};

struct batch *batch_open(const struct feed *feed)
{
    struct batch *batch = calloc(1, sizeof *batch);

    if (batch)
        batch->feed = feed;
    return batch;
}

void batch_close(struct batch *batch)
{
    if (!batch)
        return;
    for (struct block *block = batch->block, *next; block; block = next) {
        next = block->next;
        free(block);
    }
    free(batch->good.row);
    free(batch->kept.row);
    free(batch->rate);
    free(batch->reading);
    free(batch);
}

const struct tally *batch_tally(const struct batch *batch)
{
    return &batch->tally;
}

const struct feed_row *batch_rows(const struct batch *batch, size_t *count)
{
    *count = batch->good.count;
    return batch->good.row;
}

const struct feed_row *batch_kept(const struct batch *batch, size_t *count)
{
    *count = batch->kept.count;
    return batch->kept.row;
}

long tally_alarms(const struct tally *tally)
{
    long sum = 0;

    for (int i = 0; i < REFUSAL_COUNT; i++)
        if (refusal_table[i].alarm == 1)
            sum += tally->refused[i];
    return sum;
}

int tally_line(const struct tally *tally, int reason, char *out, size_t size)
{
    static const char *const verb[] = { "passed over", "refused", "noticed" };
    const struct refusal_row *row = &refusal_table[reason];
    const char *example = tally->example[reason];

    if (!tally->refused[reason])
        return 0;
    snprintf(out, size, "%s %ld: %s (%s)%s%s", verb[row->alarm],
             tally->refused[reason], row->words, row->id,
             *example ? ", first " : "", example);
    return 1;
}

/* A copy of `text` that lives as long as the batch; rows of a feed repeat
   themselves, so the latest text of the same member is tried first. */
static const char *keep_text(struct batch *batch, int member, const char *text)
{
    size_t byte;
    struct block *block = batch->block;

    if (!text)
        return NULL;
    if (!*text)
        return "";
    if (batch->last[member] && !strcmp(batch->last[member], text))
        return batch->last[member];
    byte = strlen(text) + 1;
    if (byte > BLOCK_BYTE)
        return NULL;
    if (!block || BLOCK_BYTE - block->used < byte) {
        block = malloc(sizeof *block);
        if (!block)
            return NULL;
        block->next = batch->block;
        block->used = 0;
        batch->block = block;
    }
    memcpy(block->text + block->used, text, byte);
    batch->last[member] = block->text + block->used;
    block->used += byte;
    return batch->last[member];
}

static int keep_row(struct batch *batch, struct rows *rows,
                    const struct feed_row *row)
{
    struct feed_row *copy;

    batch->full |= rows->count == ROW_MAX;
    if (batch->full)
        return 1;
    if (rows->count == rows->room) {
        size_t room = rows->room ? rows->room * 2 : 256;
        struct feed_row *more = realloc(rows->row, room * sizeof *more);

        if (!more)
            return 1;
        rows->row = more;
        rows->room = room;
    }
    copy = &rows->row[rows->count];
    *copy = *row;
#define KEEP(i, member)                                        \
    copy->member = keep_text(batch, i, row->member);           \
    if (row->member && !copy->member)                          \
        return 1;
    KEEP(0, provider) KEEP(1, instance) KEEP(2, region) KEEP(3, currency)
    KEEP(4, gpu) KEEP(5, gpu_name) KEEP(6, zone) KEEP(7, source)
#undef KEEP
    rows->count++;
    return 0;
}

static int batch_refused(void *context, enum refusal why,
                         const struct feed_row *row)
{
    struct batch *batch = context;
    struct tally *tally = &batch->tally;

    if (!tally->refused[why]++ && row)
        snprintf(tally->example[why], sizeof *tally->example, "%.50s %.26s",
                 row->instance ? row->instance : "",
                 row->region ? row->region : "");
    if (refusal_table[why].alarm != 1 || !row || !row->provider
        || !row->instance || !row->region)
        return 0;
    return keep_row(batch, &batch->kept, row);
}

static int batch_row(void *context, const struct feed_row *row)
{
    struct batch *batch = context;
    int why = accept_row(batch->feed, row);

    batch->tally.row++;
    if (why >= 0)
        return batch_refused(batch, (enum refusal)why, row);
    return keep_row(batch, &batch->good, row);
}

static int batch_rate(void *context, const struct rate *rate)
{
    struct batch *batch = context;

    batch->full |= batch->rate_count == RATE_MAX;
    if (batch->full)
        return 1;
    if (batch->rate_count == batch->rate_room) {
        size_t room = batch->rate_room ? batch->rate_room * 2 : 256;
        struct rate *more = realloc(batch->rate, room * sizeof *more);
        if (!more)
            return 1;
        batch->rate = more;
        batch->rate_room = room;
    }
    batch->tally.row++;
    batch->rate[batch->rate_count++] = *rate;
    return 0;
}

static int batch_reading(void *context, const struct reading *reading)
{
    struct batch *batch = context;

    batch->full |= batch->reading_count == READING_MAX;
    if (batch->full)
        return 1;
    if (batch->reading_count == batch->reading_room) {
        size_t room = batch->reading_room ? batch->reading_room * 2 : 64;
        struct reading *more = realloc(batch->reading, room * sizeof *more);
        if (!more)
            return 1;
        batch->reading = more;
        batch->reading_room = room;
    }
    batch->tally.row++;
    batch->reading[batch->reading_count++] = *reading;
    return 0;
}

void batch_know(struct batch *batch, const struct price_table *others,
                int day)
{
    batch->others = others;
    batch->day = day;
}

static int batch_known(void *context, const struct feed_row *row,
                       enum term term, struct feed_known *out)
{
    const struct batch *batch = context;
    const struct price *found = !batch->others ? NULL
        : price_beside(batch->others, row->provider, row->instance,
                       row->region, term, PAYMENT_NO_UPFRONT, batch->day,
                       batch->feed->id);

    if (!found || strcmp(found->currency, row->currency))
        return 0;
    *out = (struct feed_known){ found->price_per_hour,
                                batch->others->feed[found->feed].id,
                                price_day(found) };
    return 1;
}

int batch_full(const struct batch *batch)
{
    return batch->full;
}

struct feed_sink batch_sink(struct batch *batch)
{
    return (struct feed_sink){ batch, batch_row, batch_refused, batch_rate,
                               batch_reading, batch_known };
}

const struct reading *batch_readings(const struct batch *batch, size_t *count)
{
    *count = batch->reading_count;
    return batch->reading;
}

enum status batch_judge_readings(struct batch *batch,
                                 const struct accept_reading_rule *rule,
                                 char *why, size_t why_byte)
{
    return accept_readings(batch->reading, &batch->reading_count, rule,
                           &batch->tally, why, why_byte);
}

const struct rate *batch_rates(const struct batch *batch, size_t *count)
{
    *count = batch->rate_count;
    return batch->rate;
}

static int rate_moves(const struct rate_table *known, const struct rate *rate)
{
    const struct rate *before = rate_on(known, rate->currency, rate->day);
    double ratio, most;

    if (!before)
        return 0;
    ratio = rate->per_eur / before->per_eur;
    most = day_difference(rate->day, before->day) > 10 ? 2 : 1.25;
    return !(ratio <= most && ratio >= 1 / most);
}

enum status accept_rates(const struct rate *rate, size_t count,
                         const struct rate_table *known, int accept,
                         char *why, size_t why_byte)
{
    size_t of_day = 0;
    int dollar = 0;

    for (size_t i = 0; i < count; i++) {
        of_day += rate[i].day == rate[0].day;
        dollar |= strcmp(rate[i].currency, "USD") == 0;
        const int usable = rate[i].per_eur > 0 && rate[i].per_eur < 1e9;

        if (!usable || (!accept && rate_moves(known, &rate[i]))) {
            snprintf(why, why_byte, "%s: %s of %d is %g for one EUR",
                     usable ? "rate_jump" : "zero_rate", rate[i].currency,
                     rate[i].day, rate[i].per_eur);
            return FEED_REFUSED;
        }
    }
    if (dollar && of_day >= CURRENCY_DAY_MIN)
        return GOOD;
    snprintf(why, why_byte, "row_count: %zu rates, %zu of one day%s", count,
             of_day, dollar ? "" : ", none of USD");
    return FEED_REFUSED;
}

/* A name that can stand in an address, a page and a log: no markup, no
   separator of addresses, no control character, no blank at the ends. */
static int name_fits(const char *name)
{
    size_t byte = strlen(name);

    return byte > 0 && byte <= NAME_BYTE && name[0] != ' '
           && name[byte - 1] != ' ' && !strpbrk(name, "<>\"'&/\\?#%;`|")
           && !utf8_check(name, byte);
}

int accept_row(const struct feed *feed, const struct feed_row *row)
{
    double gpus = row->gpu_count > 1 ? row->gpu_count : 1;

    if (!name_fits(row->provider) || !name_fits(row->instance)
        || !name_fits(row->region) || strlen(row->gpu_name) > NAME_BYTE
        || strpbrk(row->gpu_name, "<>\"&"))
        return REFUSED_bad_name;
    if (!isfinite(row->price_per_hour) || !isfinite(row->upfront_price))
        return REFUSED_not_finite;
    if (row->price_per_hour < 0 || row->upfront_price < 0)
        return REFUSED_negative_price;
    if (row->price_per_hour <= 0
        && !(row->term >= TERM_RESERVED_1Y && row->term <= TERM_SAVINGS_3Y
             && row->payment == PAYMENT_ALL_UPFRONT
             && row->upfront_price > 0))
        return REFUSED_zero_price;
    if (*feed->currency && strcmp(row->currency, feed->currency))
        return REFUSED_currency;
    if (strlen(row->currency) != 3)
        return REFUSED_currency;
    if (row->price_per_hour >= price_ceiling
        || row->upfront_price >= price_ceiling * 100
        || (!strcmp(row->currency, "USD")
            && row->price_per_hour / gpus > gpu_price_ceiling))
        return REFUSED_out_of_range;
    if (row->gpu_count <= 0 || row->gpu_count > 100000)
        return REFUSED_gpu_count;
    if (row->gpu_memory_gib > gpu_memory_ceiling_gib)
        return REFUSED_unit;
    if (row->effective_day && row->effective_day < first_day_ever)
        return REFUSED_bad_date;
    return -1;
}

static int compare_offer(const struct feed_row *a, const struct feed_row *b)
{
    int order = strcmp(a->provider, b->provider);

    if (!order)
        order = strcmp(a->instance, b->instance);
    if (!order)
        order = strcmp(a->region, b->region);
    if (!order)
        order = (a->term > b->term) - (a->term < b->term);
    if (!order)
        order = (a->payment > b->payment) - (a->payment < b->payment);
    return order;
}

int feed_row_compare(const struct feed_row *a, const struct feed_row *b)
{
    int order = compare_offer(a, b);

    return order ? order : (a->effective_day > b->effective_day)
                               - (a->effective_day < b->effective_day);
}

static int compare_keys(const void *a, const void *b)
{
    return feed_row_compare(a, b);
}

static int compare_rows(const void *a, const void *b)
{
    const struct feed_row *x = a, *y = b;
    int order = feed_row_compare(x, y);

    if (!order)
        order = strcmp(x->zone, y->zone);
    if (!order)
        order = (x->price_per_hour > y->price_per_hour)
                - (x->price_per_hour < y->price_per_hour);
    return order;
}

static int compare_price(const void *a, const void *b)
{
    const double x = ((const struct feed_row *)a)->price_per_hour;
    const double y = ((const struct feed_row *)b)->price_per_hour;

    return (x > y) - (x < y);
}

static int same_number(double a, double b)
{
    return (isnan(a) && isnan(b)) || !(a < b || a > b || isnan(a) || isnan(b));
}

/* Prices that were written with different numbers of digits are the same. */
static int same_price(double a, double b)
{
    return fabs(a - b) <= 1e-9 * fmax(fabs(a), fabs(b));
}

static int same_machine(const struct feed_row *a, const struct feed_row *b)
{
    return same_number(a->gpu_count, b->gpu_count)
           && !strcmp(a->gpu_name, b->gpu_name)
           && !strcmp(a->currency, b->currency);
}

/* One row out of the rows of one spot offer, sorted by zone and price: a zone
   that states two prices counts for none. 0 when no zone is left. */
static int fold_spot(struct batch *batch, struct feed_row *row, size_t count,
                     struct feed_row *out)
{
    size_t left = 0;

    for (size_t i = 0, next; i < count; i = next) {
        int agree = 1;

        for (next = i + 1; next < count
             && !strcmp(row[next].zone, row[i].zone); next++)
            agree &= same_price(row[next].price_per_hour,
                                row[i].price_per_hour)
                     && same_machine(&row[next], &row[i]);
        if (agree)
            row[left++] = row[i];
        else
            batch->tally.refused[REFUSED_duplicate] += (long)(next - i);
    }
    for (size_t i = 1; i < left; i++) {
        if (!same_machine(&row[i], &row[0])) {
            batch->tally.refused[REFUSED_duplicate] += (long)left;
            return 0;
        }
    }
    if (!left)
        return 0;
    qsort(row, left, sizeof *row, compare_price);
    *out = row[(left - 1) / 2];
    return 1;
}

static int fold_list(struct batch *batch, const struct feed_row *row,
                     size_t count, struct feed_row *out)
{
    for (size_t i = 1; i < count; i++) {
        if (!same_price(row[i].price_per_hour, row[0].price_per_hour)
            || !same_price(row[i].upfront_price, row[0].upfront_price)
            || !same_machine(&row[i], &row[0])) {
            batch->tally.refused[REFUSED_duplicate] += (long)count;
            return 0;
        }
    }
    *out = row[0];
    return 1;
}

enum status batch_fold(struct batch *batch)
{
    struct rows *rows = &batch->good;
    char *example = batch->tally.example[REFUSED_duplicate];
    size_t left = 0;

    if (rows->count)
        qsort(rows->row, rows->count, sizeof *rows->row, compare_rows);
    for (size_t i = 0, next; i < rows->count; i = next) {
        struct feed_row out, first = rows->row[i];
        int folded;

        for (next = i + 1; next < rows->count
             && !feed_row_compare(&first, &rows->row[next]); next++)
            ;
        if (first.term == TERM_SPOT)
            folded = fold_spot(batch, &rows->row[i], next - i, &out);
        else
            folded = fold_list(batch, &rows->row[i], next - i, &out);
        if (!*example && batch->tally.refused[REFUSED_duplicate])
            snprintf(example, sizeof *batch->tally.example, "%.50s %.26s",
                     first.instance, first.region);
        if (folded)
            rows->row[left++] = out;
        else if (keep_row(batch, &batch->kept, &first))
            return NO_MEMORY;
    }
    rows->count = left;
    if (batch->kept.count)
        qsort(batch->kept.row, batch->kept.count, sizeof *batch->kept.row,
              compare_keys);
    return GOOD;
}

/* Is the offer among those whose rows could not be used? */
static int is_kept(const struct batch *batch, const struct feed_row *key)
{
    struct feed_row wanted = *key;

    wanted.effective_day = 0;
    for (int any = 0; any < 2; any++) {
        size_t low = 0, high = batch->kept.count;

        if (any) {
            wanted.term = TERM_COUNT;
            wanted.payment = PAYMENT_NO_UPFRONT;
        }
        while (low < high) {
            size_t middle = low + (high - low) / 2;
            int order = compare_offer(&batch->kept.row[middle], &wanted);

            if (order == 0)
                return 1;
            if (order < 0)
                low = middle + 1;
            else
                high = middle;
        }
    }
    return 0;
}

/* Does the feed have anything else in the row's region? */
static int has_region(const struct kept *kept, const struct feed_row *row)
{
    for (size_t i = 0; i < kept->count; i++)
        if (!strcmp(kept->stored[i].row.region, row->region)
            && !strcmp(kept->stored[i].row.provider, row->provider))
            return 1;
    return 0;
}

static const struct held *held_find(const struct kept *kept,
                                    const struct feed_row *row)
{
    for (size_t i = 0; i < kept->held_count; i++) {
        const struct held *held = &kept->held[i];

        if (held->term == row->term && held->payment == row->payment
            && !strcmp(held->provider, row->provider)
            && !strcmp(held->instance, row->instance)
            && !strcmp(held->region, row->region))
            return held;
    }
    return NULL;
}

static int same_detail(const struct feed_row *a, const struct feed_row *b)
{
    return same_machine(a, b) && !strcmp(a->gpu, b->gpu)
           && !strcmp(a->source, b->source) && a->undated == b->undated
           && same_number(a->gpu_memory_gib, b->gpu_memory_gib);
}

/* What a GPU-hour of the model has ever cost, widened (price_band.csv). */
static const struct { const char *gpu; double low, high; } bands[] = {
#define ROW(gpu, low, high, run_count, source, date) { gpu, low, high },
#include "pricing/price_band.inc"
};

/* 1 if a GPU-hour costs what none of the model ever did. Of rents in USD that
   say how many GPUs there are. Spot goes down to a third of any other. */
static int beyond_band(const struct feed_row *row)
{
    const double price = cross_cost_per_hour(row) / row->gpu_count;

    if (strcmp(row->currency, "USD") != 0 || !(row->gpu_count > 0))
        return 0;
    for (size_t i = 0; i < sizeof bands / sizeof *bands; i++)
        if (strcmp(bands[i].gpu, row->gpu) == 0)
            return price * (row->term == TERM_SPOT ? 3 : 1) < bands[i].low ||
                   price > bands[i].high;
    return 0;
}

/* Is another source's price for the same offer, of the last year, out of all
   proportion? Of a first price only: later ones have their own past. */
static int far_from_others(const struct batch *batch,
                           const struct feed_row *row)
{
    const struct price *other = !batch->others || row->term == TERM_SPOT ? NULL
        : price_beside(batch->others, row->provider, row->instance,
                       row->region, row->term, row->payment, batch->day,
                       batch->feed->id);
    double ratio;

    if (!other || strcmp(other->currency, row->currency)
        || day_difference(batch->day, price_day(other)) > 365)
        return 0;
    ratio = cross_cost_per_hour(row)
            / price_spread(row->term, other->price_per_hour,
                           other->upfront_price);
    return !(ratio <= ACCEPT_RISE && ratio >= ACCEPT_FALL);
}

/* Why a price cannot be taken on its first day, or -1. old NULL: a first
   price. A commitment is compared by what it costs in all, so that a move
   between hourly part and upfront is no jump. */
static int doubt(const struct batch *batch, const struct accept_rule *rule,
                 const struct feed_row *row, const struct feed_row *old)
{
    double ratio;

    if (rule->trusted || rule->accept)
        return -1;
    if (!old)
        return beyond_band(row) ? REFUSED_price_band
             : far_from_others(batch, row) ? REFUSED_sources_differ : -1;
    ratio = cross_cost_per_hour(row) / cross_cost_per_hour(old);
    if (!(ratio <= ACCEPT_RISE && ratio >= ACCEPT_FALL))
        return REFUSED_price_jump;
    return beyond_band(row) && !beyond_band(old) ? REFUSED_price_band : -1;
}

/* Has the price waited since an earlier day? *held_day: since when it waits. */
static int has_waited(const struct kept *kept, const struct accept_rule *rule,
                      const struct feed_row *row, int *held_day)
{
    const struct held *held = held_find(kept, row);

    *held_day = held && same_price(held->price_per_hour, row->price_per_hour)
                && same_price(held->upfront_price, row->upfront_price)
        ? held->first_day : rule->day;
    return *held_day < rule->day;
}

/* One new row against the kept observations of its offer, oldest first. */
static struct change judge(struct batch *batch, const struct kept *kept,
                           const struct accept_rule *rule,
                           const struct feed_row *row,
                           const struct stored *old, size_t count)
{
    int day = row->effective_day ? row->effective_day : rule->day, why;
    const struct stored *found = NULL;
    struct change change = { CHANGE_NEW, row, NULL, 0 };

    for (size_t i = 0; i < count && old[i].row.effective_day <= day; i++)
        found = &old[i];
    why = doubt(batch, rule, row, found ? &found->row : NULL);
    change.old = found;
    if (!found && why < 0)
        return change;
    if (why >= 0 && !has_waited(kept, rule, row, &change.held_day)) {
        cross_note(&batch->tally, (enum refusal)why, row);
        change.kind = CHANGE_HELD;
        return change;
    }
    if (!found)
        return change;
    if (same_price(found->row.price_per_hour, row->price_per_hour)
        && same_price(found->row.upfront_price, row->upfront_price)
        && same_number(found->row.gpu_count, row->gpu_count)
        && !strcmp(found->row.currency, row->currency)) {
        if (found->gone_day)
            change.kind = found->gone_day >= day
                          || found->row.effective_day == day
                ? CHANGE_BACK : CHANGE_PRICE;
        else
            change.kind = same_detail(&found->row, row) ? CHANGE_NONE
                                                        : CHANGE_DETAIL;
    } else if (found->row.effective_day == day) {
        change.kind = CHANGE_CORRECTED;
    } else {
        change.kind = CHANGE_PRICE;
    }
    return change;
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* The middle of new price over old price for offers kept before; 1 when
   there are fewer than five, too few to speak of a shift. */
static int median_ratio(const struct change *change, size_t count, double *out)
{
    double *ratio = malloc((count ? count : 1) * sizeof *ratio);
    size_t found = 0;

    if (!ratio)
        return 0;
    for (size_t i = 0; i < count; i++)
        if (change[i].row && change[i].old)
            ratio[found++] = cross_cost_per_hour(change[i].row)
                             / cross_cost_per_hour(&change[i].old->row);
    *out = 1;
    if (found >= 5) {
        qsort(ratio, found, sizeof *ratio, compare_doubles);
        *out = ratio[found / 2];
    }
    free(ratio);
    return 1;
}

/* The cause for which more than half of the feed's machines could not be used,
   when it is one of the whole file: -1 none. */
static int common_fault(const struct tally *tally, size_t good)
{
    static const enum refusal whole[] = { REFUSED_currency, REFUSED_unit,
                                          REFUSED_out_of_range };

    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++)
        if (tally->refused[whole[i]] > (long)good)
            return (int)whole[i];
    return -1;
}

/* Prices 100 times the last ones are cents read as dollars or the reverse; so
   far apart, a price is in another money. */
static const double other_money = 200;

static enum status judge_whole(const struct batch *batch,
                               const struct change *change, size_t count,
                               const struct accept_rule *rule, char *why,
                               size_t why_byte)
{
    const size_t offers = batch->good.count;
    const int fault = rule->trusted ? -1 : common_fault(&batch->tally, offers);
    double ratio;

    if (rule->trusted)
        return GOOD;
    if (fault >= 0) {
        snprintf(why, why_byte, "%s: %ld rows, against %zu that are right",
                 fault == REFUSED_unit ? "unit" : "currency",
                 batch->tally.refused[fault], offers);
        return FEED_REFUSED;
    }
    if (!offers) {
        snprintf(why, why_byte, "row_count: no price of a whole machine");
        return FEED_REFUSED;
    }
    if (rule->accept)
        return GOOD;
    if (!median_ratio(change, count, &ratio))
        return NO_MEMORY;
    if (ratio > other_money || ratio < 1 / other_money) {
        snprintf(why, why_byte, "currency: prices are %.3g times the last "
                 "ones, as in another money", ratio);
        return FEED_REFUSED;
    }
    if (ratio < 0.5 || ratio > 2) {
        snprintf(why, why_byte, "median_shift: prices are %.3g times the last "
                 "ones", ratio);
        return FEED_REFUSED;
    }
    /* of what is derived there are as many as others state prices for */
    if (rule->last_count > 0 && batch->feed->kind != FEED_DERIVED
        && ((double)offers < 0.8 * (double)rule->last_count
            || (double)offers > 4.0 * (double)rule->last_count)) {
        snprintf(why, why_byte, "row_count: %zu offers, %ld the last time",
                 offers, rule->last_count);
        return FEED_REFUSED;
    }
    return GOOD;
}

/* Is this the newest observation of its offer? */
static int is_newest(const struct kept *kept, size_t i)
{
    return i + 1 == kept->count
           || compare_offer(&kept->stored[i].row, &kept->stored[i + 1].row);
}

/* Sets CHANGE_GONE or CHANGE_KEPT for an offer without a usable row. */
static size_t judge_absent(const struct batch *batch, const struct kept *kept,
                           size_t i, struct change *out)
{
    if (!is_newest(kept, i) || kept->stored[i].gone_day)
        return 0;
    out->kind = is_kept(batch, &kept->stored[i].row) ? CHANGE_KEPT
                                                     : CHANGE_GONE;
    out->old = &kept->stored[i];
    return 1;
}

/* Rows of one offer, in order of their days, against the observations kept of
   it. Returns the number of changes. */
static size_t judge_offer(struct batch *batch, const struct kept *kept,
                          const struct accept_rule *rule,
                          const struct feed_row *row, size_t count,
                          const struct stored *old, size_t old_count,
                          struct change *out)
{
    const struct feed_row *newest = &row[count - 1];
    const struct stored *last = old_count ? &old[old_count - 1] : NULL;

    if (!rule->trusted && !rule->accept && !last
        && !cross_region(row->provider, row->region, !kept->count)
        && !has_region(kept, row)) {
        cross_note(&batch->tally, REFUSED_unknown_region, row);
        return 0;
    }
    if (!rule->trusted && last && !last->gone_day && newest->effective_day
        && newest->effective_day < last->row.effective_day) {
        /* the operator's word puts the price in the newer one's place */
        *out = rule->accept
            ? (struct change){ CHANGE_CORRECTED, newest, last, 0 }
            : (struct change){ CHANGE_KEPT, NULL, last, 0 };
        if (!rule->accept)
            cross_note(&batch->tally, REFUSED_went_back, newest);
        return 1;
    }
    for (size_t i = 0; i < count; i++)
        out[i] = judge(batch, kept, rule, &row[i], old, old_count);
    return count;
}

enum status accept_compare(struct batch *batch, const struct kept *kept,
                           const struct accept_rule *rule,
                           struct change **out, size_t *count, char *why,
                           size_t why_byte)
{
    const struct rows *rows = &batch->good;
    struct change *change = calloc(rows->count + kept->count + 1,
                                   sizeof *change);
    size_t found = 0, old = 0;
    enum status status;

    if (!change)
        return NO_MEMORY;
    for (size_t i = 0, next; i < rows->count; i = next) {
        size_t first;

        while (old < kept->count
               && compare_offer(&kept->stored[old].row, &rows->row[i]) < 0)
            found += judge_absent(batch, kept, old++, &change[found]);
        first = old;
        while (old < kept->count
               && !compare_offer(&kept->stored[old].row, &rows->row[i]))
            old++;
        for (next = i; next < rows->count
             && !compare_offer(&rows->row[i], &rows->row[next]); next++)
            ;
        found += judge_offer(batch, kept, rule, &rows->row[i], next - i,
                             &kept->stored[first], old - first,
                             &change[found]);
    }
    while (old < kept->count)
        found += judge_absent(batch, kept, old++, &change[found]);
    status = judge_whole(batch, change, found, rule, why, why_byte);
    if (status == GOOD && !rule->trusted
        && !cross_check(change, found, rule->day, &batch->tally))
        status = NO_MEMORY;
    if (status != GOOD) {
        free(change);
        return status;
    }
    *out = change;
    *count = found;
    return GOOD;
}
