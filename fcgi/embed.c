/* embed.c: the card's markup and its measure. */
#include "fcgi/embed.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fcgi/assets.inc"
#include "fcgi/html.h"
#include "fcgi/out_train.h"
#include "fcgi/page.h"
#include "fcgi/say.h"
#include "fcgi/sentence.h"
#include "fcgi/shown.h"
#include "pricing/num.h"

enum { PIECE_BYTE_MAX = 64 * 1024, PADDING = 16, LETTER_WIDTH = 9,
       LINE_HEIGHT = 26, FOOT_HEIGHT = 76 };

static void put_piece(void (*write)(const struct answer *, struct text *),
                      const struct answer *answer, struct text *out)
{
    struct text piece;

    text_init(&piece, PIECE_BYTE_MAX);
    write(answer, &piece);
    html_text_of(out, &piece);
    text_free(&piece);
}

void embed_body(const struct answer *answer, enum figure figure, int width,
                enum theme theme, struct text *out)
{
    int inner = width - 2 * PADDING;

    if (*answer->study.label)
        html_element(out, "p", "title", answer->study.label);
    text_str(out, "<h1>");
    put_piece(sentence_verdict, answer, out);
    text_str(out, "</h1>\n<p>");
    put_piece(sentence_amounts, answer, out);
    text_str(out, "</p>\n");
    if (!figure_exists(answer, figure))
        return;
    text_str(out, "<div class=\"plot\">");
    out_svg(answer, figure,
            inner < FIGURE_WIDTH_MIN ? FIGURE_WIDTH_MIN : inner, theme, out);
    text_str(out, "</div>\n");
}

/* What the run costs on each option that can do it, and its GPU-hours. */
static void put_train_options(const struct train_answer *answer,
                              struct text *out)
{
    const struct study *study = &answer->study.study;
    int any = 0;

    for (int i = 0; i < study->option_count; i++) {
        if (answer->option[i].fits == FITS_NOT)
            continue;
        text_str(out, any++ ? "<li>" : "<ul>\n<li>");
        html_text(out, answer_label(&answer->study, i));
        text_str(out, ": ");
        shown_rounded(out, study->currency, answer->option[i].cost_full);
        text_str(out, ", ");
        shown_number(out, answer->option[i].gpu_hour, 0);
        text_char(out, ' ');
        html_text(out, say(study->zh, "GPU-hours"));
        text_str(out, "</li>\n");
    }
    text_str(out, any ? "</ul>\n" : "");
}

void embed_train_body(const struct train_answer *answer, struct text *out)
{
    struct text words;

    text_init(&words, PIECE_BYTE_MAX);
    out_train_what(answer, &words);
    text_str(out, "<h1>");
    html_text_of(out, &words);
    text_reset(&words);
    out_train_best(answer, &words);
    text_str(out, "</h1>\n<p>");
    html_text_of(out, &words);
    text_str(out, "</p>\n");
    if (!answer->spec.inference)
        put_train_options(answer, out);
    text_free(&words);
}

static const char *const theme_name[] = { "light", "dark", "print" };

void embed_page(const struct embed_frame *frame, const struct text *body,
                struct text *out)
{
    int zh = frame->zh;
    char day[11];

    text_str(out, zh ? "<!doctype html>\n<html lang=\"zh-CN\""
                     : "<!doctype html>\n<html lang=\"en\"");
    html_attribute(out, "class", theme_name[frame->theme]);
    text_str(out, ">\n<head>\n<meta charset=\"utf-8\">\n<title>");
    html_text(out, frame->title);
    text_str(out, "</title>\n<meta name=\"viewport\" content=\"width=device-"
             "width, initial-scale=1\">\n<meta name=\"robots\" "
             "content=\"noindex\">\n<link rel=\"icon\" href=\"" ASSET_ICON
             "\" type=\"image/svg+xml\">\n"
             "<link rel=\"stylesheet\" href=\"" ASSET_EMBED "\">\n"
             "</head>\n<body>\n<main>\n");
    text_put(out, body->at ? body->at : "", body->byte);
    day_print(day, frame->as_of_day);
    text_str(out, "<p class=\"foot\">");
    html_text(out, say(zh, "Prices of"));
    text_str(out, " <time>");
    text_str(out, day);
    text_str(out, "</time> \xC2\xB7 ");
    html_text(out, say(zh, "An estimate, not a quotation"));
    text_str(out, " \xC2\xB7 <a target=\"_blank\" rel=\"noopener\"");
    html_attribute(out, "href", frame->link);
    text_char(out, '>');
    html_text(out, say(zh, "The whole answer at gputco"));
    text_str(out, "</a></p>\n</main>\n</body>\n</html>\n");
}

/* The figure's height at a width, out of its viewBox; 0 without one. */
static int figure_height(const char *svg, int width)
{
    const char *box = strstr(svg, "viewBox=\"0 0 ");
    char *end;
    double w, h;

    if (!box)
        return 0;
    w = strtod(box + strlen("viewBox=\"0 0 "), &end);
    h = strtod(end, NULL);
    return w > 0 && h > 0 && h < 1e5 ? (int)(h * (width < w ? width / w : 1))
                                     : 0;
}

/* Characters in front of the figure, Chinese ones twice. */
static int letters_before(const struct text *body, const char *svg)
{
    int count = 0, tag = 0;

    for (const char *at = body->at; at < svg; at++) {
        unsigned char c = (unsigned char)*at;
        tag = c == '<' ? 1 : c == '>' ? 0 : tag;
        count += !tag && (c & 0xC0) != 0x80 ? (c >= 0xE0 ? 2 : 1) : 0;
    }
    return count;
}

int embed_height(const struct text *body, int width)
{
    const char *svg = body->at ? strstr(body->at, "<svg") : NULL;
    const char *end = body->at ? body->at + body->byte : NULL;
    int inner = width - 2 * PADDING, letters, line;

    if (!body->at)
        return FOOT_HEIGHT;
    inner = inner < 100 ? 100 : inner;
    letters = letters_before(body, svg ? svg : end);
    line = inner / LETTER_WIDTH;
    return (letters / line + 3) * LINE_HEIGHT + FOOT_HEIGHT +
           (svg ? figure_height(svg, inner) : 0);
}

void embed_iframe(const char *address, const char *title, int width,
                  int height, struct text *out)
{
    char size[80];

    text_str(out, "<iframe");
    html_attribute(out, "src", address);
    html_attribute(out, "title", title);
    snprintf(size, sizeof size, " width=\"%d\" height=\"%d\"", width, height);
    text_str(out, size);
    text_str(out, " loading=\"lazy\" style=\"border:0;max-width:100%\">"
                  "</iframe>");
}
