/* train.c: FLOPs, hours and memory of a training run. */
#include "energy/train.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double byte_per_gib = 1024.0 * 1024 * 1024;
static const double second_per_hour = 3600, flop_per_tflop = 1e12,
                    flop_per_gflop = 1e9;

const char *const train_fits_name[4] = { "fits", "tight", "does_not_fit",
                                         "unknown" };

void train_init(struct train_run *run)
{
    memset(run, 0, sizeof *run);
    run->shape = (struct train_shape){ TASK_DECODER, NAN, NAN, NAN, NAN, NAN,
                                       NAN, NAN };
    run->token_count = run->sequence_token = run->sample_count =
        run->forward_gflop_per_sample = NAN;
    run->epoch_count = run->micro_batch = run->run_gpu_count =
        run->tensor_parallel = run->pipeline_parallel =
        run->activation_byte_ratio = 1;
    run->weight_byte = run->gradient_byte = run->optimizer_byte =
        run->logit_part_count = NAN;
}

/* --- work ------------------------------------------------------------------ */

/* FLOPs a weight and token: forward 2, gradients of activations 2, of
   weights 2 (Kaplan et al. 2020); frozen weights need none of the last. */
static double flop_per_weight_token(const struct train_run *run)
{
    return run->method == METHOD_FULL ? 6 : 4;
}

/* Attention a token, forward and backward (PaLM, arXiv 2204.02311, app. B);
   0 when the shape is not known. */
static double attention_flop_per_token(const struct train_run *run)
{
    double flop = 12 * run->shape.layer_count * run->shape.hidden_width *
                  run->sequence_token;

    return isnan(flop) ? 0 : flop;
}

/* An encoder-decoder's token passes one half of the weights and layers. */
static double part_passed(const struct train_shape *shape)
{
    return shape->task == TASK_ENCODER_DECODER ? 0.5 : 1;
}

static double vision_flop(const struct train_run *run)
{
    return 3 * run->forward_gflop_per_sample * flop_per_gflop *
           run->sample_count * run->epoch_count;
}

double train_flop(const struct train_run *run)
{
    double per_token;

    if (isnan(run->token_count))
        return vision_flop(run);
    per_token = (flop_per_weight_token(run) * run->shape.active_param_count +
                 attention_flop_per_token(run)) * part_passed(&run->shape) +
                2 * run->teacher_param_count;
    return per_token * run->token_count;
}

double train_hardware_flop(const struct train_run *run)
{
    double flop = train_flop(run), again;

    if (run->recompute != RECOMPUTE_FULL)
        return flop;
    if (isnan(run->token_count))
        return flop / 3 * 4;
    again = (2 * run->shape.active_param_count +
             attention_flop_per_token(run) / 3) * part_passed(&run->shape);
    return flop + again * run->token_count;
}

double train_gpt_param_count(double layer_count, double hidden_width,
                             double vocabulary_count)
{
    return 12 * layer_count * hidden_width * hidden_width +
           2 * vocabulary_count * hidden_width;
}

double train_gpu_hour(double flop, double peak_tflops, double mfu_frac,
                      double goodput_frac)
{
    return flop / (peak_tflops * flop_per_tflop * mfu_frac * goodput_frac) /
           second_per_hour;
}

double train_token_suggestion(double active_param_count)
{
    return 20 * active_param_count;
}

/* --- utilisation ------------------------------------------------------------ */

static double fit_term(const char *name)
{
    static const struct { const char *term; double log_ratio; } rows[] = {
#define ROW(name, log_ratio, estimate, note) { name, log_ratio },
#include "energy/mfu_fit.inc"
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(rows[i].term, name) == 0)
            return rows[i].log_ratio;
    return NAN;
}

/* Which term of the fit an architecture takes; "" is that of A100. First
   row that the architecture's name holds. */
static const struct { const char *architecture, *term; } family_table[] = {
    { "Ampere", "" },      { "Hopper", "hopper" },  { "Blackwell", "blackwell" },
    { "Ada", "ada" },      { "Volta", "volta" },    { "Turing", "volta" },
    { "Pascal", "volta" }, { "Kepler", "volta" },   { "TPU", "tpu" },
    { "CDNA 3", "cdna3" }, { "CDNA 4", "cdna3" },   { "CDNA3", "cdna3" },
    { "CDNA4", "cdna3" },  { "Gaudi", "gaudi" },    { "", "other" },
};

static const char *family_of(const struct gpu *gpu)
{
    for (size_t i = 0; ; i++)
        if (strstr(gpu->architecture, family_table[i].architecture))
            return family_table[i].term;
}

double mfu_attention_share(double active_param_count, double sequence_token)
{
    /* width over layers of common transformers; 12 L h^2 weights */
    double width = cbrt(active_param_count * 128 / 12);

    return sequence_token / (6 * width);
}

static double decade(double x)
{
    return log10(x);
}

static double fitted_log(const struct mfu_case *c)
{
    const char *family = family_of(c->gpu);
    double sum = fit_term("base") + (*family ? fit_term(family) : 0);
    double n = c->active_param_count, few;

    if (c->task == TASK_VISION) {
        sum += fit_term("vision");
        n = NAN;
    }
    if (c->task == TASK_ENCODER)
        sum += fit_term("encoder");
    if (c->active_param_count < c->param_count)
        sum += fit_term("moe");
    if (!isnan(n)) {
        sum += fit_term("small") * fmax(0, decade(1e9 / n));
        sum += fit_term("large") * fmax(0, decade(n / 1e11));
        if (strcmp(family, "hopper") == 0 || strcmp(family, "blackwell") == 0)
            sum += fit_term("hopper_size") * fmin(1, decade(n / 1e11));
    }
    if (!isnan(c->run_gpu_count)) {
        few = log(64 / fmax(8, c->run_gpu_count)) / log(8);
        sum += fit_term("few") * fmax(0, few);
    }
    if (c->unlinked)
        sum += fit_term("pcie");
    return sum;
}

/* Eight-bit products are fast in part of the work only: the fit speaks of
   the 16-bit peak. */
static double on_own_peak(const struct mfu_case *c, double log_use)
{
    double peak = c->gpu->peak_tflops[c->precision].value;
    double half = c->gpu->peak_tflops[PRECISION_BF16].value;

    if (c->precision != PRECISION_FP8 && c->precision != PRECISION_INT8)
        return exp(log_use);
    if (isnan(half))
        half = c->gpu->peak_tflops[PRECISION_FP16].value;
    if (isnan(half) || isnan(peak))
        return exp(log_use);
    return exp(log_use + fit_term("fp8")) * half / peak;
}

struct mfu mfu_predict(const struct mfu_case *c)
{
    double sequence = isnan(c->sequence_token) ? 2048 : c->sequence_token;
    double use = on_own_peak(c, fitted_log(c));
    struct mfu out;

    /* the fit counts attention; work without it is done by that much less */
    if (!c->attention_counted && c->task != TASK_VISION)
        use /= 1 + mfu_attention_share(c->active_param_count, sequence);
    /* no run below is known to use more than nine tenths of its peak */
    use = fmin(use, 0.9 * exp(fit_term("goodput")));
    out.goodput_frac = exp(fit_term("goodput"));
    out.mfu_frac = use / out.goodput_frac;
    out.low_frac = use * exp(fit_term("low"));
    out.high_frac = fmin(0.95, use * exp(fit_term("high")));
    return out;
}

/* --- memory ------------------------------------------------------------------ */

void train_guess_shape(struct train_shape *shape)
{
    double width = cbrt(shape->active_param_count * 128 / 12);

    if (isnan(shape->hidden_width))
        shape->hidden_width = width;
    if (isnan(shape->layer_count))
        shape->layer_count = fmax(1, shape->active_param_count / 12 /
                                     shape->hidden_width /
                                     shape->hidden_width);
    if (isnan(shape->head_count))
        shape->head_count = fmax(1, shape->hidden_width / 128);
    if (isnan(shape->kv_head_count))
        shape->kv_head_count = shape->head_count;
    if (isnan(shape->vocabulary_count))
        shape->vocabulary_count = 32000;
}

/* Bytes a weight of a full run in mixed precision (Rajbhandari et al. 2019,
   arXiv 1910.02054): weights 2, gradients 2, and the optimizer's 12: master
   copy and two moments of four bytes. Eight-bit moments are 1 each, SGD has
   one moment. */
static double byte_of_optimizer(enum train_optimizer optimizer)
{
    switch (optimizer) {
    case OPTIMIZER_ADAMW: return 12;
    case OPTIMIZER_ADAMW_8BIT: return 6;
    case OPTIMIZER_SGD_MOMENTUM: return 8;
    }
    return NAN;
}

double train_state_byte(const struct train_run *run)
{
    double ranks = fmax(1, run->run_gpu_count / run->tensor_parallel /
                           run->pipeline_parallel);
    double weights = 2, gradients = 2,
           optimizer = byte_of_optimizer(run->optimizer);

    if (run->method != METHOD_FULL) {
        /* trained parts are below 2 % of the weights */
        weights = run->method == METHOD_LORA ? 2 : 0.55;
        gradients = optimizer = 0;
    }
    weights = isnan(run->weight_byte) ? weights : run->weight_byte;
    gradients = isnan(run->gradient_byte) ? gradients : run->gradient_byte;
    optimizer = isnan(run->optimizer_byte) ? optimizer : run->optimizer_byte;
    if (run->shard_stage >= 1)
        optimizer /= ranks;
    if (run->shard_stage >= 2)
        gradients /= ranks;
    if (run->shard_stage >= 3)
        weights /= ranks;
    return weights + gradients + optimizer;
}

/* Activations in bytes (Korthikanti et al. 2022, arXiv 2205.05198). */
static double activation_byte(const struct train_run *run)
{
    const struct train_shape *shape = &run->shape;
    double bsh = run->micro_batch * run->sequence_token * shape->hidden_width;
    double score = 5 * shape->head_count * run->micro_batch *
                   run->sequence_token * run->sequence_token;
    double layer = 34 * bsh;

    bsh *= run->activation_byte_ratio;
    layer *= run->activation_byte_ratio;
    score *= run->activation_byte_ratio;
    if (run->unfused_attention && run->recompute != RECOMPUTE_SELECTIVE)
        layer += score;
    if (run->recompute == RECOMPUTE_FULL)
        return (2 * bsh * shape->layer_count + layer) / run->tensor_parallel;
    /* of a pipeline the first stage keeps as many batches as stages */
    return layer * shape->layer_count / run->tensor_parallel;
}

static double logit_byte(const struct train_run *run)
{
    double pieces = run->method == METHOD_FULL ? 1 : 8;

    if (!isnan(run->logit_part_count))
        pieces = run->logit_part_count;
    return 2 * 4 * run->micro_batch * run->sequence_token *
           run->shape.vocabulary_count / run->tensor_parallel / pieces;
}

void train_memory_of(const struct train_run *run, struct train_memory *memory)
{
    double moving = activation_byte(run), logits = logit_byte(run);

    memory->activation_known = !isnan(moving);
    memory->state_gib = train_state_byte(run) * run->shape.param_count /
                        run->tensor_parallel / run->pipeline_parallel /
                        byte_per_gib;
    memory->activation_gib = isnan(moving) ? 0 : moving / byte_per_gib;
    memory->logit_gib = isnan(logits) ? 0 : logits / byte_per_gib;
    memory->context_gib = 1;
    /* states are allocated once and stay; what comes and goes leaves gaps */
    memory->fragmentation_gib =
        0.1 * (memory->activation_gib + memory->logit_gib);
    memory->total_gib = memory->state_gib + memory->activation_gib +
                        memory->logit_gib + memory->context_gib +
                        memory->fragmentation_gib;
}

double train_usable_gib(double memory_gib)
{
    /* an 80 GiB board shows 79.6 */
    return 0.995 * memory_gib;
}

enum train_fits train_fits_in(const struct train_memory *memory,
                              double memory_gib)
{
    double room = train_usable_gib(memory_gib);

    if (isnan(memory->total_gib) || isnan(room))
        return FITS_UNKNOWN;
    if (memory->total_gib > room)
        return FITS_NOT;
    return memory->total_gib > 0.9 * room ? FITS_TIGHT : FITS;
}

static int does_fit(const struct train_run *run, double memory_gib)
{
    struct train_memory memory;

    train_memory_of(run, &memory);
    return train_fits_in(&memory, memory_gib) < FITS_NOT;
}

void train_choose(struct train_run *run, double memory_gib,
                  int recompute_given, int stage_given)
{
    /* less memory for more work, in the order of what it costs */
    static const struct { int recompute, stage; } tries[] = {
        { RECOMPUTE_NONE, 0 }, { RECOMPUTE_NONE, 1 }, { RECOMPUTE_NONE, 2 },
        { RECOMPUTE_NONE, 3 }, { RECOMPUTE_SELECTIVE, 3 },
        { RECOMPUTE_FULL, 3 },
    };

    for (size_t i = 0; i < sizeof tries / sizeof *tries; i++) {
        if (!recompute_given)
            run->recompute = (enum train_recompute)tries[i].recompute;
        if (!stage_given)
            run->shard_stage = tries[i].stage;
        if (does_fit(run, memory_gib))
            return;
    }
}

static void note_change(struct train_advice *advice, const char *text)
{
    size_t used = strlen(advice->change);

    snprintf(advice->change + used, sizeof advice->change - used, "%s%s",
             used ? " " : "", text);
}

void train_advise(const struct train_run *run, double memory_gib,
                  struct train_advice *advice)
{
    struct train_run each = *run;
    char stage[24];

    advice->change[0] = '\0';
    advice->gpu_count = 0;
    if (!does_fit(&each, memory_gib)) {
        if (each.recompute != RECOMPUTE_FULL) {
            each.recompute = RECOMPUTE_FULL;
            note_change(advice, "recompute=full");
        }
        while (!does_fit(&each, memory_gib) && each.shard_stage < 3 &&
               each.run_gpu_count > 1)
            each.shard_stage++;
        if (each.shard_stage > run->shard_stage) {
            snprintf(stage, sizeof stage, "shard_stage=%d", each.shard_stage);
            note_change(advice, stage);
        }
        if (!does_fit(&each, memory_gib) && each.method == METHOD_FULL &&
            each.optimizer == OPTIMIZER_ADAMW) {
            each.optimizer = OPTIMIZER_ADAMW_8BIT;
            note_change(advice, "optimizer=adamw_8bit");
        }
        if (!does_fit(&each, memory_gib) && each.micro_batch > 1) {
            each.micro_batch = 1;
            note_change(advice, "micro_batch=1");
        }
        if (!does_fit(&each, memory_gib))
            advice->change[0] = '\0';
    }
    each = *run;
    each.shard_stage = 3;
    for (double count = 1; count <= 1048576; count++) {
        each.run_gpu_count = count;
        if (does_fit(&each, memory_gib)) {
            advice->gpu_count = count;
            break;
        }
        /* states shrink with the count; past this only whole doublings */
        if (count >= 4096)
            count = 2 * count - 1;
    }
}

/* --- inference ----------------------------------------------------------------- */

double train_kv_byte_per_token(const struct train_shape *shape)
{
    /* keys and values, KV heads (not query heads), 2 bytes */
    return 2 * shape->layer_count * shape->kv_head_count *
           (shape->hidden_width / shape->head_count) * 2;
}

static double weight_byte(enum precision precision)
{
    switch (precision) {
    case PRECISION_FP32: case PRECISION_TF32: return 4;
    case PRECISION_FP16: case PRECISION_BF16: return 2;
    case PRECISION_FP8: case PRECISION_INT8: return 1;
    case PRECISION_COUNT: break;
    }
    return NAN;
}

void inference_run(const struct train_shape *shape, const struct gpu *gpu,
                   enum precision precision, double gpu_count, double batch,
                   double sequence_token, struct inference *out)
{
    /* shares of the peaks that decoding reaches (estimates) */
    const double bandwidth_frac = 0.7, compute_frac = 0.5;
    double weights = shape->param_count * weight_byte(precision);
    double active = shape->active_param_count * weight_byte(precision);
    double kv = train_kv_byte_per_token(shape) * sequence_token;
    double read, room;

    /* a batch of a mixture of experts touches ever more of them */
    read = fmin(weights, active * batch);
    if (active >= weights)
        read = weights;
    out->weight_gib = weights / byte_per_gib;
    out->kv_gib = kv * batch / byte_per_gib;
    out->total_gib_per_gpu =
        (out->weight_gib + (isnan(out->kv_gib) ? 0 : out->kv_gib)) /
        gpu_count + 1;
    out->bandwidth_tokens_per_s =
        batch * gpu_count * gpu->bandwidth_gb_per_s.value * 1e9 *
        bandwidth_frac / (read + (isnan(kv) ? 0 : kv * batch));
    out->compute_tokens_per_s =
        gpu_count * gpu->peak_tflops[precision].value * flop_per_tflop *
        compute_frac / (2 * shape->active_param_count);
    out->tokens_per_s = fmin(out->bandwidth_tokens_per_s,
                             out->compute_tokens_per_s);
    room = (train_usable_gib(gpu->memory_gib.value) - 1) * gpu_count -
           out->weight_gib;
    out->largest_batch = isnan(kv) ? NAN
                       : fmax(0, floor(room / (kv / byte_per_gib)));
}
