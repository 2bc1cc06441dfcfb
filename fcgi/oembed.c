/* oembed.c: reads the address, makes its card and describes it. */
#include "fcgi/oembed.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fcgi/embed.h"
#include "fcgi/html.h"
#include "fcgi/json.h"
#include "fcgi/out_html.h"
#include "fcgi/out_train.h"
#include "fcgi/saved.h"

enum { PIECE_BYTE_MAX = 64 * 1024, CACHE_SECONDS = 3600 };

/* A card: where it is, what it is called, what stands in it. */
struct card { struct text address, title, body; };

static void card_init(struct card *card)
{
    text_init(&card->address, PIECE_BYTE_MAX);
    text_init(&card->title, PIECE_BYTE_MAX);
    text_init(&card->body, 1024 * 1024);
}

static void card_free(struct card *card)
{
    text_free(&card->address);
    text_free(&card->title);
    text_free(&card->body);
}

/* The query behind an address of that path, with or without .html; NULL when
   it is another address. */
static const char *query_behind(const char *url, const char *path)
{
    size_t length = strlen(path);

    if (strncmp(url, path, length) != 0)
        return NULL;
    url += length;
    if (strncmp(url, ".html", 5) == 0)
        url += 5;
    return *url == '?' ? url + 1 : *url == '\0' || *url == '#' ? "" : NULL;
}

static void read_query(struct input *input, const char *query)
{
    size_t length = strcspn(query, "#");
    struct text whole;

    text_init(&whole, PIECE_BYTE_MAX);
    text_put(&whole, query, length);
    input_init(input);
    input_query(input, whole.at ? whole.at : "", SURFACE_QUERY);
    text_free(&whole);
}

static int study_card(const char *query, const struct oembed_ask *ask,
                      int width, const struct world *world, struct card *card)
{
    struct answer *answer = malloc(sizeof *answer);
    struct input *input = malloc(sizeof *input);
    char size[32];
    int good = 0;

    if (answer && input) {
        read_query(input, query);
        input_keys(input, ON_COMPARE);
        good = answer_run(answer, input, world, ask->base_url);
    }
    if (good) {
        embed_body(answer, FIGURE_CUMULATIVE, width, THEME_LIGHT, &card->body);
        out_html_title(answer, &card->title);
        text_str(&card->address, ask->base_url);
        text_str(&card->address, "/embed/compare?");
        answer_query(answer, &card->address);
        snprintf(size, sizeof size, "&width=%d", width < FIGURE_WIDTH_MIN
                 ? (int)FIGURE_WIDTH_MIN : width);
        text_str(&card->address, size);
    }
    free(input);
    free(answer);
    return good;
}

static int train_card(const char *query, const struct oembed_ask *ask,
                      const struct world *world, struct card *card)
{
    struct train_answer *answer = malloc(sizeof *answer);
    struct input *input = malloc(sizeof *input);
    int good = 0;

    if (answer && input) {
        read_query(input, query);
        good = train_run_all(answer, input, world, ask->base_url);
    }
    if (good) {
        embed_train_body(answer, &card->body);
        out_train_what(answer, &card->title);
        text_str(&card->address, ask->base_url);
        text_str(&card->address, "/embed/train?");
        train_query(answer, &card->address);
    }
    free(input);
    free(answer);
    return good;
}

static int saved_card(const char *id, const struct oembed_ask *ask,
                      const struct world *world, struct card *card)
{
    char name[STUDY_ID_LENGTH + 1], why[300];
    size_t length = strcspn(id, ".?#");
    struct saved saved;

    if (length != STUDY_ID_LENGTH)
        return 0;
    snprintf(name, sizeof name, "%.*s", (int)length, id);
    if (saved_find(world->store, name, FORMAT_FRAGMENT, -1, &saved, why,
                   sizeof why) != GOOD)
        return 0;
    text_str(&card->address, ask->base_url);
    text_str(&card->address, "/embed/s/");
    text_str(&card->address, name);
    saved_split(&saved, &card->title, &card->body);
    saved_free(&saved);
    return 1;
}

static int find_card(const struct oembed_ask *ask, int width,
                     const struct world *world, struct card *card)
{
    size_t length = strlen(ask->base_url);
    const char *path = ask->url + length, *query;

    if (strncmp(ask->url, ask->base_url, length) != 0)
        return 0;
    if ((query = query_behind(path, "/compare")) != NULL)
        return study_card(query, ask, width, world, card);
    if ((query = query_behind(path, "/train")) != NULL)
        return train_card(query, ask, world, card);
    return strncmp(path, "/s/", 3) == 0 &&
           saved_card(path + 3, ask, world, card);
}

static void put_json(const struct oembed_ask *ask, const struct card *card,
                     const struct text *html, int width, int height,
                     struct text *out)
{
    text_char(out, '{');
    json_pair_string(out, "type", "rich");
    json_pair_string(out, "version", "1.0");
    json_pair_string(out, "title", card->title.at ? card->title.at : "");
    json_pair_string(out, "provider_name", "gputco");
    json_pair_string(out, "provider_url", ask->base_url);
    json_pair_number(out, "cache_age", CACHE_SECONDS);
    json_pair_string(out, "html", html->at ? html->at : "");
    json_pair_number(out, "width", width);
    json_pair_number(out, "height", height);
    text_str(out, "}\n");
}

static void xml_pair(struct text *out, const char *name, const char *value)
{
    html_element(out, name, NULL, value);
    text_char(out, '\n');
}

static void xml_number(struct text *out, const char *name, int value)
{
    char digits[16];

    snprintf(digits, sizeof digits, "%d", value);
    xml_pair(out, name, digits);
}

static void put_xml(const struct oembed_ask *ask, const struct card *card,
                    const struct text *html, int width, int height,
                    struct text *out)
{
    text_str(out, "<?xml version=\"1.0\" encoding=\"utf-8\" "
                  "standalone=\"yes\"?>\n<oembed>\n");
    xml_pair(out, "type", "rich");
    xml_pair(out, "version", "1.0");
    xml_pair(out, "title", card->title.at ? card->title.at : "");
    xml_pair(out, "provider_name", "gputco");
    xml_pair(out, "provider_url", ask->base_url);
    xml_number(out, "cache_age", CACHE_SECONDS);
    xml_pair(out, "html", html->at ? html->at : "");
    xml_number(out, "width", width);
    xml_number(out, "height", height);
    text_str(out, "</oembed>\n");
}

int oembed_write(const struct oembed_ask *ask, const struct world *world,
                 struct text *out)
{
    int width = ask->max_width && ask->max_width < EMBED_WIDTH
                ? ask->max_width : EMBED_WIDTH;
    int height, good;
    struct card card;
    struct text html;

    card_init(&card);
    text_init(&html, PIECE_BYTE_MAX);
    good = find_card(ask, width, world, &card);
    if (good) {
        height = embed_height(&card.body, width);
        if (ask->max_height && ask->max_height < height)
            height = ask->max_height;
        embed_iframe(card.address.at ? card.address.at : "",
                     card.title.at ? card.title.at : "", width, height, &html);
        (ask->xml ? put_xml : put_json)(ask, &card, &html, width, height, out);
        out->failed |= html.failed || card.address.failed || card.body.failed;
    }
    text_free(&html);
    card_free(&card);
    return good;
}
