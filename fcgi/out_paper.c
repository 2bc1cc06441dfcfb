/* out_paper.c: which headings, paragraphs and tables an answer is told in.
   How they are written is paper.c's. */
#include "fcgi/out_paper.h"

#include <string.h>

#include "fcgi/out_grant.h"
#include "fcgi/report.h"
#include "fcgi/say.h"
#include "fcgi/sentence.h"
#include "fcgi/shown.h"
#include "fcgi/tex.h"
#include "pricing/num.h"

enum { PIECE_BYTE_MAX = 64 * 1024, BODY_BYTE_MAX = 4 * 1024 * 1024 };

static const char *held(const struct text *text)
{
    return text->at ? text->at : "";
}

static const char *tell(const struct answer *answer, const char *english)
{
    return say(answer->study.zh, english);
}

/* --- tables ------------------------------------------------------- */

static void put_label(const struct answer *answer,
                      const struct report_row *row, struct paper *paper)
{
    struct text cell;
    char unit[64];

    text_init(&cell, PIECE_BYTE_MAX);
    text_str(&cell, tell(answer, row->label));
    if (*row->unit && *row->unit != '/') {
        say_unit(answer->study.zh, row->unit, unit, sizeof unit);
        text_str(&cell, ", ");
        text_str(&cell, unit);
    }
    paper_cell(paper, held(&cell));
    text_free(&cell);
}

static void put_row(const struct answer *answer, const struct report_row *row,
                    int columns, struct paper *paper)
{
    struct text cell;
    char unit[64];

    put_label(answer, row, paper);
    text_init(&cell, PIECE_BYTE_MAX);
    for (int k = 0; k < columns; k++) {
        text_reset(&cell);
        report_value(answer, row, k, &cell);
        if (*row->unit == '/' && report_has(row, k)) {
            say_unit(answer->study.zh, row->unit, unit, sizeof unit);
            text_str(&cell, unit);
        }
        paper_cell(paper, held(&cell));
    }
    text_free(&cell);
}

static void put_options(const struct answer *answer, struct paper *paper)
{
    struct text item;

    text_init(&item, PIECE_BYTE_MAX);
    for (int i = 0; i < answer->study.option_count; i++) {
        text_reset(&item);
        text_char(&item, (char)('a' + i));
        text_str(&item, ": ");
        text_str(&item, tell(answer, answer->study.option[i].kind == KIND_OWN
                                     ? "own" : "rent"));
        text_str(&item, ", ");
        text_str(&item, answer_label(answer, i));
        paper_item(paper, held(&item), "");
    }
    text_free(&item);
}

static void put_section(const struct answer *answer,
                        const struct report *report, int section,
                        struct paper *paper)
{
    int count = answer->study.option_count, any = 0;

    for (int i = 0; i < report->count; i++) {
        if ((int)report->row[i].section != section)
            continue;
        if (!any++) {
            char letter[2] = { 0, 0 };
            paper_table(paper, "", count + 1);
            paper->caption = tell(answer, section_title[section]);
            paper_cell(paper, tell(answer, "Option"));
            for (int k = 0; k < count; k++) {
                letter[0] = (char)('a' + k);
                paper_cell(paper, letter);
            }
        }
        put_row(answer, &report->row[i], count, paper);
    }
    if (any)
        paper_table_end(paper);
}

static void put_pairs(const struct answer *answer, struct paper *paper)
{
    struct report report;
    int count = answer->verdict.count;

    if (!count)
        return;
    report_pairs(answer, &report);
    paper_table(paper, tell(answer, "Break-even"), count + 1);
    paper_cell(paper, tell(answer, "Pair"));
    for (int i = 0; i < count; i++) {
        char head[] = "a, b";
        head[0] = (char)('a' + answer->verdict.pair[i].a);
        head[3] = (char)('a' + answer->verdict.pair[i].b);
        paper_cell(paper, head);
    }
    for (int i = 0; i < report.count; i++)
        put_row(answer, &report.row[i], count, paper);
    paper_table_end(paper);
}

void paper_rows(const struct answer *answer, struct paper *paper)
{
    struct report report;

    put_options(answer, paper);
    report_options(answer, &report);
    for (int section = 0; section < SECTION_COUNT; section++)
        put_section(answer, &report, section, paper);
    put_pairs(answer, paper);
}

/* --- words -------------------------------------------------------- */

void paper_warnings(const struct answer *answer, struct paper *paper)
{
    struct text line;
    int any = 0;

    text_init(&line, PIECE_BYTE_MAX);
    for (int i = 0; i < answer->warnings.count; i++) {
        const struct warning *each = &answer->warnings.warning[i];
        if (!report_warns(each))
            continue;
        if (!any++)
            paper_heading(paper, 2, tell(answer, "Things to know"));
        text_reset(&line);
        if (each->option) {
            text_char(&line, each->option);
            text_char(&line, *each->field ? '.' : ' ');
        }
        text_str(&line, each->field);
        text_str(&line, *each->field ? ": " : "");
        report_warning(answer->study.zh, each, &line);
        paper_item(paper, held(&line), "");
    }
    text_free(&line);
}

void paper_sources(const struct answer *answer, struct paper *paper)
{
    struct text line;
    char day[11];

    text_init(&line, PIECE_BYTE_MAX);
    paper_heading(paper, 2, tell(answer, "Sources"));
    for (int i = 0; i < answer->cited_count; i++) {
        const struct cited *c = &answer->cited[i];
        const char *part[] = { c->source->title, cited_date(c, day),
                               c->source->licence };
        text_reset(&line);
        for (size_t k = 0; k < sizeof part / sizeof *part; k++) {
            text_str(&line, *part[k] && line.byte ? ", " : "");
            text_str(&line, part[k]);
        }
        paper_item(paper, held(&line), c->source->address);
    }
    text_free(&line);
}

static void put_address(const struct answer *answer, struct text *out)
{
    text_str(out, answer->base_url);
    text_str(out, "/compare?");
    answer_query(answer, out);
}

void paper_end(const struct answer *answer, struct paper *paper)
{
    struct text piece;
    char day[11];
    const char *word[3] = { day, MODEL_VERSION, answer->study.currency };

    day_print(day, answer->study.as_of_day);
    text_init(&piece, PIECE_BYTE_MAX);
    paper_fill(&piece, tell(answer, "Prices of {a}, model version {b}, money "
               "in {c}. An estimate, not a quotation."), word, 3);
    paper_paragraph(paper, held(&piece));
    text_reset(&piece);
    put_address(answer, &piece);
    paper_link(paper, tell(answer, "Link to this result"), held(&piece));
    text_free(&piece);
}

static void put_answer(const struct answer *answer, struct paper *paper)
{
    struct text piece;

    if (grant_asked(answer)) {
        out_grant(answer, paper);
        return;
    }
    text_init(&piece, PIECE_BYTE_MAX);
    paper_heading(paper, 1, *answer->study.label ? answer->study.label
                            : tell(answer, "Own the GPUs or rent them?"));
    sentence(answer, &piece);
    paper_paragraph(paper, held(&piece));
    text_free(&piece);
    paper_rows(answer, paper);
    paper_warnings(answer, paper);
    paper_sources(answer, paper);
    paper_end(answer, paper);
}

/* --- Markdown and HTML ---------------------------------------------- */

void out_markdown(const struct answer *answer, struct text *out)
{
    struct paper paper;

    paper_open(&paper, out, PAPER_MARKDOWN, answer->study.zh);
    put_answer(answer, &paper);
    paper_close(&paper);
}

void out_copy(const struct answer *answer, struct text *out)
{
    struct paper paper;
    struct text piece;

    paper_open(&paper, out, PAPER_HTML, answer->study.zh);
    text_init(&piece, PIECE_BYTE_MAX);
    sentence(answer, &piece);
    paper_paragraph(&paper, held(&piece));
    text_free(&piece);
    paper_rows(answer, &paper);
    paper_end(answer, &paper);
    paper_close(&paper);
}

/* --- LaTeX -------------------------------------------------------- */

/* The class is loaded only when no document has been begun: LaTeX makes
   \documentclass an error of its own by then. Rules fall back to \hline. */
static const char tex_open[] =
    "\\expandafter\\ifx\\csname @twoclasseserror\\endcsname\\documentclass\n"
    "\\def\\gputcoend{}%\n"
    "\\else\n";
static const char tex_latin[] =
    "\\documentclass[a4paper]{article}\n"
    "\\IfFileExists{lmodern.sty}{\\usepackage{lmodern}"
    "\\usepackage[T1]{fontenc}}{}\n";
static const char tex_han[] =
    "\\documentclass[a4paper,fontset=fandol]{ctexart}\n";
static const char tex_begin[] =
    "\\usepackage[margin=20mm]{geometry}\n"
    "\\usepackage{booktabs}\n"
    "\\begin{document}\n"
    "\\def\\gputcoend{\\end{document}}%\n"
    "\\fi\n"
    "\\providecommand{\\toprule}{\\hline}%\n"
    "\\providecommand{\\midrule}{\\hline}%\n"
    "\\providecommand{\\bottomrule}{\\hline}%\n";

static void put_comment(const struct answer *answer, int han, struct text *out)
{
    char day[11];

    day_print(day, answer->study.as_of_day);
    text_str(out, "% gputco, model version " MODEL_VERSION ", prices of ");
    text_str(out, day);
    text_str(out, han ? ".\n% Compile with xelatex"
                      : ".\n% Compile with pdflatex, xelatex or lualatex");
    text_str(out, ", or \\input it into a document");
    text_str(out, han ? " that loads ctex.\n" : ".\n");
}

void out_tex(const struct answer *answer, struct text *out)
{
    struct paper paper;
    struct text body;
    int han;

    text_init(&body, BODY_BYTE_MAX);
    paper_open(&paper, &body, PAPER_TEX, answer->study.zh);
    put_answer(answer, &paper);
    paper_close(&paper);
    han = tex_is_han(held(&body));
    put_comment(answer, han, out);
    text_str(out, tex_open);
    text_str(out, han ? tex_han : tex_latin);
    text_str(out, tex_begin);
    text_str(out, held(&body));
    text_str(out, "\\gputcoend\n");
    out->failed |= body.failed;
    text_free(&body);
}
