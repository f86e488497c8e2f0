// The Netpbm reader and writer: valid headers of every form, and every kind of invalid one.
#include "tests/unit.h"

#include "harness/hw4/image.h"

#define TEXT(literal) \
  { (unsigned char *)(literal), sizeof(literal) - 1 }

static Message message;

TEST(test_right_headers) {
  static const struct {
    Bytes file;
    int width, height;
    unsigned char last[3];
  } cases[] = {
      {TEXT("P6 1 1 255\n\1\2\3"), 1, 1, {1, 2, 3}},
      {TEXT("P6\n2 1\n255\n\1\2\3\4\5\6"), 2, 1, {4, 5, 6}},
      {TEXT("P5\n1 2\n255\n\x10\x20"), 1, 2, {32, 32, 32}},
      {TEXT("P6#c\n#d\n 1 # width\n1\n#\n255\n\1\2\3"), 1, 1, {1, 2, 3}},
      {TEXT("P6\t1\r\n1\v255\t\1\2\3"), 1, 1, {1, 2, 3}},
      {TEXT("P6 1 1 255# a comment\n\1\2\3"), 1, 1, {1, 2, 3}},
      {TEXT("P6 001 01 0255\n\1\2\3"), 1, 1, {1, 2, 3}},
      {TEXT("P6 1 1 255\n###"), 1, 1, {'#', '#', '#'}},
      {TEXT("P6 1 1 255\n\n\n\n"), 1, 1, {'\n', '\n', '\n'}},
      {TEXT("P6 1 1 1\n\0\1\0"), 1, 1, {0, 255, 0}},
      {TEXT("P6 1 1 15\n\0\7\17"), 1, 1, {0, 119, 255}},
      {TEXT("P6 1 1 2\n\0\1\2"), 1, 1, {0, 128, 255}},
      {TEXT("P5 1 1 100\n\62"), 1, 1, {128, 128, 128}},
      {TEXT("P6 1 1 255\n\1\2\3P6 1 1 255\n\4\5\6"), 1, 1, {1, 2, 3}},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    Image image;
    message.text[0] = '\0';
    if (!netpbm_decode(&cases[i].file, &image, &message)) fail_msg("case %zu: %s", i, message.text);
    assert_int_equal(image.width, cases[i].width);
    assert_int_equal(image.height, cases[i].height);
    assert_memory_equal(image.rgb + ((size_t)image.width * (size_t)image.height - 1) * 3,
                        cases[i].last, 3);
    image_free(&image);
  }
}

TEST(test_malformed) {
  static const struct {
    Bytes file;
    const char *part;
  } cases[] = {
      {TEXT(""), "not a binary Netpbm"},
      {TEXT("P"), "not a binary Netpbm"},
      {TEXT("P3 1 1 255\n1 2 3\n"), "not a binary Netpbm"},
      {TEXT("P7\nWIDTH 1\n"), "not a binary Netpbm"},
      {TEXT("p6 1 1 255\n\1\2\3"), "not a binary Netpbm"},
      {TEXT("P6"), "ends within"},
      {TEXT("P6\n"), "ends within"},
      {TEXT("P6\n# only a comment"), "ends within"},
      {TEXT("P6 1"), "ends within"},
      {TEXT("P6 1 1"), "ends within"},
      {TEXT("P6 1 1 "), "ends within"},
      {TEXT("P6 1 1 255"), "ends within"},
      {TEXT("P6 1 1 255#"), "ends within"},
      {TEXT("P61 1 255\n\1\2\3"), "no valid width"},
      {TEXT("P6 x 1 255\n\1\2\3"), "no valid width"},
      {TEXT("P6 -1 1 255\n\1\2\3"), "no valid width"},
      {TEXT("P6 1.5 1 255\n\1\2\3"), "no valid height"},
      {TEXT("P6 1x1 255\n\1\2\3"), "no valid height"},
      {TEXT("P6 1 +1 255\n\1\2\3"), "no valid height"},
      {TEXT("P6 1 1 ff\n\1\2\3"), "no valid maxval"},
      {TEXT("P6 1 1 -1\n\1\2\3"), "no valid maxval"},
      {TEXT("P6 1 1 255x\1\2\3"), "no valid maxval"},
      {TEXT("P6 1\0001 255\n\1\2\3"), "no valid height"},
      {TEXT("P6 0 1 255\n"), "no pixels"},
      {TEXT("P6 1 0 255\n"), "no pixels"},
      {TEXT("P6 1 1 0\n\1\2\3"), "maxval of 0"},
      {TEXT("P6 1 1 256\n\1\2\3\4\5\6"), "two bytes"},
      {TEXT("P6 1 1 65535\n\1\2\3\4\5\6"), "two bytes"},
      {TEXT("P6 1 1 4294967551\n\1\2\3"), "two bytes"},  // 255 in 32 bits
      {TEXT("P6 46341 46341 255\n\1\2\3"), "too large"},
      {TEXT("P6 65536 65536 255\n\1\2\3"), "too large"},  // 0 in 32 bits
      {TEXT("P6 2147483648 1 255\n\1\2\3"), "too large"},
      {TEXT("P6 4294967297 1 255\n\1\2\3"), "too large"},            // 1 in 32 bits
      {TEXT("P6 18446744073709551617 1 255\n\1\2\3"), "too large"},  // 1 in 64 bits
      {TEXT("P6 99999999999999999999999999 99999999999999999999999999 255\n"), "too large"},
      {TEXT("P6 46340 46340 255\n\1\2\3"), "is cut off"},
      {TEXT("P6 1 1 255\n"), "is cut off: 3 of its 3 bytes"},
      {TEXT("P6 1 1 255\n\1\2"), "is cut off: 1 of its 3 bytes"},
      {TEXT("P5 2 2 255\n\1\2\3"), "is cut off"},
      {TEXT("P6 1 1 100\n\1\2\145"), "above its maxval"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    Image image = {0};
    message.text[0] = '\0';
    if (netpbm_decode(&cases[i].file, &image, &message)) fail_msg("case %zu was accepted", i);
    assert_null(image.rgb);
    if (strstr(message.text, cases[i].part) == NULL) fail_msg("case %zu: %s", i, message.text);
  }
}

TEST(test_writes_p6) {
  unsigned char rgb[] = {1, 2, 3, 4, 5, 6};
  const Image image = {2, 1, rgb};
  Bytes file;
  assert_true(netpbm_encode(&image, &file, &message));
  const char expected[] = "P6\n2 1\n255\n\1\2\3\4\5\6";
  assert_int_equal(file.size, sizeof expected - 1);
  assert_memory_equal(file.data, expected, file.size);
  free(file.data);
}

RUN_TESTS("Netpbm", NULL, NULL)
