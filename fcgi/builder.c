/* builder.c: pieces of code for others, each in a box to copy from. Each
   piece names the day of its prices, since the query does. */
#include "fcgi/builder.h"

#include <stdio.h>
#include <string.h>

#include "fcgi/embed.h"
#include "fcgi/html.h"
#include "fcgi/markdown.h"
#include "fcgi/out_html.h"
#include "fcgi/page.h"
#include "fcgi/say.h"
#include "fcgi/sentence.h"
#include "fcgi/tex.h"

enum { PIECE_BYTE_MAX = 64 * 1024 };

/* What the pieces are made of. */
struct builder {
    const struct answer *answer;
    struct text query, link, card, picture, title, alt;
    int width, height;
    enum theme theme;
    enum figure figure;
};

static const char *held(const struct text *text)
{
    return text->at ? text->at : "";
}

static const char *const theme_name[] = { "light", "dark", "print" };

static void put_size(const struct builder *b, struct text *out)
{
    char size[120];

    snprintf(size, sizeof size, "&figure=%s&width=%d&theme=%s",
             figure_name[b->figure], b->width, theme_name[b->theme]);
    text_str(out, size);
}

static void put_address(const struct builder *b, const char *path,
                        struct text *out)
{
    text_str(out, b->answer->base_url);
    text_str(out, path);
    text_char(out, '?');
    text_str(out, held(&b->query));
}

static void builder_init(struct builder *b, const struct answer *answer)
{
    const double *key = answer->input->key_value;
    struct text body;

    *b = (struct builder){ .answer = answer, .width = (int)key[K_width],
                           .theme = (enum theme)key[K_theme],
                           .figure = (enum figure)key[K_figure] };
    text_init(&b->query, PIECE_BYTE_MAX);
    text_init(&b->link, PIECE_BYTE_MAX);
    text_init(&b->card, PIECE_BYTE_MAX);
    text_init(&b->picture, PIECE_BYTE_MAX);
    text_init(&b->title, PIECE_BYTE_MAX);
    text_init(&b->alt, PIECE_BYTE_MAX);
    answer_query(answer, &b->query);
    put_address(b, "/compare", &b->link);
    put_address(b, "/embed/compare", &b->card);
    put_size(b, &b->card);
    put_address(b, "/compare.svg", &b->picture);
    put_size(b, &b->picture);
    out_html_title(answer, &b->title);
    sentence(answer, &b->alt);
    text_init(&body, 1024 * 1024);
    embed_body(answer, b->figure, b->width, b->theme, &body);
    b->height = embed_height(&body, b->width);
    text_free(&body);
}

static void builder_free(struct builder *b)
{
    text_free(&b->query);
    text_free(&b->link);
    text_free(&b->card);
    text_free(&b->picture);
    text_free(&b->title);
    text_free(&b->alt);
}

/* --- the pieces ---------------------------------------------------------------- */

static void html_card(const struct builder *b, struct text *out)
{
    embed_iframe(held(&b->card), held(&b->title), b->width, b->height, out);
}

static void html_picture(const struct builder *b, struct text *out)
{
    char width[32];

    text_str(out, "<a");
    html_attribute(out, "href", held(&b->link));
    text_str(out, "><img");
    html_attribute(out, "src", held(&b->picture));
    html_attribute(out, "alt", held(&b->alt));
    snprintf(width, sizeof width, " width=\"%d\"", b->width);
    text_str(out, width);
    text_str(out, "></a>");
}

static void markdown(const struct builder *b, struct text *out)
{
    text_str(out, "[![");
    markdown_text(out, held(&b->alt));
    text_str(out, "](");
    text_str(out, held(&b->picture));
    text_str(out, ")](");
    text_str(out, held(&b->link));
    text_char(out, ')');
}

static void wordpress(const struct builder *b, struct text *out)
{
    text_str(out, held(&b->link));
}

/* Inside \href{}: percent and hash stand behind a backslash; the rest of a
   percent-encoded address needs none. */
static void href_target(struct text *out, const char *address)
{
    for (; *address; address++) {
        if (strchr("%#&", *address))
            text_char(out, '\\');
        text_char(out, *address);
    }
}

static void latex(const struct builder *b, struct text *out)
{
    text_str(out, "% \\usepackage{graphicx,hyperref}; the picture:\n% ");
    text_str(out, held(&b->picture));
    text_str(out, "\n% saved as gputco.svg; rsvg-convert -f pdf gputco.svg "
                  "-o gputco.pdf\n\\begin{figure}\n  \\centering\n"
                  "  \\includegraphics[width=\\linewidth]{gputco.pdf}\n"
                  "  \\caption{");
    tex_text(out, held(&b->alt));
    text_str(out, " \\href{");
    href_target(out, held(&b->link));
    text_str(out, "}{gputco}}\n\\end{figure}");
}

static void word(const struct builder *b, struct text *out)
{
    text_str(out, held(&b->alt));
    text_char(out, '\n');
    text_str(out, held(&b->link));
}

static const struct piece {
    const char *id, *label, *hint;
    void (*write)(const struct builder *b, struct text *out);
    int lines;
} pieces[] = {
    { "html", "HTML: card", "A frame with sentence, figure, date and link; "
      "no script.", html_card, 5 },
    { "picture", "HTML: picture", "The figure alone, with its description.",
      html_picture, 5 },
    { "markdown", "Markdown", "For GitHub, GitLab and notebooks.", markdown,
      5 },
    { "wordpress", "WordPress", "The address alone on a line of its own "
      "becomes the card (oEmbed); where that is switched off, put the HTML "
      "above into a Custom HTML block.", wordpress, 3 },
    { "latex", "LaTeX", "Save the picture first; its address stands in the "
      "first lines.", latex, 8 },
    { "word", "Word", "Save the picture, choose Insert, Pictures, and put this "
      "text below it.", word, 4 },
};

/* --- the page -------------------------------------------------------------------- */

static void put_piece(const struct builder *b, const struct piece *piece,
                      struct text *out)
{
    int zh = b->answer->study.zh;
    struct text code;
    char rows[32];

    text_init(&code, PIECE_BYTE_MAX);
    piece->write(b, &code);
    text_str(out, "<div class=\"piece\"><label");
    html_attribute(out, "for", piece->id);
    text_char(out, '>');
    html_text(out, say(zh, piece->label));
    text_str(out, "</label>\n<p class=\"hint\">");
    html_text(out, say(zh, piece->hint));
    text_str(out, "</p>\n<textarea readonly spellcheck=\"false\"");
    html_attribute(out, "id", piece->id);
    snprintf(rows, sizeof rows, " rows=\"%d\">\n", piece->lines);
    text_str(out, rows);
    html_text_of(out, &code);
    text_str(out, "</textarea></div>\n");
    out->failed |= code.failed;
    text_free(&code);
}

static void select_open(const struct builder *b, const char *name,
                        const char *label, struct text *out)
{
    text_str(out, "<p class=\"field\"><label");
    html_attribute(out, "for", name);
    text_char(out, '>');
    html_text(out, say(b->answer->study.zh, label));
    text_str(out, "</label> <select");
    html_attribute(out, "id", name);
    html_attribute(out, "name", name);
    text_str(out, ">\n");
}

static void put_choice(const char *value, const char *words, int chosen,
                       struct text *out)
{
    text_str(out, "<option");
    html_attribute(out, "value", value);
    text_str(out, chosen ? " selected>" : ">");
    html_text(out, words);
    text_str(out, "</option>\n");
}

static void put_widths(const struct builder *b, struct text *out)
{
    static const int usual[] = { 320, 480, 600, 760, 960 };
    char digits[16];
    int known = 0;

    select_open(b, "width", "Width in pixels", out);
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++) {
        snprintf(digits, sizeof digits, "%d", usual[i]);
        put_choice(digits, digits, usual[i] == b->width, out);
        known |= usual[i] == b->width;
    }
    snprintf(digits, sizeof digits, "%d", b->width);
    if (!known)
        put_choice(digits, digits, 1, out);
    text_str(out, "</select></p>\n");
}

static void put_themes(const struct builder *b, struct text *out)
{
    static const char *const words[] = { "light", "dark", "print" };

    select_open(b, "theme", "Colours", out);
    for (int i = 0; i < 3; i++)
        put_choice(theme_name[i], say(b->answer->study.zh, words[i]),
                   i == (int)b->theme, out);
    text_str(out, "</select></p>\n");
}

static void put_figures(const struct builder *b, struct text *out)
{
    select_open(b, "figure", "Figure", out);
    for (int i = 0; i < FIGURE_COUNT; i++)
        if (figure_exists(b->answer, (enum figure)i))
            put_choice(figure_name[i], say(b->answer->study.zh,
                       figure_title((enum figure)i)), i == (int)b->figure,
                       out);
    text_str(out, "</select></p>\n");
}

static int hex_of(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : (c | 32) - 'a' + 10;
}

/* One part of the canonical query, decoded into an attribute. */
static void put_decoded(const char *name, const char *at, size_t length,
                        struct text *out)
{
    struct text plain;

    text_init(&plain, PIECE_BYTE_MAX);
    for (size_t i = 0; i < length; i++)
        if (at[i] == '%' && i + 2 < length) {
            text_char(&plain, (char)(hex_of(at[i + 1]) << 4 |
                                     hex_of(at[i + 2])));
            i += 2;
        } else {
            text_char(&plain, at[i]);
        }
    html_attribute(out, name, held(&plain));
    text_free(&plain);
}

/* The study goes along unseen. */
static void put_study(const struct builder *b, struct text *out)
{
    const char *at = held(&b->query);

    while (*at) {
        size_t length = strcspn(at, "&"), key = strcspn(at, "=");
        text_str(out, "<input type=\"hidden\"");
        put_decoded("name", at, key, out);
        put_decoded("value", at + key + 1, length - key - 1, out);
        text_str(out, ">\n");
        at += length + (at[length] == '&');
    }
}

static void put_form(const struct builder *b, struct text *out)
{
    text_str(out, "<form class=\"filter\" action=\"/embed\" method=\"get\">\n");
    put_study(b, out);
    put_figures(b, out);
    put_widths(b, out);
    put_themes(b, out);
    text_str(out, "<button type=\"submit\">");
    html_text(out, say(b->answer->study.zh, "Show"));
    text_str(out, "</button>\n</form>\n");
}

static void put_preview(const struct builder *b, struct text *out)
{
    int zh = b->answer->study.zh;

    text_str(out, "<p class=\"use\"><a");
    html_attribute(out, "href", held(&b->card));
    text_char(out, '>');
    html_text(out, say(zh, "The card"));
    text_str(out, "</a> <a");
    html_attribute(out, "href", held(&b->picture));
    text_char(out, '>');
    html_text(out, say(zh, "The picture"));
    text_str(out, "</a> <a");
    html_attribute(out, "href", held(&b->link));
    text_char(out, '>');
    html_text(out, say(zh, "The whole answer"));
    text_str(out, "</a></p>\n");
}

static void put_head(const struct builder *b, struct text *out)
{
    int zh = b->answer->study.zh;
    size_t tail = zh ? strlen("&lang=zh") : 0;
    struct text english, chinese;
    char title[120];

    text_init(&english, PIECE_BYTE_MAX);
    text_init(&chinese, PIECE_BYTE_MAX);
    text_str(&english, b->answer->base_url);
    text_str(&english, "/embed?");
    text_put(&english, held(&b->query), b->query.byte - tail);
    put_size(b, &english);
    text_str(&chinese, held(&english));
    text_str(&chinese, "&lang=zh");
    snprintf(title, sizeof title, "%s \xE2\x80\x93 gputco",
             say(zh, "Embed this answer"));
    page_head(out, zh, title, "table builder", held(&english), held(&chinese));
    text_free(&english);
    text_free(&chinese);
}

void out_builder(const struct answer *answer, struct text *out)
{
    int zh = answer->study.zh;
    struct builder b;

    builder_init(&b, answer);
    put_head(&b, out);
    text_str(out, "<section class=\"say\" id=\"answer\">\n");
    html_element(out, "h1", NULL, say(zh, "Embed this answer"));
    text_str(out, "\n<p class=\"lead\">");
    html_text_of(out, &b.alt);
    text_str(out, "</p>\n");
    put_preview(&b, out);
    if (!*answer->base_url)
        html_element(out, "p", "hint", say(zh, "This server does not know its "
            "public address (GPUTCO_URL), so the addresses below lack it."));
    put_form(&b, out);
    text_str(out, "</section>\n<section class=\"rest\">\n");
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++)
        put_piece(&b, &pieces[i], out);
    text_str(out, "</section>\n");
    page_foot(out, zh);
    builder_free(&b);
}
