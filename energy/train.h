/* train.h: a training run in numbers: work, hours, memory. Pure: doubles in,
   doubles out; knows nothing of money, storage or the web.

   Shapes hold NAN for what is not known. GPU memory is counted in GiB. */
#ifndef GPUTCO_ENERGY_TRAIN_H
#define GPUTCO_ENERGY_TRAIN_H

#include "energy/device.h"

enum train_method { METHOD_FULL, METHOD_LORA, METHOD_QLORA };
enum train_recompute { RECOMPUTE_NONE, RECOMPUTE_SELECTIVE, RECOMPUTE_FULL };
enum train_optimizer { OPTIMIZER_ADAMW, OPTIMIZER_ADAMW_8BIT,
                       OPTIMIZER_SGD_MOMENTUM };
enum train_task { TASK_DECODER, TASK_ENCODER, TASK_ENCODER_DECODER,
                  TASK_VISION };

/* A network. layer_count counts encoder and decoder layers together; for an
   encoder-decoder each token passes one half. */
struct train_shape {
    enum train_task task;
    double param_count, active_param_count;
    double layer_count, hidden_width, head_count, kv_head_count,
           vocabulary_count;
};

struct train_run {
    struct train_shape shape;
    enum train_method method;
    enum train_recompute recompute;
    enum train_optimizer optimizer;
    double token_count, sequence_token;
    double sample_count, epoch_count, forward_gflop_per_sample;
    double teacher_param_count;      /* distillation: frozen teacher, else 0 */
    double micro_batch;
    int shard_stage;                 /* 0 ... 3, over run_gpu_count ranks */
    double run_gpu_count;
    double tensor_parallel, pipeline_parallel;   /* 1: none */
    int unfused_attention;           /* keeps the score matrix */
    /* bytes a weight; NAN: by method and optimizer, in mixed precision */
    double weight_byte, gradient_byte, optimizer_byte;
    double activation_byte_ratio;    /* 1 at 16 bit, 2 at 32 */
    double logit_part_count;         /* pieces the loss is taken in; NAN: 1,
                                        adapters 8 as their recipes have it */
};

/* Nothing known, presets of MODEL 4 elsewhere. */
void train_init(struct train_run *run);

/* --- work ------------------------------------------------------------------ */

/* FLOPs of the model: forward and backward, without recomputation. NAN when
   neither tokens nor samples are known. Attention counts when layers, width
   and sequence are known. */
double train_flop(const struct train_run *run);

/* What the hardware executes: with full recomputation a second forward. */
double train_hardware_flop(const struct train_run *run);

/* Weights of a GPT-style transformer (MLP four times the width, both
   embeddings) from its shape. */
double train_gpt_param_count(double layer_count, double hidden_width,
                             double vocabulary_count);

/* GPU-hours for the work at a peak in TFLOPS. */
double train_gpu_hour(double flop, double peak_tflops, double mfu_frac,
                      double goodput_frac);

/* Tokens that use a fixed amount of work best: 20 a weight (Hoffmann et al.
   2022, arXiv 2203.15556). */
double train_token_suggestion(double active_param_count);

/* --- utilisation ------------------------------------------------------------ */

/* What the fit of mfu_fit.csv looks at. NAN for what is not known. */
struct mfu_case {
    const struct gpu *gpu;
    enum precision precision;
    double active_param_count, param_count; /* unequal: mixture of experts */
    double sequence_token;
    double run_gpu_count;
    enum train_task task;
    int attention_counted;  /* 1: the work includes the attention term */
    int unlinked;           /* 1: several GPUs without fast links */
};

/* low and high: ends of the 80 % interval for the utilisation of whole runs
   on the same basis as mfu_frac * goodput_frac. */
struct mfu { double mfu_frac, goodput_frac, low_frac, high_frac; };

struct mfu mfu_predict(const struct mfu_case *c);

/* Share that the attention term adds to 6 FLOPs a weight, for a network of
   usual proportions with that many weights. */
double mfu_attention_share(double active_param_count, double sequence_token);

/* --- memory ------------------------------------------------------------------ */

enum train_fits { FITS, FITS_TIGHT, FITS_NOT, FITS_UNKNOWN };
extern const char *const train_fits_name[4]; /* "fits" ... "unknown" */

/* One GPU, in GiB. */
struct train_memory {
    double state_gib, activation_gib, logit_gib, context_gib,
           fragmentation_gib, total_gib;
    int activation_known;            /* 0: the shape is not known */
};

/* Fills a shape of which only the size is known with usual proportions:
   width 128 times the layers, heads of 128, 32,000 tokens. Known members
   stay. */
void train_guess_shape(struct train_shape *shape);

/* Bytes a weight that stay on one rank. */
double train_state_byte(const struct train_run *run);

void train_memory_of(const struct train_run *run, struct train_memory *memory);

/* What a board of that nominal size has to give. */
double train_usable_gib(double memory_gib);

enum train_fits train_fits_in(const struct train_memory *memory,
                              double memory_gib);

/* What would make the run fit. change: "" already fits; else the cheapest
   of "recompute=full", "optimizer=adamw_8bit", "shard_stage=n",
   "micro_batch=1" or combinations; gpu_count: smallest count that fits with
   the run's own settings at stage 3, 0 when none up to 1,048,576 does. */
struct train_advice { char change[96]; double gpu_count; };
void train_advise(const struct train_run *run, double memory_gib,
                  struct train_advice *advice);

/* Sets what nobody typed: the lightest recomputation and shard stage that
   fit (those given stay). */
void train_choose(struct train_run *run, double memory_gib,
                  int recompute_given, int stage_given);

/* --- inference ----------------------------------------------------------------- */

/* Bytes of KV cache a token at 16 bit. NAN when the shape is not known. */
double train_kv_byte_per_token(const struct train_shape *shape);

/* Decoding on gpu_count GPUs. batch: sequences at once. */
struct inference {
    double weight_gib, kv_gib, total_gib_per_gpu;
    double bandwidth_tokens_per_s, compute_tokens_per_s, tokens_per_s;
    double largest_batch;            /* that memory allows */
};
void inference_run(const struct train_shape *shape, const struct gpu *gpu,
                   enum precision precision, double gpu_count, double batch,
                   double sequence_token, struct inference *out);

#endif
