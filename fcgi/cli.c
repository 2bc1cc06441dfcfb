/* cli.c: commands for people and scripts: the same engine, other edges. */
#include "fcgi/cli.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "fcgi/answer.h"
#include "fcgi/book.h"
#include "fcgi/doctor.h"
#include "fcgi/documents.h"
#include "fcgi/out_advise.h"
#include "fcgi/out_bib.h"
#include "fcgi/out_csv.h"
#include "fcgi/out_focus.h"
#include "fcgi/out_html.h"
#include "fcgi/out_json.h"
#include "fcgi/out_power.h"
#include "fcgi/out_power_html.h"
#include "fcgi/out_selfcheck.h"
#include "fcgi/out_paper.h"
#include "fcgi/out_text.h"
#include "fcgi/out_train.h"
#include "fcgi/page.h"
#include "fcgi/power_body.h"
#include "fcgi/sentence.h"
#include "fcgi/table_prices.h"
#include "fcgi/tables.h"
#include "fcgi/sentence.h"
#include "fcgi/words.h"

#define UNWRITTEN __attribute__((uninitialized))

enum { EXIT_GOOD, EXIT_FAULT, EXIT_USAGE, ARGUMENT_MAX = ENTRY_MAX,
       OUTPUT_BYTE_MAX = 32 * 1024 * 1024, PATH_BYTE_MAX = 4096, TABLE_COLUMN_MAX = 32 };

struct cli {
    const struct world *(*world_of)(void);
    const char *base_url;
    const char *format, *file;      /* NULL when not given */
    int whole_count;                /* all arguments after the program's name */
    char **whole;
    char *argument[ARGUMENT_MAX];   /* what is left */
    int count, strict;
};

#define COMMAND(name, arguments, summary) \
    static int command_##name(struct cli *cli);
#include "fcgi/commands.def"

static const struct {
    const char *name, *arguments, *summary;
    int (*run)(struct cli *cli);
} command_table[] = {
#define COMMAND(name, arguments, summary) \
    { #name, arguments, summary, command_##name },
#include "fcgi/commands.def"
};

enum { COMMAND_COUNT = sizeof command_table / sizeof *command_table };

/* As typed: power-log, not power_log. */
static int is_command(const char *typed, const char *name)
{
    for (; *typed && *name; typed++, name++)
        if (*typed != *name && !(*typed == '-' && *name == '_'))
            return 0;
    return *typed == *name;
}

static void usage_line(const char *before, int i, FILE *to)
{
    fprintf(to, "%sgputco ", before);
    for (const char *c = command_table[i].name; *c; c++)
        fputc(*c == '_' ? '-' : *c, to);
    fprintf(to, " %s\n           %s\n", command_table[i].arguments,
            command_table[i].summary);
}

static int usage(FILE *to)
{
    fputs("usage: gputco serve\n", to);
    for (int i = 0; i < COMMAND_COUNT; i++)
        usage_line("       ", i, to);
    return to == stdout ? EXIT_GOOD : EXIT_USAGE;
}

/* --- writing --------------------------------------------------------------- */

static int write_failed(const char *where)
{
    fprintf(stderr, "gputco: cannot write %s: %s\n", where, strerror(errno));
    return EXIT_FAULT;
}

static int write_text(const struct cli *cli, const struct text *text)
{
    FILE *to = cli->file ? fopen(cli->file, "wb") : stdout;
    const char *where = cli->file ? cli->file : "the output";
    size_t done;

    if (text->failed) {
        fputs("gputco: out of memory\n", stderr);
        return EXIT_FAULT;
    }
    if (!to)
        return write_failed(where);
    done = fwrite(text->at, 1, text->byte, to);
    if (done != text->byte || fflush(to) != 0)
        return write_failed(where);
    if (cli->file && fclose(to) != 0)
        return write_failed(where);
    return EXIT_GOOD;
}

/* --- arguments -------------------------------------------------------------- */

/* Takes --format, -o and their forms out; the rest is left for the command.
   0 after a complaint. */
static int read_options(struct cli *cli, int argc, char **argv)
{
    for (int i = 0; i < argc; i++) {
        const char **into = NULL;
        if (strcmp(argv[i], "--format") == 0)
            into = &cli->format;
        else if (strcmp(argv[i], "-o") == 0)
            into = &cli->file;
        if (into && (*into || i + 1 == argc)) {
            fprintf(stderr, "gputco: %s: %s\n", argv[i],
                    *into ? "repeated" : "needs a value");
            return 0;
        }
        if (into) {
            *into = argv[++i];
        } else if (strcmp(argv[i], "--strict") == 0) {
            cli->strict = 1;
        } else if (strncmp(argv[i], "--format=", 9) == 0 && !cli->format) {
            cli->format = argv[i] + 9;
        } else if (cli->count == ARGUMENT_MAX) {
            fputs("gputco: too many arguments\n", stderr);
            return 0;
        } else {
            cli->argument[cli->count++] = argv[i];
        }
    }
    return 1;
}

static int no_arguments(const struct cli *cli)
{
    if (cli->count == 0)
        return 1;
    fprintf(stderr, "gputco: %s: not expected here\n", cli->argument[0]);
    return 0;
}

/* Runs the program of that name from this program's own folder. */
static int run_sibling(const char *name, int count, char **argument)
{
    char path[PATH_BYTE_MAX];
    char *all[ARGUMENT_MAX + 8];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 64);
    char *slash;

    if (length < 0)
        length = 0;
    path[length] = '\0';
    slash = strrchr(path, '/');
    if (!slash || count > ARGUMENT_MAX + 6) {
        fprintf(stderr, "gputco: cannot run %s\n", name);
        return EXIT_FAULT;
    }
    snprintf(slash + 1, 64, "%s", name);
    all[0] = path;
    for (int i = 0; i < count; i++)
        all[i + 1] = argument[i];
    all[count + 1] = NULL;
    execv(path, all);
    fprintf(stderr, "gputco: cannot run %s: %s\n", path, strerror(errno));
    return EXIT_FAULT;
}

/* --- commands ------------------------------------------------------------------ */

static const struct {
    const char *name;
    void (*write)(const struct answer *answer, struct text *out);
} writer_table[] = {
    { "text", out_text }, { "txt", out_text },
    { "json", out_json }, { "html", out_html },
    { "csv", out_csv }, { "focus.csv", out_focus },
    { "md", out_markdown }, { "tex", out_tex }, { "bib", out_bib },
};

static const struct { const char *name; enum format format; }
document_table[] = {
    { "xlsx", FORMAT_XLSX }, { "pdf", FORMAT_PDF }, { "png", FORMAT_PNG },
};

/* The format of that name which gputco-documents writes, or FORMAT_COUNT. */
static enum format find_document(const char *name)
{
    for (size_t i = 0; i < sizeof document_table / sizeof *document_table; i++)
        if (strcmp(document_table[i].name, name) == 0)
            return document_table[i].format;
    return FORMAT_COUNT;
}

static int find_writer(const char *name)
{
    int count = sizeof writer_table / sizeof *writer_table;

    for (int i = 0; i < count; i++)
        if (strcmp(writer_table[i].name, name) == 0)
            return i;
    fprintf(stderr, "gputco: --format %s is not known; it is one of", name);
    for (int i = 0; i < count; i++)
        fprintf(stderr, " %s", writer_table[i].name);
    for (size_t i = 0; i < sizeof document_table / sizeof *document_table; i++)
        fprintf(stderr, " %s", document_table[i].name);
    fputc('\n', stderr);
    return -1;
}

static void print_problems(const struct problems *problems)
{
    for (int i = 0; i < problems->count; i++) {
        const struct problem *p = &problems->problem[i];
        struct text words;
        text_init(&words, 1024);
        problem_words(p, 0, &words);
        fprintf(stderr, "gputco: %s: %s (%s)\n", p->field,
                words.at ? words.at : p->code, p->code);
        text_free(&words);
    }
    if (problems->more)
        fprintf(stderr, "gputco: and %d more\n", problems->more);
}

/* --strict: an answer with old prices is written, and a fault. */
static int check_strict(const struct answer *answer)
{
    if (!sentence_is_warned(answer, -1, "stale_price"))
        return EXIT_GOOD;
    fputs("gputco: --strict: a price is old; see the warnings\n", stderr);
    return EXIT_FAULT;
}

static int command_compare(struct cli *cli)
{
    struct input input UNWRITTEN;
    struct answer answer UNWRITTEN;
    const char *format = cli->format ? cli->format : "text";
    enum format document = find_document(format);
    struct text out;
    int writer = -1, code;

    if (document != FORMAT_COUNT && !(documents.formats >> document & 1))
        return run_sibling("gputco-documents", cli->whole_count, cli->whole);
    if (document == FORMAT_COUNT)
        writer = find_writer(format);
    else if (!cli->file && isatty(STDOUT_FILENO))
        fputs("gputco: -o: needs a file for this format\n", stderr);
    else
        writer = 0;
    input_init(&input);
    input_arguments(&input, cli->count, cli->argument);
    input_keys(&input, ON_COMPARE);
    if (!answer_run(&answer, &input, cli->world_of(), cli->base_url)) {
        print_problems(&input.problems);
        return EXIT_USAGE;
    }
    if (writer < 0)
        return EXIT_USAGE;
    text_init(&out, OUTPUT_BYTE_MAX);
    if (document == FORMAT_COUNT)
        writer_table[writer].write(&answer, &out);
    else
        documents.write(&answer, document, &out);
    code = write_text(cli, &out);
    if (code == EXIT_GOOD && cli->strict)
        code = check_strict(&answer);
    text_free(&out);
    return code;
}

/* Lets config=FILE stand for what the file holds. 0 after a complaint. */
static int read_config_file(struct input *input, char *room, size_t size)
{
    for (int i = 0; i < input->entry_count; i++) {
        struct entry *entry = &input->entry[i];
        FILE *from;
        size_t length;
        if (strcmp(entry->key, "config") != 0 || !entry->value_length)
            continue;
        from = fopen(entry->value, "rb");
        if (!from) {
            fprintf(stderr, "gputco: config: cannot read %s: %s\n",
                    entry->value, strerror(errno));
            return 0;
        }
        length = fread(room, 1, size - 1, from);
        fclose(from);
        room[length] = '\0';
        entry->value = room;
        entry->value_length = length;
        entry->code = length == size - 1 ? "too_long" : NULL;
    }
    return 1;
}

static const struct {
    const char *name;
    void (*write)(const struct train_answer *answer, struct text *out);
} train_writer_table[] = {
    { "text", out_train_text }, { "txt", out_train_text },
    { "json", out_train_json }, { "html", out_train_html },
};

static int command_train(struct cli *cli)
{
    struct input input UNWRITTEN;
    struct train_answer answer UNWRITTEN;
    char config[APP_BODY_BYTE_MAX / 2] UNWRITTEN;
    const char *format = cli->format ? cli->format : "text";
    struct text out;
    size_t writer = 0, count = sizeof train_writer_table /
                               sizeof *train_writer_table;
    int code;

    while (writer < count &&
           strcmp(train_writer_table[writer].name, format) != 0)
        writer++;
    input_init(&input);
    input_arguments(&input, cli->count, cli->argument);
    if (!read_config_file(&input, config, sizeof config))
        return EXIT_USAGE;
    if (!train_run_all(&answer, &input, cli->world_of(), cli->base_url)) {
        print_problems(&input.problems);
        return EXIT_USAGE;
    }
    if (writer == count) {
        fprintf(stderr, "gputco: --format %s is not known; it is one of text "
                "txt json html\n", format);
        return EXIT_USAGE;
    }
    text_init(&out, OUTPUT_BYTE_MAX);
    train_writer_table[writer].write(&answer, &out);
    code = write_text(cli, &out);
    text_free(&out);
    return code;
}

static const struct {
    const char *name;
    void (*write)(const struct advice *advice, struct text *out);
} advise_writer_table[] = {
    { "text", out_advise_text }, { "txt", out_advise_text },
    { "json", out_advise_json }, { "html", out_advise_html },
};

static int command_advise(struct cli *cli)
{
    struct input input UNWRITTEN;
    struct advice advice UNWRITTEN;
    const char *format = cli->format ? cli->format : "text";
    struct text out;
    size_t writer = 0, count = sizeof advise_writer_table /
                               sizeof *advise_writer_table;
    int code;

    while (writer < count &&
           strcmp(advise_writer_table[writer].name, format) != 0)
        writer++;
    input_init(&input);
    input_arguments(&input, cli->count, cli->argument);
    if (!advice_run(&advice, &input, cli->world_of(), cli->base_url)) {
        print_problems(&input.problems);
        return EXIT_USAGE;
    }
    if (writer == count) {
        fprintf(stderr, "gputco: --format %s is not known; it is one of text "
                "txt json html\n", format);
        return EXIT_USAGE;
    }
    text_init(&out, OUTPUT_BYTE_MAX);
    advise_writer_table[writer].write(&advice, &out);
    code = write_text(cli, &out);
    text_free(&out);
    return code;
}

static const struct {
    const char *name;
    void (*write)(const struct power_answer *answer, struct text *out);
} power_writer_table[] = {
    { "text", out_power_text }, { "txt", out_power_text },
    { "json", out_power_json }, { "html", out_power_html },
};

/* Arguments that are files, taken out of those that are keys. "-" is the
   input; a key's own argument stays with it. */
static int take_files(struct cli *cli, char *file[ARGUMENT_MAX])
{
    int files = 0, kept = 0;

    for (int i = 0; i < cli->count; i++) {
        char *argument = cli->argument[i];
        int dashes = strncmp(argument, "--", 2) == 0;
        if (!dashes && !strchr(argument, '=')) {
            file[files++] = argument;
            continue;
        }
        cli->argument[kept++] = argument;
        if (dashes && !strchr(argument, '=') && i + 1 < cli->count)
            cli->argument[kept++] = cli->argument[++i];
    }
    cli->count = kept;
    return files;
}

/* 0 after a complaint. */
static int read_log(struct power_log *log, const char *name)
{
    int input = strcmp(name, "-") == 0, failed;
    FILE *from = input ? stdin : fopen(name, "rb");
    char piece[64 * 1024] UNWRITTEN;
    size_t byte;

    while (from && (byte = fread(piece, 1, sizeof piece, from)) > 0)
        power_log_bytes(log, piece, byte);
    failed = !from || ferror(from);
    if (failed)
        fprintf(stderr, "gputco: cannot read %s: %s\n", name,
                strerror(errno));
    if (from && !input)
        fclose(from);
    return !failed;
}

static int write_power(struct cli *cli, const struct power_answer *answer)
{
    const char *format = cli->format ? cli->format : "text";
    size_t writer = 0, count = sizeof power_writer_table /
                               sizeof *power_writer_table;
    struct text out;
    int code;

    while (writer < count &&
           strcmp(power_writer_table[writer].name, format) != 0)
        writer++;
    if (writer == count) {
        fprintf(stderr, "gputco: --format %s is not known; it is one of text "
                "txt json html\n", format);
        return EXIT_USAGE;
    }
    text_init(&out, OUTPUT_BYTE_MAX);
    power_writer_table[writer].write(answer, &out);
    code = write_text(cli, &out);
    text_free(&out);
    return code;
}

static int complain_of_log(const struct power_answer *answer)
{
    struct text words;

    text_init(&words, OUTPUT_BYTE_MAX);
    out_power_complaint(answer, &words);
    fwrite(words.at ? words.at : "", 1, words.byte, stderr);
    text_free(&words);
    return EXIT_USAGE;
}

static int command_power_log(struct cli *cli)
{
    struct input input UNWRITTEN;
    char *file[ARGUMENT_MAX] UNWRITTEN;
    struct power_answer *answer = power_open();
    int files = take_files(cli, file), code = EXIT_FAULT, read = 1;

    if (!answer) {
        fputs("gputco: out of memory\n", stderr);
        return EXIT_FAULT;
    }
    input_init(&input);
    input_arguments(&input, cli->count, cli->argument);
    power_log_begin(&answer->log, power_body_interval(&input));
    for (int i = 0; read && i < files; i++) {
        if (i > 0)
            power_log_next(&answer->log);
        read = read_log(&answer->log, file[i]);
    }
    if (files == 0) {
        fputs("gputco: power-log: name a file, or - for the input\n", stderr);
        code = EXIT_USAGE;
    } else if (read) {
        power_log_end(&answer->log);
        code = power_run(answer, &input, cli->world_of(), cli->base_url)
             ? write_power(cli, answer) : complain_of_log(answer);
    }
    power_close(answer);
    return code;
}

/* Options of import: name=, --name, --dry-run. 0 after a complaint. */
static int book_options(const struct cli *cli, const char **name, int *dry)
{
    for (int i = 0; i < cli->count; i++) {
        const char *argument = cli->argument[i];
        if (strcmp(argument, "--dry-run") == 0) {
            *dry = 1;
        } else if (strncmp(argument, "name=", 5) == 0) {
            *name = argument + 5;
        } else {
            fprintf(stderr, "gputco: import: %s is no option; there are "
                    "name=BOOK and --dry-run\n", argument);
            return 0;
        }
    }
    return 1;
}

static int command_import(struct cli *cli)
{
    char *file[ARGUMENT_MAX] UNWRITTEN;
    int files = take_files(cli, file), dry = 0, good = 1;
    const char *name = "own";
    struct book *book;
    enum status status = BAD_INPUT;

    if (!book_options(cli, &name, &dry))
        return EXIT_USAGE;
    if (files == 0) {
        fputs("gputco: import: name a file, or - for the input\n", stderr);
        return EXIT_USAGE;
    }
    book = book_open(cli->world_of());
    for (int i = 0; book && i < files; i++) {
        int input = strcmp(file[i], "-") == 0;
        FILE *from = input ? stdin : fopen(file[i], "rb");
        if (!from)
            fprintf(stderr, "gputco: cannot read %s: %s\n", file[i],
                    strerror(errno));
        good &= from && book_read(book, from, file[i], stderr);
        if (from && !input)
            fclose(from);
    }
    if (book && good)
        status = book_keep(book, name, dry, stdout, stderr);
    book_close(book);
    if (fflush(stdout) != 0)
        return write_failed("the output");
    return status == GOOD ? EXIT_GOOD
         : status == BAD_INPUT || status == FEED_REFUSED ? EXIT_USAGE
                                                         : EXIT_FAULT;
}

static int command_doctor(struct cli *cli)
{
    int json = cli->format && strcmp(cli->format, "json") == 0, code, good;
    struct text out;

    if (cli->count > 1 && !no_arguments(cli))
        return EXIT_USAGE;
    if (cli->format && !json && strcmp(cli->format, "text") != 0) {
        fprintf(stderr, "gputco: --format %s is not known; it is one of text "
                "json\n", cli->format);
        return EXIT_USAGE;
    }
    text_init(&out, OUTPUT_BYTE_MAX);
    good = cli->count ? doctor_feed(cli->world_of(), cli->argument[0], json,
                                    &out)
                      : doctor_run(cli->world_of(), json, &out);
    if (good < 0) {
        fprintf(stderr, "gputco: there is no feed %s; gputco doctor --format "
                "json names all\n", cli->argument[0]);
        return EXIT_USAGE;
    }
    code = write_text(cli, &out);
    text_free(&out);
    return code == EXIT_GOOD && !good ? EXIT_FAULT : code;
}

static int command_selfcheck(struct cli *cli)
{
    struct selfcheck check UNWRITTEN;
    struct text out;
    int json = cli->format && strcmp(cli->format, "json") == 0, code;

    if (!no_arguments(cli))
        return EXIT_USAGE;
    if (cli->format && !json && strcmp(cli->format, "text") != 0) {
        fprintf(stderr, "gputco: --format %s is not known; it is one of text "
                "json\n", cli->format);
        return EXIT_USAGE;
    }
    selfcheck_run(&check);
    text_init(&out, OUTPUT_BYTE_MAX);
    if (json)
        out_selfcheck_json(&check, &out);
    else
        out_selfcheck_text(&check, &out);
    code = write_text(cli, &out);
    text_free(&out);
    return code == EXIT_GOOD && !check.good ? EXIT_FAULT : code;
}

/* A table as people read it: the cells of its CSV, columns aligned. */
static void align_csv(const struct text *csv, struct text *out)
{
    size_t width[TABLE_COLUMN_MAX] = { 0 };

    for (int writing = 0; writing < 2; writing++) {
        int column = 0, quoted = 0;
        size_t cell = 0;
        for (size_t i = 0; i < csv->byte; i++) {
            char c = csv->at[i];
            int end = !quoted && (c == ',' || c == '\n');
            if (c == '"') {
                quoted = !quoted;
            } else if (end) {
                if (!writing && column < TABLE_COLUMN_MAX &&
                    cell > width[column])
                    width[column] = cell;
                for (; writing && c == ',' && column < TABLE_COLUMN_MAX &&
                       cell < width[column] + 2; cell++)
                    text_char(out, ' ');
                if (writing && c == '\n')
                    text_char(out, '\n');
                column = c == '\n' ? 0 : column + 1;
                cell = 0;
            } else if (c != '\r') {
                cell += (c & 0xC0) != 0x80; /* characters, not bytes */
                if (writing)
                    text_char(out, c);
            }
        }
    }
}

static int run_table(struct cli *cli, unsigned where,
                     int (*write)(struct table_call *table))
{
    struct input input UNWRITTEN;
    struct text out, table;
    const char *format = cli->format ? cli->format : "text";
    int json = strcmp(format, "json") == 0, code = EXIT_USAGE;
    struct table_call call = { NULL, &input, json ? SHEET_JSON : SHEET_CSV, 0,
                               "", cli->base_url, &table };

    if (!json && strcmp(format, "csv") != 0 && strcmp(format, "text") != 0) {
        fprintf(stderr, "gputco: --format %s is not known; it is one of text "
                "csv json\n", format);
        return EXIT_USAGE;
    }
    call.world = cli->world_of();
    input_init(&input);
    input_arguments(&input, cli->count, cli->argument);
    input_keys(&input, where);
    input_finish(&input);
    text_init(&table, OUTPUT_BYTE_MAX);
    text_init(&out, OUTPUT_BYTE_MAX);
    if (input.problems.count || !write(&call)) {
        print_problems(&input.problems);
    } else if (strcmp(format, "text") == 0) {
        align_csv(&table, &out);
        out.failed |= table.failed;
        code = write_text(cli, &out);
    } else {
        code = write_text(cli, &table);
    }
    text_free(&table);
    text_free(&out);
    return code;
}

static int command_prices(struct cli *cli)
{
    return run_table(cli, ON_PRICES, table_prices);
}

static int command_history(struct cli *cli)
{
    return run_table(cli, ON_HISTORY, table_history);
}

static int command_gpus(struct cli *cli)
{
    return run_table(cli, ON_DATED, table_gpus);
}

static int command_zones(struct cli *cli)
{
    return run_table(cli, ON_TABLES, table_zones);
}

static int command_site(struct cli *cli)
{
    struct text out;
    int zh = cli->count == 1 && strcmp(cli->argument[0], "lang=zh") == 0;
    int code;

    if (!zh && !no_arguments(cli))
        return EXIT_USAGE;
    text_init(&out, OUTPUT_BYTE_MAX);
    out_site_index(cli->world_of(), cli->base_url, zh, &out);
    code = write_text(cli, &out);
    text_free(&out);
    return code;
}

static int command_version(struct cli *cli)
{
    if (!no_arguments(cli))
        return EXIT_USAGE;
    printf("gputco, model version %s\n", MODEL_VERSION);
    if (fflush(stdout) != 0)
        return write_failed("the output");
    return EXIT_GOOD;
}

static int command_refresh(struct cli *cli)
{
    return run_sibling("gputco-refresh", cli->count, cli->argument);
}

static int command_document(struct cli *cli)
{
    if (documents.formats) {
        fputs("gputco: say compare\n", stderr);
        return EXIT_USAGE;
    }
    return run_sibling("gputco-documents", cli->whole_count - 1,
                       cli->whole + 1);
}

int cli_main(int argc, char **argv, const struct world *(*world_of)(void),
             const char *base_url)
{
    struct cli cli UNWRITTEN;

    cli.world_of = world_of;
    cli.base_url = base_url;
    cli.format = cli.file = NULL;
    cli.strict = 0;
    cli.whole_count = argc - 1;
    cli.whole = argv + 1;
    cli.count = 0;
    if (argc < 2 || !argv[1])
        return usage(stderr);
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "help") == 0)
        return usage(stdout);
    for (int i = 0; i < COMMAND_COUNT; i++)
        if (is_command(argv[1], command_table[i].name)) {
            /* refresh is another program and has its own help */
            if (argc == 3 && strcmp(argv[2], "--help") == 0 &&
                command_table[i].run != command_refresh) {
                usage_line("usage: ", i, stdout);
                return EXIT_GOOD;
            }
            return read_options(&cli, argc - 2, argv + 2)
                   ? command_table[i].run(&cli) : EXIT_USAGE;
        }
    fprintf(stderr, "gputco: %s is no command\n", argv[1]);
    return usage(stderr);
}
