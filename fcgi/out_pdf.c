/* out_pdf.c: what a report says: the answer with its figure, where the money
   goes, every input with its source, every formula. */
#include "fcgi/out_pdf.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "fcgi/out_pdf_pages.h"
#include "fcgi/report.h"
#include "fcgi/say.h"
#include "fcgi/sentence.h"
#include "fcgi/shown.h"
#include "pricing/num.h"
#include "pricing/resolve.h"

enum { PIECE_BYTE_MAX = 64 * 1024, FIGURE_PIXELS = 760, PDF_BYTE_MAX = 24 << 20,
       CELL_BYTE_MAX = 1024, LINK_BYTE_MAX = 4096,
       WIDE_COUNT = 3 /* columns that leave room for words */ };

struct draft {
    const struct answer *answer;
    struct pages *pages;
    struct text piece;
};

static const char *tell(const struct draft *draft, const char *english)
{
    return say(draft->answer->study.zh, english);
}

static const char *held(const struct text *text)
{
    return text->at ? text->at : "";
}

/* A cell of a table: what was written into the piece, cut to the room. */
static void keep(struct draft *draft, char cell[CELL_BYTE_MAX])
{
    snprintf(cell, CELL_BYTE_MAX, "%s", held(&draft->piece));
    text_reset(&draft->piece);
}

/* --- the answer ----------------------------------------------------------- */

static void put_said(struct draft *draft, enum pages_style style,
                     void (*write)(const struct answer *, struct text *))
{
    text_reset(&draft->piece);
    write(draft->answer, &draft->piece);
    pages_say(draft->pages, style, held(&draft->piece));
    text_reset(&draft->piece);
}

static void put_options(struct draft *draft)
{
    const struct study *study = &draft->answer->study;

    for (int i = 0; i < study->option_count; i++) {
        char line[LABEL_BYTE_MAX + 64];
        snprintf(line, sizeof line, "%c \xE2\x80\x93 %s: %s", 'a' + i,
                 tell(draft, study->option[i].kind == KIND_OWN ? "own"
                                                               : "rent"),
                 answer_label(draft->answer, i));
        pages_say(draft->pages, PAGES_NOTE, line);
    }
}

static void put_title(struct draft *draft)
{
    const struct study *study = &draft->answer->study;
    char line[200], day[11];

    day_print(day, study->as_of_day);
    pages_say(draft->pages, PAGES_TITLE, *study->label ? study->label
              : tell(draft, "GPUs: own or rent"));
    snprintf(line, sizeof line, "%s %s \xC2\xB7 %s \xC2\xB7 %s %s \xC2\xB7 %s",
             tell(draft, "Prices of"), day, study->currency,
             tell(draft, "model version"), MODEL_VERSION,
             tell(draft, "An estimate, not a quotation."));
    pages_say(draft->pages, PAGES_NOTE, line);
    pages_space(draft->pages, 6);
    put_said(draft, PAGES_LEAD, sentence_verdict);
    put_said(draft, PAGES_BODY, sentence_amounts);
    pages_space(draft->pages, 4);
    put_options(draft);
}

static void put_figure(struct draft *draft, enum figure figure, double share,
                       int pixels)
{
    struct raster *raster;

    if (!figure_exists(draft->answer, figure))
        return;
    raster = raster_open(draft->answer, figure, pixels, THEME_LIGHT);
    if (!raster)
        return;
    pages_need_figure(draft->pages, raster, share);
    pages_heading(draft->pages, tell(draft, figure_title(figure)));
    pages_figure(draft->pages, raster, share);
    raster_close(raster);
}

/* --- tables of results ---------------------------------------------------- */

/* Heads "a", "b" ... and shares of the line for a label and `count` columns. */
static void open_table(struct draft *draft, int count, char head[][8],
                       enum pages_style style)
{
    double share[PAGES_COLUMN_MAX];
    const char *heads[PAGES_COLUMN_MAX];
    double label = count <= WIDE_COUNT ? 0.46 : 0.3;

    share[0] = label;
    heads[0] = "";
    for (int i = 0; i < count; i++) {
        share[i + 1] = (1 - label) / count;
        heads[i + 1] = head[i];
    }
    pages_table(draft->pages, count + 1, share, ~1u,
                count <= WIDE_COUNT ? style : PAGES_SMALL, heads);
}

/* With many columns the currency stands in the label. */
static void put_report_value(struct draft *draft, const struct report_row *row,
                             int column, int count)
{
    const char *currency = draft->answer->study.currency;
    size_t length = strlen(currency);
    struct text value;
    const char *at;

    text_init(&value, CELL_BYTE_MAX);
    report_value(draft->answer, row, column, &value);
    at = held(&value);
    if (count > WIDE_COUNT && strncmp(at, currency, length) == 0 &&
        at[length] == ' ')
        at += length + 1;
    text_str(&draft->piece, at);
    text_free(&value);
}

static void put_report_row(struct draft *draft, const struct report_row *row,
                           int count, int strong)
{
    char cell[PAGES_COLUMN_MAX][CELL_BYTE_MAX];
    const char *cells[PAGES_COLUMN_MAX];
    char unit[64];

    say_unit(draft->answer->study.zh, row->unit, unit, sizeof unit);
    text_str(&draft->piece, tell(draft, row->label));
    if (*unit && *row->unit != '/') {
        text_str(&draft->piece, ", ");
        text_str(&draft->piece, unit);
    }
    if (count > WIDE_COUNT && (row->as == AS_MONEY || row->as == AS_PRICE)) {
        text_str(&draft->piece, ", ");
        text_str(&draft->piece, draft->answer->study.currency);
    }
    keep(draft, cell[0]);
    cells[0] = cell[0];
    for (int i = 0; i < count; i++) {
        put_report_value(draft, row, i, count);
        if (*row->unit == '/' && row->applies[i] && isfinite(row->value[i]))
            text_str(&draft->piece, unit);
        keep(draft, cell[i + 1]);
        cells[i + 1] = cell[i + 1];
    }
    pages_row(draft->pages, cells, strong);
}

static void option_heads(const struct draft *draft, char head[][8])
{
    for (int i = 0; i < draft->answer->study.option_count; i++)
        snprintf(head[i], sizeof head[i], "%c", 'a' + i);
}

static int is_sum(const struct report_row *row)
{
    return strcmp(row->name, "total_cost") == 0 ||
           strcmp(row->name, "npv_cost") == 0 ||
           strcmp(row->name, "total_kg") == 0;
}

/* The rows of some sections, under one head. */
static void put_sections(struct draft *draft, enum section first,
                         enum section last)
{
    int count = draft->answer->study.option_count;
    char head[OPTION_MAX][8];
    struct report report;

    report_options(draft->answer, &report);
    option_heads(draft, head);
    open_table(draft, count, head, PAGES_CELL);
    for (int i = 0; i < report.count; i++)
        if (report.row[i].section >= first && report.row[i].section <= last)
            put_report_row(draft, &report.row[i], count,
                           is_sum(&report.row[i]));
    pages_table_end(draft->pages);
}

static void put_pairs(struct draft *draft)
{
    const struct verdict *verdict = &draft->answer->verdict;
    char head[OPTION_MAX][8];
    struct report report;

    if (!verdict->count)
        return;
    for (int i = 0; i < verdict->count; i++)
        snprintf(head[i], sizeof head[i], "%c, %c", 'a' + verdict->pair[i].a,
                 'a' + verdict->pair[i].b);
    report_pairs(draft->answer, &report);
    pages_heading(draft->pages, tell(draft, "Break-even"));
    open_table(draft, verdict->count, head, PAGES_CELL);
    for (int i = 0; i < report.count; i++)
        put_report_row(draft, &report.row[i], verdict->count, 0);
    pages_table_end(draft->pages);
}

/* --- how sure ------------------------------------------------------------- */

static void put_spread_row(struct draft *draft, int option,
                           const struct spread *npv, const struct spread *kg)
{
    const struct uncertainty *u = &draft->answer->uncertainty;
    const double value[] = { npv->p5, npv->p50, npv->p95,
                             kg->p5, kg->p50, kg->p95 };
    char cell[8][CELL_BYTE_MAX];
    const char *cells[8];

    snprintf(cell[0], CELL_BYTE_MAX, "%c", 'a' + option);
    for (int i = 0; i < 6; i++) {
        if (!isfinite(value[i]))
            text_str(&draft->piece, tell(draft, "no figure"));
        else if (i < 3)
            shown_money(&draft->piece, "", value[i]);
        else
            shown_number(&draft->piece, value[i], 0);
        keep(draft, cell[i + 1]);
    }
    shown_percent(&draft->piece, u->probability_cheapest[option]);
    keep(draft, cell[7]);
    for (int i = 0; i < 8; i++)
        cells[i] = cell[i];
    pages_row(draft->pages, cells, 0);
}

static void put_uncertainty(struct draft *draft)
{
    static const double share[] = { 0.06, 0.15, 0.15, 0.15, 0.12, 0.12, 0.12,
                                    0.13 };
    const struct uncertainty *u = &draft->answer->uncertainty;
    const char *currency = draft->answer->study.currency;
    char head[6][48], line[160];
    const char *heads[8];

    if (!u->samples)
        return;
    for (int i = 0; i < 6; i++)
        snprintf(head[i], sizeof head[i], "%s %s", i < 3 ? currency : "kg",
                 i % 3 == 0 ? "5 %" : i % 3 == 1 ? "50 %" : "95 %");
    heads[0] = "";
    for (int i = 0; i < 6; i++)
        heads[i + 1] = head[i];
    heads[7] = tell(draft, "cheapest");
    pages_heading(draft->pages, tell(draft, "How sure"));
    pages_table(draft->pages, 8, share, ~1u, PAGES_CELL, heads);
    for (int i = 0; i < draft->answer->study.option_count; i++)
        put_spread_row(draft, i, &u->npv_cost[i], &u->total_kg[i]);
    pages_table_end(draft->pages);
    snprintf(line, sizeof line, "%s: %d; %s: %.0f",
             tell(draft, "Samples"), u->samples, tell(draft, "seed"),
             (double)u->seed);
    pages_say(draft->pages, PAGES_NOTE, line);
}

static void put_warnings(struct draft *draft)
{
    const struct warnings *warnings = &draft->answer->warnings;
    int any = 0;

    for (int i = 0; i < warnings->count; i++) {
        const struct warning *w = &warnings->warning[i];
        int field = field_find(w->field, strlen(w->field));
        if (!report_warns(w))
            continue;
        if (!any++)
            pages_heading(draft->pages, tell(draft, "Things to know"));
        text_str(&draft->piece, "\xE2\x80\xA2 ");
        if (w->option) {
            text_char(&draft->piece, w->option);
            text_str(&draft->piece, ": ");
        }
        if (field >= 0) {
            text_str(&draft->piece, tell(draft, field_table[field].label));
            text_str(&draft->piece, ": ");
        }
        report_warning(draft->answer->study.zh, w, &draft->piece);
        pages_say(draft->pages, PAGES_BODY, held(&draft->piece));
        text_reset(&draft->piece);
    }
}

/* --- inputs and sources --------------------------------------------------- */

static void write_value(struct draft *draft, int i, int f)
{
    const struct option *o = &draft->answer->study.option[i];
    char word[64];
    struct text value;

    text_init(&value, CELL_BYTE_MAX);
    shown_value(&value, o, f);
    if (field_table[f].type == FIELD_CHOICE) {
        say_word(draft->answer->study.zh, held(&value), word, sizeof word);
        text_str(&draft->piece, word);
    } else {
        text_str(&draft->piece, held(&value));
    }
    text_free(&value);
}

/* "450 [3] estimate": the number is that of the source below. */
static void write_input(struct draft *draft, int i, int f)
{
    const struct answer *answer = draft->answer;
    const struct option *o = &answer->study.option[i];
    const struct origin *origin = &o->origin[f];
    char number[32];

    if (field_table[f].type <= FIELD_WHOLE && !isfinite(o->value[f])) {
        text_str(&draft->piece, tell(draft, "no figure"));
        return;
    }
    write_value(draft, i, f);
    if (answer->source_of[i][f]) {
        snprintf(number, sizeof number, " [%d]", answer->source_of[i][f]);
        text_str(&draft->piece, number);
    } else {
        text_str(&draft->piece, " ");
        text_str(&draft->piece, tell(draft, origin_name[origin->kind]));
    }
    if (origin->estimate) {
        text_str(&draft->piece, " ");
        text_str(&draft->piece, tell(draft, "estimate"));
    }
}

static int any_has(const struct answer *answer, int f)
{
    for (int i = 0; i < answer->study.option_count; i++)
        if (option_has(i, answer->study.option[i].kind, f))
            return 1;
    return 0;
}

static void put_input_row(struct draft *draft, int f)
{
    const struct study *study = &draft->answer->study;
    char cell[PAGES_COLUMN_MAX][CELL_BYTE_MAX], unit[64];
    const char *cells[PAGES_COLUMN_MAX];
    struct text shown;

    text_init(&shown, CELL_BYTE_MAX);
    shown_unit(&shown, study, f);
    say_unit(study->zh, held(&shown), unit, sizeof unit);
    text_free(&shown);
    text_str(&draft->piece, tell(draft, field_table[f].label));
    text_str(&draft->piece, *unit ? ", " : "");
    text_str(&draft->piece, unit);
    keep(draft, cell[0]);
    cells[0] = cell[0];
    for (int i = 0; i < study->option_count; i++) {
        if (!option_has(i, study->option[i].kind, f))
            text_str(&draft->piece, "\xE2\x80\x93");
        else if (i > 0 && field_table[f].applies == APPLIES_SHARED)
            text_str(&draft->piece, "=");
        else
            write_input(draft, i, f);
        keep(draft, cell[i + 1]);
        cells[i + 1] = cell[i + 1];
    }
    pages_row(draft->pages, cells, 0);
}

static void put_inputs(struct draft *draft)
{
    int count = draft->answer->study.option_count;
    double share[PAGES_COLUMN_MAX];
    char head[OPTION_MAX][8];
    const char *heads[PAGES_COLUMN_MAX];

    share[0] = count <= 2 ? 0.42 : count == 3 ? 0.28 : 0.2;
    heads[0] = "";
    option_heads(draft, head);
    for (int i = 0; i < count; i++) {
        share[i + 1] = (1 - share[0]) / count;
        heads[i + 1] = head[i];
    }
    pages_heading(draft->pages, tell(draft, "Assumptions"));
    pages_say(draft->pages, PAGES_TINY, tell(draft,
        "A number in brackets is that of the source below, with its date; = is "
        "the same as in the column before."));
    pages_space(draft->pages, 2);
    pages_table(draft->pages, count + 1, share, 0,
                count <= 2 ? PAGES_SMALL : PAGES_TINY, heads);
    for (int f = 0; f < FIELD_COUNT; f++)
        if (any_has(draft->answer, f))
            put_input_row(draft, f);
    pages_table_end(draft->pages);
}

/* "3  Ember, yearly electricity data. https://... 2024. CC BY-SA 4.0" */
static void put_sources(struct draft *draft)
{
    const struct answer *answer = draft->answer;

    pages_heading(draft->pages, tell(draft, "Sources"));
    for (int i = 0; i < answer->cited_count; i++) {
        const struct cited *c = &answer->cited[i];
        char line[CELL_BYTE_MAX], day[11];
        snprintf(line, sizeof line, "[%d] %s. %s%s%s. %s", i + 1,
                 c->source->title, c->source->address,
                 *c->source->address ? ", " : "", cited_date(c, day),
                 c->source->licence);
        pages_say(draft->pages, PAGES_TINY, line);
    }
    pages_space(draft->pages, 4);
}

/* --- formulas ------------------------------------------------------------- */

static int formula_counts(const struct draft *draft,
                          const struct formula *formula)
{
    const struct study *study = &draft->answer->study;

    for (int i = 0; i < study->option_count; i++)
        if (*formula->kind == 'B' ||
            (*formula->kind == 'O') == (study->option[i].kind == KIND_OWN))
            return 1;
    return 0;
}

static void put_formulas(struct draft *draft)
{
    pages_heading(draft->pages, tell(draft, "Every formula"));
    pages_say(draft->pages, PAGES_TINY, tell(draft,
        "As the program calculates them, in this order; PREV is the month "
        "before. The present value is the sum of the months' flows, each over "
        "(1 + discount_frac) to the power of its years."));
    pages_space(draft->pages, 3);
    for (int i = 0; i < formula_count; i++) {
        const struct formula *f = &formula_table[i];
        char line[CELL_BYTE_MAX];
        if (!formula_counts(draft, f))
            continue;
        snprintf(line, sizeof line, "%s: %s = %s", tell(draft, f->label),
                 f->name, f->text);
        pages_say(draft->pages, PAGES_FORMULA, line);
    }
}

/* --- the report ----------------------------------------------------------- */

/* Where the money goes, and energy with carbon: beside each other while
   there is room for the options. */
static void put_details(struct draft *draft)
{
    int beside = draft->answer->study.option_count <= 2;

    pages_flow(draft->pages, beside ? 2 : 1);
    pages_heading(draft->pages, tell(draft, section_title[SECTION_ITEMS]));
    put_sections(draft, SECTION_MACHINES, SECTION_ITEMS);
    if (beside)
        pages_next_column(draft->pages);
    pages_heading(draft->pages, tell(draft, section_title[SECTION_ENERGY]));
    put_sections(draft, SECTION_ENERGY, SECTION_ENERGY);
    pages_heading(draft->pages, tell(draft, section_title[SECTION_CARBON]));
    put_sections(draft, SECTION_CARBON, SECTION_CARBON);
    pages_flow(draft->pages, 1);
}

static void put_all(struct draft *draft, const char *link)
{
    put_title(draft);
    put_figure(draft, FIGURE_CUMULATIVE, 0.9, FIGURE_PIXELS);
    pages_heading(draft->pages, tell(draft, section_title[SECTION_COST]));
    put_sections(draft, SECTION_COST, SECTION_COST);
    put_pairs(draft);
    pages_new_page(draft->pages);
    put_details(draft);
    put_figure(draft, FIGURE_TORNADO, 0.86, FIGURE_PIXELS);
    put_uncertainty(draft);
    put_warnings(draft);
    pages_need(draft->pages, 260);
    pages_flow(draft->pages, draft->answer->study.option_count <= 2 ? 2 : 1);
    put_inputs(draft);
    if (draft->answer->study.option_count > 2)
        pages_flow(draft->pages, 2);
    put_sources(draft);
    put_formulas(draft);
    pages_heading(draft->pages, tell(draft, "The same answer again"));
    pages_say(draft->pages, PAGES_TINY, link);
    pages_flow(draft->pages, 1);
}

/* Writes it once. `pages` 0 when their number is not known yet; returns it,
   or -1. */
static int write_pages(const struct answer *answer, const char *link,
                       int pages, struct text *out)
{
    char day[11], footer[LINK_BYTE_MAX];
    struct draft draft = { .answer = answer };
    struct pages_setup setup = {
        .title = *answer->study.label ? answer->study.label
                 : say(answer->study.zh, "GPUs: own or rent"),
        .day = day, .footer = footer, .link = *answer->base_url ? link : "",
        .page_words = say(answer->study.zh, "page"),
        .of_words = say(answer->study.zh, "of"),
        .zh = answer->study.zh, .page_count = pages,
    };

    day_print(day, answer->study.as_of_day);
    snprintf(footer, sizeof footer, "%s \xC2\xB7 %s", day, link);
    draft.pages = pages_open(&setup, out);
    if (!draft.pages)
        return -1;
    text_init(&draft.piece, PIECE_BYTE_MAX);
    put_all(&draft, link);
    text_free(&draft.piece);
    return pages_close(draft.pages);
}

int out_pdf(const struct answer *answer, struct text *out)
{
    struct text link, draft;
    int pages;

    text_init(&link, PIECE_BYTE_MAX);
    text_init(&draft, PDF_BYTE_MAX);
    text_str(&link, answer->base_url);
    text_str(&link, "/compare?");
    answer_query(answer, &link);
    pages = write_pages(answer, held(&link), 0, &draft);
    text_free(&draft);
    if (pages > 0)
        pages = write_pages(answer, held(&link), pages, out);
    text_free(&link);
    return pages > 0 ? 0 : -1;
}
