/* out_svg.c: prints what chart.c placed. Nothing here depends on a font: text
   widths are estimated and labels given room to spare. */
#include "fcgi/out_svg.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fcgi/chart.h"
#include "fcgi/html.h"
#include "fcgi/say.h"
#include "fcgi/sentence.h"
#include "fcgi/shown.h"
#include "pricing/band.h"
#include "pricing/num.h"

const char *const figure_name[FIGURE_COUNT] = { "cumulative", "stack",
    "tornado", "map", "history", "carbon" };

static const char *const titles[FIGURE_COUNT] = {
    "Paid so far, month by month", "What the money goes to",
    "What would change the answer", "Where the answer turns",
    "Rental prices over time", "Where the carbon comes from"
};

const char *figure_title(enum figure figure)
{
    return titles[figure];
}

enum { FONT = 13, SMALL = 12, ROW_HEIGHT = 34, PART_CLASS_COUNT = 9,
       MAP_COLUMN_COUNT = 20, MAP_ROW_COUNT = 16, SWING_MAX = 8,
       SEEN_MAX = 400, NARROW = 560, LINE_HEIGHT = 20,
       DRAWN_MAX = 1000 };

/* --- colours ---------------------------------------------------------------- */

/* Told apart by people who do not see red and green alike, and 3:1 against
   their paper; each option also has its dash and its letter. */
static const struct colours {
    const char *paper, *ink, *soft, *line;
    const char *option[OPTION_MAX];
    const char *part[PART_CLASS_COUNT];
} colours[] = {
    { "#ffffff", "#1d2326", "#566066", "#d9d6cd",
      { "#0b6e66", "#b0530a", "#2b5fb3", "#9c2f72", "#6b6100", "#4d4d4d" },
      { "#0b5d57", "#9a6b00", "#7a6a8f", "#2f8f86", "#2b5fb3", "#b0530a",
        "#8a4a6b", "#6b7275", "#ffffff" } },
    { "#1d2326", "#e9e7e1", "#a9b1b3", "#373f43",
      { "#6fcabf", "#f0b36a", "#8fb8f2", "#eb9bcb", "#d6c84f", "#c4c4c4" },
      { "#6fcabf", "#e6c15a", "#c0aede", "#3fa197", "#8fb8f2", "#f0b36a",
        "#dd9dbb", "#a9b1b3", "#1d2326" } },
    { "#ffffff", "#000000", "#333333", "#999999",
      { "#000000", "#000000", "#444444", "#444444", "#777777", "#777777" },
      { "#222222", "#bbbbbb", "#888888", "#555555", "#dddddd", "#666666",
        "#aaaaaa", "#999999", "#ffffff" } },
};

static const char *const dash[OPTION_MAX] = { "", "9 5", "2 4", "12 4 2 4",
                                              "6 3", "1 6" };

/* --- primitives ------------------------------------------------------------------ */

struct svg {
    struct text *out;
    const struct answer *answer;
    const struct colours *colour;
    int zh;
    double width, height, scale;
    struct totals *totals;      /* kept from one width to the next */
};

static void put(struct svg *s, const char *text)
{
    text_str(s->out, text);
}

static void number(struct svg *s, double value)
{
    char digits[32];
    size_t length;

    snprintf(digits, sizeof digits, "%.1f", value);
    length = strlen(digits);
    if (length > 2 && strcmp(digits + length - 2, ".0") == 0)
        digits[length - 2] = '\0';
    put(s, strcmp(digits, "-0") == 0 ? "0" : digits);
}

static void attribute(struct svg *s, const char *name, double value)
{
    text_char(s->out, ' ');
    put(s, name);
    put(s, "=\"");
    number(s, value);
    text_char(s->out, '"');
}

static void paint(struct svg *s, const char *what, const char *colour)
{
    html_attribute(s->out, what, colour);
}

static void rect(struct svg *s, const char *class, const char *colour,
                 double x, double y, double width, double height)
{
    put(s, "<rect");
    html_attribute(s->out, "class", class);
    attribute(s, "x", x);
    attribute(s, "y", y);
    attribute(s, "width", width < 0 ? 0 : width);
    attribute(s, "height", height);
    paint(s, "fill", colour);
    put(s, "/>");
}

static void line(struct svg *s, const char *class, const char *colour,
                 double x1, double y1, double x2, double y2)
{
    put(s, "<path");
    html_attribute(s->out, "class", class);
    paint(s, "stroke", colour);
    put(s, " d=\"M");
    number(s, x1);
    put(s, " ");
    number(s, y1);
    put(s, "L");
    number(s, x2);
    put(s, " ");
    number(s, y2);
    put(s, "\"/>");
}

static void text_open(struct svg *s, const char *class, const char *colour,
                      const char *anchor, double x, double y)
{
    put(s, "<text");
    html_attribute(s->out, "class", class);
    paint(s, "fill", colour);
    if (strcmp(class, "s") == 0 || strstr(class, "small"))
        put(s, " font-size=\"12\"");
    if (strstr(class, "strong"))
        put(s, " font-weight=\"650\"");
    if (*anchor)
        html_attribute(s->out, "text-anchor", anchor);
    attribute(s, "x", x);
    attribute(s, "y", y);
    put(s, ">");
}

static void words(struct svg *s, const char *class, const char *colour,
                  const char *anchor, double x, double y, const char *text)
{
    text_open(s, class, colour, anchor, x, y);
    html_text(s->out, text);
    put(s, "</text>\n");
}

static void soft(struct svg *s, const char *anchor, double x, double y,
                 const char *text)
{
    words(s, "s", s->colour->soft, anchor, x, y, text);
}

/* About how wide a text comes out; CJK characters are square. */
static double text_width(const char *text, double font)
{
    double width = 0;

    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c < 0x80)
            width += 0.57;
        else if (c >= 0xE3 && c < 0xF0)
            width += 1;
        else if (c >= 0xC0)
            width += 0.6;
    }
    return width * font;
}

/* Cuts a text to a width, at a character, with an ellipsis. */
static void cut_text(char *text, double width, double font)
{
    size_t length = strlen(text);

    if (text_width(text, font) <= width)
        return;
    while (length > 0) {
        do
            length--;
        while (length > 0 && ((unsigned char)text[length] & 0xC0) == 0x80);
        text[length] = '\0';
        if (text_width(text, font) + font <= width)
            break;
    }
    memcpy(text + length, "\xE2\x80\xA6", 4);
}

/* Something written by shown_*, as a C string. */
struct piece { char text[LABEL_BYTE_MAX + 64]; };

static struct piece keep(struct text *text)
{
    struct piece piece;

    snprintf(piece.text, sizeof piece.text, "%s", text->at ? text->at : "");
    text_free(text);
    return piece;
}

static struct piece tick_text(const struct ticks *ticks, double value)
{
    struct text text;

    text_init(&text, 256);
    shown_number(&text, value, ticks->decimals);
    return keep(&text);
}

static struct piece money_text(const struct svg *s, double value)
{
    struct text text;

    text_init(&text, 256);
    shown_money(&text, s->answer->study.currency, value);
    return keep(&text);
}

static struct piece label_text(const struct svg *s, int option, double width)
{
    struct piece piece;

    snprintf(piece.text, sizeof piece.text, "%s",
             answer_label(s->answer, option));
    if (text_width(piece.text, FONT) > width && strchr(piece.text, ','))
        *strchr(piece.text, ',') = '\0'; /* without region and term */
    cut_text(piece.text, width, FONT);
    return piece;
}

/* What must be known of the option's price, "" nothing. */
static const char *price_mark(const struct svg *s, int option)
{
    return sentence_is_warned(s->answer, option, "offer_gone")
        ? say(s->zh, "no longer listed")
        : sentence_is_warned(s->answer, option, "stale_price")
        ? say(s->zh, "old price") : "";
}

/* "a" in bold, what is to be known of its price, then the option's label. */
static void option_label(struct svg *s, int option, double x, double y,
                         double width)
{
    const char *mark = price_mark(s, option);
    char class[4] = { 'f', (char)('a' + option), '\0' };

    text_open(s, class, s->colour->option[option], "", x, y);
    put(s, "<tspan font-weight=\"700\">");
    text_char(s->out, (char)('a' + option));
    put(s, "</tspan>");
    if (*mark && width > text_width(mark, FONT) + 12) {
        text_char(s->out, ' ');
        html_text(s->out, mark);
        width -= text_width(mark, FONT) + 12;
        put(s, width > 30 ? "," : "");
    }
    if (width > 30) {
        struct piece label = label_text(s, option, width - 16);
        text_char(s->out, ' ');
        html_text(s->out, label.text);
    }
    put(s, "</text>\n");
}

/* --- head, axes ---------------------------------------------------------------------- */

static void figure_open(struct svg *s, enum figure figure)
{
    struct text said;

    put(s, "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" viewBox=\"0 0 ");
    number(s, s->width);
    put(s, " ");
    number(s, s->height);
    put(s, "\"");
    attribute(s, "width", s->width * s->scale);
    attribute(s, "height", s->height * s->scale);
    put(s, " fill=\"none\" font-family=\"system-ui, 'Noto Sans', 'Noto Sans CJK SC', sans-serif\" font-size=\"13\">\n<title>");
    html_text(s->out, say(s->zh, titles[figure]));
    put(s, "</title>\n<desc>");
    text_init(&said, 4096);
    sentence(s->answer, &said);
    html_text_of(s->out, &said);
    text_free(&said);
    put(s, "</desc>\n");
    rect(s, "paper", s->colour->paper, 0, 0, s->width, s->height);
    put(s, "\n");
}

static void figure_close(struct svg *s)
{
    put(s, "</svg>\n");
}

/* Room left of a value axis for its longest number, at least `least`. */
static double axis_room(const struct ticks *ticks, double least)
{
    for (int i = 0; i < ticks->count; i++) {
        const struct piece text = tick_text(ticks, ticks->at[i]);
        const double width = text_width(text.text, SMALL) + 10;

        if (width > least)
            least = width;
    }
    return least;
}

/* Value axis with horizontal lines. */
static void y_axis(struct svg *s, const struct frame *f,
                   const struct scale *scale, const struct ticks *ticks)
{
    for (int i = 0; i < ticks->count; i++) {
        double y = scale_at(scale, ticks->at[i]);
        struct piece text = tick_text(ticks, ticks->at[i]);
        line(s, fabs(ticks->at[i]) > 0 ? "grid" : "zero",
             fabs(ticks->at[i]) > 0 ? s->colour->line : s->colour->soft,
             f->left, y, f->right, y);
        soft(s, "end", f->left - 6, y + 4, text.text);
    }
}

/* Value axis at the bottom with vertical lines. */
static void x_axis(struct svg *s, const struct frame *f,
                   const struct scale *scale, const struct ticks *ticks)
{
    for (int i = 0; i < ticks->count; i++) {
        double x = scale_at(scale, ticks->at[i]);
        struct piece text = tick_text(ticks, ticks->at[i]);
        double half = text_width(text.text, SMALL) / 2;
        line(s, fabs(ticks->at[i]) > 0 ? "grid" : "zero",
             fabs(ticks->at[i]) > 0 ? s->colour->line : s->colour->soft, x,
             f->top, x, f->bottom);
        if (x + half <= s->width)
            soft(s, x < half ? "start" : "middle", x < half ? 0 : x,
                 f->bottom + 17, text.text);
    }
}

static void nothing(struct svg *s, const char *why)
{
    soft(s, "middle", s->width / 2, s->height / 2, say(s->zh, why));
}

/* --- running totals -------------------------------------------------------------------- */

struct totals {
    double value[OPTION_MAX][MONTH_MAX + 1];
    struct band band[OPTION_MAX];
    int has_band[OPTION_MAX];
    struct curves curves;
};

static struct totals *totals_of(const struct answer *answer, int bands)
{
    struct totals *t = malloc(sizeof *t);
    struct band_room *room = bands ? malloc(sizeof *room) : NULL;

    for (int i = 0; t && i < answer->study.option_count; i++) {
        const struct result *r = &answer->result[i];
        double total = 0;
        for (int m = 0; m <= r->month_count; m++)
            t->value[i][m] = total += r->flow[m];
        t->has_band[i] = room &&
            band_run(&answer->study, &answer->ranges, i,
                     (uint64_t)answer->input->key_value[K_seed], room,
                     &t->band[i]);
    }
    free(room);
    return t;
}

static void place_totals(struct totals *t, const struct answer *answer,
                         const struct frame *frame)
{
    struct curve_in in[OPTION_MAX];

    for (int i = 0; i < answer->study.option_count; i++) {
        in[i].value = t->value[i];
        in[i].low = t->has_band[i] ? t->band[i].p5 : NULL;
        in[i].high = t->has_band[i] ? t->band[i].p95 : NULL;
    }
    chart_curves(in, answer->study.option_count, answer->result[0].month_count,
                 frame, 18, &t->curves);
}

static void put_band(struct svg *s, const struct curves *c, int i)
{
    char class[] = { 'f', (char)('a' + i), '\0' };

    if (!c->curve[i].has_band)
        return;
    put(s, "<path fill-opacity=\".13\"");
    html_attribute(s->out, "class", class);
    paint(s, "fill", s->colour->option[i]);
    put(s, " d=\"");
    for (int p = 0; p < 2 * c->point_count; p++) {
        int at = p < c->point_count ? p : 2 * c->point_count - 1 - p;
        text_char(s->out, p ? 'L' : 'M');
        number(s, c->curve[i].point[at].x);
        text_char(s->out, ' ');
        number(s, p < c->point_count ? c->curve[i].high_y[at]
                                     : c->curve[i].low_y[at]);
    }
    put(s, "Z\"/>\n");
}

static void curve_path(struct svg *s, int option, const struct point *point,
                       int count)
{
    char class[] = { 'o', (char)('a' + option), '\0' };

    put(s, "<path stroke-width=\"2.5\" stroke-linejoin=\"round\"");
    html_attribute(s->out, "class", class);
    paint(s, "stroke", s->colour->option[option]);
    if (*dash[option])
        html_attribute(s->out, "stroke-dasharray", dash[option]);
    put(s, " d=\"");
    for (int p = 0; p < count; p++) {
        text_char(s->out, p ? 'L' : 'M');
        number(s, point[p].x);
        text_char(s->out, ' ');
        number(s, point[p].y);
    }
    put(s, "\"/>\n");
}

/* Where words stand already: their left, right and foot. */
struct taken { double from, to, foot; };

/* The foot for words from `from` to `to`: below the ring at (y), above it when
   those of another ring stand there; 0 when neither is free. */
static double free_foot(const struct taken *taken, int count, double from,
                        double to, double y)
{
    const double foot[] = { y + 21, y - 12 };

    for (int i = 0; i < 2; i++) {
        int is_free = 1;
        for (int k = 0; k < count; k++)
            if (from < taken[k].to + 4 && taken[k].from < to + 4
                && fabs(foot[i] - taken[k].foot) < FONT)
                is_free = 0;
        if (is_free)
            return foot[i];
    }
    return 0;
}

/* Rings where the running total of a larger outlay falls below the other's,
   with the month, where there is room for it. */
static void put_crossings(struct svg *s, const struct totals *t)
{
    const struct curves *c = &t->curves;
    const int pairs = s->answer->verdict.count;
    struct taken taken[OPTION_MAX];
    int count = 0;

    for (int i = 0; i < pairs; i++) {
        const struct pair *pair = &s->answer->verdict.pair[i];
        const double month = pair->break_even_month;
        double x, y, foot, width;
        char label[48];
        int before;

        if (pair->heavy < 0 || !(month >= 1) || month > MONTH_MAX)
            continue;
        x = scale_at(&c->x, month);
        y = scale_at(&c->y, t->value[pair->heavy][(int)month]);
        put(s, "<circle class=\"ring\" r=\"6\" stroke-width=\"2\"");
        paint(s, "stroke", s->colour->ink);
        paint(s, "fill", s->colour->paper);
        attribute(s, "cx", x);
        attribute(s, "cy", y);
        put(s, "/>");
        snprintf(label, sizeof label, s->zh
                 ? "\xE7\xAC\xAC %.0f \xE4\xB8\xAA\xE6\x9C\x88" : "month %.0f",
                 month);
        width = text_width(label, FONT);
        before = x > s->width * 0.6;
        x = before ? x - 4 : x + 8;
        foot = free_foot(taken, count, before ? x - width : x,
                         before ? x : x + width, y);
        if (pairs > 2 || !(foot > 0))
            continue;
        taken[count++] = (struct taken){ before ? x - width : x,
                                         before ? x : x + width, foot };
        words(s, "t strong", s->colour->ink, before ? "end" : "start", x, foot,
              label);
    }
}

static void month_axis(struct svg *s, const struct curves *c)
{
    int years = c->x_ticks.step >= 12;
    struct ticks shown = c->x_ticks;

    for (int i = 0; i < shown.count; i++) {
        double x = scale_at(&c->x, shown.at[i]);
        char label[24];
        snprintf(label, sizeof label, "%.0f", shown.at[i] / (years ? 12 : 1));
        line(s, "grid", s->colour->line, x, c->frame.bottom, x,
             c->frame.bottom + 5);
        soft(s, "middle", x, c->frame.bottom + 19, label);
    }
    soft(s, "end", c->frame.right, c->frame.bottom + 36,
         say(s->zh, years ? "Years" : "Months"));
}

static void draw_cumulative(struct svg *s)
{
    int narrow = s->width < NARROW;
    struct totals *t = s->totals;
    struct frame frame = { narrow ? 58 : 72,
                           s->width - (narrow ? 20 : s->width * 0.23), 34,
                           s->height - 44 };

    place_totals(t, s->answer, &frame);
    frame.left = axis_room(&t->curves.y_ticks, frame.left);
    place_totals(t, s->answer, &frame);
    soft(s, "start", 0, 14, s->answer->study.currency);
    y_axis(s, &frame, &t->curves.y, &t->curves.y_ticks);
    month_axis(s, &t->curves);
    for (int i = 0; i < t->curves.count; i++)
        put_band(s, &t->curves, i);
    for (int i = 0; i < t->curves.count; i++)
        curve_path(s, i, t->curves.curve[i].point, t->curves.point_count);
    put_crossings(s, t);
    for (int i = 0; i < t->curves.count; i++)
        option_label(s, i, frame.right + 8, t->curves.curve[i].label_y + 4,
                     s->width - frame.right - 10);
}

/* --- stacked bars --------------------------------------------------------------------------- */

static const char *const part_title[PART_CLASS_COUNT] = {
    "Machines", "Energy", "Space", "Upkeep", "Staff", "Rent",
    "Data and support", "Taxes, interest, other", "Resale"
};

static const unsigned char part_class[ITEM_COUNT] = {
    [I_hardware] = 0, [I_purchase_tax] = 0, [I_setup] = 0, [I_network] = 0,
    [I_energy] = 1, [I_hosting] = 2, [I_maintenance] = 3, [I_insurance] = 3,
    [I_repairs] = 3, [I_licences] = 3, [I_staff] = 4, [I_compute] = 5,
    [I_upfront] = 5, [I_storage] = 6, [I_egress] = 6, [I_support] = 6,
    [I_other] = 7, [I_service_tax] = 7, [I_interest] = 7,
    [I_income_tax] = 7, [I_residual] = 8,
};

enum { CARBON_PART_COUNT = 2 };
static const char *const carbon_title[CARBON_PART_COUNT] = {
    "Electricity", "Making the machines"
};
static const unsigned char carbon_colour[CARBON_PART_COUNT] = { 1, 2 };

/* What a stack shows. */
struct stack_in {
    double value[OPTION_MAX * PART_CLASS_COUNT];
    int part_count;
    const char *const *title;
    const unsigned char *colour;    /* NULL: the part's own number */
    int money;
};

static void cost_parts(const struct answer *answer, struct stack_in *in)
{
    memset(in, 0, sizeof *in);
    in->part_count = PART_CLASS_COUNT;
    in->title = part_title;
    in->money = 1;
    for (int i = 0; i < answer->study.option_count; i++)
        for (int k = 0; k < ITEM_COUNT; k++)
            in->value[i * PART_CLASS_COUNT + part_class[k]] +=
                answer->result[i].item[k];
}

static void carbon_parts(const struct answer *answer, struct stack_in *in)
{
    memset(in, 0, sizeof *in);
    in->part_count = CARBON_PART_COUNT;
    in->title = carbon_title;
    in->colour = carbon_colour;
    for (int i = 0; i < answer->study.option_count; i++) {
        const double *step = answer->result[i].step;
        in->value[i * CARBON_PART_COUNT] = step[S_operational_kg];
        in->value[i * CARBON_PART_COUNT + 1] = step[S_embodied_kg];
    }
}

static int part_used(const struct stack_in *in, int count, int part)
{
    for (int i = 0; i < count; i++) {
        double value = in->value[i * in->part_count + part];
        if (isfinite(value) && fabs(value) > 0)
            return 1;
    }
    return 0;
}

static int colour_of(const struct stack_in *in, int part)
{
    return in->colour ? in->colour[part] : part;
}

/* Words of a stack's total: money, or carbon. */
static struct piece sum_text(const struct svg *s, const struct stack_in *in,
                             double value)
{
    struct text text;

    if (in->money)
        return money_text(s, value);
    text_init(&text, 256);
    shown_number(&text, value, 0);
    text_str(&text, " kg CO2e");
    return keep(&text);
}

/* Ink or paper, whichever stands out against a grey or colour "#rrggbb". */
static const char *text_colour(const struct svg *s, const char *colour)
{
    int part_is_light = strtol(colour + 1, NULL, 16) >> 8 > 0x9999;
    int ink_is_light = strtol(s->colour->ink + 1, NULL, 16) >> 8 > 0x9999;

    return part_is_light == ink_is_light ? s->colour->paper : s->colour->ink;
}

static void put_part(struct svg *s, const struct stack_in *in,
                     const struct bar *bar, const struct part *part)
{
    int colour = colour_of(in, part->index);
    char class[] = { 'p', (char)('0' + colour), '\0' };
    const char *title = say(s->zh, in->title[part->index]);
    double width = part->to - part->from;

    put(s, "<rect");
    html_attribute(s->out, "class", class);
    attribute(s, "x", part->from);
    attribute(s, "y", bar->y);
    attribute(s, "width", width > 1.5 ? width - 1 : width);
    attribute(s, "height", bar->height);
    paint(s, "fill", s->colour->part[colour]);
    if (colour == PART_CLASS_COUNT - 1) {
        paint(s, "stroke", s->colour->soft);
        put(s, " stroke-dasharray=\"3 2\"");
    }
    put(s, "/>");
    if (width > text_width(title, SMALL) + 10)
        words(s, colour == PART_CLASS_COUNT - 1 ? "t small" : "in small",
              text_colour(s, s->colour->part[colour]),
              "middle", part->from + width / 2, bar->y + bar->height / 2 + 4,
              title);
}

/* Swatches with their words, in lines; y is the first base line. Returns the
   line after the last. With draw 0 only counts. */
static double legend(struct svg *s, const struct stack_in *in, int count,
                     double y, int draw)
{
    double x = 0;

    for (int k = 0; k < in->part_count; k++) {
        const char *title = say(s->zh, in->title[k]);
        double width = text_width(title, SMALL) + 34;
        char class[] = { 'p', (char)('0' + colour_of(in, k)), '\0' };
        if (!part_used(in, count, k))
            continue;
        if (x > 0 && x + width > s->width) {
            x = 0;
            y += LINE_HEIGHT;
        }
        if (draw) {
            put(s, "<rect width=\"12\" height=\"12\"");
            html_attribute(s->out, "class", class);
            attribute(s, "x", x + 1);
            attribute(s, "y", y - 11);
            paint(s, "fill", s->colour->part[colour_of(in, k)]);
            if (colour_of(in, k) == PART_CLASS_COUNT - 1)
                put(s, " stroke=\"#868d8f\" stroke-dasharray=\"3 2\"");
            put(s, "/>");
            soft(s, "start", x + 19, y, title);
        }
        x += width;
    }
    return y + LINE_HEIGHT;
}

static void draw_stack(struct svg *s, const struct stack_in *in)
{
    int count = s->answer->study.option_count;
    double below = legend(s, in, count, 0, 0);
    struct frame frame = { 1, s->width - 1, 4, s->height - below - 34 };
    struct stack stack;

    chart_stack(in->value, count, in->part_count, &frame, 0.52, &stack);
    x_axis(s, &frame, &stack.x, &stack.ticks);
    for (int i = 0; i < count; i++) {
        struct bar *bar = &stack.bar[i];
        struct piece sum = sum_text(s, in, bar->sum);
        double sum_width = text_width(sum.text, FONT) + 8;
        rect(s, "paper", s->colour->paper, 0, bar->y - 20, s->width, 19);
        option_label(s, i, 0, bar->y - 7, s->width - sum_width);
        words(s, "t strong", s->colour->ink, "end", s->width, bar->y - 7,
              sum.text);
        for (int k = 0; k < bar->count; k++)
            put_part(s, in, bar, &bar->part[k]);
        put(s, "\n");
    }
    legend(s, in, count, frame.bottom + 42, 1);
}

static double stack_height(const struct answer *answer, double width,
                           const struct stack_in *in)
{
    struct text none;
    struct svg s = { &none, answer, &colours[0], answer->study.zh, width, 0, 1,
                     NULL };

    text_init(&none, 1);
    return answer->study.option_count * 58.0 + 40 +
           legend(&s, in, answer->study.option_count, 0, 0);
}

/* --- tornado ----------------------------------------------------------------------------------- */

static int swing_count(const struct answer *answer)
{
    int count = 0;

    while (count < answer->sensitivity.count && count < SWING_MAX &&
           fabs(answer->sensitivity.row[count].saving_high -
                answer->sensitivity.row[count].saving_low) > 0)
        count++;
    return count;
}

static struct piece field_text(int field, double value)
{
    enum unit unit = field_table[field].unit;
    struct text text;

    text_init(&text, 256);
    if (unit == UNIT_FRAC || unit == UNIT_FRAC_PER_YEAR)
        shown_percent(&text, value);
    else
        shown_digits(&text, value, 3);
    return keep(&text);
}

static void swing_label(const struct svg *s, const struct sensitivity_row *row,
                        struct piece *out)
{
    struct piece low = field_text(row->field, row->low);
    struct piece high = field_text(row->field, row->high);
    char who[4] = "";

    if (row->option >= 0)
        snprintf(who, sizeof who, " %c", 'a' + row->option);
    snprintf(out->text, sizeof out->text, "%s%s: %.40s \xE2\x80\x93 %.40s",
             say(s->zh, field_table[row->field].label), who, low.text,
             high.text);
}

static double base_saving(const struct answer *answer)
{
    return answer->result[answer->sensitivity.b].npv_cost -
           answer->result[answer->sensitivity.a].npv_cost;
}

/* A group that knows the key of its input, for a page to lead there. */
static void put_swing_open(struct svg *s, const struct sensitivity_row *row)
{
    char key[80];

    if (row->option < 0)
        snprintf(key, sizeof key, "%s", field_table[row->field].name);
    else
        snprintf(key, sizeof key, "%c.%s", 'a' + row->option,
                 field_table[row->field].name);
    put(s, "<g");
    html_attribute(s->out, "data-key", key);
    put(s, ">");
}

static void put_swing(struct svg *s, const struct tornado *t, int i)
{
    const struct swing *swing = &t->swing[i];
    double low = swing->low_x, high = swing->high_x, base = t->base_x;

    rect(s, "low", s->colour->part[7], low < base ? low : base, swing->y + 8,
         fabs(low - base), 11);
    rect(s, "high", s->colour->part[4], high < base ? high : base,
         swing->y + 8, fabs(high - base), 11);
}

static void draw_tornado(struct svg *s)
{
    const struct sensitivity *sens = &s->answer->sensitivity;
    int count = swing_count(s->answer);
    struct swing_in in[SWING_MAX];
    struct frame frame = { 4, s->width - 4, 44, s->height - 46 };
    struct tornado t;
    struct piece label;

    for (int i = 0; i < count; i++)
        in[i] = (struct swing_in){ sens->row[i].saving_low,
                                   sens->row[i].saving_high };
    chart_tornado(in, count, base_saving(s->answer), &frame, &t);
    snprintf(label.text, sizeof label.text, "%s, %c \xE2\x86\x92 %c, %s",
             say(s->zh, "Saving"), 'a' + sens->b, 'a' + sens->a,
             s->answer->study.currency);
    soft(s, "start", 0, 14, label.text);
    x_axis(s, &frame, &t.x, &t.ticks);
    if (!isnan(t.zero_x))
        line(s, "turn", s->colour->ink, t.zero_x, frame.top, t.zero_x,
             frame.bottom);
    for (int i = 0; i < count; i++) {
        put_swing_open(s, &sens->row[i]);
        swing_label(s, &sens->row[i], &label);
        cut_text(label.text, s->width, SMALL);
        put_swing(s, &t, i);
        put(s, "<rect class=\"paper\" fill-opacity=\".85\"");
        attribute(s, "x", 0);
        attribute(s, "y", t.swing[i].y - 9);
        attribute(s, "width", text_width(label.text, SMALL) + 4);
        put(s, " height=\"15\"");
        paint(s, "fill", s->colour->paper);
        put(s, "/>");
        words(s, "t small", s->colour->ink, "start", 0, t.swing[i].y + 3,
              label.text);
        put(s, "</g>");
    }
    line(s, "base", s->colour->soft, t.base_x, frame.top, t.base_x,
         frame.bottom);
    rect(s, "low", s->colour->part[7], 1, s->height - 12, 12, 12);
    soft(s, "start", 19, s->height - 2, say(s->zh, "at the low end"));
    rect(s, "high", s->colour->part[4], s->width / 2, s->height - 12, 12, 12);
    soft(s, "start", s->width / 2 + 18, s->height - 2,
         say(s->zh, "at the high end"));
}

/* --- map of load and price ------------------------------------------------------------------------ */

/* The pair the map shows: the deciding one when it has a rent. */
static const struct pair *map_pair(const struct answer *answer)
{
    const struct pair *pair = sentence_pair(answer);

    return pair && pair->rent_option >= 0 &&
           answer->study.option[pair->rent_option]
               .value[F_rent_price_per_hour] > 0 ? pair : NULL;
}

static double map_price(const struct answer *answer, const struct pair *pair)
{
    return answer->study.option[pair->rent_option]
        .value[F_rent_price_per_hour];
}

static void map_values(const struct answer *answer, const struct pair *pair,
                       double *value)
{
    double price = map_price(answer, pair);
    struct trial trial;

    trial_of(&answer->study, &trial);
    for (int row = 0; row < MAP_ROW_COUNT; row++)
        for (int column = 0; column < MAP_COLUMN_COUNT; column++) {
            double busy = (column + 0.5) / MAP_COLUMN_COUNT;
            for (int i = 0; i < answer->study.option_count; i++)
                trial.value[i][F_busy_frac] = busy;
            trial.value[pair->rent_option][F_rent_price_per_hour] =
                2 * price * (row + 0.5) / MAP_ROW_COUNT;
            value[row * MAP_COLUMN_COUNT + column] =
                saving_of(&answer->study, &trial, pair->a, pair->b);
        }
}

/* Cells of one level side by side are one rectangle. */
static void put_cells(struct svg *s, const struct heat *h,
                      const struct pair *pair)
{
    static const char *const opacity[] = { "0", ".25", ".5", ".8" };
    double width = (h->x.to - h->x.from) / h->columns;
    double height = (h->y.from - h->y.to) / h->rows;

    for (int row = 0; row < h->rows; row++)
        for (int from = 0, to; from < h->columns; from = to) {
            int level = h->level[row][from];
            int option = level < 0 ? pair->b : pair->a;
            char class[] = { 'f', (char)('a' + option), '\0' };
            for (to = from + 1; to < h->columns; to++)
                if (h->level[row][to] != level ||
                    h->none[row][to] != h->none[row][from])
                    break;
            if (h->none[row][from] || level == 0)
                continue;
            put(s, "<rect");
            html_attribute(s->out, "class", class);
            attribute(s, "x", h->x.from + from * width);
            attribute(s, "y", h->y.from - (row + 1) * height);
            attribute(s, "width", (to - from) * width);
            attribute(s, "height", height);
            paint(s, "fill", s->colour->option[option]);
            html_attribute(s->out, "fill-opacity",
                           opacity[level < 0 ? -level : level]);
            put(s, "/>");
        }
}

static void put_indifference(struct svg *s, const struct heat *h)
{
    int open = 0;

    put(s, "<path class=\"turn\" stroke-width=\"2.5\"");
    paint(s, "stroke", s->colour->ink);
    put(s, " d=\"");
    for (int i = 0; i < h->columns; i++) {
        if (!h->line_on[i]) {
            open = 0;
            continue;
        }
        text_char(s->out, open ? 'L' : 'M');
        number(s, h->line[i].x);
        text_char(s->out, ' ');
        number(s, h->line[i].y);
        open = 1;
    }
    put(s, open || strchr("0123456789", s->out->at[s->out->byte - 1]) ? "\"/>\n"
                                                            : "M0 0\"/>\n");
}

static void map_axes(struct svg *s, const struct heat *h)
{
    for (int i = 0; i < h->x_ticks.count; i++) {
        double x = scale_at(&h->x, h->x_ticks.at[i]);
        char label[24];
        snprintf(label, sizeof label, "%.0f%%", h->x_ticks.at[i] * 100);
        soft(s, "middle", x, h->frame.bottom + 17, label);
    }
    for (int i = 0; i < h->y_ticks.count; i++) {
        struct piece text = tick_text(&h->y_ticks, h->y_ticks.at[i]);
        soft(s, "end", h->frame.left - 6,
             scale_at(&h->y, h->y_ticks.at[i]) + 4, text.text);
    }
}

static void map_legend(struct svg *s, const struct pair *pair)
{
    const char *const what[] = { "cheaper", "cheaper" };
    const int option[] = { pair->a, pair->b };
    char label[80];
    double x = 0;

    for (int i = 0; i < 2; i++) {
        char class[] = { 'f', (char)('a' + option[i]), '\0' };
        put(s, "<rect fill-opacity=\".8\" width=\"12\" height=\"12\"");
        html_attribute(s->out, "class", class);
        attribute(s, "x", x + 1);
        attribute(s, "y", s->height - 13);
        paint(s, "fill", s->colour->option[option[i]]);
        put(s, "/>");
        snprintf(label, sizeof label, "%c %s", 'a' + option[i],
                 say(s->zh, what[i]));
        soft(s, "start", x + 19, s->height - 3, label);
        x += text_width(label, SMALL) + 36;
    }
    line(s, "turn", s->colour->ink, x, s->height - 7, x + 14, s->height - 7);
    soft(s, "start", x + 20, s->height - 3, say(s->zh, "same cost"));
    x += text_width(say(s->zh, "same cost"), SMALL) + 44;
    put(s, "<circle class=\"ring\" r=\"5\" stroke-width=\"2\"");
    paint(s, "stroke", s->colour->ink);
    paint(s, "fill", s->colour->paper);
    attribute(s, "cx", x);
    attribute(s, "cy", s->height - 7);
    put(s, "/>");
    soft(s, "start", x + 10, s->height - 3, say(s->zh, "this case"));
}

static void draw_map(struct svg *s)
{
    const struct pair *pair = map_pair(s->answer);
    double value[MAP_COLUMN_COUNT * MAP_ROW_COUNT], price, busy;
    struct frame frame = { 46, s->width - 22, 26, s->height - 60 };
    struct heat heat;
    char label[120];

    if (!pair) {
        nothing(s, "There is no rent to vary");
        return;
    }
    price = map_price(s->answer, pair);
    busy = s->answer->study.option[0].value[F_busy_frac];
    map_values(s->answer, pair, value);
    for (int turn = 0; turn < 2; turn++) { /* again with room for its numbers */
        chart_heat(value, MAP_COLUMN_COUNT, MAP_ROW_COUNT, 0, 1, 0, 2 * price,
                   0.05 * fabs(s->answer->result[pair->a].npv_cost), &frame,
                   &heat);
        frame.left = axis_room(&heat.y_ticks, frame.left);
    }
    snprintf(label, sizeof label, "%s %c, %s/h",
             say(s->zh, "Rent"), 'a' + pair->rent_option,
             s->answer->study.currency);
    soft(s, "start", 0, 14, label);
    put_cells(s, &heat, pair);
    put(s, "\n<rect class=\"grid\"");
    attribute(s, "x", frame.left);
    attribute(s, "y", frame.top);
    attribute(s, "width", frame.right - frame.left);
    attribute(s, "height", frame.bottom - frame.top);
    paint(s, "stroke", s->colour->line);
    put(s, "/>\n");
    put_indifference(s, &heat);
    map_axes(s, &heat);
    soft(s, "end", frame.right, frame.bottom + 34,
         say(s->zh, "Time in use"));
    put(s, "<circle class=\"ring\" r=\"6\" stroke-width=\"2\"");
    paint(s, "stroke", s->colour->ink);
    paint(s, "fill", s->colour->paper);
    attribute(s, "cx", scale_at(&heat.x, busy));
    attribute(s, "cy", scale_at(&heat.y, price));
    put(s, "/>\n");
    map_legend(s, pair);
}

/* --- prices over time -------------------------------------------------------------------------------- */

enum { EPOCH = 20000101 };

struct series {
    struct observation seen[SEEN_MAX];
    int date[SEEN_MAX];         /* yyyymmdd */
    int count;
};

/* Observed prices of a rented option's offer up to the study's day: the best
   feed of each day, in the study's currency at its rate; of commitments with
   what is paid upfront. */
static void series_of(const struct answer *answer, int option,
                      struct series *out)
{
    const struct study *study = &answer->study;
    const struct option *o = &study->option[option];
    const struct price_table *table = answer->world->prices;
    const struct price *at;

    out->count = 0;
    if (o->kind != KIND_RENT)
        return;
    at = price_of_instance(table, o->name[F_provider], o->name[F_instance]);
    for (; at && at < table->price + table->count; at++) {
        double per_usd = 1, of_day;
        int day = price_day(at), rate_day, known;
        if (strcmp(at->provider, o->name[F_provider]) != 0 ||
            strcmp(at->instance, o->name[F_instance]) != 0)
            return;
        if (strcmp(at->region, o->name[F_region]) != 0 ||
            at->term != o->value[F_term] || at->payment != o->value[F_payment] ||
            day > study->as_of_day)
            continue;
        if (table->feed[at->feed].kind == FEED_DERIVED &&
            price_find(table, at->provider, at->instance, at->region,
                       (enum term)at->term, (enum payment)at->payment,
                       day) != at)
            continue; /* somebody states the price */
        known = rate_find(answer->world->rates, at->currency,
                          study->as_of_day, &per_usd, &rate_day);
        if (!known)
            continue;
        of_day = day_difference(day, EPOCH);
        if (out->count && !(of_day > out->seen[out->count - 1].day))
            out->count--;
        if (out->count == SEEN_MAX)
            continue;
        out->date[out->count] = day;
        out->seen[out->count++] = (struct observation){ of_day,
            price_spread((enum term)at->term, at->price_per_hour,
                         at->upfront_price) /
                per_usd * study->currency_per_usd };
    }
}

static void draw_series(struct svg *s, int option, const struct series *series,
                        double last, const struct scale *x,
                        const struct scale *y)
{
    struct point *point = malloc(2 * SEEN_MAX * sizeof *point);
    char class[] = { 'f', (char)('a' + option), '\0' };
    int count;

    if (!point) {
        s->out->failed = 1;
        return;
    }
    count = chart_steps(series->seen, series->count, last, x, y, point);
    curve_path(s, option, point, count);
    for (int i = 0; i < series->count; i++) {
        put(s, "<circle r=\"4\"");
        html_attribute(s->out, "class", class);
        paint(s, "fill", s->colour->option[option]);
        attribute(s, "cx", scale_at(x, series->seen[i].day));
        attribute(s, "cy", scale_at(y, series->seen[i].value));
        put(s, "/>");
    }
    free(point);
}

struct history { struct series series[OPTION_MAX]; double first, last, top; };

static struct history *history_of(const struct answer *answer)
{
    struct history *h = malloc(sizeof *h);

    if (!h)
        return NULL;
    h->last = day_difference(answer->study.as_of_day, EPOCH);
    h->first = h->last;
    h->top = 0;
    for (int i = 0; i < answer->study.option_count; i++) {
        struct series *series = &h->series[i];
        series_of(answer, i, series);
        for (int k = 0; k < series->count; k++) {
            if (series->seen[k].day < h->first)
                h->first = series->seen[k].day;
            if (series->seen[k].value > h->top)
                h->top = series->seen[k].value;
        }
    }
    return h;
}

static int year_start(int year)
{
    return day_difference(year * 10000 + 101, EPOCH);
}

static void draw_history(struct svg *s)
{
    struct history *h = history_of(s->answer);
    struct frame frame = { 46, s->width - 24, 26, s->height - 30 };
    struct scale x, y;
    struct ticks ticks;
    double label_y[OPTION_MAX];
    int count = s->answer->study.option_count;
    char label[40];

    if (!h) {
        s->out->failed = 1;
        return;
    }
    if (!(h->last > h->first) || !(h->top > 0)) {
        nothing(s, "No earlier price is known");
        free(h);
        return;
    }
    ticks_of(0, h->top * 1.05, 5, &ticks);
    frame.left = axis_room(&ticks, frame.left);
    x = (struct scale){ h->first, h->last, frame.left, frame.right };
    y = (struct scale){ 0, h->top * 1.05, frame.bottom, frame.top };
    snprintf(label, sizeof label, "%s/h", s->answer->study.currency);
    soft(s, "start", 0, 14, label);
    y_axis(s, &frame, &y, &ticks);
    for (int year = 2001; year < 2100; year++) {
        double at = scale_at(&x, year_start(year));
        if (at < frame.left || at > frame.right)
            continue;
        snprintf(label, sizeof label, "%d", year);
        line(s, "grid", s->colour->line, at, frame.bottom, at,
             frame.bottom + 5);
        soft(s, "middle", at, frame.bottom + 18, label);
    }
    for (int i = 0; i < count; i++) {
        const struct series *series = &h->series[i];
        label_y[i] = series->count
            ? scale_at(&y, series->seen[series->count - 1].value) : frame.top;
        draw_series(s, i, series, h->last, &x, &y);
    }
    chart_spread(label_y, count, 16, frame.top, frame.bottom);
    for (int i = 0; i < count; i++)
        if (h->series[i].count)
            option_label(s, i, frame.right + 8, label_y[i] + 4, 12);
    free(h);
}

/* --- all figures ----------------------------------------------------------------------------------------- */

static int has_history(const struct answer *answer)
{
    struct history *h = history_of(answer);
    int many = 0;

    for (int i = 0; h && i < answer->study.option_count; i++)
        many |= h->series[i].count > 1;
    free(h);
    return many;
}

static int has_carbon(const struct answer *answer)
{
    for (int i = 0; i < answer->study.option_count; i++)
        if (answer->result[i].step[S_total_kg] > 0)
            return 1;
    return 0;
}

int figure_exists(const struct answer *answer, enum figure figure)
{
    switch (figure) {
    case FIGURE_TORNADO: return swing_count(answer) > 0;
    case FIGURE_MAP: return map_pair(answer) != NULL;
    case FIGURE_HISTORY: return has_history(answer);
    case FIGURE_CARBON: return has_carbon(answer);
    case FIGURE_CUMULATIVE: case FIGURE_STACK: case FIGURE_COUNT: break;
    }
    return 1;
}

static double height_of(const struct answer *answer, enum figure figure,
                        double width)
{
    struct stack_in in;

    switch (figure) {
    case FIGURE_CUMULATIVE: return width < NARROW ? 300 : fmin(430, width / 2);
    case FIGURE_STACK:
        cost_parts(answer, &in);
        return stack_height(answer, width, &in);
    case FIGURE_CARBON:
        carbon_parts(answer, &in);
        return stack_height(answer, width, &in);
    case FIGURE_TORNADO: return 90.0 + ROW_HEIGHT * fmax(1, swing_count(answer));
    case FIGURE_MAP: return 340;
    case FIGURE_HISTORY: case FIGURE_COUNT: break;
    }
    return 260;
}

static void draw(struct svg *s, enum figure figure)
{
    struct stack_in in;

    figure_open(s, figure);
    switch (figure) {
    case FIGURE_CUMULATIVE: draw_cumulative(s); break;
    case FIGURE_STACK:
        cost_parts(s->answer, &in);
        draw_stack(s, &in);
        break;
    case FIGURE_TORNADO:
        if (swing_count(s->answer))
            draw_tornado(s);
        else
            nothing(s, "Nothing uncertain changes this answer");
        break;
    case FIGURE_MAP: draw_map(s); break;
    case FIGURE_HISTORY: draw_history(s); break;
    case FIGURE_CARBON:
        carbon_parts(s->answer, &in);
        draw_stack(s, &in);
        break;
    case FIGURE_COUNT: break;
    }
    figure_close(s);
}

void out_svg_widths(const struct answer *answer, enum figure figure,
                    const int *width, int count, enum theme theme,
                    struct text *out)
{
    /* More than three bands hide one another. */
    struct totals *totals = figure == FIGURE_CUMULATIVE
        ? totals_of(answer, answer->uncertainty.samples > 0 &&
                            answer->study.option_count <= 3) : NULL;

    if (figure == FIGURE_CUMULATIVE && !totals) {
        out->failed = 1;
        return;
    }
    for (int i = 0; i < count; i++) {
        /* The type keeps its size up to a width; beyond, all is scaled. */
        double drawn = width[i] > DRAWN_MAX ? DRAWN_MAX : width[i];
        struct svg s = { out, answer, &colours[theme], answer->study.zh,
                         drawn, height_of(answer, figure, drawn),
                         width[i] / drawn, totals };
        text_str(out, i ? "<div class=\"at-narrow\">" :
                 count > 1 ? "<div class=\"at-wide\">" : "");
        draw(&s, figure);
        text_str(out, count > 1 ? "</div>\n" : "");
    }
    free(totals);
}

void out_svg(const struct answer *answer, enum figure figure, int width,
             enum theme theme, struct text *out)
{
    out_svg_widths(answer, figure, &width, 1, theme, out);
}

void out_sparkline(const double *value, int count, struct text *out)
{
    struct svg s = { out, NULL, &colours[0], 0, 96, 20, 1, NULL };
    double low, high;

    if (count < 2)
        return;
    low = high = value[0];
    for (int i = 1; i < count; i++) {
        low = fmin(low, value[i]);
        high = fmax(high, value[i]);
    }
    put(&s, "<svg class=\"spark\" width=\"96\" height=\"20\" viewBox=\"0 0 96 20\" aria-hidden=\"true\"><path class=\"oa\" fill=\"none\" stroke-width=\"1.5\"");
    paint(&s, "stroke", colours[0].option[0]);
    put(&s, " d=\"");
    for (int i = 0; i < count; i++) {
        double share = high > low ? (value[i] - low) / (high - low) : 0.5;
        text_char(out, i ? 'L' : 'M');
        number(&s, 2 + 92.0 * i / (count - 1));
        text_char(out, ' ');
        number(&s, 18 - 16 * share);
    }
    put(&s, "\"/></svg>");
}

/* --- the same as tables ------------------------------------------------------------------------------------- */

static void head_cell(struct text *out, const char *text)
{
    text_str(out, "<th scope=\"col\">");
    html_text(out, text);
    text_str(out, "</th>");
}

static void letter_heads(const struct answer *answer, struct text *out)
{
    for (int i = 0; i < answer->study.option_count; i++) {
        char letter[] = { (char)('a' + i), '\0' };
        head_cell(out, letter);
    }
    text_str(out, "</tr></thead>\n<tbody>\n");
}

static void row_open(struct text *out, const char *text)
{
    text_str(out, "<tr><th scope=\"row\">");
    html_text(out, text);
    text_str(out, "</th>");
}

static void number_cell(struct text *out, double value, int decimals)
{
    text_str(out, "<td>");
    shown_number(out, value, decimals);
    text_str(out, "</td>");
}

static void table_cumulative(const struct answer *answer, struct text *out)
{
    struct totals *t = totals_of(answer, 0);
    struct frame frame = { 0, 1, 0, 1 };

    if (!t) {
        out->failed = 1;
        return;
    }
    place_totals(t, answer, &frame);
    text_str(out, "<thead><tr>");
    head_cell(out, say(answer->study.zh, "Month"));
    letter_heads(answer, out);
    for (int p = 0; p < t->curves.point_count; p++) {
        char month[16];
        snprintf(month, sizeof month, "%d", t->curves.month[p]);
        row_open(out, month);
        for (int i = 0; i < t->curves.count; i++)
            number_cell(out, t->value[i][t->curves.month[p]], 0);
        text_str(out, "</tr>\n");
    }
    text_str(out, "</tbody>\n");
    free(t);
}

static void table_stack(const struct answer *answer, const struct stack_in *in,
                        struct text *out)
{
    int count = answer->study.option_count;

    text_str(out, "<thead><tr>");
    head_cell(out, in->money ? answer->study.currency : "kg CO2e");
    letter_heads(answer, out);
    for (int k = 0; k < in->part_count; k++) {
        if (!part_used(in, count, k))
            continue;
        row_open(out, say(answer->study.zh, in->title[k]));
        for (int i = 0; i < count; i++)
            number_cell(out, in->value[i * in->part_count + k], 0);
        text_str(out, "</tr>\n");
    }
    text_str(out, "</tbody>\n");
}

static void table_tornado(const struct answer *answer, struct text *out)
{
    struct svg s = { out, answer, &colours[0], answer->study.zh, 0, 0, 1,
                     NULL };

    text_str(out, "<thead><tr>");
    head_cell(out, answer->study.currency);
    head_cell(out, say(s.zh, "at the low end"));
    head_cell(out, say(s.zh, "at the high end"));
    text_str(out, "</tr></thead>\n<tbody>\n");
    for (int i = 0; i < swing_count(answer); i++) {
        const struct sensitivity_row *row = &answer->sensitivity.row[i];
        struct piece label;
        swing_label(&s, row, &label);
        row_open(out, label.text);
        number_cell(out, row->saving_low, 0);
        number_cell(out, row->saving_high, 0);
        text_str(out, "</tr>\n");
    }
    text_str(out, "</tbody>\n");
}

/* Every fourth column and row: enough to see where it turns. */
static void table_map(const struct answer *answer, struct text *out)
{
    const struct pair *pair = map_pair(answer);
    double value[MAP_COLUMN_COUNT * MAP_ROW_COUNT], price;
    char label[40];

    if (!pair)
        return;
    price = map_price(answer, pair);
    map_values(answer, pair, value);
    snprintf(label, sizeof label, "%s/h", answer->study.currency);
    text_str(out, "<thead><tr>");
    head_cell(out, label);
    for (int c = 1; c < MAP_COLUMN_COUNT; c += 4) {
        snprintf(label, sizeof label, "%.1f%%",
                 (c + 0.5) * 100 / MAP_COLUMN_COUNT);
        head_cell(out, label);
    }
    text_str(out, "</tr></thead>\n<tbody>\n");
    for (int r = MAP_ROW_COUNT - 2; r >= 0; r -= 3) {
        struct text shown;
        text_init(&shown, 256);
        shown_digits(&shown, 2 * price * (r + 0.5) / MAP_ROW_COUNT, 3);
        row_open(out, shown.at ? shown.at : "");
        text_free(&shown);
        for (int c = 1; c < MAP_COLUMN_COUNT; c += 4)
            number_cell(out, value[r * MAP_COLUMN_COUNT + c], 0);
        text_str(out, "</tr>\n");
    }
    text_str(out, "</tbody>\n");
}

static void table_history(const struct answer *answer, struct text *out)
{
    struct history *h = history_of(answer);

    if (!h) {
        out->failed = 1;
        return;
    }
    text_str(out, "<thead><tr>");
    head_cell(out, say(answer->study.zh, "Known from"));
    head_cell(out, say(answer->study.zh, "Option"));
    head_cell(out, answer->study.currency);
    text_str(out, "</tr></thead>\n<tbody>\n");
    for (int i = 0; i < answer->study.option_count; i++)
        for (int k = 0; k < h->series[i].count; k++) {
            char letter[] = { (char)('a' + i), '\0' }, day[11];
            day_print(day, h->series[i].date[k]);
            row_open(out, day);
            text_str(out, "<td>");
            text_str(out, letter);
            text_str(out, "</td>");
            number_cell(out, h->series[i].seen[k].value, 2);
            text_str(out, "</tr>\n");
        }
    text_str(out, "</tbody>\n");
    free(h);
}

void out_svg_table(const struct answer *answer, enum figure figure,
                   struct text *out)
{
    struct stack_in in;

    switch (figure) {
    case FIGURE_CUMULATIVE: table_cumulative(answer, out); break;
    case FIGURE_STACK:
        cost_parts(answer, &in);
        table_stack(answer, &in, out);
        break;
    case FIGURE_TORNADO: table_tornado(answer, out); break;
    case FIGURE_MAP: table_map(answer, out); break;
    case FIGURE_HISTORY: table_history(answer, out); break;
    case FIGURE_CARBON:
        carbon_parts(answer, &in);
        table_stack(answer, &in, out);
        break;
    case FIGURE_COUNT: break;
    }
}
