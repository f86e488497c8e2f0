// compare --type: keys of each type, with and without positions, by gsort and the libraries.
#include "tests/compare/run_compare.h"

#include "common/device.h"

// Every row is right, on inputs for whose n gsort takes more than one way.
TEST(test_types) {
  static const struct {
    const char *type, *rows;
  } cases[] = {{"i32 --keys --pairs", ",i32 keys,"},
               {"f32 --values 4 --dist uniform,normal", ",f32+u32 pairs,"},
               {"u64 --values 0 --dist day,zipf", ",u64 keys,"},
               {"u64 --values 8 --dist ids40,sorted", ",u64+u64 pairs,"},
               {"i64 --values 4", ",i64+u32 pairs,"},
               {"f64 --values 8 --dist lognormal,reverse", ",f64+u64 pairs,"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    expect(text_of("--type %s --n 1,20000 --offset 0,1,2,3 --reps 2 --stages off --format csv",
                   cases[i].type),
           EXIT_RIGHT, cases[i].rows);
    const int sorts = 2 + 3 * (strcmp(device_backend(), "cuda") == 0);  // cub by each algorithm
    const int inputs = strchr(cases[i].type, ',') != NULL || i == 0 ? 2 : 1;
    assert_int_equal(count_of(outcome.out, ",ok,PASS,"), 2 * inputs * sorts);
  }
}

// The baseline is the fastest row of its sweep, wherever it stands: its ratio is 1.
TEST(test_baseline_of_sweep) {
  for (int i = 0; i < 2; i++) {
    expect(text_of("seq --keys --n 3000 --reps 3 --baseline seq --sweep seq.kBits=%s --format csv",
                   i == 0 ? "1,8" : "8,1"),
           EXIT_RIGHT, ",seq,1,");  // the baseline, and best
    const char *const best = strstr(outcome.out, ",seq,1,"), *const end = strchr(best, '\n');
    assert_memory_equal(end - 2, ",1\n", 3);
    assert_int_equal(count_of(outcome.out, ",1\n"), 1);
  }
}

TEST(test_names) {
  expect("--type u64 gsort --baseline none --n 100 --reps 1", EXIT_RIGHT,
         "100 u64+u32 pairs, uniform");
  expect("--type f64 --list", EXIT_RIGHT, "\n  normal ");
  expect("--type u64 --list", EXIT_RIGHT, "\n  ids40 ");
  assert_null(strstr(outcome.out, "\n  normal "));
  expect("--list", EXIT_RIGHT, "\n  morton ");
  assert_null(strstr(outcome.out, "\n  ids40 "));
}

TEST(test_usage) {
  expect_usage("--type u16", "--type takes u32, i32, f32, u64, i64 or f64, not 'u16'");
  expect_usage("--type u64 --values 2", "--values takes 0, 4 or 8, not '2'");
  expect_usage("--type f32 --values 8", "--values 8 goes with keys of 64 bits, not with f32");
  expect_usage("--type u64 radix_v2", "'radix_v2' does not sort u64 keys on the ");
  expect_usage("gsort", "no version on the ");
  expect_usage("--dist ids40", "the input ids40 is not for u32 keys; ");
  expect_usage("--dist normal --type u64", "the input normal is not for u64 keys; ");
  expect_usage("--type u64 --print", "--print and --save-input go with keys of type u32 only");
  expect_usage("--type u64 $CRASH", "does not sort u64 keys");
}

RUN_TESTS("compare_typed", NULL, NULL)
