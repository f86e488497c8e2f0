#include "harness/process/options.h"

#include <argp.h>
#include <stdlib.h>
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

static double option_seconds(const char *option, const char *text) {
  double seconds = 0.0;
  if (!parse_seconds(text, &seconds))
    quit(EXIT_USAGE, "--%s takes seconds like 0.5, 30 or 2m, not '%s'", option, text);
  return seconds;
}

static bool option_on_or_off(const char *option, const char *text) {
  if (strcmp(text, "on") != 0 && strcmp(text, "off") != 0)
    quit(EXIT_USAGE, "--%s is on or off, not '%s'", option, text);
  return text[1] == 'n';
}

// Above all characters, so that no option has a one-letter form; below argp's other keys.
enum { FIRST_KEY = 256, BEHIND_KEYS = 512 };

static error_t parse_option(int key, char *argument, struct argp_state *state) {
  // getopt reports an unknown option in one sentence; argp would add a second line.
  if (key == ARGP_KEY_INIT) state->err_stream = NULL;
  if (key < FIRST_KEY || key >= BEHIND_KEYS) return ARGP_ERR_UNKNOWN;
  const Option *const o = (const Option *)state->input + (key - FIRST_KEY);
  if (o->flag != NULL) *o->flag = argument == NULL || option_on_or_off(o->name, argument);
  if (o->text != NULL) *o->text = argument;
  if (o->number != NULL)
    *o->number = (int)option_number(o->name, argument, (uint64_t)o->min, (uint64_t)o->max);
  if (o->seed != NULL) *o->seed = option_number(o->name, argument, 0, INT64_MAX);
  if (o->seconds != NULL) *o->seconds = option_seconds(o->name, argument);
  if (o->set != NULL) o->set(argument);
  return 0;
}

int options_parse(const Option *options, const char *arguments_name, const char *description,
                  int count, char **arguments) {
  struct argp_option table[BEHIND_KEYS - FIRST_KEY] = {0};
  for (int i = 0, group = 0; options[i].help != NULL; i++) {
    const Option *const o = &options[i];
    table[i] = (struct argp_option){o->name, o->name == NULL ? 0 : FIRST_KEY + i, o->argument, 0,
                                    o->help, o->name == NULL ? ++group : 0};
  }
  const struct argp parser = {table, parse_option, arguments_name, description, NULL, NULL, NULL};
  argp_err_exit_status = EXIT_USAGE;
  int first = count;
  if (argp_parse(&parser, count, arguments, 0, &first, (void *)options) != 0) exit(EXIT_USAGE);
  return first;
}

// ---- values that several programs take ----------------------------------------------------------

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
