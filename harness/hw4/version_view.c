#include "harness/hw4/version_view.h"

#include "harness/process/message.h"

static int clamp(int value, int largest) {
  return value < 0 ? 0 : value > largest ? largest : value;
}

// Ends a text that came without an end, and makes it one line for a terminal.
#define END(text) ((text)[sizeof(text) - 1] = '\0', printable_line(text))

const SortVersion *version_view(VersionView *view, const Description *description) {
  *view = (VersionView){.description = *description};
  Description *const d = &view->description;
  END(d->name);
  END(d->title);
  END(d->source);
  d->stages = clamp(d->stages, MAX_STAGES);
  d->knobs = clamp(d->knobs, MAX_KNOBS);
  for (int i = 0; i < d->stages; i++) {
    END(d->stage[i]);
    view->stages[i] = d->stage[i];
  }
  for (int i = 0; i < d->knobs; i++) {
    END(d->knob[i].name);
    END(d->knob[i].meaning);
    view->knobs[i] = (SortKnob){.name = d->knob[i].name,
                                .default_value = d->knob[i].default_value,
                                .min = d->knob[i].min,
                                .max = d->knob[i].max,
                                .meaning = d->knob[i].meaning};
  }
  view->version = (SortVersion){.name = d->name,
                                .title = d->title,
                                .source = d->source,
                                .stable = d->stable,
                                .max_n = d->max_n,
                                .slow_n = d->slow_n,
                                .stages = view->stages,
                                .knobs = view->knobs,
                                .scratch_per_key = -1.0,
                                .scratch_per_pair = -1.0,
                                .pairs_only = d->pairs_only};
  return &view->version;
}
