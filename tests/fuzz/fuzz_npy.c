// Fuzzes the reader of key files: any bytes are keys inside the file, or refused with a sentence.
// Keys that are written as .npy are read back unchanged.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "harness/input/input_file.h"

static int memory_file(char *path, size_t size) {
  const int file = memfd_create("fuzz.npy", 0);
  if (file < 0) abort();
  snprintf(path, size, "/proc/self/fd/%d", file);
  return file;
}

static void round_trip(const InputFile *keys) {
  static char path[] = "/tmp/fuzz_npy.XXXXXX.npy";
  static int made;
  if (made++ % 1024 != 0) return;  // it writes a file
  char copy[sizeof path];
  memcpy(copy, path, sizeof path);
  const int file = mkstemps(copy, 4);
  Message message;
  InputFile back;
  if (file < 0 || !input_file_save(copy, keys->keys, keys->count, &message) ||
      !input_file_open(copy, &back, &message) || back.count != keys->count ||
      memcmp(back.keys, keys->keys, 4 * keys->count) != 0)
    abort();
  input_file_close(&back);
  close(file);
  unlink(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char path[64];
  const int file = memory_file(path, sizeof path);
  if (write(file, data, size) != (ssize_t)size) abort();
  InputFile keys;
  Message message = {.text = ""};
  if (input_file_open(path, &keys, &message)) {
    const unsigned char *const first = (const unsigned char *)keys.keys, *const all =
                                                                             keys.bytes.data;
    if (keys.count == 0 || first < all || first + 4 * keys.count > all + size) abort();
    volatile uint32_t sum = 0;
    for (size_t i = 0; i < keys.count; i++) sum = sum + keys.keys[i];
    round_trip(&keys);
    input_file_close(&keys);
  } else if (strncmp(message.text, path, strlen(path)) != 0 || keys.bytes.data != NULL) {
    abort();
  }
  // Whatever a file holds, the sentence about it is one line for a terminal.
  for (const char *c = message.text; *c != '\0'; c++)
    if ((unsigned char)*c < 0x20 || *c == 0x7f) abort();
  close(file);
  return 0;
}
