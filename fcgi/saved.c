/* saved.c: renders an answer in all its forms and keeps them; finds one. */
#include "fcgi/saved.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fcgi/link_id.h"
#include "fcgi/pack.h"
#include "pricing/pricing.h"

enum { QUERY_BYTE_MAX = 64 * 1024 };

static const char *const suffix_table[] = {
#define FORMAT(id, suffix, media) suffix,
#include "fcgi/formats.def"
};

static const char chinese[] = "&lang=zh", english[] = "&lang=en";

/* Length of a canonical query without its language, which stands last. */
static size_t bare_length(const char *query)
{
    size_t length = strlen(query), tail = strlen(chinese);

    return length > tail && (strcmp(query + length - tail, chinese) == 0 ||
                             strcmp(query + length - tail, english) == 0)
           ? length - tail : length;
}

static void part_name(enum format format, int zh, char out[24])
{
    snprintf(out, 24, "%s.%s", suffix_table[format], zh ? "zh" : "en");
}

/* What a save works with. */
struct keeping {
    struct answer answer;       /* the same study in the other language */
    struct input input;
    struct text whole, packed[STUDY_PART_MAX];
    struct study_part part[STUDY_PART_MAX];
    int count;
};

static int add_part(struct keeping *keeping, const struct answer *answer,
                    enum format format, saved_write *write)
{
    struct study_part *part = &keeping->part[keeping->count];
    struct text *packed = &keeping->packed[keeping->count];

    if (keeping->count == STUDY_PART_MAX)
        return 0;
    text_reset(&keeping->whole);
    write(answer, format, &keeping->whole);
    if (keeping->whole.failed || !keeping->whole.at ||
        !pack(keeping->whole.at, keeping->whole.byte, packed) ||
        packed->byte > STUDY_PART_BYTE_MAX)
        return 0;
    part_name(format, answer->study.zh, part->name);
    part->at = packed->at;
    part->byte = packed->byte;
    part->whole_byte = keeping->whole.byte;
    keeping->count++;
    return 1;
}

/* JSON stands first: it holds every input and every figure, so that studies
   with the same JSON are the same. */
static int add_language(struct keeping *keeping, const struct answer *answer,
                        unsigned formats, saved_write *write)
{
    int good = add_part(keeping, answer, FORMAT_JSON, write);

    for (int i = 0; i < FORMAT_COUNT && good; i++)
        if ((formats >> i & 1) && i != FORMAT_JSON)
            good = add_part(keeping, answer, (enum format)i, write);
    return good;
}

/* The study again, from its canonical query, in the other language. */
static int add_other(struct keeping *keeping, const struct answer *answer,
                     const char *query, unsigned formats, saved_write *write)
{
    input_init(&keeping->input);
    input_query(&keeping->input, query, SURFACE_QUERY);
    input_query(&keeping->input,
                (answer->study.zh ? english : chinese) + 1, SURFACE_QUERY);
    input_keys(&keeping->input, ON_COMPARE);
    keeping->input.key_value[K_figure] = answer->input->key_value[K_figure];
    if (!answer_run(&keeping->answer, &keeping->input, answer->world,
                    answer->base_url))
        return 0;
    keeping->answer.is_saved = 1;
    return add_language(keeping, &keeping->answer, formats, write);
}

static enum status keep(struct keeping *keeping, const char *store_name,
                        const struct study_head *head,
                        char id[STUDY_ID_LENGTH + 1], char *why,
                        size_t why_byte)
{
    struct store *store;
    enum status status = store_open(store_name, STORE_SAVE, &store, why,
                                    why_byte);

    if (status == STORE_MISSING)
        status = STORE_FAILED;
    if (status != GOOD)
        return status;
    status = store_study_save(store, head, keeping->part, keeping->count, id);
    if (status != GOOD)
        snprintf(why, why_byte, "%s", store_why(store));
    store_close(store);
    return status;
}

static void keeping_free(struct keeping *keeping)
{
    if (!keeping)
        return;
    for (int i = 0; i < STUDY_PART_MAX; i++)
        text_free(&keeping->packed[i]);
    text_free(&keeping->whole);
    free(keeping);
}

static struct keeping *keeping_new(void)
{
    struct keeping *keeping = malloc(sizeof *keeping);

    if (!keeping)
        return NULL;
    keeping->count = 0;
    text_init(&keeping->whole, PACK_WHOLE_BYTE_MAX);
    for (int i = 0; i < STUDY_PART_MAX; i++)
        text_init(&keeping->packed[i], PACK_WHOLE_BYTE_MAX);
    return keeping;
}

enum status saved_keep(struct answer *answer, unsigned formats,
                       saved_write *write, char id[STUDY_ID_LENGTH + 1],
                       char *why, size_t why_byte)
{
    struct study_head head = { .saved_day = answer->world->today,
                               .as_of_day = answer->study.as_of_day };
    struct keeping *keeping = keeping_new();
    struct text query, bare;
    enum status status = NO_MEMORY;

    text_init(&query, QUERY_BYTE_MAX);
    text_init(&bare, QUERY_BYTE_MAX);
    answer_query(answer, &query);
    head.query = query.at ? query.at : "";
    text_put(&bare, head.query, bare_length(head.query));
    snprintf(head.model_version, sizeof head.model_version, "%s",
             MODEL_VERSION);
    snprintf(why, why_byte, "a document could not be made");
    answer->is_saved = 1;
    if (!answer->world->store || !link_id_new(head.id)) {
        snprintf(why, why_byte, "nothing can be saved here");
        status = STORE_FAILED;
    } else if (keeping && !query.failed && !bare.failed &&
               add_language(keeping, answer, formats, write) &&
               add_other(keeping, answer, bare.at, formats, write)) {
        status = keep(keeping, answer->world->store, &head, id, why, why_byte);
    }
    text_free(&query);
    text_free(&bare);
    keeping_free(keeping);
    return status;
}

/* --- finding ----------------------------------------------------------------- */

static void take_query(struct saved *saved, const char *query)
{
    size_t length = bare_length(query);

    saved->zh = strcmp(query + length, chinese) == 0;
    text_put(&saved->query, query, length);
}

static enum status take(struct store *store, const char *id, enum format format,
                        int zh, struct saved *saved)
{
    struct study_found found;
    char name[24];
    enum status status;

    /* which language: the query says, so look without a document first */
    status = store_study_find(store, id, "", &found);
    if (status != GOOD)
        return status;
    saved->head = found.head;
    take_query(saved, found.head.query);
    free(found.memory);
    saved->head.query = saved->query.at ? saved->query.at : "";
    part_name(format, zh < 0 ? saved->zh : zh, name);
    status = store_study_find(store, id, name, &found);
    if (status != GOOD)
        return status;
    status = !found.part.at ? NOT_FOUND
           : unpack(found.part.at, found.part.byte, found.part.whole_byte,
                    &saved->document) ? GOOD : STORE_FAILED;
    free(found.memory);
    return status;
}

enum status saved_find(const char *store_name, const char *id,
                       enum format format, int zh, struct saved *saved,
                       char *why, size_t why_byte)
{
    struct store *store;
    enum status status;

    saved->head = (struct study_head){ .query = "" };
    text_init(&saved->query, QUERY_BYTE_MAX);
    text_init(&saved->document, PACK_WHOLE_BYTE_MAX);
    if (!store_name || !link_id_is(id))
        return NOT_FOUND;
    status = store_open(store_name, STORE_READ, &store, why, why_byte);
    if (status == STORE_MISSING)
        return NOT_FOUND;
    if (status != GOOD)
        return status;
    status = take(store, id, format, zh, saved);
    if (status != GOOD && status != NOT_FOUND)
        snprintf(why, why_byte, "%s", *store_why(store) ? store_why(store)
                                    : "a saved document is damaged");
    store_close(store);
    if (status != GOOD) {
        saved_free(saved);
    }
    return status;
}

void saved_free(struct saved *saved)
{
    text_free(&saved->query);
    text_free(&saved->document);
}

void saved_split(const struct saved *saved, struct text *title,
                 struct text *rest)
{
    const char *whole = saved->document.at ? saved->document.at : "";
    size_t length = strcspn(whole, "\n");

    text_put(title, whole, length);
    if (whole[length])
        text_put(rest, whole + length + 1, saved->document.byte - length - 1);
}

void saved_address(const struct study_head *head, const char *base_url,
                   struct text *out)
{
    text_str(out, base_url);
    text_str(out, "/s/");
    text_str(out, head->id);
}
