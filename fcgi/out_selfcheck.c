/* out_selfcheck.c: how far the program is from published runs. */
#include "fcgi/out_selfcheck.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "fcgi/html.h"
#include "fcgi/json.h"
#include "fcgi/page.h"
#include "fcgi/say.h"
#include "fcgi/shown.h"

/* --- JSON ------------------------------------------------------------------- */

static void json_headlines(const struct selfcheck *check, struct text *out)
{
    json_name(out, "headlines");
    text_char(out, '[');
    for (int i = 0; i < check->headline_count; i++) {
        const struct check_headline *h = &check->headline[i];
        json_next(out);
        text_char(out, '{');
        json_pair_string(out, "kind", check_kind_name[h->kind]);
        json_pair_string(out, "name", h->name);
        json_pair_number(out, "value", h->value);
        json_pair_number(out, "low", h->low);
        json_pair_number(out, "high", h->high);
        json_pair_bool(out, "good", h->good);
        text_char(out, '}');
    }
    text_char(out, ']');
}

static void json_groups(const struct selfcheck *check, struct text *out)
{
    json_name(out, "groups");
    text_char(out, '[');
    for (int i = 0; i < check->group_count; i++) {
        const struct check_group *g = &check->group[i];
        json_next(out);
        text_char(out, '{');
        json_pair_string(out, "kind", check_kind_name[g->kind]);
        json_name(out, "device");
        if (*g->device)
            json_string(out, g->device);
        else
            text_str(out, "null");
        json_pair_number(out, "rows", g->row_count);
        json_pair_number(out, "median", g->median);
        json_pair_number(out, "ninetieth", g->ninetieth);
        json_pair_number(out, "bias", g->bias);
        json_pair_number(out, "mean", g->mean);
        json_pair_number(out, "worst", g->worst);
        json_pair_number(out, "coverage", g->coverage);
        text_char(out, '}');
    }
    text_char(out, ']');
}

void out_selfcheck_json(const struct selfcheck *check, struct text *out)
{
    text_char(out, '{');
    json_pair_bool(out, "good", check->good);
    json_headlines(check, out);
    json_groups(check, out);
    json_name(out, "rows");
    text_char(out, '[');
    for (int i = 0; i < check->row_count; i++) {
        const struct check_row *r = &check->row[i];
        json_next(out);
        text_char(out, '{');
        json_pair_string(out, "kind", check_kind_name[r->kind]);
        json_pair_string(out, "id", r->id);
        json_pair_string(out, "device", r->device);
        json_pair_string(out, "unit", r->unit);
        json_pair_number(out, "published", r->want);
        json_pair_number(out, "computed", r->got);
        json_pair_number(out, "low", r->low);
        json_pair_number(out, "high", r->high);
        json_pair_number(out, "error", r->error);
        json_pair_string(out, "address", r->address);
        text_char(out, '}');
    }
    text_str(out, "]}\n");
}

/* --- text -------------------------------------------------------------------- */

/* "+12.3", "-": percent with one decimal. */
static void percent(char cell[16], double frac, int with_sign)
{
    if (isnan(frac))
        snprintf(cell, 16, "-");
    else
        snprintf(cell, 16, with_sign ? "%+.1f" : "%.1f", 100 * frac);
}

static void text_groups(const struct selfcheck *check, struct text *out)
{
    char line[160], median[16], ninetieth[16], bias[16], coverage[16];

    for (int i = 0; i < check->group_count; i++) {
        const struct check_group *g = &check->group[i];
        if (!*g->device) {
            snprintf(line, sizeof line, "\n%s\n", check_kind_title[g->kind]);
            text_str(out, line);
            snprintf(line, sizeof line, "  %-24s %5s %8s %8s %8s %9s\n", "",
                     "rows", "median", "90th", "bias", "coverage");
            text_str(out, line);
        }
        percent(median, g->median, 0);
        percent(ninetieth, g->ninetieth, 0);
        percent(bias, g->bias, 1);
        percent(coverage, g->coverage, 0);
        snprintf(line, sizeof line, "  %-24s %5d %8s %8s %8s %9s\n",
                 *g->device ? g->device : "all", g->row_count, median,
                 ninetieth, bias, coverage);
        text_str(out, line);
    }
}

void out_selfcheck_text(const struct selfcheck *check, struct text *out)
{
    char line[200], error[16];
    int kind = -1;

    for (int i = 0; i < check->row_count; i++) {
        const struct check_row *r = &check->row[i];
        if ((int)r->kind != kind) {
            kind = (int)r->kind;
            snprintf(line, sizeof line, "%s%s\n", i ? "\n" : "",
                     check_kind_title[kind]);
            text_str(out, line);
        }
        percent(error, r->error, 1);
        snprintf(line, sizeof line, "  %-44.44s %-18s %12.6g %12.6g %8s %%\n",
                 r->id, r->device, r->want, r->got, error);
        text_str(out, line);
    }
    text_groups(check, out);
    text_str(out, "\nHeld within (percent)\n");
    for (int i = 0; i < check->headline_count; i++) {
        const struct check_headline *h = &check->headline[i];
        snprintf(line, sizeof line, "  %-16s %-10s %6.1f  in %.1f to %.1f  %s\n",
                 check_kind_name[h->kind], h->name, 100 * h->value,
                 100 * h->low, 100 * h->high, h->good ? "good" : "OUT OF BAND");
        text_str(out, line);
    }
}

/* --- page --------------------------------------------------------------------- */

static void cell_percent(struct text *out, double frac, int with_sign)
{
    char cell[16];

    percent(cell, frac, with_sign);
    text_str(out, "<td>");
    html_text(out, cell);
    text_str(out, isnan(frac) ? "</td>" : " %</td>");
}

static void heads(struct text *out, int zh, const char *const *names)
{
    text_str(out, "<div class=\"scroll\" tabindex=\"0\"><table><thead><tr>");
    for (; *names; names++)
        html_element(out, "th", NULL, say(zh, *names));
    text_str(out, "</tr></thead><tbody>\n");
}

static void html_groups(const struct selfcheck *check, int kind, int zh,
                        struct text *out)
{
    heads(out, zh, (const char *const[]){ "Device", "Rows", "Median error",
          "90th percentile", "Bias", "Within the 80 % range", NULL });
    for (int i = 0; i < check->group_count; i++) {
        const struct check_group *g = &check->group[i];
        if ((int)g->kind != kind)
            continue;
        text_str(out, "<tr><th scope=\"row\">");
        html_text(out, *g->device ? g->device : say(zh, "all"));
        text_str(out, "</th><td>");
        shown_number(out, g->row_count, 0);
        text_str(out, "</td>");
        cell_percent(out, g->median, 0);
        cell_percent(out, g->ninetieth, 0);
        cell_percent(out, g->bias, 1);
        cell_percent(out, g->coverage, 0);
        text_str(out, "</tr>\n");
    }
    text_str(out, "</tbody></table></div>\n");
}

static void html_rows(const struct selfcheck *check, int kind, int zh,
                      struct text *out)
{
    text_str(out, "<details><summary>");
    html_text(out, say(zh, "Every run"));
    text_str(out, "</summary>\n");
    heads(out, zh, (const char *const[]){ "Run", "Device", "Published",
          "Computed", "80 % range", "Error", NULL });
    for (int i = 0; i < check->row_count; i++) {
        const struct check_row *r = &check->row[i];
        if ((int)r->kind != kind)
            continue;
        text_str(out, "<tr><th scope=\"row\"><a");
        html_attribute(out, "href", r->address);
        text_char(out, '>');
        html_text(out, r->id);
        text_str(out, "</a></th><td>");
        html_text(out, r->device);
        text_str(out, "</td><td>");
        shown_digits(out, r->want, 4);
        text_char(out, ' ');
        html_text(out, r->unit);
        text_str(out, "</td><td>");
        shown_digits(out, r->got, 4);
        text_str(out, "</td><td>");
        if (!isnan(r->low)) {
            shown_digits(out, r->low, 3);
            text_str(out, " \xE2\x80\x93 ");
            shown_digits(out, r->high, 3);
        }
        text_str(out, "</td>");
        cell_percent(out, r->error, 1);
        text_str(out, "</tr>\n");
    }
    text_str(out, "</tbody></table></div></details>\n");
}

void out_selfcheck_html(const struct selfcheck *check, int zh,
                        struct text *out)
{
    page_head(out, zh, say(zh, "Self-check"), "methods", "/methods/selfcheck",
              "/methods/selfcheck?lang=zh");
    html_element(out, "h1", NULL, say(zh, "Against published training runs"));
    html_element(out, "p", NULL, say(zh, "Each published run is computed "
        "again. Hours are predicted by a fit that has not seen the run's "
        "family of models. Sibling runs of one team on one machine differ by "
        "12 %: no estimate that does not know a run's speed does much better. "
        "Some published hours hold more than one pass over the tokens; they "
        "are kept."));
    for (int kind = 0; kind < CHECK_KIND_COUNT; kind++) {
        html_element(out, "h2", NULL, say(zh, check_kind_title[kind]));
        html_groups(check, kind, zh, out);
        html_rows(check, kind, zh, out);
    }
    page_foot(out, zh);
}
