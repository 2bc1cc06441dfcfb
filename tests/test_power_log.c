/* test_power_log.c: power logs of every form against trapezoids worked by
   hand, in pieces of every size, broken, and at random. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "energy/power_log.h"
#include "tests/near.h"

static void read_into(struct power_log *log, const char *text, size_t byte,
                      size_t piece, double interval)
{
    power_log_begin(log, interval);
    for (size_t at = 0; at < byte; at += piece) {
        size_t n = byte - at < piece ? byte - at : piece;
        char *copy = malloc(n); /* so that a sanitizer sees its ends */
        assert_non_null(copy);
        memcpy(copy, text + at, n);
        power_log_bytes(log, copy, n);
        free(copy);
    }
    power_log_end(log);
}

static struct power_log *log_of(const char *text, size_t byte, size_t piece,
                                double interval)
{
    struct power_log *log = test_malloc(sizeof *log);

    /* nothing may depend on what the memory held */
    memset(log, 0xA5, sizeof *log);
    read_into(log, text, byte, piece, interval);
    return log;
}

static struct power_log *whole(const char *text, double interval)
{
    return log_of(text, strlen(text), strlen(text) + 1, interval);
}

static long count_of(const struct power_log *log, enum power_code code)
{
    return log->code_count[code];
}

#define HEAD "timestamp, index, power.draw [W], utilization.gpu [%]\n"
#define AT(s) "2024/05/01 12:00:" s

/* 100 -> 300 W in one second is 200 J; two seconds at 300 W are 600 J:
   800 J, 3 s. Use: half a second at 0 %, 2.5 s at 90 %. */
static void trapezoid(void **state)
{
    struct power_log *log = whole(HEAD
        AT("00.000, 0, 100.00 W, 0 %\n") AT("01.000, 0, 300.00 W, 90 %\n")
        AT("02.000, 0, 300.00 W, 90 %\n") AT("03.000, 0, 300.00 W, 90 %\n"),
        NAN);
    const struct power_measure *m = &log->gpu[0].measure;

    (void)state;
    assert_int_equal(log->mistake_count, 0);
    assert_int_equal(log->gpu_count, 1);
    assert_int_equal(log->form, FORM_CSV);
    assert_near(m->kwh, 800 / 3.6e6, 1e-15);
    assert_near(m->hour, 3.0 / 3600, 1e-15);
    assert_near(m->mean_watt, 800.0 / 3, 1e-12);
    assert_near(m->peak_watt, 300, 0);
    assert_near(m->p95_watt, 300, 0);
    assert_near(m->busy_frac, 2.5 / 3, 1e-12);
    assert_near(m->busy_watt, 300, 1e-12);
    assert_near(m->idle_watt, 100, 1e-12);
    assert_near(m->use_frac, 0.9 * 2.5 / 3, 1e-12);
    assert_near(m->median_second, 1, 0);
    assert_int_equal(m->sample_count, 4);
    assert_int_equal(m->gap_count, 0);
    test_free(log);
}

/* A minute without lines: nothing is put in its place, zero neither. Four
   intervals of 1 s at 100 W are 400 J. */
static void gap_is_reported_not_filled(void **state)
{
    struct power_log *log = whole(HEAD
        AT("00.000, 0, 100, 5\n") AT("01.000, 0, 100, 5\n")
        AT("02.000, 0, 100, 5\n")
        "2024/05/01 12:01:02.000, 0, 100, 5\n"
        "2024/05/01 12:01:03.000, 0, 100, 5\n"
        "2024/05/01 12:01:04.000, 0, 100, 5\n", NAN);
    const struct power_measure *m = &log->gpu[0].measure;

    (void)state;
    assert_near(m->kwh, 400 / 3.6e6, 1e-15);
    assert_near(m->mean_watt, 100, 1e-12);
    assert_near(m->hour, 4.0 / 3600, 1e-15);
    assert_near(m->gap_hour, 60.0 / 3600, 1e-15);
    assert_int_equal(m->gap_count, 1);
    assert_int_equal(m->gap_listed, 1);
    assert_int_equal(m->gap[0].line, 5);
    assert_near(m->gap[0].second, 60, 0);
    assert_true(m->gap[0].from_us == 1714564802000000);
    test_free(log);
}

/* Exactly five median intervals are none, a little more is one. */
static void edge_of_a_gap(void **state)
{
    static const struct { const char *last; int gaps; } run[] = {
        { AT("09.000, 0, 50, 0\n"), 0 }, { AT("09.001, 0, 50, 0\n"), 1 },
    };

    (void)state;
    for (int i = 0; i < 2; i++) {
        char text[400];
        struct power_log *log;
        snprintf(text, sizeof text, "%s%s", HEAD AT("01.000, 0, 50, 0\n")
                 AT("02.000, 0, 50, 0\n") AT("03.000, 0, 50, 0\n")
                 AT("04.000, 0, 50, 0\n"), run[i].last);
        log = whole(text, NAN);
        assert_int_equal(log->gpu[0].measure.gap_count, run[i].gaps);
        test_free(log);
    }
}

/* A reading that is missing is no zero: its neighbours are joined, 200 W over
   2 s. */
static void missing_is_not_zero(void **state)
{
    static const char *const none[] = { "[N/A]", "[Not Supported]", "N/A",
                                        "[Unknown Error]", "" };

    (void)state;
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        char text[400];
        struct power_log *log;
        snprintf(text, sizeof text, "%s%s%s",
                 HEAD AT("00.000, 0, 200.00 W, 1 %\n") AT("01.000, 0, "),
                 none[i], ", 1 %\n" AT("02.000, 0, 200.00 W, 1 %\n"));
        log = whole(text, NAN);
        assert_int_equal(log->mistake_count, 0);
        assert_near(log->gpu[0].measure.kwh, 400 / 3.6e6, 1e-15);
        assert_int_equal(log->gpu[0].missing_count, 1);
        assert_int_equal(count_of(log, POWER_MISSING_READING), 1);
        assert_int_equal(log->problem[0].line, 3);
        test_free(log);
    }
}

/* The same log with units in cells, in the header, in mW, in another order,
   with other separators, and known by uuid, bus or index. */
static void columns_in_any_form(void **state)
{
    static const char *const logs[] = {
        "power.draw [W], timestamp, index\n100, " AT("00.000") ", 0\n"
        "300, " AT("01.000") ", 0\n",
        "timestamp,power.draw,gpu_uuid\n" AT("00.000") ",100 W,GPU-1\n"
        AT("01.000") ",300 W,GPU-1\n",
        "timestamp,power.draw [mW],pci.bus_id\n" AT("00.000")
        ",100000,00000000:07:00.0\n" AT("01.000") ",300000,00000000:07:00.0\n",
        "uuid;timestamp;power.draw [kW]\nGPU-1;" AT("00.000") ";0.1\nGPU-1;"
        AT("01.000") ";0.3\n",
        "timestamp\tpower.draw [W]\r\n1714564800.0\t100\r\n"
        "1714564801.0\t300\r\n",
        "\xEF\xBB\xBFtimestamp,power.draw [W]\n2024-05-01T12:00:00Z,100\n"
        "2024-05-01T14:00:01+02:00,300\n",
        AT("00.000") ", 0, 100.00 W\n" AT("01.000") ", 0, 300.00 W\n",
        "\n\ntimestamp, power.draw.instant [W], power.draw [W]\n" AT("00.000")
        ", 5, 100\n\n" AT("01.000") ", 5, 300",
        "DCGM_FI_DEV_POWER_USAGE,timestamp,modelName,DCGM_FI_DEV_GPU_UTIL\n"
        "100," AT("00.000") ",NVIDIA L4,5\n300," AT("01.000") ",NVIDIA L4,5\n",
        "timestamp, temperature.gpu, power.draw [W]\n" AT("00.000")
        ", 44, 100\nUnable to determine the device handle\n" AT("01.000")
        ", 45, 300\n",
    };

    (void)state;
    for (size_t i = 0; i < sizeof logs / sizeof *logs; i++) {
        struct power_log *log = whole(logs[i], NAN);
        if (log->mistake_count || log->gpu_count != 1)
            fail_msg("log %zu: %d mistakes, %d devices", i,
                     log->mistake_count, log->gpu_count);
        assert_near(log->gpu[0].measure.kwh, 200 / 3.6e6, 1e-14);
        test_free(log);
    }
}

/* Two devices in turn: 1 s at 100 W and 1 s at 200 W; both together draw
   300 W, and 700 W at the peak. */
static void devices_in_turn(void **state)
{
    struct power_log *log = whole("timestamp,index,power.draw [W]\n"
        AT("00.000,0,100\n") AT("00.002,1,200\n") AT("01.000,0,100\n")
        AT("01.002,1,200\n") AT("02.000,0,300\n") AT("02.002,1,400\n"), NAN);

    (void)state;
    assert_int_equal(log->gpu_count, 2);
    assert_near(log->gpu[0].measure.kwh, (100 + 200) / 3.6e6, 1e-15);
    assert_near(log->gpu[1].measure.kwh, (200 + 300) / 3.6e6, 1e-15);
    assert_near(log->together.peak_watt, 700, 0);
    assert_near(log->together.kwh, (300 + 500) / 3.6e6, 1e-15);
    test_free(log);
    /* one after the other they are never seen together */
    log = whole("timestamp,index,power.draw [W]\n"
        AT("00.000,0,100\n") AT("01.000,0,100\n") AT("02.000,0,100\n")
        AT("10.000,1,200\n") AT("11.000,1,200\n") AT("12.000,1,200\n"), NAN);
    assert_int_equal(log->gpu_count, 2);
    assert_true(isnan(log->together.peak_watt));
    test_free(log);
}

/* 19 s at 100 W and 1 s at 200 W: 95 % of the time is at 100 W. Readings own
   half of each interval around them. */
static void p95_by_hand(void **state)
{
    char text[4000] = "timestamp,power.draw [W]\n";
    struct power_log *log;

    (void)state;
    for (int i = 0; i < 40; i++) { /* 39 intervals of 1 s */
        char line[64];
        snprintf(line, sizeof line, "%d,%d\n", 1700000000 + i,
                 i >= 19 && i < 21 ? 200 : 100);
        strcat(text, line);
    }
    log = whole(text, NAN); /* 2 of 39 s at 200 W: 5.1 % */
    assert_near(log->gpu[0].measure.p95_watt, 200, 0);
    test_free(log);
    strcat(text, "1700000040,100\n"); /* 2 of 40 s: 5 % */
    log = whole(text, NAN);
    assert_near(log->gpu[0].measure.p95_watt, 100, 0);
    assert_near(log->gpu[0].measure.p95_step_watt, 0.25, 0);
    test_free(log);
}

/* Bins double until the peak fits: 600 W needs half a watt. */
static void bins_widen(void **state)
{
    struct power_log *log = whole("timestamp,power.draw [W]\n1700000000,10\n"
        "1700000001,600\n1700000002,600.3\n1700000003,600\n", NAN);

    (void)state;
    assert_near(log->gpu[0].measure.p95_step_watt, 0.5, 0);
    assert_near(log->gpu[0].measure.p95_watt, 600.3, 1e-12);
    test_free(log);
}

/* Same instant, clock back, a part pasted twice. */
static void clocks_and_copies(void **state)
{
    static const char day[] = "timestamp,power.draw [W]\n"
        AT("00.000,100\n") AT("01.000,100\n") AT("02.000,100\n");
    char twice[400];
    struct power_log *log = whole("timestamp,power.draw [W]\n"
        AT("00.000,100\n") AT("01.000,100\n") AT("01.000,999\n")
        AT("02.000,100\n"), NAN);

    (void)state;
    assert_near(log->gpu[0].measure.kwh, 200 / 3.6e6, 1e-15);
    assert_near(log->gpu[0].measure.peak_watt, 100, 0);
    assert_int_equal(count_of(log, POWER_SAME_INSTANT), 1);
    test_free(log);

    /* back by 10 s: both stretches of 2 s count, the jump does not */
    log = whole("timestamp,power.draw [W]\n" AT("20.000,100\n")
        AT("21.000,100\n") AT("22.000,100\n") AT("12.000,300\n")
        AT("13.000,300\n") AT("14.000,300\n"), NAN);
    assert_near(log->gpu[0].measure.kwh, (200 + 600) / 3.6e6, 1e-15);
    assert_int_equal(count_of(log, POWER_CLOCK_BACK), 1);
    assert_near(log->gpu[0].measure.hour, 4.0 / 3600, 1e-15);
    test_free(log);

    snprintf(twice, sizeof twice, "%s%s" AT("03.000,100\n"), day, day);
    log = whole(twice, NAN);
    assert_near(log->gpu[0].measure.kwh, 300 / 3.6e6, 1e-15);
    assert_int_equal(count_of(log, POWER_COPY), 1);
    assert_int_equal(log->gpu_count, 1);
    test_free(log);
}

static struct power_log *files(const char *const *file, int count,
                               double interval)
{
    struct power_log *log = test_malloc(sizeof *log);

    memset(log, 0x5A, sizeof *log);
    power_log_begin(log, interval);
    for (int i = 0; i < count; i++) {
        if (i > 0)
            power_log_next(log);
        power_log_bytes(log, file[i], strlen(file[i]));
    }
    power_log_end(log);
    return log;
}

/* A file of the same index later goes on; of the same time it is another
   machine; the same file twice is one. */
static void several_files(void **state)
{
    static const char *const later[] = {
        "timestamp,index,power.draw [W]\n" AT("00.000,0,100\n")
        AT("01.000,0,100\n") AT("02.000,0,100\n"),
        "timestamp,index,power.draw [W]\n" AT("03.000,0,100\n")
        AT("04.000,0,100\n") };
    static const char *const beside[] = {
        "timestamp,index,power.draw [W]\n" AT("00.000,0,100\n")
        AT("01.000,0,100\n"),
        "timestamp,index,power.draw [W]\n" AT("00.100,0,300\n")
        AT("01.100,0,300\n") };
    static const char *const same[] = {
        "timestamp,index,power.draw [W]\n" AT("00.000,0,100\n")
        AT("01.000,0,100\n"),
        "timestamp,index,power.draw [W]\n" AT("00.000,0,100\n")
        AT("01.000,0,100\n") };
    struct power_log *log = files(later, 2, NAN);

    (void)state;
    assert_int_equal(log->gpu_count, 1);
    assert_near(log->gpu[0].measure.kwh, 400 / 3.6e6, 1e-15);
    test_free(log);
    log = files(beside, 2, NAN);
    assert_int_equal(log->gpu_count, 2);
    assert_int_equal(log->gpu[1].machine, 1);
    assert_near(log->gpu[0].measure.kwh, 100 / 3.6e6, 1e-15);
    assert_near(log->gpu[1].measure.kwh, 300 / 3.6e6, 1e-15);
    test_free(log);
    log = files(same, 2, NAN);
    assert_int_equal(log->gpu_count, 1);
    assert_near(log->gpu[0].measure.kwh, 100 / 3.6e6, 1e-15);
    assert_int_equal(count_of(log, POWER_COPY), 1);
    test_free(log);
}

static void dmon(void **state)
{
    static const char bare[] =
        "# gpu   pwr gtemp mtemp    sm   mem\n"
        "# Idx     W     C     C     %     %\n"
        "    0    60    33     -     0     0\n"
        "    1    90    33     -    50     0\n"
        "    0    80    33     -    10     0\n"
        "# gpu   pwr gtemp mtemp    sm   mem\n"
        "# Idx     W     C     C     %     %\n"
        "    1     -    33     -    50     0\n"
        "    0   100    33     -    10     0\n"
        "    1    90    33     -    50     0\n";
    struct power_log *log = whole(bare, 2);

    (void)state; /* 0: 70 W and 90 W for 2 s each; 1: 90 W for 4 s */
    assert_int_equal(log->form, FORM_DMON);
    assert_int_equal(log->mistake_count, 0);
    assert_near(log->gpu[0].measure.kwh, 320 / 3.6e6, 1e-15);
    assert_near(log->gpu[1].measure.kwh, 360 / 3.6e6, 1e-15);
    assert_near(log->gpu[0].measure.busy_frac, 3.0 / 4, 1e-15);
    test_free(log);
    log = whole(bare, NAN); /* no time, and nobody said how often */
    assert_int_equal(log->mistake_count, 1);
    assert_int_equal(log->problem[0].code, POWER_NO_INTERVAL);
    assert_string_equal(log->problem[0].field, "interval_second");
    test_free(log);
    log = whole("#Date       Time        gpu   pwr    sm\n"
                "#YYYYMMDD   HH:MM:SS    Idx     W     %\n"
                " 20240501   23:59:59      0    60     0\n"
                " 20240502   00:00:01      0   100     0\n", NAN);
    assert_int_equal(log->mistake_count, 0);
    assert_near(log->gpu[0].measure.kwh, 160 / 3.6e6, 1e-15);
    test_free(log);
    log = whole("#Time        gpu   pwr    sm\n"
                "#HH:MM:SS    Idx     W     %\n"
                " 23:59:59      0    60     0\n"
                " 00:00:01      0   100     0\n", NAN); /* past midnight */
    assert_near(log->gpu[0].measure.kwh, 160 / 3.6e6, 1e-15);
    test_free(log);
}

static void dcgm(void **state)
{
    struct power_log *log = whole(
        "#Entity   POWER        GPUTL\nID        W\n"
        "GPU 0     60.5         0\nGPU 1     100          40\n"
        "GPU 0     61.5         0\nGPU 1     N/A          40\n"
        "#Entity   POWER        GPUTL\nID        W\n"
        "GPU 0     60.5         0\nGPU 1     100          40\n", 0.5);

    (void)state; /* 0: 61 W for 1 s; 1: 100 W for 1 s */
    assert_int_equal(log->form, FORM_DCGM);
    assert_int_equal(log->mistake_count, 0);
    assert_near(log->gpu[0].measure.kwh, 61 / 3.6e6, 1e-15);
    assert_near(log->gpu[1].measure.kwh, 100 / 3.6e6, 1e-15);
    assert_int_equal(log->gpu[1].missing_count, 1);
    test_free(log);
    log = whole("#Entity   GPUTL   POWER\nID  W\n"
                "2024-05-01T12:00:00.0 GPU 0     7   50\n"
                "2024-05-01T12:00:02.0 GPU 0     7   70\n", NAN);
    assert_int_equal(log->mistake_count, 0);
    assert_near(log->gpu[0].measure.kwh, 120 / 3.6e6, 1e-15);
    test_free(log);
    log = whole("#Entity   GPUTL\nID\nGPU 0     7\n", 1);
    assert_int_equal(log->problem[0].code, POWER_NO_POWER);
    test_free(log);
}

/* Two pages of dcgm-exporter, with time and without. */
static void exporter(void **state)
{
    static const char *const behind[] = { " 1714564800000", " 1714564802000",
                                          "", "" };

    (void)state;
    for (int k = 0; k < 4; k += 2) {
        char text[2000] = "";
        struct power_log *log;
        for (int page = 0; page < 2; page++) {
            char lines[900];
            snprintf(lines, sizeof lines,
                "# HELP DCGM_FI_DEV_SM_CLOCK SM clock frequency (in MHz).\n"
                "# TYPE DCGM_FI_DEV_SM_CLOCK gauge\n"
                "DCGM_FI_DEV_SM_CLOCK{gpu=\"0\",UUID=\"GPU-a\"} 1980%s\n"
                "# HELP DCGM_FI_DEV_POWER_USAGE Power draw (in W).\n"
                "DCGM_FI_DEV_POWER_USAGE{gpu=\"0\",UUID=\"GPU-a\",modelName="
                "\"NVIDIA H100 80GB HBM3\"} %d%s\n"
                "DCGM_FI_DEV_POWER_USAGE{gpu=\"1\",UUID=\"GPU-b\",modelName="
                "\"NVIDIA H100 80GB HBM3\"} 500.5%s\n"
                "go_goroutines 12\n", behind[k + page], 100 + 200 * page,
                behind[k + page], behind[k + page]);
            strcat(text, lines);
        }
        log = whole(text, k ? 2 : (double)NAN);
        assert_int_equal(log->mistake_count, 0);
        assert_int_equal(log->form, FORM_EXPORTER);
        assert_int_equal(log->gpu_count, 2);
        assert_string_equal(log->gpu[0].id, "GPU-a");
        assert_string_equal(log->gpu[1].name, "NVIDIA H100 80GB HBM3");
        assert_near(log->gpu[0].measure.kwh, 400 / 3.6e6, 1e-15);
        assert_near(log->gpu[1].measure.kwh, 1001 / 3.6e6, 1e-15);
        test_free(log);
    }
    {
        struct power_log *log = whole("DCGM_FI_DEV_POWER_USAGE{gpu=\"0\"} x\n"
            "DCGM_FI_DEV_POWER_USAGE{gpu=\"0\" 5\n"
            "DCGM_FI_DEV_POWER_USAGE{gpu=\"0\"} 5 soon\n"
            "DCGM_FI_DEV_POWER_USAGE{gpu=\"0\"} 50000\n", 1);
        static const enum power_code want[] = { POWER_NOT_A_NUMBER,
            POWER_CELL_COUNT, POWER_BAD_TIME, POWER_OUT_OF_RANGE };
        for (int i = 0; i < 4; i++) {
            assert_int_equal(log->problem[i].code, want[i]);
            assert_int_equal(log->problem[i].line, i + 1);
        }
        test_free(log);
    }
}

/* Job 12: its own figure, not that of its step again. Job 13: none, and 0 is
   none either. Job 14: its steps. 3.6e6 J are 1 kWh. */
static void slurm(void **state)
{
    static const char *const logs[] = {
        "JobID|ConsumedEnergyRaw|Elapsed|AllocNodes|AllocTRES\n"
        "12|3600000|01:00:00|2|billing=9,gres/gpu=16,node=2\n"
        "12.batch|3600000|01:00:00|1|\n13|0|02:00:00|1|\n"
        "13.0|18446744073709551614|02:00:00|1|\n14||00:30:00|1|gres/gpu=8\n"
        "14.batch|1000000|00:30:00|1|\n14.0|800000|00:20:00|1|\n"
        "12|3600000|01:00:00|2|\n",
        "JobIDRaw|ElapsedRaw|ConsumedEnergy|NNodes|AllocTRES|\n"
        "12|3600|3.60M|2|gres/gpu=16|\n12.batch|3600|3.60M|1||\n"
        "13|7200||1||\n14|1800||1|gres/gpu=8|\n14.0|1800|1.80M|1||\n",
        "       JobID ConsumedEnergy    Elapsed   NNodes            AllocTRES \n"
        "------------ -------------- ---------- -------- -------------------- \n"
        "12                    3.60M   01:00:00        2 billing=1,gres/gpu=16\n"
        "12.batch              3.60M   01:00:00        1                      \n"
        "13                        0   02:00:00        1                      \n"
        "14                            00:30:00        1           gres/gpu=8 \n"
        "14.0                  1.80M   00:30:00        1                      \n",
    };

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct power_log *log = whole(logs[i], NAN);
        if (log->mistake_count)
            fail_msg("log %zu: %s, line %ld", i,
                     power_code_words(log->problem[0].code),
                     log->problem[0].line);
        assert_int_equal(log->form, FORM_SLURM);
        assert_int_equal(log->jobs.job_count, 2);
        assert_int_equal(log->jobs.missing_count, 1);
        assert_near(log->jobs.joule, 5.4e6, 1e-12);
        assert_near(log->jobs.second, 5400, 0);
        assert_near(log->jobs.node_second, 2 * 3600 + 1800, 0);
        assert_near(log->jobs.gpu_second, 16 * 3600 + 8 * 1800, 0);
        assert_int_equal(count_of(log, POWER_JOB_STEPS), 1);
        assert_int_equal(count_of(log, POWER_JOB_AGAIN), i == 0);
        test_free(log);
    }
    {
        struct power_log *log = whole(logs[2], NAN);
        assert_int_equal(log->mistake_count, 0);
        assert_int_equal(log->jobs.job_count, 2);
        assert_near(log->jobs.joule, 5.4e6, 1e-12);
        assert_near(log->jobs.second, 5400, 0);
        test_free(log);
    }
}

/* nvidia-smi without options tells what is there; a log after it the rest. */
static void plain_table(void **state)
{
    static const char table[] =
        "Thu May  2 12:00:00 2024       \n"
        "+-----------------------------------------------------------------------------+\n"
        "| NVIDIA-SMI 535.104.05    Driver Version: 535.104.05   CUDA Version: 12.2     |\n"
        "|-------------------------------+----------------------+----------------------+\n"
        "| GPU  Name        Persistence-M| Bus-Id        Disp.A | Volatile Uncorr. ECC |\n"
        "| Fan  Temp  Perf  Pwr:Usage/Cap|         Memory-Usage | GPU-Util  Compute M. |\n"
        "|===============================+======================+======================|\n"
        "|   0  NVIDIA A100-SXM...  On   | 00000000:07:00.0 Off |                    0 |\n"
        "| N/A   30C    P0    61W / 400W |      0MiB / 81920MiB |      0%      Default |\n"
        "|                               |                      |             Disabled |\n"
        "+-------------------------------+----------------------+----------------------+\n"
        "|   1  NVIDIA A100-SXM...  On   | 00000000:0F:00.0 Off |                    0 |\n"
        "| N/A   29C    P0    62W / 400W |      0MiB / 81920MiB |      0%      Default |\n"
        "|                               |                      |             Disabled |\n"
        "+-------------------------------+----------------------+----------------------+\n"
        "| Processes:                                                                  |\n"
        "|    0   N/A  N/A      1234      C   python                            100MiB |\n"
        "+-----------------------------------------------------------------------------+\n";
    char both[4000];
    struct power_log *log = whole(table, NAN);

    (void)state;
    assert_int_equal(log->mistake_count, 0);
    assert_int_equal(log->form, FORM_TABLE);
    assert_int_equal(log->gpu_count, 2);
    assert_string_equal(log->gpu[1].name, "NVIDIA A100-SXM...");
    assert_string_equal(log->gpu[1].driver, "535.104.05");
    assert_near(log->gpu[1].limit_watt, 400, 0);
    assert_near(log->gpu[1].memory_gib, 80, 0);
    assert_true(isnan(log->gpu[0].measure.kwh));
    test_free(log);
    snprintf(both, sizeof both, "%stimestamp,index,power.draw [W]\n"
             AT("00.000,0,100\n") AT("01.000,0,100\n"), table);
    log = whole(both, NAN);
    assert_int_equal(log->mistake_count, 0);
    assert_int_equal(log->form, FORM_CSV);
    assert_int_equal(log->gpu_count, 1); /* the other one was not logged */
    assert_string_equal(log->gpu[0].name, "NVIDIA A100-SXM...");
    assert_near(log->gpu[0].measure.kwh, 100 / 3.6e6, 1e-15);
    test_free(log);
}

/* Every mistake at once, each with its line. */
static void mistakes(void **state)
{
    static const struct { enum power_code code; long line;
                          const char *field; } want[] = {
        { POWER_BAD_TIME, 2, "timestamp" },
        { POWER_NOT_A_NUMBER, 3, "power" },
        { POWER_CELL_COUNT, 4, "" },
        { POWER_OUT_OF_RANGE, 5, "power" },
        { POWER_OUT_OF_RANGE, 6, "power" },
        { POWER_NOT_A_NUMBER, 7, "utilization" },
        { POWER_OUT_OF_RANGE, 8, "utilization" },
    };
    struct power_log *log = whole(HEAD
        "noon, 0, 5 W, 0 %\n" AT("01.000, 0, five, 0 %\n")
        AT("01.000, 0, 5 W\n") AT("01.000, 0, 20001 W, 0 %\n")
        AT("01.000, 0, -1 W, 0 %\n") AT("01.000, 0, 5 W, x\n")
        AT("01.000, 0, 5 W, 101 %\n") AT("02.000, 0, 5 W, 10 %\n"), NAN);

    (void)state;
    assert_int_equal(log->mistake_count, 7);
    assert_int_equal(log->problem_count, 7);
    for (int i = 0; i < 7; i++) {
        assert_int_equal(log->problem[i].code, want[i].code);
        assert_int_equal(log->problem[i].line, want[i].line);
        assert_string_equal(log->problem[i].field, want[i].field);
    }
    test_free(log);
}

static void nothing_to_read(void **state)
{
    static const struct { const char *text; enum power_code code; } run[] = {
        { "", POWER_NO_READING },
        { "\n\n", POWER_NO_READING },
        { HEAD, POWER_NO_READING },
        { "hello\nworld\n", POWER_UNKNOWN_FORM },
        { "a,b\n1,2\n", POWER_UNKNOWN_FORM },
        { "timestamp, name\n", POWER_NO_POWER },
        { "JobID|Elapsed\n1|00:00:01\n", POWER_NO_ENERGY },
        { "#Entity\nID\nGPU 0\n", POWER_NO_POWER },
        { HEAD AT("01.000, 0, 5 W, 10 %\n") "# gpu pwr\n", POWER_MIXED_FORMS },
    };

    (void)state;
    for (size_t i = 0; i < sizeof run / sizeof *run; i++) {
        struct power_log *log = whole(run[i].text, 1);
        if (!log->mistake_count || !count_of(log, run[i].code))
            fail_msg("log %zu: %d mistakes, not %s", i, log->mistake_count,
                     power_code_words(run[i].code));
        test_free(log);
    }
}

/* Eight devices and no column that tells them apart, at one instant or some
   milliseconds one after the other: read as one they would be an eighth. */
static void crowds(void **state)
{
    (void)state;
    for (int apart_ms = 0; apart_ms < 3; apart_ms += 2)
        for (int devices = 1; devices <= 8; devices += 7) {
            char text[8000] = "timestamp,name,power.draw [W]\n";
            struct power_log *log;
            for (int second = 0; second < 10; second++)
                for (int i = 0; i < devices; i++) {
                    char line[80];
                    snprintf(line, sizeof line, "%d.%03d,NVIDIA L4,%d\n",
                             1700000000 + second, i * apart_ms, 50 + i);
                    strcat(text, line);
                }
            log = whole(text, NAN);
            assert_int_equal(count_of(log, POWER_NO_DEVICE), devices > 1);
            assert_int_equal(log->mistake_count > 0, devices > 1);
            test_free(log);
        }
}

static void limits(void **state)
{
    size_t byte = 3 * POWER_LINE_BYTE;
    char *text = test_malloc(byte + 1), *at = text;
    struct power_log *log;

    (void)state;
    at += snprintf(at, byte, "%s", HEAD);
    memset(at, 'x', byte - (size_t)(at - text));
    text[byte - 1] = '\n';
    log = log_of(text, byte, 1000, NAN);
    assert_int_equal(count_of(log, POWER_LINE_TOO_LONG), 1);
    assert_int_equal(log->problem[0].line, 2);
    test_free(log);
    log = log_of(text, byte, byte, NAN);
    assert_int_equal(count_of(log, POWER_LINE_TOO_LONG), 1);
    test_free(log);
    at = text + snprintf(text, byte, "timestamp,index,power.draw [W]\n");
    for (int i = 0; i <= POWER_GPU_MAX; i++)
        at += snprintf(at, byte - (size_t)(at - text), "1700000000,%d,5\n", i);
    log = whole(text, NAN);
    assert_int_equal(count_of(log, POWER_TOO_MANY_GPUS), 1);
    assert_string_equal(log->problem[log->problem_count - 1].limit, "128");
    test_free(log);
    test_free(text);
}

/* A last line without its end counts when it is whole, and is left out with
   a note when it is not. */
static void last_line(void **state)
{
    struct power_log *log = whole(HEAD AT("00.000, 0, 100 W, 0 %\n")
                                  AT("01.000, 0, 100 W, 0 %"), NAN);

    (void)state;
    assert_near(log->gpu[0].measure.kwh, 100 / 3.6e6, 1e-15);
    assert_int_equal(log->problem_count, 0);
    test_free(log);
    log = whole(HEAD AT("00.000, 0, 100 W, 0 %\n")
                AT("01.000, 0, 100 W, 0 %\n") AT("02.000, 0, 1"), NAN);
    assert_near(log->gpu[0].measure.kwh, 100 / 3.6e6, 1e-15);
    assert_int_equal(log->mistake_count, 0);
    assert_int_equal(count_of(log, POWER_CUT_LINE), 1);
    test_free(log);
}

/* --- pieces and random bytes ---------------------------------------------- */

static uint64_t seed = 88172645463325252u;

static unsigned dice(unsigned sides) /* xorshift */
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (unsigned)(seed >> 33) % sides;
}

static void same(const struct power_log *a, const struct power_log *b)
{
    assert_int_equal(a->gpu_count, b->gpu_count);
    assert_int_equal(a->mistake_count, b->mistake_count);
    assert_int_equal(a->problem_count, b->problem_count);
    assert_memory_equal(a->code_count, b->code_count, sizeof a->code_count);
    for (int i = 0; i < a->gpu_count; i++) {
        const struct power_measure *x = &a->gpu[i].measure,
                                   *y = &b->gpu[i].measure;
        assert_string_equal(a->gpu[i].id, b->gpu[i].id);
        assert_near(x->kwh, y->kwh, 0);
        assert_near(x->p95_watt, y->p95_watt, 0);
        assert_near(x->busy_frac, y->busy_frac, 0);
        assert_near(x->gap_hour, y->gap_hour, 0);
        assert_int_equal(x->sample_count, y->sample_count);
    }
    for (int i = 0; i < a->problem_count; i++)
        assert_int_equal(a->problem[i].line, b->problem[i].line);
}

static void pieces_of_every_size(void **state)
{
    char text[3000] = HEAD;
    struct power_log *want, *got = whole("", NAN);
    size_t byte;

    (void)state;
    for (int i = 0; i < 30; i++) {
        char line[80];
        snprintf(line, sizeof line, AT("%02d.%03u, %d, %u.%02u W, %s %%\r\n"),
                 i, dice(1000), i % 2, dice(700), dice(100),
                 i == 7 ? "x" : i == 9 ? "[N/A]" : "50");
        strcat(text, line);
    }
    byte = strlen(text);
    want = log_of(text, byte, byte, NAN);
    assert_int_equal(want->gpu_count, 2);
    for (size_t piece = 1; piece < byte; piece++) {
        read_into(got, text, byte, piece, NAN);
        same(want, got);
    }
    test_free(want);
    test_free(got);
}

/* What Windows PowerShell makes of it: UTF-16 with its mark. */
static void two_bytes_a_character(void **state)
{
    static const char plain[] = HEAD AT("00.000, 0, 100.00 W, 0 %\r\n")
                                AT("01.000, 0, 300.00 W, 50 %\r\n");
    char wide[2 * sizeof plain] = "\xFF\xFE";
    size_t byte = 2 * sizeof plain;
    struct power_log *got = whole("", NAN);

    (void)state;
    for (size_t i = 0; i + 1 < sizeof plain; i++) {
        wide[2 + 2 * i] = plain[i];
        wide[3 + 2 * i] = '\0';
    }
    for (size_t piece = 1; piece < 9; piece++) {
        read_into(got, wide, byte, piece, NAN);
        assert_int_equal(got->mistake_count, 0);
        assert_int_equal(got->gpu_count, 1);
        assert_near(got->gpu[0].measure.kwh, 200 / 3.6e6, 1e-15);
    }
    read_into(got, "\xFF", 1, 1, NAN); /* half a mark */
    assert_true(got->mistake_count > 0);
    test_free(got);
}

/* Bytes that look like logs here and there: nothing may break, and pieces
   may not matter. */
static void random_bytes(void **state)
{
    static const char *const bits[] = {
        "timestamp", ",", " ", "\n", "\r\n", "power.draw [W]", "|", "#",
        "# gpu pwr sm\n", "#Entity POWER\n", "GPU 0 5.5\n", "0", "12.5 W",
        "[N/A]", AT("00.000"), "index", "JobID|ConsumedEnergyRaw\n", "1|5\n",
        "------- -----\n", "JobID ConsumedEnergy\n", "\xEF\xBB\xBF", "\xFF\xFE", "\"",
        HEAD, AT("01.000, 0, 5 W, 1 %\n"), "-", "99999999999999999999", "\t",
        "| NVIDIA-SMI 535 Driver Version: 535.1 |", ";", "GPU-1", "%",
        "DCGM_FI_DEV_POWER_USAGE{gpu=\"0\"} 5\n", "DCGM_FI_DEV_POWER_USAGE{",
        "}", "gpu=\"",
        "|   0  A  On   | 00000000:07:00.0 Off | x  | \n", "1-00:00:00",
    };

    struct power_log *a = whole("", 1), *b = whole("", 1);

    (void)state; /* each round finds what the one before has left */
    for (int round = 0; round < 3000; round++) {
        char text[1500];
        size_t byte = 0, want = 1 + dice(1200);
        while (byte < want) {
            const char *bit = bits[dice(sizeof bits / sizeof *bits)];
            if (dice(12) == 0) {
                text[byte++] = (char)dice(256);
            } else {
                memcpy(text + byte, bit, strlen(bit));
                byte += strlen(bit);
            }
        }
        read_into(a, text, byte, byte, 1);
        read_into(b, text, byte, 1 + dice(50), 1);
        same(a, b);
        for (int i = 0; i < a->gpu_count; i++)
            assert_false(a->gpu[i].measure.kwh < 0);
    }
    test_free(a);
    test_free(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trapezoid),
        cmocka_unit_test(gap_is_reported_not_filled),
        cmocka_unit_test(edge_of_a_gap),
        cmocka_unit_test(missing_is_not_zero),
        cmocka_unit_test(columns_in_any_form),
        cmocka_unit_test(devices_in_turn),
        cmocka_unit_test(p95_by_hand), cmocka_unit_test(bins_widen),
        cmocka_unit_test(clocks_and_copies),
        cmocka_unit_test(several_files), cmocka_unit_test(dmon),
        cmocka_unit_test(dcgm), cmocka_unit_test(exporter),
        cmocka_unit_test(slurm),
        cmocka_unit_test(plain_table), cmocka_unit_test(mistakes),
        cmocka_unit_test(nothing_to_read), cmocka_unit_test(crowds),
        cmocka_unit_test(limits),
        cmocka_unit_test(last_line),
        cmocka_unit_test(pieces_of_every_size),
        cmocka_unit_test(two_bytes_a_character),
        cmocka_unit_test(random_bytes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
