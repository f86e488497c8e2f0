// compare's command line: every option with good and bad values, and the exit codes.
#include "tests/compare/run_compare.h"

// Good values: exit code 0 and this in the csv.
static void good(const char *options, const char *part) {
  expect(text_of("thrust_ref --n 100 --reps 2 --stages=off --format csv %s", options), EXIT_RIGHT,
         part);
}

TEST(test_sizes) {
  good("--n 64..256", "thrust_ref,256,");
  good("--n 0", "thrust_ref,0,");
  expect_usage("--n nonsense", "'nonsense' is not a number");
  expect_usage("--n 8..1", "'8..1' is not a range");
  expect_usage("--n", "requires an argument");
}

TEST(test_inputs) {
  good("--dist sorted,zipf", "thrust_ref,100,zipf,");
  expect_usage("--dist fibonacci", "no input is called 'fibonacci'");
  expect_usage("--dist ''", "names no input");
  expect_usage("--input /no/such/file", "/no/such/file cannot be opened");
  expect_usage("--input /tmp", "is a folder");
  expect_usage("--image a.ppm", "--image takes IMAGE,TEMPLATE");
  expect_usage("--image /no/a.ppm,/no/b.ppm", "/no/a.ppm");
  good("--seed 7", ",7,thrust_ref,");
  expect_usage("--seed -1", "--seed takes a whole number");
  expect_usage("--seed x", "--seed takes a whole number");
}

// --input reads the file that --save-input wrote; without --n all of it.
TEST(test_files) {
  static const char *const names[] = {"keys.npy", "keys.raw"};
  for (int i = 0; i < 2; i++) {
    const char *const path = text_of("/tmp/test_compare_%d_%s", (int)getpid(), names[i]);
    expect(text_of("--save-input %s --dist zipf --n 1000", path), EXIT_RIGHT, "");
    expect(text_of("thrust_ref --input %s --reps 1 --format csv", path), EXIT_RIGHT, names[i]);
    assert_non_null(strstr(outcome.out, "thrust_ref,1000,"));
    expect_usage(text_of("thrust_ref --input %s --n 1001", path), "holds only 1000 keys, not 1001");
    assert_int_equal(unlink(path), 0);
  }
  if (access("samples/portrait.ppm", R_OK) != 0) skip();
  expect("thrust_ref --image samples/portrait.ppm,samples/template.ppm --reps 1 --format csv",
         EXIT_RIGHT, "thrust_ref,220480,scores,");
}

TEST(test_what) {
  good("--keys", ",keys,");
  assert_null(strstr(outcome.out, ",pairs,"));
  good("--pairs", ",pairs,");
  assert_null(strstr(outcome.out, ",keys,"));
  good("--keys --pairs", ",keys,");
  assert_non_null(strstr(outcome.out, ",pairs,"));
}

TEST(test_measuring) {
  good("--reps 1", ",1,reps,");
  expect_usage("--reps 0", "--reps takes a whole number from 1 to 10000, not '0'");
  expect_usage("--reps many", "not 'many'");
  good("--reps 100 --noise 0", ",100,reps,");
  good("--reps 10000 --noise=100%", ",noise,");
  expect_usage("--noise -1", "--noise takes a percentage from 0 to 100");
  expect_usage("--noise little", "not 'little'");
  expect("thrust_ref --n 100 --reps 5 --noise 2.5", EXIT_RIGHT,
         "fewer once its noise is under 2.5%");
  good("--time-limit 0.5", "PASS");
  expect_usage("--time-limit 0", "--time-limit takes seconds");
  expect_usage("--time-limit soon", "not 'soon'");
  expect("thrust_ref --n 100 --reps 2 --stages=on --format csv", EXIT_RIGHT, ",sort=");
  expect("thrust_ref --n 100 --reps 2 --stages=off --format csv", EXIT_RIGHT, "PASS,,");
  expect_usage("--stages=perhaps", "--stages is on or off, not 'perhaps'");
}

TEST(test_knobs) {
  good("seq --set seq.kBits=4", "kBits=4");
  good("seq --set kBits=2", "kBits=2");
  expect_usage("seq --set kBits=99", "knob kBits takes a whole number");
  expect_usage("seq --set seq.kbits=4", "seq has no knob 'kbits'; it has kBits");
  expect_usage("seq --set kBits", "'kBits' is not of the form KNOB=VALUE");
  expect_usage("thrust_ref --set seq.kBits=4", "matches none of the compared versions");
  good("seq --sweep seq.kBits=2..8", "kBits=8");
  good("seq --sweep kBits=1,3", "kBits=3");
  expect("--sweep seq.kBits=4,8 --n 100 --reps 2 --format csv --baseline none", EXIT_RIGHT, "seq,");
  assert_null(strstr(outcome.out, "thrust_ref"));  // only what is swept
  expect_usage("seq --sweep kBits", "is not of the form VERSION.KNOB=VALUES");
  expect_usage("seq --sweep kBits=8..1", "is not a range");
  expect_usage("seq --sweep kBits=8..64", "knob kBits takes a whole number");
  expect_usage("seq --sweep bits=1", "'bits' is a knob of none");
  expect_usage("seq --sweep kBits=1 --sweep seq.kBits=2", "swept twice");
  expect_usage("--sweep a.b=1 --sweep a.c=1 --sweep a.d=1", "is the third");
  expect_usage("--sweep nobody.kBits=1", "backend is called 'nobody'");
}

TEST(test_baseline) {
  expect("seq --n 100 --reps 2 --format csv", EXIT_RIGHT, "thrust_ref,");  // runs unasked
  expect("seq --n 100 --reps 2 --format csv --baseline seq", EXIT_RIGHT, ",1\n");
  expect("seq --n 100 --reps 2 --format csv --baseline none", EXIT_RIGHT, "seq,");
  assert_null(strstr(outcome.out, "thrust_ref"));
  expect_usage("--baseline nobody", "--baseline: no version on the ");
}

TEST(test_output) {
  expect_usage("--format xml", "no format is called 'xml'");
  expect_usage("--export csv", "--export takes FORMAT=FILE like json=record.json, not 'csv'");
  expect_usage("--export =x", "--export takes FORMAT=FILE");
  expect_usage("--export xml=x", "no format is called 'xml'");
  expect_usage("--export csv=/tmp/x --export md=/tmp/x", "/tmp/x is named twice");
  expect_usage("seq --export csv=/no/such/folder/x",
               "--export: /no/such/folder/x cannot be written");
  expect_usage("--sort speed", "--sort takes time, name or given, not 'speed'");
  expect_usage("--print --n 65", "--print shows at most 64 elements");
  expect_usage("--print --format csv", "--print goes with --format table");
  expect("thrust_ref --print --n 5 --dist reverse --no-color", EXIT_RIGHT,
         "before:    3435973836 2576980377 1717986918 858993459 0\n");
  assert_non_null(strstr(outcome.out, "after:     0 858993459 1717986918 2576980377 3435973836\n"));
  assert_non_null(strstr(outcome.out, "positions: 4 3 2 1 0\n"));
  assert_null(strchr(outcome.out, '\033'));
  expect_usage("--save-input /no/such/folder/x", "/no/such/folder/x cannot be written");
  expect_usage("--save-input /dev/full --n 1000",
               "compare: --save-input: /dev/full cannot be written: No space left on device");
  expect_usage("--save-input /tmp/x --n 1,2", "--save-input takes one input and one size");
  expect("--list", EXIT_RIGHT, "thrust_ref");
  assert_non_null(strstr(outcome.out, "almost-sorted"));
  expect("--list seq", EXIT_RIGHT, "kBits            8 (1 to 16): bits per digit");
  expect_usage("--list nobody", "backend is called 'nobody'");
  expect("--help", EXIT_RIGHT, "--time-limit=T");
}

TEST(test_versions) {
  expect_usage("nobody", "backend is called 'nobody'; --list names them");
  expect_usage("seq seq", "version seq is named twice");
  expect_usage("/no/such/version.so", "/no/such/version.so cannot be loaded");
  expect_usage("--wrong", "unrecognized option");
  expect("thrust_ref --no-fork --n 100 --reps 1", EXIT_RIGHT, "PASS");
}

TEST(test_exit_codes) {
  expect("$CRASH --set way=0 --dist sorted --n 50 --reps 1", EXIT_RIGHT, "PASS");
  // With this seed the last two keys, which way 6 exchanges, differ.
  expect("$CRASH --set way=6 --dist sorted --n 50 --seed 1 --keys", EXIT_WRONG_RESULT,
         "FAIL: order");
  expect("$CRASH --set way=6 --dist sorted --n 50 --seed 1", EXIT_WRONG_RESULT, "FAIL: order");
  expect_part(outcome.out, "(1 place)");
  expect("$CRASH --set way=6 --dist all-equal --n 50", EXIT_WRONG_RESULT,
         "not stable, as the version claims to be");
  expect("$CRASH --n 50", EXIT_WRONG_RESULT, "crashed: Segmentation fault (signal 11)");
  expect("$CRASH --set way=4 --n 50", EXIT_DEVICE, "failed: ");
  expect("$CRASH --n 10001 --baseline none", EXIT_USAGE, "refused: takes at most 10000 elements");
  expect("thrust_ref --keys --n 1e13", EXIT_USAGE, "refused: takes at most 4294967295 elements");
  expect("radix_v5 --keys --n 2^34", EXIT_USAGE, "refused: takes at most 8589934592 elements");
  expect("radix_v5 --n 2^32", EXIT_USAGE,
         "refused: takes at most 4294967295 pairs, as positions have 32 bits");
#ifdef CUDA_CPU
  setenv("CUDA_CPU_MEMORY", "1000000", 1);  // bytes
  expect("thrust_ref --keys --n 4e9", EXIT_DEVICE, "0.001 GB are free: at most 0 fit");
  unsetenv("CUDA_CPU_MEMORY");
#endif
}

// How much fits depends on the version's scratch memory: (66 - 64) MB / (20.4 + 8.6) keys.
TEST(test_memory) {
#ifdef CUDA_CPU
  setenv("CUDA_CPU_MEMORY", "66000000", 1);
  expect("radix_v2 --baseline none --reps 1 --keys --n 1G", EXIT_DEVICE, "at most 68965 fit");
  expect("radix_v2 --baseline none --reps 1 --keys --n 68965", EXIT_RIGHT, "PASS");
  expect("radix_v2 --baseline none --reps 1 --keys --n 68966", EXIT_DEVICE, "at most 68965 fit");
  expect("radix_v2 --baseline none --reps 1 --n 68965", EXIT_DEVICE, "at most 61349 fit");
  // Beyond 2^32 memory is the limit, and the verdict's share of it is constant.
  expect("radix_v5 --keys --n 6e9", EXIT_DEVICE, "6000000000 keys need 107 GB with scratch memory");
  // A version that does not fit leaves the others their input.
  expect("seq --baseline radix_v2 --reps 1 --n 68965 --format csv", EXIT_DEVICE, "no memory");
  assert_non_null(strstr(outcome.out, "seq,68965,uniform,pairs,kBits=8,ok,PASS"));
  unsetenv("CUDA_CPU_MEMORY");
#else
  skip();
#endif
}

// Names a full disk, whatever was to be printed.
TEST(test_full_disk) {
  static const char *const cases[] = {"--list", "--list seq", "--help", "--usage", "seq --n 50"};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    FILE *const full = fopen("/dev/full", "w"), *const err = new_file();
    assert_non_null(full);
    finish(start_compare(cases[i], full, err), full, err, &outcome);
    if (outcome.code != EXIT_USAGE ||
        strcmp(outcome.err,
               "compare: cannot write to standard output: No space left on device\n") != 0)
      fail_msg("%s: exit code %d: %s", cases[i], outcome.code, outcome.err);
  }
}

// A file whose name is not UTF-8 and has control characters.
TEST(test_odd_names) {
  static const char path[] = "/tmp/compare_\xff\033[2J.raw";
  static const uint32_t keys[] = {3, 1, 2};
  write_file(path, keys, sizeof keys);
  static const char *const formats[] = {"json", "csv", "md", "table"};
  for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
    expect(
        text_of("seq --keys --reps 1 --baseline none --format %s --input '%s'", formats[i], path),
        EXIT_RIGHT, i == 0 ? "/tmp/compare_\\\\xff?[2J.raw" : "compare_\\xff?[2J.raw");
    assert_null(strchr(outcome.out, '\033'));
  }
  unlink(path);
  // No name changes the terminal.
  compare("seq --dist '\033[2J'");
  assert_string_equal(outcome.err, "compare: no input is called '?[2J'; --list names them\n");
}

// Nothing can be sorted: the reason is on stderr too, beside which stdout may be a file.
TEST(test_nothing_sorted) {
  compare("seq --n 4294967296 --keys --baseline none --format csv");
  assert_int_equal(outcome.code, EXIT_USAGE);
  assert_non_null(
      strstr(outcome.err, "compare: nothing was sorted: seq takes at most 4294967295 elements\n"));
}

int main(void) {
  unsetenv("NO_COLOR");
  return run_all_tests("compare_options", NULL, NULL);
}
