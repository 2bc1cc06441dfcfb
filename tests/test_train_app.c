/* test_train_app.c: /train through the seam: what is refused, what is
   answered, and that every format says the same. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fcgi/app.h"
#include "pricing/price.h"
#include "tests/near.h"

struct bench { struct world world; struct response response; cJSON *json; };

static int set_up(void **state)
{
    struct bench *b = calloc(1, sizeof *b);

    if (!b)
        return -1;
    b->world = (struct world){ .prices = seed_prices(),
                                .rates = seed_rates(), .today = 20261201,
                                .degraded_reason = "" };
    response_init(&b->response);
    *state = b;
    return 0;
}

static int tear_down(void **state)
{
    struct bench *b = *state;

    cJSON_Delete(b->json);
    response_free(&b->response);
    free(b);
    return 0;
}

static int send(struct bench *b, const char *method, const char *path,
                const char *query, const char *type, const char *body)
{
    struct request request = {
        .method = method, .path = path, .query = query, .body = body,
        .body_byte = strlen(body), .content_type = type,
        .content_encoding = "", .accept = "", .accept_language = "",
        .if_none_match = "", .sec_fetch_site = "", .base_url = ""
    };

    response_reset(&b->response);
    app_handle(&b->world, &request, &b->response);
    text_char(&b->response.body, '\0');
    assert_false(b->response.body.failed);
    return b->response.status;
}

static int get(struct bench *b, const char *path, const char *query)
{
    return send(b, "GET", path, query, "", "");
}

static const cJSON *json_of(struct bench *b)
{
    cJSON_Delete(b->json);
    b->json = cJSON_Parse(b->response.body.at);
    assert_non_null(b->json);
    return b->json;
}

/* A member by a path of names. */
static const cJSON *member(const cJSON *at, const char *path)
{
    char name[64];

    while (*path) {
        size_t n = strcspn(path, "/");
        snprintf(name, sizeof name, "%.*s", (int)n, path);
        at = cJSON_GetObjectItemCaseSensitive(at, name);
        if (!at)
            fail_msg("no member %s", name);
        path += n + (path[n] == '/');
    }
    return at;
}

static double number(const cJSON *at, const char *path)
{
    const cJSON *item = member(at, path);

    assert_true(cJSON_IsNumber(item));
    return item->valuedouble;
}

static const char *word(const cJSON *at, const char *path)
{
    const cJSON *item = member(at, path);

    assert_true(cJSON_IsString(item));
    return item->valuestring;
}

/* --- what is refused ----------------------------------------------------------- */

static void refuses(void **state)
{
    static const struct { const char *query, *field, *code; } rows[] = {
        { "", "param_count", "missing" },
        { "token_count=1e12", "param_count", "missing" },
        { "mfu_frac=0&token_count=1e12&param_count=7e9", "mfu_frac", "conflict" },
        { "gpu_count=0&token_count=1e12&param_count=7e9", "gpu_count", "conflict" },
        { "token_count=1e30&param_count=1e15", "token_count", "above_max" },
        { "param_count=1e16", "param_count", "above_max" },
        { "param_count=0", "param_count", "below_min" },
        { "param_count=7e9&mfu_frac=-0.1", "mfu_frac", "below_min" },
        { "param_count=7e9&mfu_frac=1.1", "mfu_frac", "above_max" },
        { "param_count=7e9&layer_count=3.5", "layer_count", "not_an_integer" },
        { "param_count=7e9&shard_stage=4", "shard_stage", "above_max" },
        { "param_count=7e9&method=dora", "method", "not_in_list" },
        { "param_count=7e9&active_param_count=8e9", "active_param_count", "conflict" },
        { "model_preset=llama-9", "model_preset", "not_in_list" },
        { "flop_count=1e20&gpu_hour=5", "gpu_hour", "conflict" },
        { "param_count=7e9&param_count=8e9", "param_count", "repeated_key" },
        { "param_count=7e9&samples=5", "samples", "unknown_key" },
        { "param_count=7e9&bogus=5", "bogus", "unknown_key" },
        { "param_count=7e9&tensor_parallel=8&run_gpu_count=4", "run_gpu_count", "conflict" },
        { "sample_count=1e6", "forward_gflop_per_sample", "missing" },
        { "param_count=7e9&busy_frac=2", "busy_frac", "above_max" },
    };
    struct bench *b = *state;

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const cJSON *errors, *each;
        int found = 0;
        if (get(b, "/train.json", rows[i].query) != 400)
            fail_msg("%s: %d", rows[i].query, b->response.status);
        errors = member(json_of(b), "errors");
        cJSON_ArrayForEach(each, errors)
            found |= strcmp(word(each, "field"), rows[i].field) == 0 &&
                     strcmp(word(each, "code"), rows[i].code) == 0;
        if (!found)
            fail_msg("%s: %s", rows[i].query, b->response.body.at);
        /* the page says so and keeps what was typed */
        if (*rows[i].query) {
            assert_int_equal(get(b, "/train.html", rows[i].query), 400);
            assert_non_null(strstr(b->response.body.at, "role=\"alert\""));
        }
    }
    assert_int_equal(get(b, "/compare.json", "param_count=7e9"), 400);
    assert_int_equal(get(b, "/train.xyz", "param_count=7e9"), 404);
}

static void bare_is_a_form(void **state)
{
    struct bench *b = *state;

    assert_int_equal(get(b, "/train.html", ""), 200);
    assert_non_null(strstr(b->response.body.at, "<form method=\"get\" "
                                                "action=\"/train\">"));
    assert_null(strstr(b->response.body.at, "role=\"alert\""));
    assert_non_null(strstr(b->response.body.at, "name=\"token_count\""));
}

/* --- what is answered -------------------------------------------------------------- */

/* 42e21 FLOPs at 0.4 of 312 TFLOPS. One machine of eight: 8 x 400 W + 1,000
   W, PUE 1.5, 0.1 a kWh, 400 g. */
static void run_by_hand(void **state)
{
    struct bench *b = *state;
    const double hours = 42e21 / (312e12 * 0.4 * 3600);
    const double kwh = hours / 8 * 4.2 * 1.5;
    const cJSON *json;

    assert_int_equal(get(b, "/train.json",
        "param_count=7e9&token_count=1e12&mfu_frac=40%25&goodput_frac=1"
        "&a=own/a100-sxm4-40gb/8&a.gpu_price=10000&a.host_price=50000"
        "&load=tdp&gpu_watt=400&host_watt=1000&a.pue_ratio=1.5"
        "&a.energy_price_per_kwh=0.1&a.grid_g_per_kwh=400"
        "&b.rent_price_per_hour=20"), 200);
    json = json_of(b);
    assert_near(number(json, "run/flop"), 42e21, 1e-12);
    assert_near(number(json, "run/gpu_hour"), hours, 1e-12);
    assert_near(number(json, "run/wall_hour"), hours / 8, 1e-12);
    assert_string_equal(word(json, "run/mfu_origin"), "user");
    assert_string_equal(word(json, "run/energy_scope"), "facility");
    assert_near(number(json, "options/a/kwh"), kwh, 1e-12);
    assert_near(number(json, "options/a/kg"), kwh * 0.4, 1e-12);
    /* by scope: 3.2 kW of GPUs in 4.2 kW of machine in 6.3 kW at the meter */
    assert_near(number(json, "options/a/gpu_kwh"), hours / 8 * 3.2, 1e-12);
    assert_near(number(json, "options/a/node_kwh"), hours / 8 * 4.2, 1e-12);
    assert_near(number(json, "options/a/cost_marginal"), kwh * 0.1, 1e-12);
    assert_near(number(json, "options/a/cost_full"),
                number(json, "options/a/monthly_equivalent_cost") /
                number(json, "options/a/need_machine_hour_per_month") *
                hours / 8, 1e-12);
    /* eight A100 as well */
    assert_near(number(json, "options/b/cost_full"), hours / 8 * 20, 1e-12);
    assert_near(number(json, "options/b/cost_per_million_tokens"),
                hours / 8 * 20 / 1e6, 1e-12);
    assert_near(number(json, "options/b/cost_per_pflop_day"),
                hours / 8 * 20 / (42e21 / 8.64e19), 1e-12);
    /* typed rate and goodput: nothing is left to guess */
    assert_near(number(json, "run/gpu_hour_low"), hours, 1e-12);
    assert_near(number(json, "run/gpu_hour_high"), hours, 1e-12);
}

/* Rented by the machine: 10 GPUs take two of eight; a tenth redone. */
static void rented_whole(void **state)
{
    struct bench *b = *state;
    const double hours = 42e21 / (312e12 * 0.4 * 3600);

    assert_int_equal(get(b, "/train.json",
        "param_count=7e9&token_count=1e12&mfu_frac=0.4&goodput_frac=1"
        "&run_gpu_count=10&b.rent_price_per_hour=20&b.rework_frac=0.1"
        "&project_factor=2"), 200);
    assert_near(number(json_of(b), "options/b/cost_full"),
                hours / 10 * 2 * 20 / 0.9 * 2, 1e-12);
}

/* One machine stopped every 15 h, an hour between checkpoints: 0.75 h lost in
   15 of work, so 0.05 / 1.05 of all hours. */
static void interrupted(void **state)
{
    struct bench *b = *state;
    const double hours = 42e21 / (312e12 * 0.4 * 3600);
    const cJSON *json;

    assert_int_equal(get(b, "/train.json",
        "param_count=7e9&token_count=1e12&mfu_frac=0.4&goodput_frac=1"
        "&run_gpu_count=8&b.rent_price_per_hour=20&interruption_hour=15"
        "&checkpoint_hour=1"), 200);
    json = json_of(b);
    assert_near(number(json, "options/b/run/rework_frac"), 0.05 / 1.05, 1e-12);
    assert_near(number(json, "options/b/cost_full"), hours / 8 * 20 * 1.05,
                1e-12);
}

static void predicts_with_a_range(void **state)
{
    struct bench *b = *state;
    const cJSON *json;
    double hours;

    assert_int_equal(get(b, "/train.json", "model_preset=llama-2-70b"
                     "&run_gpu_count=2048&a=own/a100-sxm4-80gb/8/256"), 200);
    json = json_of(b);
    hours = number(json, "run/gpu_hour");
    assert_string_equal(word(json, "run/mfu_origin"), "derived");
    assert_true(number(json, "run/gpu_hour_low") < hours);
    assert_true(number(json, "run/gpu_hour_high") > hours);
    /* the published 1,720,320 lie within */
    assert_true(number(json, "run/gpu_hour_low") < 1720320);
    assert_true(number(json, "run/gpu_hour_high") > 1720320);
    assert_string_equal(word(json, "run/fits"), "fits");
}

static void tokens_are_suggested(void **state)
{
    struct bench *b = *state;

    assert_int_equal(get(b, "/train.json", "param_count=1e9"), 200);
    assert_near(number(json_of(b), "run/token_count"), 2e10, 1e-12);
    assert_non_null(strstr(b->response.body.at, "token_suggestion"));
}

/* Strong scaling: twice as fast takes more than twice the GPUs. */
static void deadline(void **state)
{
    struct bench *b = *state;
    const double hours = 42e21 / (312e12 * 0.4 * 3600) / 8;
    char query[256];
    double gpus;

    snprintf(query, sizeof query, "param_count=7e9&token_count=1e12"
             "&mfu_frac=0.4&goodput_frac=1&a=own/a100-sxm4-80gb/8"
             "&deadline_hour=%.6f", hours / 2);
    assert_int_equal(get(b, "/train.json", query), 200);
    gpus = number(json_of(b), "run/deadline_gpu_count");
    assert_true(gpus > 16 && gpus < 24);
    snprintf(query, sizeof query, "param_count=7e9&token_count=1e12"
             "&mfu_frac=0.4&goodput_frac=1&a=own/a100-sxm4-80gb/8"
             "&deadline_hour=%.6f", hours * 2);
    assert_int_equal(get(b, "/train.json", query), 200);
    assert_near(number(json_of(b), "run/deadline_gpu_count"), 4, 1e-12);
}

static const char llama3[] =
    "{\"config\":{\"architectures\":[\"LlamaForCausalLM\"],"
    "\"hidden_act\":\"silu\",\"hidden_size\":4096,"
    "\"intermediate_size\":14336,\"model_type\":\"llama\","
    "\"num_attention_heads\":32,\"num_hidden_layers\":32,"
    "\"num_key_value_heads\":8,\"rope_scaling\":{\"factor\":8.0},"
    "\"tie_word_embeddings\":false,\"vocab_size\":128256},"
    "\"token_count\":15e12,\"sequence_token\":8192}";

static void config_fills_the_shape(void **state)
{
    struct bench *b = *state;
    const cJSON *json;

    assert_int_equal(send(b, "POST", "/train.json", "", "application/json",
                          llama3), 200);
    json = json_of(b);
    /* 8,030,261,248 with the norms */
    assert_near(number(json, "run/param_count"), 8030261248, 1e-4);
    assert_near(number(json, "run/flop"),
                (6 * number(json, "run/param_count") +
                 12.0 * 32 * 4096 * 8192) * 15e12, 1e-12);
    assert_int_equal(send(b, "POST", "/train.json", "", "application/json",
                          "{\"config\":{\"hidden_size\":4096}}"), 400);
    /* experts: Mixtral 8x7B, 46.7e9 of which 12.9e9 work on a token */
    assert_int_equal(send(b, "POST", "/train.json", "", "application/json",
        "{\"config\":{\"hidden_act\":\"silu\",\"hidden_size\":4096,"
        "\"intermediate_size\":14336,\"num_attention_heads\":32,"
        "\"num_hidden_layers\":32,\"num_key_value_heads\":8,"
        "\"num_local_experts\":8,\"num_experts_per_tok\":2,"
        "\"tie_word_embeddings\":false,\"vocab_size\":32000}}"), 200);
    json = json_of(b);
    assert_near(number(json, "run/param_count"), 46.7028e9, 1e-4);
    assert_near(number(json, "run/active_param_count"), 12.8794e9, 1e-4);
    assert_int_equal(send(b, "POST", "/train.json", "", "application/json",
        "{\"config\":{\"hidden_size\":1e200,\"num_attention_heads\":1,"
        "\"num_hidden_layers\":1e200,\"vocab_size\":10}}"), 400);
    /* in a form it stands as text; on other addresses it is unknown */
    assert_int_equal(send(b, "POST", "/train.json", "",
        "application/x-www-form-urlencoded",
        "token_count=1e12&config={\"n_embd\":768,\"n_layer\":12,"
        "\"n_head\":12,\"vocab_size\":50257,\"model_type\":\"gpt2\"}"), 200);
    /* 124 million without the 0.8 of positions and the norms */
    assert_near(number(json_of(b), "run/param_count"), 124.4e6, 0.01);
    assert_int_equal(send(b, "POST", "/compare.json", "", "application/json",
                          llama3), 400);
}

static void kinds_of_work(void **state)
{
    static const struct { const char *query; double flop; } rows[] = {
        { "network=encoder_decoder", 3e20 }, { "network=encoder", 6e20 },
        { "method=qlora", 4e20 }, { "teacher_param_count=4e9", 14e20 },
        { "active_param_count=5e8", 3e20 },
    };
    struct bench *b = *state;
    char query[128];

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        snprintf(query, sizeof query, "param_count=1e9&token_count=1e11&%s",
                 rows[i].query);
        assert_int_equal(get(b, "/train.json", query), 200);
        assert_near(number(json_of(b), "run/flop"), rows[i].flop, 1e-12);
    }
    /* 16 bytes a weight over 8 ranks that share each layer; tensor parallel
       8: 34 s b h L / 8 (hidden 4,096, 32 layers, 2,048 tokens) */
    assert_int_equal(get(b, "/train.json", "model_preset=llama-2-7b"
        "&sequence_token=2048&tensor_parallel=8&run_gpu_count=8"
        "&shard_stage=0&recompute=none&a=own/a100-sxm4-80gb/8"), 200);
    assert_near(number(json_of(b), "run/memory_gib/states"),
                16 * 6.738415616e9 / 8 / (1024.0 * 1024 * 1024), 1e-9);
    assert_near(number(b->json, "run/memory_gib/activations"),
                34.0 * 2048 * 4096 * 32 / 8 / (1024.0 * 1024 * 1024), 1e-9);
}

static void serves(void **state)
{
    struct bench *b = *state;
    const cJSON *json;
    double tokens;

    assert_int_equal(get(b, "/train.json", "phase=inference"
        "&model_preset=llama-2-7b&micro_batch=8&run_gpu_count=8"
        "&b.rent_price_per_hour=20"), 200);
    json = json_of(b);
    tokens = number(json, "options/b/run/tokens_per_s");
    assert_near(number(json, "options/b/cost_per_million_tokens"),
                20 / (tokens * 3600 / 1e6), 1e-12);
    assert_near(number(json, "options/b/run/kv_gib"), 8 * 4096 / 2048.0,
                1e-9);
    assert_int_equal(get(b, "/train.json", "phase=inference"), 400);
}

static void formats_agree(void **state)
{
    static const char *const queries[] = {
        "param_count=7e9&token_count=1e12", "flop_count=1e21", "gpu_hour=10",
        "model_preset=resnet-50&sample_count=1.28e6&epoch_count=90",
        "phase=inference&model_preset=mixtral-8x7b",
        "model_preset=t5-11b&token_count=1e12", "param_count=1&token_count=1",
        "param_count=1e15&token_count=1e18&deadline_hour=1",
        "param_count=7e9&precision=fp8&b.instance=p5.48xlarge", "param_count=7e9&busy_frac=0",
        "param_count=7e9&lang=zh&label=%3Cscript%3E",
    };
    struct bench *b = *state;

    for (size_t i = 0; i < sizeof queries / sizeof *queries; i++) {
        const char *link;
        char again[2048];
        if (get(b, "/train.json", queries[i]) != 200)
            fail_msg("%s: %s", queries[i], b->response.body.at);
        link = strchr(word(json_of(b), "permalink"), '?') + 1;
        snprintf(again, sizeof again, "%s", link);
        assert_null(strstr(b->response.body.at, ":nan"));
        assert_null(strstr(b->response.body.at, "inf,"));
        /* the link gives the same run */
        {
            cJSON *first = cJSON_Duplicate(member(b->json, "run"), 1);
            assert_int_equal(get(b, "/train.json", again), 200);
            assert_true(cJSON_Compare(first, member(json_of(b), "run"), 1));
            cJSON_Delete(first);
        }
        assert_int_equal(get(b, "/train.html", queries[i]), 200);
        assert_null(strstr(b->response.body.at, "<script>"));
        assert_null(strstr(b->response.body.at, ">nan"));
        assert_int_equal(get(b, "/train.txt", queries[i]), 200);
    }
}

/* Every GPU and cloud: in order, marked, and each row's arithmetic holds. */
static void runs_everywhere(void **state)
{
    struct bench *b = *state;
    const cJSON *each, *json;
    double before = 0;
    int rows = 0, cheapest = 0, fastest = 0, greenest = 0, refused = 0;

    assert_int_equal(get(b, "/train.json", "param_count=7e9&token_count=1e12"
                     "&run_gpu_count=64&mfu_frac=0.4&goodput_frac=1"), 200);
    json = json_of(b);
    cJSON_ArrayForEach(each, member(json, "everywhere")) {
        int fits = strcmp(word(each, "fits"), "does_not_fit") != 0;
        rows++;
        assert_near(number(each, "run_gpu_count"), 64, 0);
        assert_near(number(each, "wall_hour") * 64, number(each, "gpu_hour"),
                    1e-9);
        if (strcmp(word(each, "gpu"), "a100-sxm4-80gb") == 0)
            assert_near(number(each, "gpu_hour"),
                        42e21 / (312e12 * 0.4 * 3600), 1e-12);
        if (!fits) {
            refused = 1;
            continue;
        }
        assert_false(refused); /* those that do not fit come last */
        assert_true(number(each, "cost_full") >= before);
        before = number(each, "cost_full");
        cheapest += cJSON_IsTrue(member(each, "cheapest"));
        fastest += cJSON_IsTrue(member(each, "fastest"));
        greenest += cJSON_IsTrue(member(each, "greenest"));
        if (rows == 1)
            assert_true(cJSON_IsTrue(member(each, "cheapest")));
    }
    assert_true(rows > 40);
    assert_int_equal(cheapest * 100 + fastest * 10 + greenest, 111);
}

/* Another question, another tag; the same tag needs no answer again. */
static void is_tagged(void **state)
{
    struct bench *b = *state;
    const char *at;
    char tag[32];
    struct request request = {
        .method = "GET", .path = "/train.json", .query = "param_count=7e9",
        .body = "", .content_type = "", .content_encoding = "", .accept = "",
        .accept_language = "", .if_none_match = tag, .sec_fetch_site = "",
        .base_url = ""
    };

    assert_int_equal(get(b, "/train.json", "param_count=7e9"), 200);
    text_char(&b->response.header, '\0');
    at = strstr(b->response.header.at, "ETag: ");
    assert_non_null(at);
    snprintf(tag, sizeof tag, "%.18s", at + 6);
    response_reset(&b->response);
    app_handle(&b->world, &request, &b->response);
    assert_int_equal(b->response.status, 304);
    request.query = "param_count=8e9";
    response_reset(&b->response);
    app_handle(&b->world, &request, &b->response);
    assert_int_equal(b->response.status, 200);
}

static void models_are_listed(void **state)
{
    struct bench *b = *state;

    assert_int_equal(get(b, "/models.json", ""), 200);
    assert_true(cJSON_GetArraySize(member(json_of(b), "rows")) >= 60);
    assert_int_equal(get(b, "/models.csv", ""), 200);
    assert_int_equal(get(b, "/models.html", "lang=zh"), 200);
    assert_non_null(strstr(b->response.body.at,
                           "/train?model_preset=llama-2-7b&amp;lang=zh"));
}

static void selfcheck_is_shown(void **state)
{
    struct bench *b = *state;
    const cJSON *json, *each;

    assert_int_equal(get(b, "/methods/selfcheck.json", ""), 200);
    json = json_of(b);
    assert_true(cJSON_IsTrue(member(json, "good")));
    cJSON_ArrayForEach(each, member(json, "headlines"))
        assert_true(cJSON_IsTrue(member(each, "good")));
    assert_true(cJSON_GetArraySize(member(json, "rows")) > 250);
    assert_int_equal(get(b, "/methods/selfcheck.html", ""), 200);
    assert_non_null(strstr(b->response.body.at, "llama1-7b"));
    assert_int_equal(get(b, "/methods/selfcheck.txt", ""), 200);
    assert_int_equal(get(b, "/methods/selfcheck.json", "gpu=t4"), 400);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(refuses, set_up, tear_down),
        cmocka_unit_test_setup_teardown(bare_is_a_form, set_up, tear_down),
        cmocka_unit_test_setup_teardown(run_by_hand, set_up, tear_down),
        cmocka_unit_test_setup_teardown(rented_whole, set_up, tear_down),
        cmocka_unit_test_setup_teardown(interrupted, set_up, tear_down),
        cmocka_unit_test_setup_teardown(predicts_with_a_range, set_up, tear_down),
        cmocka_unit_test_setup_teardown(tokens_are_suggested, set_up, tear_down),
        cmocka_unit_test_setup_teardown(deadline, set_up, tear_down),
        cmocka_unit_test_setup_teardown(config_fills_the_shape, set_up, tear_down),
        cmocka_unit_test_setup_teardown(kinds_of_work, set_up, tear_down),
        cmocka_unit_test_setup_teardown(serves, set_up, tear_down),
        cmocka_unit_test_setup_teardown(formats_agree, set_up, tear_down),
        cmocka_unit_test_setup_teardown(runs_everywhere, set_up, tear_down),
        cmocka_unit_test_setup_teardown(is_tagged, set_up, tear_down),
        cmocka_unit_test_setup_teardown(models_are_listed, set_up, tear_down),
        cmocka_unit_test_setup_teardown(selfcheck_is_shown, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
