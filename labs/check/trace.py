"""Prints the arrays after each kernel of a version, for the worked example of its handout. It runs on the cpu backend,
also on a machine with a GPU: that backend sees each launch.

  python3 -m labs.check.trace NAME [--all] [--json FILE] [--keys "3 1 2"] [--bare] [--set KNOB=VALUE]

Called by make trace V=NAME and scripts/check_lab.sh --trace. Exit code: 0 sorted, 1 wrong, 2 usage or no build.

The file of --json is one object:
  version, title, backend, n, keys, pairs, set, sorted (is the result right?)
  arrays   [{"name": "d_hist", "elements": 3}, ...]; elements of 32 bits
  steps    one object per kernel, memory set, copy or array of the host, in order; the first, of kind "start", holds the inputs
    kind       "start", "kernel", "memset", "copy" or "host"
    stage      the stage of common/stages.h, or ""
    name, grid, block, shared, arguments     of a kernel; shared in bytes; an argument is a pointer:
               {"parameter": "hist", "array": "d_hist", "offset": 1, "text": "d_hist + 1"}
    to, source, value, bytes                 of a set or a copy; name, values of an array of the host
    changed    [{"array": "d_hist", "values": [0, 3, 3], "runs": [[1, 2]]}]: the whole array after the step, null for a value
               that was never written; runs of changed values: first index and length
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile

from scripts.replace_file import replace_file

from .make import first_error, make, make_value
from .names import Program, lab_of, read
from .trace_steps import Trace
from .trace_text import print_trace, row

DEFAULT = {"keys": [1, 3, 5, 2, 6, 4]}


def quit_with(text):
    print(f"trace: {text}", file=sys.stderr)
    sys.exit(2)


# ---- the example


def example_of(version):
    return json.loads(read("labs/check/examples.json")).get(lab_of(version) or version, DEFAULT)


def by_hand(path):
    """The blocks of code in a README's section "By hand", without common indentation."""
    if not os.path.isfile(path):
        return []
    section = re.search(r"^## By hand\n(.*?)(?=^## |\Z)", read(path), flags=re.M | re.S)
    lines, fenced = [], False
    for line in (section[1] if section else "").splitlines():
        if line.startswith("```"):
            fenced = not fenced
        elif fenced or line.startswith("    "):
            lines.append(line if fenced else line[4:])
        elif lines and lines[-1]:
            lines.append("")
    return lines[:-1] if lines and not lines[-1] else lines


# ---- the run


def arguments_of(output, keys, settings, bare):
    """The command line of labs/check/trace.c."""
    return [output, "KEYS" if bare else "PAIRS", *settings, "--", *map(str, keys)]


def run(version, keys, settings, bare):
    """(trace, exit code, its messages on stderr)"""
    backend = {"BACKEND": "cpu"}  # also where there is a GPU
    build, not_here = (make_value(name, **backend) for name in ("B", "NOT_HERE"))
    if version in not_here.split():
        quit_with(f"{version} cannot be built for the cpu backend here, and the trace needs that backend")
    path = f"{build}/{version}/trace"
    built = make([path], **backend)
    if built.returncode != 0:
        quit_with(first_error(built))
    with tempfile.NamedTemporaryFile("r") as file:
        command = [path] + arguments_of(file.name, keys, settings, bare)
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=120)
            code, errors = done.returncode, done.stderr.strip()
        except subprocess.TimeoutExpired:
            code, errors = 3, "the sort did not end within 120 s"
        lines = file.read().splitlines()
    if code == 2:
        quit_with(errors.removeprefix("trace: "))
    events = [json.loads(line) for line in lines if line.endswith("}")]
    if not any(event["event"] == "start" for event in events):
        quit_with(errors or f"the program ended with exit code {code}")
    return Trace(version, Program(path), events), code, errors


def main():
    parser = argparse.ArgumentParser(prog="trace", description="Prints the arrays after each kernel of a version.")
    parser.add_argument("version")
    parser.add_argument("--all", action="store_true", help="also the steps after the keys are sorted")
    parser.add_argument("--json", metavar="FILE", help="writes all steps to FILE")
    parser.add_argument("--keys", help="other keys than the handout's example, at most 1000")
    parser.add_argument("--bare", action="store_true", help="keys without positions")
    parser.add_argument("--set", action="append", default=[], metavar="KNOB=VALUE")
    parser.add_argument("--arguments", action="store_true", help=argparse.SUPPRESS)  # for scripts/debug.sh
    options = parser.parse_args()
    version = options.version.rstrip("/")
    if not os.path.isfile(f"{version}/student_func.cu"):
        quit_with(f"there is no {version}/student_func.cu")
    example = example_of(version)
    keys = example["keys"]
    if options.keys is not None:
        words = options.keys.replace(",", " ").split()
        if not all(word.isdigit() and int(word) < 1 << 32 for word in words) or len(words) > 1000:
            quit_with("--keys takes at most 1000 numbers below 4294967296")
        keys = [int(word) for word in words]
    source = read(f"{version}/student_func.cu")
    settings = options.set or [s for s in example.get("set", []) if f'{{"{s.split("=")[0]}"' in source]
    bare = (options.bare or example.get("bare", False)) and "sort_version" in source
    if options.arguments:
        print("\n".join(arguments_of("/dev/null", keys, settings, bare)))
        return 0
    trace, code, errors = run(version, keys, settings, bare)
    ended = ""
    if not trace.complete:
        ended = f"The sort ended early: {errors or f'exit code {code}'}"
    elif code == 1:
        ended = f"The result is wrong: {trace.own['outputVals']} should be {row(sorted(keys))}."
    if "next: " in errors:
        ended = errors[errors.index("next: ") :].splitlines()[0] + ("\n" + ended if ended else "")
    if options.json:
        arrays = [{"name": trace.names[i], "elements": len(trace.values[i])} for i in trace.names]
        record = {"version": version, "title": trace.title, "backend": "cpu", "n": len(keys), "keys": keys, "pairs": not bare}
        record.update(set=settings, sorted=code == 0, arrays=arrays, steps=trace.steps)
        with replace_file(options.json) as file:
            json.dump(record, file)
            file.write("\n")
    note = example.get("note", "") if keys == example["keys"] else ""
    hand = by_hand(f"{version}/README.md") or by_hand(f"{lab_of(version) or version}/README.md")
    print_trace(version, trace, hand, keys, settings, note, options.all, ended)
    return 0 if code == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
