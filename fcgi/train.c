/* train.c: the run's keys into a run, and the run onto the options. */
#include "fcgi/train.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "pricing/num.h"
#include "pricing/resolve.h"

const struct run_field run_field_table[] = {
#define RUN_FIELD(name, type, unit, preset, min, max, choices, label, help) \
    { #name, #type, choices, label, help, K_##name },
#include "energy/run_fields.def"
};
const int run_field_count = sizeof run_field_table / sizeof *run_field_table;

int train_is_bare(const struct input *input)
{
    for (int i = 0; i < run_field_count; i++)
        if (input->key_typed[run_field_table[i].key])
            return 0;
    return 1;
}

/* --- config.json of a model ---------------------------------------------------- */

/* A pasted or read file stands in a key "config" as text: it becomes the
   object of a body. */
static void read_config_text(struct input *input)
{
    for (int i = 0; i < input->entry_count; i++) {
        struct entry *entry = &input->entry[i];
        struct text body;
        if (entry->used || strcmp(entry->key, "config") != 0 ||
            entry->type != ENTRY_TEXT)
            continue;
        entry->used = 1;
        if (!entry->value_length)
            continue;
        text_init(&body, APP_BODY_BYTE_MAX + 16);
        text_str(&body, "{\"config\":");
        text_put(&body, entry->value, entry->value_length);
        text_char(&body, '}');
        if (body.failed)
            problem_add(&input->problems, "config", "too_long", "", "");
        else
            input_json(input, body.at, body.byte);
        text_free(&body);
        return;
    }
}

/* First of some spellings that holds a number. NAN when none does. */
static double config_number(struct input *input, const char *const *names)
{
    double value = NAN, each;

    for (; *names; names++)
        for (int i = 0; i < input->entry_count; i++) {
            const struct entry *entry = &input->entry[i];
            if (strncmp(entry->key, "config.", 7) == 0 &&
                strcmp(entry->key + 7, *names) == 0 &&
                entry->type == ENTRY_NUMBER && isnan(value) &&
                num_read(entry->value, entry->value_length, 0, &each) ==
                NUM_GOOD && each > 0)
                value = each;
        }
    return value;
}

#define CONFIG(input, ...) \
    config_number(input, (const char *const[]){ __VA_ARGS__, NULL })

static int config_says(const struct input *input, const char *name,
                       const char *value)
{
    for (int i = 0; i < input->entry_count; i++)
        if (strncmp(input->entry[i].key, "config.", 7) == 0 &&
            strcmp(input->entry[i].key + 7, name) == 0)
            return strstr(input->entry[i].value, value) != NULL;
    return 0;
}

static double or_else(double value, double other)
{
    return isnan(value) ? other : value;
}

/* Weights of the parts of one layer and of the whole, by the shape. */
static void count_config_params(struct input *input, struct train_shape *s)
{
    double h = s->hidden_width;
    double ffn = or_else(CONFIG(input, "intermediate_size", "n_inner",
                                "ffn_dim", "d_ff"), 4 * h);
    double head = or_else(CONFIG(input, "head_dim"), h / s->head_count);
    double experts = CONFIG(input, "num_local_experts", "n_routed_experts",
                            "num_experts");
    double chosen = or_else(CONFIG(input, "num_experts_per_tok", "moe_topk"),
                            1);
    double shared = or_else(CONFIG(input, "n_shared_experts"), 0);
    double expert = or_else(CONFIG(input, "moe_intermediate_size"), ffn);
    double gates = config_says(input, "hidden_act", "silu") ||
                   config_says(input, "hidden_act", "gelu_pytorch_tanh") ||
                   config_says(input, "model_type", "llama") ? 3 : 2;
    double attention = 2 * h * head * (s->head_count + s->kv_head_count);
    double tables = config_says(input, "tie_word_embeddings", "true") ||
                    config_says(input, "model_type", "gpt2") ? 1 : 2;
    double outside = tables * s->vocabulary_count * h;
    double mlp = gates * h * ffn, active = mlp;

    if (!isnan(experts)) {
        mlp = gates * h * expert * (experts + shared) + h * experts;
        active = gates * h * expert * (chosen + shared) + h * experts;
    }
    s->param_count = s->layer_count * (attention + mlp) + outside;
    s->active_param_count = s->layer_count * (attention + active) + outside;
}

/* Takes every entry of a config; its shape where it is whole. */
static int read_config(struct input *input, struct train_shape *shape)
{
    int any = 0;

    for (int i = 0; i < input->entry_count; i++)
        if (strncmp(input->entry[i].key, "config.", 7) == 0)
            any = input->entry[i].used = 1;
    if (!any)
        return 0;
    shape->layer_count = CONFIG(input, "num_hidden_layers", "n_layer",
                                "n_layers", "num_layers");
    shape->hidden_width = CONFIG(input, "hidden_size", "n_embd", "d_model");
    shape->head_count = CONFIG(input, "num_attention_heads", "n_head",
                               "n_heads", "num_heads");
    shape->kv_head_count = or_else(CONFIG(input, "num_key_value_heads"),
                                   config_says(input, "multi_query", "true")
                                   ? 1 : shape->head_count);
    shape->vocabulary_count = CONFIG(input, "vocab_size");
    if (isnan(shape->layer_count * shape->hidden_width * shape->head_count *
              shape->vocabulary_count)) {
        problem_add(&input->problems, "config", "no_value",
                    "layers, width, heads, vocabulary", "this file");
        return 0;
    }
    count_config_params(input, shape);
    /* the limits of the same keys when typed */
    if (!(shape->param_count >= 1 && shape->param_count <= 1e15) ||
        shape->layer_count > 1e5 || shape->hidden_width > 1e7 ||
        shape->head_count > 1e5 || shape->kv_head_count > shape->head_count ||
        shape->vocabulary_count > 1e8) {
        problem_add(&input->problems, "config", "above_max", "1e15 parameters",
                    "");
        return 0;
    }
    return 1;
}

/* --- the run's keys ---------------------------------------------------------------- */

static double typed_or(const struct input *input, int key, double other)
{
    return input->key_typed[key] ? input->key_value[key] : other;
}

static void read_model(struct train_answer *answer, struct input *input)
{
    struct train_run *train = &answer->spec.train;
    const char *id = input->key_text[K_model_preset];

    if (!*id)
        return;
    answer->model = model_find(id);
    if (!answer->model) {
        const char *near = model_nearest(id);
        problem_add(&input->problems, "model_preset", "not_in_list", "",
                    near ? near : "");
        return;
    }
    train->shape = answer->model->shape;
    train->sequence_token = answer->model->sequence_token;
    train->token_count = answer->model->token_count;
    train->forward_gflop_per_sample = answer->model->forward_gflop_per_sample;
}

static void read_shape(const struct input *input, struct train_shape *s)
{
    if (input->key_typed[K_param_count]) {
        s->param_count = input->key_value[K_param_count];
        s->active_param_count = s->param_count;
    }
    s->active_param_count = typed_or(input, K_active_param_count,
                                     s->active_param_count);
    s->layer_count = typed_or(input, K_layer_count, s->layer_count);
    s->hidden_width = typed_or(input, K_hidden_width, s->hidden_width);
    s->head_count = typed_or(input, K_head_count, s->head_count);
    s->kv_head_count = typed_or(input, K_kv_head_count,
                                or_else(s->kv_head_count, s->head_count));
    s->vocabulary_count = typed_or(input, K_vocabulary_count,
                                   s->vocabulary_count);
}

static void read_settings(struct train_answer *answer,
                          const struct input *input)
{
    struct run_spec *spec = &answer->spec;
    struct train_run *train = &spec->train;
    const double *key = input->key_value;

    train->sequence_token = typed_or(input, K_sequence_token,
                                     train->sequence_token);
    train->token_count = typed_or(input, K_token_count, train->token_count);
    train->sample_count = typed_or(input, K_sample_count, NAN);
    train->epoch_count = key[K_epoch_count];
    train->forward_gflop_per_sample =
        typed_or(input, K_forward_gflop_per_sample,
                 train->forward_gflop_per_sample);
    train->method = (enum train_method)(int)key[K_method];
    train->recompute = (enum train_recompute)(int)key[K_recompute];
    train->optimizer = (enum train_optimizer)(int)key[K_optimizer];
    train->teacher_param_count = typed_or(input, K_teacher_param_count, 0);
    train->tensor_parallel = key[K_tensor_parallel];
    train->pipeline_parallel = key[K_pipeline_parallel];
    if (input->key_typed[K_network])
        train->shape.task = (enum train_task)(int)key[K_network];
    train->micro_batch = key[K_micro_batch];
    train->shard_stage = (int)typed_or(input, K_shard_stage, 0);
    spec->recompute_given = input->key_typed[K_recompute];
    spec->stage_given = input->key_typed[K_shard_stage];
    spec->run_gpu_count = typed_or(input, K_run_gpu_count, NAN);
    spec->mfu_frac = typed_or(input, K_mfu_frac, NAN);
    spec->goodput_frac = typed_or(input, K_goodput_frac, NAN);
    spec->flop_count = typed_or(input, K_flop_count, NAN);
    spec->gpu_hour = typed_or(input, K_gpu_hour, NAN);
    spec->deadline_hour = typed_or(input, K_deadline_hour, NAN);
    spec->project_factor = key[K_project_factor];
    spec->checkpoint_hour = key[K_checkpoint_hour];
    spec->interruption_hour = typed_or(input, K_interruption_hour, NAN);
    spec->inference = key[K_phase] > 0;
    spec->api_price_per_million_token =
        typed_or(input, K_api_price_per_million_token, NAN);
}

/* --- what does not go together -------------------------------------------------------- */

static int failed(const struct input *input, const char *field)
{
    for (int i = 0; i < input->problems.count; i++)
        if (strcmp(input->problems.problem[i].field, field) == 0)
            return 1;
    return 0;
}

/* Zero rates and no GPUs: a run that never ends. */
static void check_zero(struct input *input, int key, const char *name)
{
    if (input->key_typed[key] && !(input->key_value[key] > 0))
        problem_add(&input->problems, name, "conflict", "a run", "");
}

static void check_gpu_count(struct input *input)
{
    double count;

    for (int i = 0; i < input->entry_count; i++) {
        struct entry *entry = &input->entry[i];
        if (entry->used || strcmp(entry->key, "gpu_count") != 0 ||
            num_read(entry->value, entry->value_length, 0, &count) !=
            NUM_GOOD || count > 0 || count < 0)
            continue;
        entry->used = 1;
        problem_add(&input->problems, "gpu_count", "conflict", "a run", "");
    }
}

static void check_work(struct train_answer *answer, struct input *input)
{
    struct run_spec *spec = &answer->spec;
    struct train_run *train = &spec->train;
    int direct = !isnan(spec->flop_count) || !isnan(spec->gpu_hour);
    int vision = !isnan(train->sample_count);

    if (vision) {
        if (isnan(train->forward_gflop_per_sample))
            problem_add(&input->problems, "forward_gflop_per_sample",
                        "missing", "", "");
        if (!input->key_typed[K_token_count])
            train->token_count = NAN;
        else
            problem_add(&input->problems, "sample_count", "conflict",
                        "token_count", "");
        return;
    }
    if (isnan(train->shape.param_count) &&
        (spec->inference || !direct) && !failed(input, "param_count") &&
        !failed(input, "model_preset") && !failed(input, "config"))
        problem_add(&input->problems, "param_count", "missing", "", "");
    if (answer->model && answer->model->shape.task == TASK_VISION &&
        !spec->inference && !direct)
        problem_add(&input->problems, "sample_count", "missing", "", "");
    if (isnan(train->token_count) && !direct) {
        train->token_count =
            train_token_suggestion(train->shape.active_param_count);
        answer->tokens_suggested = 1;
    }
}

static void check_run(struct train_answer *answer, struct input *input)
{
    const struct train_shape *shape = &answer->spec.train.shape;

    check_zero(input, K_mfu_frac, "mfu_frac");
    check_zero(input, K_goodput_frac, "goodput_frac");
    check_gpu_count(input);
    if (input->key_typed[K_flop_count] && input->key_typed[K_gpu_hour])
        problem_add(&input->problems, "gpu_hour", "conflict", "flop_count",
                    "");
    if (shape->active_param_count > shape->param_count)
        problem_add(&input->problems, "active_param_count", "conflict",
                    "param_count", "");
    if (shape->kv_head_count > shape->head_count)
        problem_add(&input->problems, "kv_head_count", "conflict",
                    "head_count", "");
    if (!isnan(answer->spec.run_gpu_count) &&
        answer->spec.run_gpu_count < answer->spec.train.tensor_parallel *
                                     answer->spec.train.pipeline_parallel)
        problem_add(&input->problems, "run_gpu_count", "conflict",
                    "tensor_parallel pipeline_parallel", "");
    check_work(answer, input);
}

/* --- answering ------------------------------------------------------------------------- */

static void warn_run(struct train_answer *answer, int i)
{
    const struct run_option *o = &answer->option[i];
    struct warnings *warnings = &answer->study.warnings;
    const struct option *option = &answer->study.study.option[i];
    double has = option->value[F_gpu_count] *
                 answer->study.result[i].step[S_machine_used_count];
    char letter = (char)('a' + i);

    if (!o->gpu) {
        warning_add(warnings, "no_value", letter, "gpu",
                    "this accelerator is not in the table");
        return;
    }
    if (isnan(o->gpu->peak_tflops[(int)option->value[F_precision]].value) &&
        isnan(answer->spec.gpu_hour))
        warning_add(warnings, "no_value", letter, "precision",
                    "no peak rate is known at this precision: no hours");
    if (option->kind == KIND_OWN && o->run_gpu_count > has)
        warning_add(warnings, "more_than_owned", letter, "run_gpu_count",
                    "the run takes %.0f GPUs, this option owns %.0f",
                    o->run_gpu_count, has);
    if (o->fits == FITS_NOT)
        warning_add(warnings, "does_not_fit", letter, "memory_gib_per_gpu",
                    "%.1f GiB needed on each GPU of %.0f GiB%s%s",
                    answer->spec.inference ? o->inference.total_gib_per_gpu
                                           : o->memory.total_gib,
                    o->gpu->memory_gib.value,
                    *o->advice.change ? "; this fits: " : "",
                    o->advice.change);
    if (isnan(o->deadline_gpu_count) && !isnan(answer->spec.deadline_hour))
        warning_add(warnings, "never", letter, "deadline_hour",
                    "no number of GPUs up to a million is fast enough");
    if (isnan(o->cost_full) && !answer->spec.inference)
        warning_add(warnings, "no_work", letter, "cost_full",
                    "the option does no work to share its cost with");
}

static void warn_shape(struct train_answer *answer)
{
    struct warnings *warnings = &answer->study.warnings;
    const struct train_run *train = &answer->spec.train;

    if (answer->tokens_suggested)
        warning_add(warnings, "token_suggestion", 0, "token_count",
                    "%.3g tokens are taken: 20 a parameter (Hoffmann et al. "
                    "2022)", train->token_count);
    if (isnan(train->shape.layer_count * train->shape.hidden_width) &&
        !isnan(train->shape.param_count) && isnan(train->sample_count))
        warning_add(warnings, "shape_estimated", 0, "layer_count",
                    "activations are those of a network of usual proportions;"
                    " attention is not in the FLOPs");
}

int train_run_all(struct train_answer *answer, struct input *input,
                  const struct world *world, const char *base_url)
{
    struct train_run *train = &answer->spec.train;

    memset(&answer->spec, 0, sizeof answer->spec);
    memset(answer->option, 0, sizeof answer->option);
    answer->model = NULL;
    answer->tokens_suggested = 0;
    answer->everywhere.count = 0;
    train_init(train);
    read_config_text(input);
    input_keys(input, ON_TRAIN);
    input->key_value[K_samples] = 0; /* draws belong to /compare */
    input->key_value[K_alternatives] = 0;
    read_model(answer, input);
    answer->from_config = read_config(input, &train->shape);
    read_shape(input, &train->shape);
    read_settings(answer, input);
    check_run(answer, input);
    input->of_run = (struct study_load){ 1, answer->spec.inference,
                                         train->shape.task,
                                         train->shape.active_param_count };
    if (!answer_run(&answer->study, input, world, base_url))
        return 0;
    for (int i = 0; i < answer->study.study.option_count; i++) {
        run_option_of(&answer->spec, &answer->study.study.option[i],
                      &answer->study.result[i],
                      i ? &answer->option[0] : NULL, &answer->option[i]);
        warn_run(answer, i);
    }
    warn_shape(answer);
    if (!answer->spec.inference)
        everywhere_run(&answer->spec, &answer->study.study,
                       &answer->option[0], world, &answer->everywhere);
    return 1;
}

/* --- the canonical query ------------------------------------------------------------------ */

static void put_pair(struct text *out, const char *key, const char *value)
{
    text_char(out, '&');
    text_str(out, key);
    text_char(out, '=');
    url_arg(out, value);
}

static void put_run_key(const struct train_answer *answer,
                        const struct run_field *field, struct text *out)
{
    const struct input *input = answer->study.input;
    char digits[NUM_TEXT_BYTE];
    const char *word;
    size_t length;

    if (!input->key_typed[field->key])
        return;
    if (field->type[0] == 'T') {
        put_pair(out, field->name, input->key_text[field->key]);
    } else if (field->type[0] == 'C') {
        word = choice_word(field->choices, (int)input->key_value[field->key],
                           &length);
        text_char(out, '&');
        text_str(out, field->name);
        text_char(out, '=');
        text_put(out, word, length);
    } else {
        num_print(digits, input->key_value[field->key]);
        put_pair(out, field->name, digits);
    }
}

/* A config's shape is written out as keys, so that the link stays short. */
static void put_shape(const struct train_answer *answer, struct text *out)
{
    const struct train_shape *s = &answer->spec.train.shape;
    const struct { int key; const char *name; double value; } rows[] = {
        { K_param_count, "param_count", s->param_count },
        { K_active_param_count, "active_param_count", s->active_param_count },
        { K_layer_count, "layer_count", s->layer_count },
        { K_hidden_width, "hidden_width", s->hidden_width },
        { K_head_count, "head_count", s->head_count },
        { K_kv_head_count, "kv_head_count", s->kv_head_count },
        { K_vocabulary_count, "vocabulary_count", s->vocabulary_count },
    };
    char digits[NUM_TEXT_BYTE];

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (!answer->study.input->key_typed[rows[i].key] &&
            isfinite(rows[i].value)) {
            num_print(digits, rows[i].value);
            put_pair(out, rows[i].name, digits);
        }
}

void train_query(const struct train_answer *answer, struct text *out)
{
    answer_query(&answer->study, out);
    for (int i = 0; i < run_field_count; i++)
        put_run_key(answer, &run_field_table[i], out);
    if (answer->from_config)
        put_shape(answer, out);
}
