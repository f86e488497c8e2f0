// Files of keys: raw and .npy, good ones and every kind of bad one.
#include "tests/folder.h"

#include <sys/stat.h>

#include "harness/input/input_file.h"

static const char RAW[] = "keys.raw", NPY[] = "keys.npy";
static const uint32_t KEYS[] = {3, 1, 0xffffffffu, 2};
static Message message;

static void expect_keys(const char *path, size_t count) {
  InputFile file;
  if (!input_file_open(path, &file, &message)) fail_msg("%s", message.text);
  assert_int_equal(file.count, count);
  assert_memory_equal(file.keys, KEYS, count * sizeof *KEYS);
  input_file_close(&file);
  assert_null(file.bytes.data);
}

static void expect_refusal(const char *path, const char *why) {
  InputFile file;
  assert_false(input_file_open(path, &file, &message));
  assert_memory_equal(message.text, path, strlen(path));
  expect_part(message.text, why);
}

TEST(test_raw) {
  write_file(RAW, KEYS, sizeof KEYS);
  expect_keys(RAW, 4);
  write_file(RAW, KEYS, sizeof KEYS - 1);
  expect_refusal(RAW, "is cut off: 15 bytes are no whole number of 32-bit keys");
  write_file(RAW, KEYS, 0);
  expect_refusal(RAW, "is empty");
  expect_refusal("/no/such/file", "cannot be opened: No such file");
  expect_refusal("/tmp", "is a folder");
}

// A .npy file of version 1 with that header and the first `bytes` of KEYS.
static void write_npy(const char *header, size_t bytes) {
  unsigned char file[256] = {0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, 118, 0};
  memset(file + 10, ' ', 117);
  for (size_t i = 0; header[i] != '\0'; i++) file[10 + i] = (unsigned char)header[i];
  file[127] = '\n';
  memcpy(file + 128, KEYS, bytes);
  write_file(NPY, file, 128 + bytes);
}

TEST(test_npy) {
  write_npy("{'descr': '<u4', 'fortran_order': False, 'shape': (4,), }", 16);
  expect_keys(NPY, 4);
  write_npy("{'shape': (3,), 'fortran_order': False, 'descr': '<u4'}", 12);
  expect_keys(NPY, 3);
  write_npy("{ \"descr\" : \"<u4\" ,\"fortran_order\":False, 'shape' : ( 4L , ) } ", 16);
  expect_keys(NPY, 4);
  write_npy("{'descr': '<u4', 'note': '}, shape: (9,)', 'fortran_order': False, 'shape': (4,)}",
            16);
  expect_keys(NPY, 4);
  static const struct {
    const char *header;
    size_t bytes;
    const char *why;
  } bad[] = {
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (4,), }", 16, "elements of type '<f4'"},
      {"{'descr': '>u4', 'fortran_order': False, 'shape': (4,), }", 16, "elements of type '>u4'"},
      {"{'descr': '<u4', 'fortran_order': True, 'shape': (4,), }", 16, "is in Fortran order"},
      {"{'descr': '<u4', 'fortran_order': False, 'shape': (2, 2), }", 16, "has shape (2, 2)"},
      {"{'descr': '<u4', 'fortran_order': False, 'shape': (), }", 4, "has shape ()"},
      {"{'descr': '<u4', 'fortran_order': False, 'shape': (4,), }", 15, "is cut off"},
      {"{'descr': '<u4', 'fortran_order': False, 'shape': (3,), }", 16, "is too long"},
      {"{'descr': '<u4', 'fortran_order': False, 'shape': (0,), }", 0, "holds no keys"},
      {"{'descr': '<u4', 'fortran_order': False, 'shape': (-4,), }", 16, "cannot be negative"},
      {"{'descr': '<u4', 'fortran_order': False, 'shape': (18446744073709551620,), }", 16,
       "no file can be so large"},
      {"{'descr': '<u4', 'fortran_order': False, 'shape': (4611686018427387908,), }", 16,
       "no file can be so large"},
      {"{'descr': '<u4\033[2J\n', 'fortran_order': False, 'shape': (4,), }", 16,
       "of type '<u4?[2J?';"},
      {"{'descr': [('a', '<u4')], 'fortran_order': False, 'shape': (4,)}", 16,
       "type [('a', '<u4')]"},
      {"{'descr': '<u4', 'fortran_order': False, 'shape': (4, 1)}", 16, "must have one dimension"},
      {"{'descr': '<u4', 'fortran_order': False}", 16, "without descr, fortran_order or shape"},
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    write_npy(bad[i].header, bad[i].bytes);
    expect_refusal(NPY, bad[i].why);
  }
}

TEST(test_npy_container) {
  write_file(NPY, KEYS, sizeof KEYS);
  expect_refusal(NPY, "is not a .npy file");
  write_file(NPY, "\x93NUMPY\x01\x00\x76\x00", 9);
  expect_refusal(NPY, "ends inside its .npy header");
  write_file(NPY, "\x93NUMPY\x01\x00\x76\x00{'descr'", 18);
  expect_refusal(NPY, "ends inside its .npy header");
  write_file(NPY, "\x93NUMPY\x09\x00\x76\x00\x00\x00", 12);
  expect_refusal(NPY, "is .npy of version 9");
}

// Opening a pipe without a writer must not wait; a path of 5,000 characters leaves the reason.
TEST(test_odd_paths) {
  unlink(RAW);
  assert_int_equal(mkfifo(RAW, 0600), 0);
  expect_refusal(RAW, "is not a file");
  unlink(RAW);
  static char path[5001];
  memset(path, 'x', 5000);
  InputFile file;
  assert_false(input_file_open(path, &file, &message));
  assert_non_null(strstr(message.text, "x cannot be opened: File name too long"));
}

// A file that becomes shorter while it is in use: the keys were read before.
TEST(test_shrinks) {
  write_file(RAW, KEYS, sizeof KEYS);
  InputFile file;
  assert_true(input_file_open(RAW, &file, &message));
  assert_int_equal(truncate(RAW, 0), 0);
  assert_memory_equal(file.keys, KEYS, sizeof KEYS);
  input_file_close(&file);
}

// More than there is memory, in a file without blocks.
TEST(test_no_memory) {
  write_file(RAW, KEYS, sizeof KEYS);
  if (truncate(RAW, (off_t)1 << 43) != 0) {
    unlink(RAW);
    skip();  // the file system takes no such file
  }
  expect_refusal(RAW, "does not fit into memory");
  assert_int_equal(message_code(&message), EXIT_DEVICE);
  unlink(RAW);
  expect_refusal(RAW, "No such file");
  assert_int_equal(message_code(&message), EXIT_USAGE);
}

TEST(test_save) {
  assert_true(input_file_save(RAW, KEYS, 4, &message));
  expect_keys(RAW, 4);
  assert_true(input_file_save(NPY, KEYS, 4, &message));
  expect_keys(NPY, 4);
  assert_false(input_file_save("/no/such/folder/x", KEYS, 4, &message));
  assert_non_null(strstr(message.text, "/no/such/folder/x cannot be written"));
}

RUN_TESTS("input_file", enter_folder, leave_folder)
