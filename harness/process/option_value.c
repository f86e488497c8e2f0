#include "harness/process/option_value.h"

#include <string.h>

#include "common/check.h"
#include "harness/process/message.h"
#include "harness/process/parse.h"

uint64_t option_number(const char *option, const char *text, uint64_t min, uint64_t max) {
  uint64_t value = 0;
  if (!parse_number(text, min, max, &value))
    quit(EXIT_USAGE, "--%s takes a whole number from %llu to %llu, not '%s'", option,
         (unsigned long long)min, (unsigned long long)max, text);
  return value;
}

bool option_on_or_off(const char *option, const char *text) {
  if (strcmp(text, "on") != 0 && strcmp(text, "off") != 0)
    quit(EXIT_USAGE, "--%s is on or off, not '%s'", option, text);
  return text[1] == 'n';
}

static Format format_of(const char *name, size_t length, Format last) {
  static const char *const names[] = {"table", "csv", "json", "md"};  // in the order of Format
  for (int i = 0; i <= (int)last; i++)
    if (strlen(names[i]) == length && strncmp(names[i], name, length) == 0) return (Format)i;
  quit(EXIT_USAGE, "no format is called '%.*s'; there are %s", (int)length, name,
       last == FORMAT_MD ? "table, csv, json and md" : "table, csv and json");
}

Format option_format(const char *name, Format last) { return format_of(name, strlen(name), last); }

void option_add_export(Export exports[MAX_EXPORTS], int *count, const char *text, Format last) {
  const size_t length = strcspn(text, "=");
  if (length == 0 || text[length] == '\0' || text[length + 1] == '\0')
    quit(EXIT_USAGE, "--export takes FORMAT=FILE like json=record.json, not '%s'", text);
  if (*count == MAX_EXPORTS)
    quit(EXIT_USAGE, "there are more than %d exports at '%s'", MAX_EXPORTS, text);
  const Export export = {.format = format_of(text, length, last), .path = text + length + 1};
  for (int i = 0; i < *count; i++)
    if (strcmp(exports[i].path, export.path) == 0)
      quit(EXIT_USAGE, "--export: %s is named twice", export.path);
  exports[(*count)++] = export;
}
