// Where compare's keys come from: --dist, --input and --image.
#ifndef HARNESS_COMPARE_SOURCES_H
#define HARNESS_COMPARE_SOURCES_H

#include "harness/input/input_file.h"

enum { MAX_SOURCES = 48 };

// An input that is drawn, or a file.
typedef struct Source {
  const char *name;  // as tables call it; of a file: its path
  char *path_name;   // of a file: the same, malloc'ed
  int kind;          // of harness/input/input.h; -1: the file
  InputFile file;
  bool repeats;  // n may be greater than the file: it starts again
} Source;

typedef struct SourceList {
  Source entries[MAX_SOURCES];
  int count;
} SourceList;

// Each appends to the list, and ends the program with EXIT_USAGE on a mistake.
void sources_add_names(SourceList *list, char *names);  // "uniform,zipf" of --dist; cut up in place
void sources_add_file(SourceList *list, const char *path);
void sources_add_image(SourceList *list, const char *image_and_template);  // "IMAGE,TEMPLATE"

void sources_close(SourceList *list);

// How many elements to sort: *wanted, or if that is NULL all keys of a file and a default for an
// input that is drawn. Ends the program with EXIT_USAGE if a file holds fewer.
size_t source_size(const Source *source, const uint64_t *wanted);

#endif
