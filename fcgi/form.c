/* form.c: controls of the study, filled with what was typed. Each option is
   a card; what few people change is folded away. */
#include "fcgi/form.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "energy/device.h"
#include "energy/zone.h"
#include "fcgi/html.h"
#include "fcgi/lists.h"
#include "fcgi/say.h"
#include "fcgi/shown.h"
#include "fcgi/words.h"
#include "pricing/resolve.h"

enum { KEY_ROOM = 48 };

struct form {
    const struct answer *answer;
    enum form_state state;
    int is_short;                   /* long lists hold the chosen one only */
    struct text *out;
    unsigned char taken[ENTRY_MAX]; /* entries that a control shows */
};

const char *const group_title[GROUP_COUNT] = {
    "Work", "Machine", "Power", "Place", "Carbon and water",
    "Money, tax and day", "Purchase", "Running costs", "Rental"
};

/* What stands open in an option's card, in this order. */
static const int open_own[] = { F_gpu, F_gpu_count, F_machine_count, F_server,
                                F_zone, F_site };
static const int open_rent[] = { F_rent_discount_frac };
/* What the declaration or the list of offers decides. */
static const int offer_fields[] = { F_provider, F_instance, F_region, F_term,
                                    F_payment };

static const char *tell(const struct form *form, const char *english)
{
    return say(form->answer->study.zh, english);
}

#define COUNT(list) (sizeof(list) / sizeof *(list))

static int among(int field, const int *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (list[i] == field)
            return 1;
    return 0;
}

/* --- what was typed ------------------------------------------------------- */

/* The declaration with segments of an option, or NULL. */
static const struct entry *declaration(const struct input *input, char letter)
{
    for (int i = 0; i < input->entry_count; i++) {
        const struct entry *each = &input->entry[i];
        if (each->key_length == 1 && each->key[0] == letter)
            return strchr(each->value, '/') ? each : NULL;
    }
    return NULL;
}

static int has_segment(const char *text, const char *segment)
{
    size_t length = strlen(segment);

    for (;;) {
        size_t each = strcspn(text, "/");
        if (each == length && memcmp(text, segment, each) == 0)
            return 1;
        if (!text[each])
            return 0;
        text += each + 1;
    }
}

static int is_declarable(int field)
{
    return among(field, offer_fields, COUNT(offer_fields)) ||
           field == F_gpu || field == F_gpu_count ||
           field == F_machine_count || field == F_server;
}

/* 1 if the entry is a declaration's segment and not typed as a key of its
   own: "b.region" out of "b=rent/aws/...". */
static int is_segment(const struct input *input, const struct entry *entry)
{
    const struct entry *whole;
    int field;

    if (entry->key_length < 3 || entry->key[1] != '.')
        return 0;
    field = field_find(entry->key + 2, entry->key_length - 2);
    whole = declaration(input, entry->key[0]);
    return field >= 0 && is_declarable(field) && whole && whole < entry &&
           has_segment(whole->value, entry->value);
}

/* The value typed for a key, or NULL. */
static const char *take(struct form *form, const char *key)
{
    const struct input *input = form->answer->input;

    for (int i = 0; i < input->entry_count; i++) {
        const struct entry *each = &input->entry[i];
        if (strcmp(each->key, key) != 0 || form->taken[i] ||
            is_segment(input, each))
            continue;
        form->taken[i] = 1;
        return each->value;
    }
    return NULL;
}

static int is_typed(const struct form *form, const char *key)
{
    const struct input *input = form->answer->input;

    for (int i = 0; i < input->entry_count; i++)
        if (strcmp(input->entry[i].key, key) == 0 &&
            input->entry[i].value_length > 0 &&
            !is_segment(input, &input->entry[i]))
            return 1;
    return 0;
}

const char *form_key(const struct answer *answer, const char *key,
                     char letter[2])
{
    const struct input *input = answer->input;

    for (int i = 0; i < input->entry_count; i++)
        if (strcmp(input->entry[i].key, key) == 0 &&
            is_segment(input, &input->entry[i])) {
            letter[0] = key[0];
            letter[1] = '\0';
            return letter;
        }
    return key;
}

static int stands_at(const struct form *form, int problem, const char *key)
{
    const struct problem *each = &form->answer->input->problems.problem[problem];
    char letter[2];

    return form->state == FORM_BROKEN &&
           strcmp(form_key(form->answer, each->field, letter), key) == 0;
}

/* 1 if an entry before this one has its key: the control shows that one. */
static int is_repeat(const struct input *input, int entry)
{
    for (int i = 0; i < entry; i++)
        if (strcmp(input->entry[i].key, input->entry[entry].key) == 0)
            return 1;
    return 0;
}

static int has_problem(const struct form *form, const char *key)
{
    for (int i = 0; i < form->answer->input->problems.count; i++)
        if (stands_at(form, i, key))
            return 1;
    return 0;
}

/* --- one control ------------------------------------------------------------ */

void form_id(const char *key, struct text *out)
{
    text_str(out, "f-");
    html_attr(out, key);
}

static void put_id(struct text *out, const char *attribute, const char *prefix,
                   const char *key)
{
    text_char(out, ' ');
    text_str(out, attribute);
    text_str(out, "=\"");
    text_str(out, prefix);
    html_attr(out, key);
    text_char(out, '"');
}

struct control {
    const char *key, *label, *help;
    const char *placeholder;
    const char *mode;      /* inputmode */
    const char *list;      /* datalist, or NULL */
    const char *slider;    /* ends of a slider that a script may add, or NULL */
};

static void put_mark(struct form *form, const char *class, const char *words)
{
    text_str(form->out, " ");
    html_element(form->out, "span", class, words);
}

static void put_errors(struct form *form, const char *key)
{
    struct text words;
    int first = 1;

    if (!has_problem(form, key))
        return;
    text_str(form->out, "<p class=\"error\"");
    put_id(form->out, "id", "e-", key);
    text_char(form->out, '>');
    for (int i = 0; i < form->answer->input->problems.count; i++) {
        if (!stands_at(form, i, key))
            continue;
        text_init(&words, 4096);
        problem_words(&form->answer->input->problems.problem[i],
                      form->answer->study.zh, &words);
        text_str(form->out, first ? "" : ". ");
        html_text_of(form->out, &words);
        text_free(&words);
        first = 0;
    }
    text_str(form->out, "</p>\n");
}

/* Label, mark, hint and messages: what stands before the control. mark and
   unit may be "". */
static void control_open(struct form *form, const struct control *c,
                         const char *unit, const char *mark,
                         const char *mark_class)
{
    struct text *out = form->out;

    text_str(out, has_problem(form, c->key) ? "<div class=\"field bad\">\n"
                                            : "<div class=\"field\">\n");
    text_str(out, "<label");
    put_id(out, "for", "f-", c->key);
    text_char(out, '>');
    html_text(out, tell(form, c->label));
    if (*unit) {
        char said[64];
        say_unit(form->answer->study.zh, unit, said, sizeof said);
        put_mark(form, "unit", said);
    }
    text_str(out, "</label>");
    if (*mark)
        put_mark(form, mark_class, tell(form, mark));
    text_char(out, '\n');
    if (*c->help) {
        text_str(out, "<p class=\"hint\"");
        put_id(out, "id", "h-", c->key);
        text_char(out, '>');
        html_text(out, tell(form, c->help));
        text_str(out, "</p>\n");
    }
    put_errors(form, c->key);
}

/* id, name and what describes the control. */
static void control_attributes(struct form *form, const struct control *c)
{
    struct text *out = form->out;
    int bad = has_problem(form, c->key);

    put_id(out, "id", "f-", c->key);
    html_attribute(out, "name", c->key);
    if (*c->help || bad) {
        text_str(out, " aria-describedby=\"");
        if (*c->help) {
            text_str(out, "h-");
            html_attr(out, c->key);
        }
        if (bad) {
            text_str(out, *c->help ? " e-" : "e-");
            html_attr(out, c->key);
        }
        text_char(out, '"');
    }
    if (bad)
        text_str(out, " aria-invalid=\"true\"");
}

static void put_input(struct form *form, const struct control *c,
                      const char *typed)
{
    struct text *out = form->out;

    text_str(out, "<input type=\"text\"");
    control_attributes(form, c);
    html_attribute(out, "value", typed ? typed : "");
    if (c->placeholder && *c->placeholder)
        html_attribute(out, "placeholder", c->placeholder);
    html_attribute(out, "inputmode", c->mode);
    if (c->slider)
        html_attribute(out, "data-slider", c->slider);
    if (c->list)
        html_attribute(out, "list", c->list);
    text_str(out, " autocomplete=\"off\" spellcheck=\"false\">\n</div>\n");
}

static void select_open(struct form *form, const struct control *c,
                        const char *value, const char *label)
{
    text_str(form->out, "<select");
    control_attributes(form, c);
    if (c->list)
        html_attribute(form->out, "data-list", c->list);
    text_str(form->out, ">\n");
    list_option(form->out, value, label, NULL);
}

/* What was typed and is in no list is kept all the same. */
static void select_close(struct form *form, const char *typed, int found)
{
    if (typed && *typed && !found)
        list_option(form->out, typed, "", typed);
    text_str(form->out, "</select>\n</div>\n");
}

/* --- a field of the table ------------------------------------------------------ */

/* What an empty control stands for. */
static void put_preset(const struct form *form, int option, int f,
                       struct text *out)
{
    const struct option *o = &form->answer->study.option[option];
    const struct field *field = &field_table[f];

    if (form->state == FORM_ANSWERED && o->typed[f] <= TYPED_PLAIN) {
        shown_typed(out, o, f);
    } else if (*field->text) {
        text_str(out, field->text);
    } else if (isfinite(field->preset) && !unit_table[field->unit].money) {
        struct option preset;
        preset.value[f] = field->preset;
        shown_typed(out, &preset, f);
    } else if (f == F_machine_count) {
        text_str(out, option == 0 ? "1" : tell(form, "as many as needed"));
    } else {
        text_str(out, tell(form, "filled in"));
    }
}

/* Where the value used comes from. */
static const char *mark_of(const struct form *form, int option, int f,
                           const char **class)
{
    const struct option *o = &form->answer->study.option[option];

    *class = "mark";
    if (form->state != FORM_ANSWERED)
        return "";
    if (o->typed[f]) {
        *class = "mark typed";
        return "typed";
    }
    if (o->origin[f].estimate) {
        *class = "mark estimate";
        return "estimate";
    }
    return origin_name[o->origin[f].kind];
}

static int put_list(struct form *form, int f, const char *typed)
{
    const struct answer *answer = form->answer;
    int day = answer->study.as_of_day;

    if (field_table[f].type == FIELD_CHOICE)
        return list_choices(form->out, answer->study.zh, field_table[f].choices,
                            typed);
    if (f == F_gpu)
        return list_gpus(form->out, answer->study.zh, day, typed);
    if (f == F_server)
        return list_servers(form->out, answer->study.zh, day, typed);
    if (f == F_zone)
        return list_zones(form->out, typed);
    return list_currencies(form->out, answer->world->rates, typed);
}

static int is_select(int f)
{
    return field_table[f].type == FIELD_CHOICE || f == F_gpu ||
           f == F_server || f == F_zone || f == F_currency;
}

/* What people call the value of an empty select. */
static const char *preset_name(const struct form *form, int f,
                               const char *preset)
{
    if (f == F_gpu && gpu_find(preset))
        return gpu_find(preset)->name;
    if (f == F_zone && zone_find(preset))
        return zone_find(preset)->name;
    if (strcmp(preset, tell(form, "filled in")) == 0)
        return tell(form, "as usual");
    return preset;
}

static void put_select(struct form *form, const struct control *c, int f,
                       const char *preset)
{
    const char *typed = take(form, c->key);
    char name[160], label[240];

    snprintf(name, sizeof name, "%s", preset_name(form, f, preset));
    for (char *at = name; *at; at++)
        if (*at == '_')
            *at = ' ';
    if (strcmp(preset, "none") == 0)
        snprintf(label, sizeof label, "%s", tell(form, "none"));
    else
        snprintf(label, sizeof label, "%s (%s)", tell(form, name),
                 tell(form, "preset"));
    select_open(form, c, "", label);
    select_close(form, typed, form->is_short && c->list
                              ? 0 : put_list(form, f, typed));
}

/* The datalist of a text field, or what a long list holds. */
static const char *datalist_of(int f)
{
    switch (f) {
    case F_provider: return "providers";
    case F_instance: return "instances";
    case F_gpu: case F_server: case F_zone: case F_currency:
        return field_table[f].name;
    default: break;
    }
    return NULL;
}

/* Shares, and what moves a lot; a slider stands only beside its field. */
static const char *slider_of(int f)
{
    static const struct { int field; const char *ends; } table[] = {
        { F_horizon_year, "1 10 0.5" }, { F_busy_frac, "0 100 1 %" },
        { F_pue_ratio, "1 2.5 0.01" }, { F_rent_discount_frac, "0 90 1 %" },
        { F_gpu_load_frac, "30 100 1 %" }, { F_discount_frac, "0 25 0.5 %" },
    };

    for (size_t i = 0; i < COUNT(table); i++)
        if (table[i].field == f)
            return table[i].ends;
    return NULL;
}

static void put_field(struct form *form, int option, int f, const char *key)
{
    const struct field *field = &field_table[f];
    const char *class, *mark = mark_of(form, option, f, &class);
    struct control c = { key, field->label, field->help, "", "text",
                         datalist_of(f), slider_of(f) };
    struct text preset, unit;

    text_init(&preset, 1024);
    text_init(&unit, 1024);
    put_preset(form, option, f, &preset);
    shown_unit(&unit, &form->answer->study, f);
    if (field->type == FIELD_NUMBER)
        c.mode = "decimal";
    else if (field->type == FIELD_WHOLE)
        c.mode = "numeric";
    c.placeholder = f == F_as_of && form->state != FORM_ANSWERED
                  ? tell(form, "today, or YYYY-MM-DD") : preset.at ? preset.at : "";
    control_open(form, &c, unit.at ? unit.at : "", mark, class);
    if (is_select(f))
        put_select(form, &c, f, c.placeholder);
    else
        put_input(form, &c, take(form, key));
    text_free(&preset);
    text_free(&unit);
}

static void option_key(int option, const char *name, char key[KEY_ROOM])
{
    snprintf(key, KEY_ROOM, "%c.%s", 'a' + option, name);
}

/* A value typed for all options stands in the card of the first that takes
   it and has none of its own, under its plain key. */
static int is_plain_here(const struct form *form, int option, int f)
{
    const struct study *study = &form->answer->study;
    char key[KEY_ROOM];

    option_key(option, field_table[f].name, key);
    if (!is_typed(form, field_table[f].name) || is_typed(form, key) ||
        !option_has(option, study->option[option].kind, f))
        return 0;
    for (int i = 0; i < option; i++)
        if (is_plain_here(form, i, f))
            return 0;
    return 1;
}

/* The key under which an option's card shows a field. */
static void card_key(const struct form *form, int option, int f,
                     char key[KEY_ROOM])
{
    if (is_plain_here(form, option, f))
        snprintf(key, KEY_ROOM, "%s", field_table[f].name);
    else
        option_key(option, field_table[f].name, key);
}

static void put_option_field(struct form *form, int option, int f)
{
    char key[KEY_ROOM];

    card_key(form, option, f, key);
    put_field(form, option, f, key);
}

/* --- groups ---------------------------------------------------------------------- */

static int wants_attention(const struct form *form, const char *key)
{
    return is_typed(form, key) || has_problem(form, key);
}

static void details_open(struct form *form, const char *title, int open)
{
    text_str(form->out, open ? "<details open>\n<summary>"
                             : "<details>\n<summary>");
    html_text(form->out, tell(form, title));
    text_str(form->out, "</summary>\n");
}

static void details_close(struct form *form)
{
    text_str(form->out, "</details>\n");
}

/* A shared group, all of it. */
static void put_shared(struct form *form, enum group group)
{
    for (int f = 0; f < FIELD_COUNT; f++)
        if (field_table[f].applies == APPLIES_SHARED &&
            field_table[f].group == group)
            put_field(form, 0, f, field_table[f].name);
}

static int shared_open(const struct form *form, enum group group)
{
    for (int f = 0; f < FIELD_COUNT; f++)
        if (field_table[f].applies == APPLIES_SHARED &&
            field_table[f].group == group &&
            wants_attention(form, field_table[f].name))
            return 1;
    return 0;
}

static int is_folded(const struct form *form, int option, int f,
                     enum group group)
{
    enum kind kind = form->answer->study.option[option].kind;

    if (field_table[f].applies == APPLIES_SHARED ||
        field_table[f].group != group || !option_has(option, kind, f))
        return 0;
    if (kind == KIND_OWN)
        return !among(f, open_own, COUNT(open_own));
    return !among(f, open_rent, COUNT(open_rent)) &&
           !among(f, offer_fields, COUNT(offer_fields)) &&
           f != F_gpu && f != F_gpu_count;
}

static void put_folded(struct form *form, int option, enum group group)
{
    char key[KEY_ROOM];
    int any = 0, open = 0;

    for (int f = 0; f < FIELD_COUNT; f++)
        if (is_folded(form, option, f, group)) {
            card_key(form, option, f, key);
            any = 1;
            open |= wants_attention(form, key);
        }
    if (!any)
        return;
    details_open(form, group_title[group], open);
    for (int f = 0; f < FIELD_COUNT; f++)
        if (is_folded(form, option, f, group))
            put_option_field(form, option, f);
    details_close(form);
}

/* --- options ------------------------------------------------------------------------ */

/* Parts of a declaration, 0 without one. */
static int segment_count(const struct entry *declared)
{
    int count = declared != NULL;

    for (const char *at = declared ? declared->value : ""; *at; at++)
        count += *at == '/';
    return count;
}

/* 1 if the declaration says how many machines there are. */
static int declares_machines(const struct entry *declared)
{
    char server[NAME_BYTE_MAX];
    const char *from = declared ? strchr(declared->value, '/') : NULL;

    if (!from)
        return 0;
    snprintf(server, sizeof server, "%.*s", (int)strcspn(from + 1, "/"),
             from + 1);
    return segment_count(declared) > (server_find(server) ? 2 : 3);
}

/* What an option is: its kind alone, something to buy or an offer. The one
   list serves new options, too: for them, first comes "none". */
static void put_kind(struct form *form, int option, const char *label)
{
    const struct answer *answer = form->answer;
    char key[2] = { (char)('a' + option), '\0' };
    struct control c = { .key = key, .label = label, .help = "",
                         .list = "machines" };
    const char *typed = NULL;
    int day = answer->study.as_of_day, found = 0;
    int is_new = option >= answer->study.option_count;

    control_open(form, &c, "", "", "");
    typed = take(form, key);
    select_open(form, &c, "", tell(form, is_new ? "none" : option == 0
                                   ? "own (preset)" : option == 1
                                   ? "rent (preset)" : "leave out"));
    if (form->is_short) {
        select_close(form, typed, 0);
        return;
    }
    found |= list_option(form->out, "own",
                         tell(form, "own: as typed below"), typed);
    found |= list_option(form->out, "rent",
                         tell(form, "rent: as typed below"), typed);
    list_group(form->out, tell(form, "Own"));
    found |= list_machines(form->out, day, typed);
    list_group(form->out, NULL);
    found |= list_offers(form->out, answer->world->prices, day, 1,
                         tell(form, "Rent"), typed);
    select_close(form, typed, found);
}

static void put_own(struct form *form, int option)
{
    const struct entry *declared = declaration(form->answer->input,
                                               (char)('a' + option));

    for (size_t i = 0; i < COUNT(open_own); i++)
        if (!declared || !is_declarable(open_own[i]) ||
            (open_own[i] == F_machine_count && !declares_machines(declared)))
            put_option_field(form, option, open_own[i]);
}

static void put_exact_offer(struct form *form, int option)
{
    char key[KEY_ROOM];
    int open = 0;

    for (size_t i = 0; i < COUNT(offer_fields); i++) {
        card_key(form, option, offer_fields[i], key);
        open |= wants_attention(form, key);
    }
    details_open(form, "Offer, region and term", open);
    for (size_t i = 0; i < COUNT(offer_fields); i++)
        put_option_field(form, option, offer_fields[i]);
    details_close(form);
}

static void put_rent(struct form *form, int option)
{
    if (!declaration(form->answer->input, (char)('a' + option)))
        put_exact_offer(form, option);
    for (size_t i = 0; i < COUNT(open_rent); i++)
        put_option_field(form, option, open_rent[i]);
}

static void put_name(struct form *form, const char *key, const char *label,
                     const char *help)
{
    struct control c = { key, label, help, "", "text", NULL, NULL };

    control_open(form, &c, "", "", "");
    put_input(form, &c, take(form, key));
}

/* The same study with an option more, or less. */
static void put_variant(struct form *form, const char *words,
                        const int *order, int count, int option)
{
    struct text address;
    char label[80];

    text_init(&address, 64 * 1024);
    text_str(&address, "/compare?");
    answer_query_of(form->answer, order, count, &address);
    text_str(form->out, "<a class=\"act\"");
    html_attribute(form->out, "href", address.at ? address.at : "");
    snprintf(label, sizeof label, "%s: %c", tell(form, words), 'a' + option);
    html_attribute(form->out, "aria-label", label);
    text_char(form->out, '>');
    html_text(form->out, tell(form, words));
    text_str(form->out, "</a>");
    text_free(&address);
}

static void put_acts(struct form *form, int option)
{
    int order[OPTION_MAX], count = form->answer->study.option_count, kept = 0;

    if (form->state != FORM_ANSWERED)
        return;
    text_str(form->out, "<p class=\"acts\">");
    for (int i = 0; i < count; i++)
        order[i] = i;
    if (count < OPTION_MAX) {
        order[count] = option;
        put_variant(form, "Copy", order, count + 1, option);
    }
    for (int i = 0; i < count; i++)
        if (i != option)
            order[kept++] = i;
    if (count > 2)
        put_variant(form, "Remove", order, kept, option);
    text_str(form->out, "</p>\n");
}

static void put_option(struct form *form, int option)
{
    int own = form->answer->study.option[option].kind == KIND_OWN;
    char key[KEY_ROOM], letter[2] = { (char)('a' + option), '\0' };

    text_str(form->out, own ? "<fieldset class=\"card own\">\n<legend>"
                            : "<fieldset class=\"card rent\">\n<legend>");
    html_element(form->out, "span", "letter", letter);
    html_text(form->out, form->state == FORM_ANSWERED
              ? answer_label(form->answer, option)
              : tell(form, own ? "Own" : "Rent"));
    text_str(form->out, "</legend>\n");
    put_acts(form, option);
    put_kind(form, option, "Machine or offer");
    if (own)
        put_own(form, option);
    else
        put_rent(form, option);
    for (int group = 0; group < GROUP_COUNT; group++)
        put_folded(form, option, (enum group)group);
    option_key(option, "label", key);
    details_open(form, "Name", wants_attention(form, key));
    put_name(form, key, "Name of this option", "");
    details_close(form);
    text_str(form->out, "</fieldset>\n");
}

static void put_further_option(struct form *form)
{
    int next = form->answer->study.option_count;

    if (next == OPTION_MAX)
        return;
    text_str(form->out, "<div class=\"card\">\n");
    put_kind(form, next, "Add an option");
    text_str(form->out, "</div>\n");
}

static void put_datalists(struct form *form)
{
    struct text *out = form->out;

    if (form->is_short)
        return;
    text_str(out, "<datalist id=\"providers\">\n");
    list_providers(out);
    text_str(out, "</datalist>\n<datalist id=\"instances\">\n");
    list_instances(out);
    text_str(out, "</datalist>\n");
}

/* --- what has no control of its own ---------------------------------------------------- */

static void legend_open(struct form *form, const char *english)
{
    text_str(form->out, "<fieldset class=\"card\">\n");
    html_element(form->out, "legend", NULL, tell(form, english));
    text_char(form->out, '\n');
}

/* Keys typed for every option at once. */
static void put_plain(struct form *form)
{
    const struct input *input = form->answer->input;
    int open = 0;

    for (int i = 0; i < input->entry_count; i++) {
        const struct entry *each = &input->entry[i];
        int field = field_find(each->key, each->key_length);
        if (field < 0 || form->taken[i] || each->value_length == 0 ||
            is_repeat(input, i))
            continue;
        if (!open)
            legend_open(form, "For every option");
        open = 1;
        put_field(form, 0, field, field_table[field].name);
    }
    if (open)
        text_str(form->out, "</fieldset>\n");
}

static void put_hidden(struct form *form, const struct entry *entry)
{
    text_str(form->out, "<input type=\"hidden\"");
    html_attribute(form->out, "name", entry->key);
    html_attribute(form->out, "value", entry->value);
    text_str(form->out, ">\n");
}

/* A key that is wrong in itself cannot be mended, only left out: it is sent
   again only when ticked. */
static void put_tick(struct form *form, int at)
{
    const struct entry *entry = &form->answer->input->entry[at];
    int repeat = is_repeat(form->answer->input, at);
    char key[KEY_ROOM];

    input_echo(key, entry->key, entry->key_length);
    text_str(form->out, "<div class=\"field bad\">\n");
    if (!repeat)
        put_errors(form, key);
    text_str(form->out, "<label class=\"tick\"><input type=\"checkbox\"");
    html_attribute(form->out, "name", entry->key);
    html_attribute(form->out, "value", entry->value);
    if (!repeat) {
        put_id(form->out, "id", "f-", key);
        put_id(form->out, "aria-describedby", "e-", key);
        text_str(form->out, " aria-invalid=\"true\"");
    }
    text_str(form->out, "> ");
    html_text(form->out, tell(form, "keep"));
    text_str(form->out, " <code>");
    html_text(form->out, entry->key);
    text_char(form->out, '=');
    html_text(form->out, entry->value);
    text_str(form->out, "</code></label>\n</div>\n");
}

static void put_leftovers(struct form *form)
{
    const struct input *input = form->answer->input;
    int open = 0;

    for (int i = 0; i < input->entry_count; i++) {
        const struct entry *each = &input->entry[i];
        char key[KEY_ROOM];
        if (form->taken[i] || is_segment(input, each))
            continue;
        input_echo(key, each->key, each->key_length);
        if (each->value_length > 0 && !has_problem(form, key)) {
            put_hidden(form, each);
            continue;
        }
        if (!has_problem(form, key))
            continue;
        if (!open)
            legend_open(form, "Typed, but not understood");
        open = 1;
        put_tick(form, i);
    }
    if (open)
        text_str(form->out, "</fieldset>\n");
}

/* --- the whole form ----------------------------------------------------------------------- */

static void write_form(const struct answer *answer, enum form_state state,
                       int is_short, struct text *out)
{
    struct form form = { answer, state, is_short, out, { 0 } };

    text_str(out, "<form class=\"form\" id=\"form\" action=\"/compare\" "
                  "method=\"get\" novalidate>\n");
    html_element(out, "h2", NULL, tell(&form, "Your case"));
    html_element(out, "p", "hint",
                 tell(&form, "Leave empty what you do not know."));
    text_char(out, '\n');
    legend_open(&form, "Work");
    put_shared(&form, GROUP_WORK);
    text_str(out, "</fieldset>\n");
    for (int i = 0; i < answer->study.option_count; i++)
        put_option(&form, i);
    put_further_option(&form);
    text_str(out, "<div class=\"card\">\n");
    details_open(&form, group_title[GROUP_MONEY],
                 shared_open(&form, GROUP_MONEY));
    put_shared(&form, GROUP_MONEY);
    details_close(&form);
    details_open(&form, "Carbon price and title",
                 shared_open(&form, GROUP_CARBON) ||
                 wants_attention(&form, "label"));
    put_shared(&form, GROUP_CARBON);
    put_name(&form, "label", "Title of the study", "");
    details_close(&form);
    text_str(out, "</div>\n");
    put_plain(&form);
    put_leftovers(&form);
    put_datalists(&form);
    text_str(out, "<div class=\"go\"><button type=\"submit\">");
    html_text(out, tell(&form, "Compare"));
    text_str(out, answer->study.zh ? "</button><a href=\"/zh/\">"
                                   : "</button><a href=\"/\">");
    html_text(out, tell(&form, "Start afresh"));
    text_str(out, "</a></div>\n</form>\n");
}

void form_write(const struct answer *answer, enum form_state state,
                struct text *out)
{
    write_form(answer, state, 0, out);
}

void form_write_short(const struct answer *answer, enum form_state state,
                      struct text *out)
{
    write_form(answer, state, 1, out);
}
