/* page.c: frame of every page; the start page. */
#include "fcgi/page.h"

#include <stdlib.h>

#include "fcgi/form.h"
#include "fcgi/html.h"

void page_head(struct text *out, const char *title, const char *class)
{
    text_str(out,
        "<!doctype html>\n<html lang=\"en\">\n<head>\n"
        "<meta charset=\"utf-8\">\n<title>");
    html_text(out, title);
    text_str(out, "</title>\n"
        "<meta name=\"viewport\" content=\"width=device-width, "
        "initial-scale=1\">\n"
        "<meta name=\"color-scheme\" content=\"light dark\">\n"
        "<link rel=\"icon\" href=\"" ASSET_ICON "\" type=\"image/svg+xml\">\n"
        "<link rel=\"stylesheet\" href=\"" ASSET_STYLE "\">\n"
        "</head>\n<body>\n"
        "<a class=\"skip\" href=\"#answer\">Skip to the answer</a>\n"
        "<a class=\"skip\" href=\"#form\">Skip to the form</a>\n"
        "<header class=\"top\"><a class=\"brand\" href=\"/\">gputco</a>"
        "<p>Own GPUs or rent them: money, energy and carbon</p></header>\n"
        "<main");
    html_attribute(out, "class", class);
    text_str(out, ">\n");
}

void page_foot(struct text *out)
{
    text_str(out,
        "</main>\n<footer class=\"end\">\n"
        "<p>Every figure is computed from the inputs shown, with their "
        "sources and dates; estimates are marked. No cookies, no scripts of "
        "others, nothing about you is kept.</p>\n"
        "<p><a href=\"/fields.json\">All inputs as JSON</a></p>\n"
        "</footer>\n</body>\n</html>\n");
}

static const struct { const char *title, *query; } cases[] = {
#define CASE(title, query) { title, query },
#include "fcgi/cases.def"
};

static void put_cases(struct text *out)
{
    text_str(out, "<h2>Start from a case</h2>\n<ul class=\"cases\">\n");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        text_str(out, "<li><a href=\"/compare");
        text_str(out, *cases[i].query ? "?" : "");
        html_attr(out, cases[i].query);
        text_str(out, "\">");
        html_text(out, cases[i].title);
        text_str(out, "</a></li>\n");
    }
    text_str(out, "</ul>\n");
}

static void put_welcome(struct text *out)
{
    text_str(out,
        "<section class=\"say\" id=\"answer\">\n"
        "<h1>Buy GPUs, or rent them?</h1>\n"
        "<p class=\"lead\">What the same computing costs over the years when "
        "the machines are yours and when they are a cloud provider\xE2\x80\x99s: "
        "in money, kilowatt-hours and kilograms of CO<sub>2</sub>e, with the "
        "month in which one overtakes the other.</p>\n"
        "<p><a class=\"button\" href=\"/compare\">Show me an example</a></p>\n"
        "</section>\n"
        "<section class=\"rest\">\n");
    put_cases(out);
    text_str(out,
        "<h2>How it works</h2>\n<ol class=\"steps\">\n"
        "<li><b>Say what you know.</b> Everything left empty is filled in "
        "from dated price lists, device tables and grid statistics.</li>\n"
        "<li><b>Get one sentence</b> that says which is cheaper and from "
        "when on, and the table behind it.</li>\n"
        "<li><b>Check it.</b> Each number says where it comes from and of "
        "which day it is; the link brings the same result back.</li>\n"
        "</ol>\n</section>\n");
}

void out_site_index(const struct world *world, struct text *out)
{
    struct answer *answer = malloc(sizeof *answer);
    struct input *input = malloc(sizeof *input);

    if (!answer || !input) {
        out->failed = 1;
    } else {
        input_init(input);
        input_keys(input, ON_COMPARE);
        answer_run(answer, input, world, "");
        page_head(out, "Buy GPUs, or rent them? \xE2\x80\x93 gputco", "start");
        put_welcome(out);
        form_write(answer, FORM_FRESH, out);
        page_foot(out);
    }
    free(input);
    free(answer);
}
