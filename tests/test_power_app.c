/* test_power_app.c: /power-log through the seam: pages, languages, mistakes,
   a body that is read as it comes. Digits are checked by test_power_log.py. */
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

static struct response response;

static struct request request_of(const char *path, const char *query,
                                 const char *body)
{
    struct request request = { .method = "POST", .path = path, .query = query,
        .body = body, .body_byte = strlen(body), .content_type = "text/csv",
        .content_encoding = "", .accept = "", .accept_language = "",
        .if_none_match = "", .sec_fetch_site = "", .base_url = "" };

    return request;
}

static const char *handle(const struct request *request, int status)
{
    struct world world = { .prices = seed_prices(), .rates = seed_rates(),
                           .today = 20261201, .degraded_reason = "" };

    response_reset(&response);
    app_handle(&world, request, &response);
    assert_false(response.body.failed);
    if (response.status != status)
        fail_msg("%s?%s: %d, %.300s", request->path, request->query,
                 response.status, response.body.at);
    return response.body.at;
}

static const char *post(const char *path, const char *query, const char *body,
                        int status)
{
    struct request request = request_of(path, query, body);

    return handle(&request, status);
}

static int holds(const char *text)
{
    return strstr(response.body.at, text) != NULL;
}

/* 400 W for one second, then 60 s without lines, then 400 W for two. */
#define LOG "timestamp,index,name,power.draw [W]\n" \
    "2024/05/01 12:00:00.000,0,NVIDIA A100-SXM4-80GB,400\n" \
    "2024/05/01 12:00:01.000,0,NVIDIA A100-SXM4-80GB,400\n" \
    "2024/05/01 12:01:01.000,0,NVIDIA A100-SXM4-80GB,400\n" \
    "2024/05/01 12:01:02.000,0,NVIDIA A100-SXM4-80GB,400\n" \
    "2024/05/01 12:01:03.000,0,NVIDIA A100-SXM4-80GB,[N/A]\n"

static double number(const cJSON *of, const char *name)
{
    const cJSON *value = cJSON_GetObjectItem(of, name);

    assert_non_null(value);
    return cJSON_IsNumber(value) ? value->valuedouble : (double)NAN;
}

static void figures(void **state)
{
    cJSON *tree = cJSON_Parse(post("/power-log.json", "", LOG, 200));
    const cJSON *total = cJSON_GetObjectItem(tree, "total");
    const cJSON *device = cJSON_GetArrayItem(
        cJSON_GetObjectItem(tree, "devices"), 0);

    (void)state;
    assert_near(number(total, "kwh"), 800 / 3.6e6, 1e-15);
    assert_near(number(total, "gap_hour"), 60.0 / 3600, 1e-15);
    assert_near(number(total, "gap_count"), 1, 0);
    assert_near(number(total, "missing_count"), 1, 0);
    assert_near(number(total, "load_frac"), 1, 1e-12); /* TDP 400 W */
    assert_true(isnan(number(total, "busy_frac")));    /* was not logged */
    assert_string_equal(cJSON_GetObjectItem(device, "gpu")->valuestring,
                        "a100-sxm4-80gb");
    assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(device, "gaps")),
                     1);
    assert_non_null(strstr(cJSON_GetObjectItem(tree, "compare")->valuestring,
                           "/compare?a=own/a100-sxm4-80gb/1/1"));
    cJSON_Delete(tree);
}

/* What stays unknown is said, and leads to no study with made-up numbers. */
static void no_study_without_a_gpu(void **state)
{
    static const struct { const char *body, *query, *why; } run[] = {
        { "timestamp,power.draw [W]\n1700000000,5\n1700000001,5\n", "",
          "does not name the GPU" },
        { "timestamp,name,power.draw [W]\n1700000000,ACME 1,5\n"
          "1700000001,ACME 1,5\n", "", "not in the table" },
        { "timestamp,index,name,power.draw [W]\n1700000000,0,Tesla T4,5\n"
          "1700000000,1,NVIDIA L4,5\n1700000001,0,Tesla T4,5\n"
          "1700000001,1,NVIDIA L4,5\n", "", "several models" },
        { "JobID|ConsumedEnergyRaw|Elapsed|NNodes\n1|3600000|01:00:00|1\n", "",
          "whole nodes" },
        { "JobID|ConsumedEnergyRaw|Elapsed\n1|3600000|01:00:00\n", "",
          "how many nodes" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof run / sizeof *run; i++) {
        cJSON *tree = cJSON_Parse(post("/power-log.json", run[i].query,
                                       run[i].body, 200));
        assert_true(cJSON_IsNull(cJSON_GetObjectItem(tree, "compare")));
        assert_non_null(strstr(cJSON_GetObjectItem(tree, "compare_reason")
                               ->valuestring, run[i].why));
        assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(
            tree, "measured_and_modelled")), 0);
        cJSON_Delete(tree);
        post("/power-log.html", "", run[i].body, 200);
        post("/power-log.txt", "", run[i].body, 200);
    }
    /* told which one it is, it does */
    post("/power-log.json", "gpu=t4", run[0].body, 200);
    assert_true(holds("\"gpu\":\"t4\"") && holds("\"compare\":null"));
    /* what nobody knows of it is lacking, and may be typed */
    assert_true(holds("\"field\":\"a.gpu_price\",\"code\":\"no_price\""));
    post("/power-log.json", "gpu=t4&gpu_price=900&precision=fp16",
         run[0].body, 200);
    assert_true(holds("a=own/t4/1/1") && holds("\"compare_lacks\":[]"));
    post("/power-log.json", "gpu=t5", run[0].body, 400);
    assert_true(holds("\"field\":\"gpu\",\"code\":\"not_in_list\""));
}

static void slurm_energy(void **state)
{
    cJSON *tree = cJSON_Parse(post("/power-log.json", "",
        "JobID|ConsumedEnergyRaw|Elapsed|AllocNodes|AllocTRES\n"
        "7|14400000|01:00:00|2|gres/gpu=16,node=2\n", 200));

    (void)state; /* 4 kWh in an hour: 2 kW a node, 250 W a GPU */
    assert_near(number(cJSON_GetObjectItem(tree, "total"), "kwh"), 4, 1e-15);
    assert_near(number(tree, "node_watt"), 2000, 1e-15);
    assert_near(number(tree, "node_watt_per_gpu"), 250, 1e-15);
    assert_string_equal(cJSON_GetObjectItem(tree, "scope")->valuestring,
                        "node");
    cJSON_Delete(tree);
}

/* Measured runs: BERT 8 V100 36 h, a model of 6e9 weights 256 A100 192 h,
   ViT-Huge 4 V100 216 h (Dodge et al. 2022, as CodeCarbon's documents have
   them): 37.3, 13,812.4 and 237.6 kWh are 129.5, 281.0 and 275.0 W a GPU. */
static void published_runs(void **state)
{
    static const struct { double kwh; int gpus; const char *time;
                          double watt; } run[] = {
        { 37.3, 8, "1-12:00:00", 129.5 }, { 13812.4, 256, "8-00:00:00", 281 },
        { 237.6, 4, "9-00:00:00", 275 },
    };

    (void)state;
    for (size_t i = 0; i < sizeof run / sizeof *run; i++) {
        char log[200];
        cJSON *tree;
        snprintf(log, sizeof log, "JobID|ConsumedEnergyRaw|Elapsed|AllocTRES\n"
                 "%zu|%.0f|%s|gres/gpu=%d\n", i, run[i].kwh * 3.6e6,
                 run[i].time, run[i].gpus);
        tree = cJSON_Parse(post("/power-log.json", "", log, 200));
        assert_near(number(cJSON_GetObjectItem(tree, "total"), "kwh"),
                    run[i].kwh, 1e-9);
        /* printed with one decimal */
        assert_true(fabs(number(tree, "node_watt_per_gpu") - run[i].watt)
                    <= 0.05);
        cJSON_Delete(tree);
    }
}

/* Which GPUs the node holds is told: 8 of 700 W draw 5,600 W as TDP has it;
   the rest of 7,000 W is the host's. A node below that has GPUs below TDP:
   4,200 W of 5,600 W. */
static void slurm_study(void **state)
{
    static const struct { const char *joule, *key; double value; } run[] = {
        { "25200000", "host_watt", 1400 },
        { "15120000", "gpu_load_frac", 0.75 },
    };

    (void)state;
    for (int i = 0; i < 2; i++) {
        char log[200];
        cJSON *tree;
        const cJSON *row;
        snprintf(log, sizeof log, "JobID|ConsumedEnergyRaw|ElapsedRaw|NNodes\n"
                 "7|%s|3600|1\n", run[i].joule);
        tree = cJSON_Parse(post("/power-log.json",
                                "a=own/h100-sxm5-80gb/8&host_watt=2000", log,
                                200));
        assert_null(cJSON_GetObjectItem(cJSON_GetObjectItem(tree, "keys"),
                                        "host_watt")); /* typed wins */
        cJSON_Delete(tree);
        tree = cJSON_Parse(post("/power-log.json", "a=own/h100-sxm5-80gb/8",
                                log, 200));
        assert_near(number(cJSON_GetObjectItem(tree, "keys"), run[i].key),
                    run[i].value, 1e-12);
        row = cJSON_GetArrayItem(cJSON_GetObjectItem(
            tree, "measured_and_modelled"), 0);
        assert_string_equal(cJSON_GetObjectItem(row, "name")->valuestring,
                            "busy_watt");
        assert_near(number(row, "measured"), i ? 4200 : 7000, 1e-12);
        cJSON_Delete(tree);
    }
}

/* nvidia-smi without options: what is there, and nothing measured. */
static void plain_table(void **state)
{
    static const char table[] =
        "+---------------------------------------------------------------+\n"
        "| NVIDIA-SMI 535.104.05   Driver Version: 535.104.05   CUDA ... |\n"
        "|   0  NVIDIA GeForce RTX 4090  Off | 00000000:01:00.0 Off | x  |\n"
        "| 30%   45C    P2       320W / 300W |   4MiB / 24564MiB | 99% D |\n";
    cJSON *tree = cJSON_Parse(post("/power-log.json", "", table, 200));

    (void)state;
    assert_string_equal(cJSON_GetObjectItem(tree, "gpu")->valuestring,
                        "rtx-4090");
    assert_string_equal(cJSON_GetObjectItem(tree, "driver")->valuestring,
                        "535.104.05");
    assert_string_equal(cJSON_GetObjectItem(tree, "cuda")->valuestring,
                        "12.2");
    assert_true(isnan(number(cJSON_GetObjectItem(tree, "total"), "kwh")));
    assert_near(number(cJSON_GetObjectItem(tree, "keys"), "gpu_watt"), 300, 0);
    assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(
        tree, "measured_and_modelled")), 0);
    assert_true(holds("/compare?a=own/rtx-4090/1/1&a.gpu_watt=300"));
    cJSON_Delete(tree);
}

static void pages(void **state)
{
    struct request request = request_of("/power-log", "", "");

    (void)state;
    post("/power-log.html", "", LOG, 200);
    assert_true(holds("A100 SXM4 80GB") && holds("href=\"/compare?a=own"));
    assert_true(holds("<textarea name=\"log\""));
    post("/power-log.html", "lang=zh", LOG, 200);
    assert_true(holds("lang=\"zh-CN\"") && !holds("Mean power"));
    assert_true(holds("&amp;lang=zh\">"));
    post("/power-log.txt", "", LOG, 200);
    assert_true(holds("Gaps: longer than five median intervals"));
    request.method = "GET"; /* the form, which works without script */
    request.accept = "text/html";
    request.content_type = "";
    handle(&request, 200);
    assert_true(holds("method=\"post\" enctype=\"multipart/form-data\""));
    request.path = "/power-log.json";
    handle(&request, 400);
    assert_true(holds("\"code\":\"missing\""));
}

static void mistakes(void **state)
{
    (void)state;
    post("/power-log.json", "zone=XX", "timestamp,power.draw [W]\nnoon,5\n"
         "1700000000,50000\n", 400);
    assert_true(holds("\"field\":\"zone\",\"code\":\"not_in_list\""));
    assert_true(holds("\"field\":\"timestamp\",\"code\":\"bad_time\""));
    assert_true(holds("\"limit\":\"0 to 20000 W\",\"file\":1,\"line\":3"));
    assert_true(holds("\"mistakes\":3"));
    post("/power-log.html", "", "timestamp,power.draw [W]\nnoon,5\n", 400);
    assert_true(holds("role=\"alert\"") && holds("line 2"));
    post("/power-log.html", "lang=zh", "timestamp,power.draw [W]\nnoon,5\n",
         400);
    assert_false(holds("This is no instant"));
    post("/power-log.json", "interval_second=0", "# gpu pwr\n0 5\n0 6\n", 400);
    assert_true(holds("\"field\":\"interval_second\""));
    post("/power-log.json", "interval_second=1e300", "# gpu pwr\n0 5\n0 6\n",
         400);
    assert_true(holds("\"field\":\"interval_second\",\"code\":\"above_max\""));
    post("/power-log.json", "nothing=1", "JobID|ConsumedEnergyRaw\n1|5\n", 400);
    assert_true(holds("\"unknown_key\""));
}

/* What a log calls its devices is an outsider's text. */
static void markup_in_a_log(void **state)
{
    static const char log[] = "timestamp,uuid,name,power.draw [W]\n"
        "1700000000,<script>,<b>\"&',5\n1700000001,<script>,<b>\"&',5\n"
        "1700000000,GPU-2,\x01\xFF,5\n1700000001,GPU-2,\x01\xFF,5\n";

    (void)state;
    post("/power-log.html", "", log, 200);
    assert_false(holds("<script>") || holds("<b>\""));
    assert_true(holds("&lt;script&gt;"));
    assert_null(strchr(response.body.at, '\xFF'));
    cJSON_Delete(cJSON_Parse(post("/power-log.json", "", log, 200)));
    assert_false(holds("<script>") || holds("\x01"));
}

struct rest { const char *at; size_t byte; };

static size_t more(void *from, char *at, size_t byte)
{
    struct rest *rest = from;
    size_t got = byte < rest->byte ? byte : rest->byte;

    memcpy(at, rest->at, got);
    rest->at += got;
    rest->byte -= got;
    return got;
}

/* 20,000 readings, the first of them in `body`, the rest as they come. */
static void read_as_it_comes(void **state)
{
    size_t room = 1 << 20, byte;
    char *log = malloc(room), *want;
    struct request request = request_of("/power-log.json", "gpu=t4", "");

    (void)state;
    assert_non_null(log);
    byte = (size_t)snprintf(log, room, "timestamp,power.draw [W]\n");
    for (int i = 0; i < 20000; i++)
        byte += (size_t)snprintf(log + byte, room - byte, "%d,%d\n",
                                 1700000000 + i, 20 + i % 50);
    want = strdup(post("/power-log.json", "gpu=t4", log, 200));
    assert_non_null(want);
    for (size_t kept = 0; kept <= byte; kept += byte / 7) {
        struct rest rest = { log + kept, byte - kept };
        request.body = log;
        request.body_byte = kept;
        request.read_more = more;
        request.more = &rest;
        assert_string_equal(handle(&request, 200), want);
    }
    free(want);
    free(log);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(figures), cmocka_unit_test(no_study_without_a_gpu),
        cmocka_unit_test(slurm_energy), cmocka_unit_test(slurm_study),
        cmocka_unit_test(published_runs),
        cmocka_unit_test(plain_table), cmocka_unit_test(pages),
        cmocka_unit_test(mistakes), cmocka_unit_test(markup_in_a_log),
        cmocka_unit_test(read_as_it_comes),
    };
    int failed;

    response_init(&response);
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    response_free(&response);
    return failed;
}
