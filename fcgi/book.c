/* book.c: an own price book on its way into the store. */
#include "fcgi/book.h"

#include <stdlib.h>
#include <string.h>

#include "pricing/apply.h"
#include "pricing/import.h"
#include "pricing/num.h"

struct text_block { struct text_block *next; char text[]; };

struct book {
    const struct world *world;
    struct feed_row *rent;
    struct own_price *own;
    size_t rent_count, rent_room, own_count, own_room;
    struct text_block *texts;
    const char *file;
    FILE *errors;
};

struct book *book_open(const struct world *world)
{
    struct book *book = calloc(1, sizeof *book);

    if (book)
        book->world = world;
    return book;
}

void book_close(struct book *book)
{
    if (!book)
        return;
    for (struct text_block *at = book->texts, *next; at; at = next) {
        next = at->next;
        free(at);
    }
    free(book->rent);
    free(book->own);
    free(book);
}

/* A copy that lives as long as the book; NULL: no memory. */
static const char *keep(struct book *book, const char *text)
{
    size_t byte = strlen(text) + 1;
    struct text_block *block = malloc(sizeof *block + byte);

    if (!block)
        return NULL;
    memcpy(block->text, text, byte);
    block->next = book->texts;
    book->texts = block;
    return block->text;
}

static void *room_for(void *rows, size_t count, size_t *room, size_t size)
{
    void *more;

    if (count < *room)
        return rows;
    more = realloc(rows, (*room ? *room * 2 : 64) * size);
    if (more)
        *room = *room ? *room * 2 : 64;
    return more;
}

static int take_rent(void *context, const struct feed_row *row)
{
    struct book *book = context;
    struct feed_row *rows = room_for(book->rent, book->rent_count,
                                     &book->rent_room, sizeof *rows), *to;

    if (!rows)
        return 1;
    book->rent = rows;
    to = &rows[book->rent_count++];
    *to = *row;
    to->provider = keep(book, row->provider);
    to->instance = keep(book, row->instance);
    to->region = keep(book, row->region);
    to->currency = keep(book, row->currency);
    to->gpu = keep(book, row->gpu);
    to->gpu_name = keep(book, row->gpu_name);
    return !to->provider || !to->instance || !to->region || !to->currency ||
           !to->gpu || !to->gpu_name;
}

static int take_own(void *context, const struct own_price *price)
{
    struct book *book = context;
    struct own_price *rows = room_for(book->own, book->own_count,
                                      &book->own_room, sizeof *rows), *to;

    if (!rows)
        return 1;
    book->own = rows;
    to = &rows[book->own_count++];
    *to = *price;
    to->id = keep(book, price->id);
    to->currency = keep(book, price->currency);
    return !to->id || !to->currency;
}

static void take_mistake(void *context, long line, const char *column,
                         const char *code, const char *hint)
{
    struct book *book = context;

    fprintf(book->errors, "gputco: import: %s:%ld: %.40s: %s%s%s\n",
            book->file, line, column, code, *hint ? ", " : "", hint);
}

int book_read(struct book *book, FILE *file, const char *name, FILE *errors)
{
    static char piece[65536];
    const struct import_sink sink = { book, take_rent, take_own,
                                      take_mistake };
    struct import *import = import_begin(&sink, book->world->rates);
    size_t count;
    int good;

    book->file = name;
    book->errors = errors;
    if (!import) {
        fputs("gputco: import: out of memory\n", errors);
        return 0;
    }
    while ((count = fread(piece, 1, sizeof piece, file)) > 0)
        import_bytes(import, piece, count);
    good = import_end(import);
    if (ferror(file)) {
        fprintf(errors, "gputco: import: %s: cannot be read\n", name);
        good = 0;
    }
    import_close(import);
    return good;
}

static int name_fits(const char *name)
{
    size_t length = strlen(name);

    return length >= 1 && length <= 18 &&
           strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-_") == length;
}

static void say(const struct apply_outcome *done, size_t own_count,
                const char *name, int dry, FILE *out)
{
    fprintf(out, "%sbook %s: %ld rents, %ld new, %ld changed, %ld gone; "
            "%zu prices of hardware and power\n",
            dry ? "dry run, nothing kept: " : "", name, done->offer_count,
            done->change[CHANGE_NEW],
            done->change[CHANGE_PRICE] + done->change[CHANGE_CORRECTED]
            + done->change[CHANGE_BACK] + done->change[CHANGE_DETAIL],
            done->change[CHANGE_GONE], own_count);
    for (int i = 0; i < REFUSAL_COUNT; i++)
        if (done->tally.refused[i])
            fprintf(out, "  refused %ld: %s, first %s\n",
                    done->tally.refused[i], refusal_table[i].words,
                    done->tally.example[i]);
}

enum status book_keep(struct book *book, const char *name, int dry, FILE *out,
                      FILE *errors)
{
    enum { DAY_SECOND = 86400 };
    const int today = book->world->today;
    struct apply_outcome done;
    struct store *store = NULL;
    char why[300] = "";
    enum status status;

    if (!name_fits(name)) {
        fputs("gputco: import: name: 1 to 18 of a-z 0-9 - _\n", errors);
        return BAD_INPUT;
    }
    status = store_open(book->world->store ? book->world->store : "",
                        dry ? STORE_READ : STORE_WRITE, &store, why,
                        sizeof why);
    if (status == GOOD || (dry && status == STORE_MISSING)) {
        status = apply_book(store, name, dry, (long long)DAY_SECOND *
                            day_difference(today, 19700101), today,
                            book->rent, book->rent_count, book->own,
                            book->own_count, &done);
        if (status != GOOD)
            snprintf(why, sizeof why, "%.250s", *done.why || !store
                     ? done.why : store_why(store));
    }
    if (status == GOOD)
        say(&done, book->own_count, name, dry, out);
    else
        fprintf(errors, "gputco: import: %s\n", *why ? why : "failed");
    store_close(store);
    return status;
}
