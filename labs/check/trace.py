"""What every kernel of a version leaves in each array, for the worked example of its handout. It runs on the cpu
backend, which sees each launch; on a machine with a GPU too.

  python3 -m labs.check.trace NAME [--all] [--json FILE] [--keys "3 1 2"] [--set KNOB=VALUE]

Called by make trace V=NAME and scripts/check_lab.sh --trace. Exit code: 0 sorted, 1 wrong, 2 usage or no build.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile

from .names import Program, kernel_parameters, read, sort_parameters

UNWRITTEN = 0xDBDBDBDB
SHORT = 40  # longer arrays are printed as their changed runs
DEFAULT = {"keys": [1, 3, 5, 2, 6, 4]}


def quit_with(text):
    print(f"trace: {text}", file=sys.stderr)
    sys.exit(2)


# ---- the example


def lab_of(version):
    """The version whose example a folder takes: its own, or that of the lab it was made from."""
    match = re.search(r'\.title = "lab: (\w+)"', read(f"{version}/student_func.cu"))
    return match[1] if match else version


def example_of(version):
    with open("labs/check/examples.json", encoding="utf-8") as file:
        return json.load(file).get(lab_of(version), DEFAULT)


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


# ---- from the events of the program to steps


class Trace:
    """The steps, each with all of the changed arrays' values after it; None is a value that nobody has written."""

    def __init__(self, version, program, events):
        self.parameters = kernel_parameters(version)
        self.own = dict(zip(("inputVals", "inputPos", "outputVals", "outputPos"), sort_parameters(version)))
        self.program = program
        self.names, self.values, self.live, self.steps = {}, {}, set(), []
        self.title = ""
        self.complete = False
        for event in events:
            if event["event"] == "array":
                self.add_array(event)
            elif event["event"] == "free":
                self.live.discard(event["id"])
            else:
                self.add_step(event)

    def add_array(self, event):
        number = event["id"]
        base = self.own.get(event["kind"]) or self.program.variable(event["caller"]) or "scratch 1"
        base, count = (base[:-2], 1) if base == "scratch 1" else (base, 0)
        name = f"{base} 1" if count else base
        while name in (self.names[other] for other in self.live):
            count = max(count, 1) + 1
            name = f"{base} {count}"
        self.names[number] = name
        self.values[number] = [None] * (event["bytes"] // 4)
        self.live.add(number)

    def place(self, place):
        if place is None:
            return "host"
        name = self.names[place["array"]]
        return f"{name} + {place['offset']}" if place["offset"] else name

    def add_step(self, event):
        if event["event"] == "end":
            self.complete = True
            return
        step = {"kind": event["event"], "stage": event["stage"]}
        if event["event"] == "kernel":
            step["name"] = event["name"] or ""
            if "<" in step["name"] or not step["name"]:  # an instance of a template, or its name is not known
                step["name"] = self.program.kernel(event["address"]) or step["name"] or "kernel"
            names = self.parameters.get(step["name"].split("<")[0], [])
            step.update(grid=event["grid"], block=event["block"], shared=event["shared"], arguments=[])
            for place in event["arguments"]:
                index = place["index"]
                parameter = names[index - 1] if index <= len(names) else f"argument {index}"
                step["arguments"].append({"parameter": parameter, "array": self.names[place["array"]], "offset": place["offset"], "text": self.place(place)})
        elif event["event"] == "host":
            step.update(name=event["name"], values=event["values"])
        elif event["event"] == "start":
            self.title = event["title"]
        else:
            step.update(to=self.place(event["to"]), source=self.place(event["from"]), value=event["value"], bytes=event["bytes"])
        step["changed"] = []
        for change in event.get("changed", []):
            values = self.values[change["array"]]
            runs = []
            for first, new in change["runs"]:
                values[first : first + len(new)] = [None if value == UNWRITTEN else value for value in new]
                runs.append([first, len(new)])
            step["changed"].append({"array": self.names[change["array"]], "values": list(values), "runs": runs})
        self.steps.append(step)

    def sorted_at(self, keys):
        """The step to stop at: the first after which an array holds the sorted keys, unless few more follow."""
        for number, step in enumerate(self.steps):
            arrays = [change["values"] for change in step["changed"]] + [step.get("values", [])]
            if number > 0 and any(values[: len(keys)] == sorted(keys) for values in arrays):
                return number if len(self.steps) - 1 - number > 3 else len(self.steps) - 1
        return len(self.steps) - 1


# ---- printing


def shape(sizes):
    while len(sizes) > 1 and sizes[-1] == 1:
        sizes = sizes[:-1]
    return str(sizes[0]) if len(sizes) == 1 else "(" + ", ".join(map(str, sizes)) + ")"


def headline(step):
    if step["kind"] == "kernel":
        arguments = ", ".join(f"{a['parameter']} = {a['text']}" for a in step["arguments"])
        shared = f", {step['shared']}" if step["shared"] else ""
        return f"{step['name']}<<<{shape(step['grid'])}, {shape(step['block'])}{shared}>>>({arguments})"
    if step["kind"] == "memset":
        return f"cudaMemset({step['to']}, {step['value']}, {step['bytes']} bytes)"
    if step["kind"] == "copy":
        return f"cudaMemcpy({step['to']}, {step['source']}, {step['bytes']} bytes)"
    return f"{step['name']} (on the host)"


def row(values):
    return "[" + " ".join("." if value is None else str(value) for value in values) + "]"


def changed_rows(change):
    """(name, values) for each row to print."""
    values, name = change["values"], change["array"]
    if len(values) <= SHORT:
        return [(name, row(values))]
    rows = []
    joined = []  # runs with a gap of at most 3 between them
    for first, count in change["runs"]:
        if joined and first - joined[-1][1] <= 3:
            joined[-1][1] = first + count
        else:
            joined.append([first, first + count])
    for first, end in joined[:6]:
        shown = min(end, first + SHORT)
        rows.append((f"{name}[{first}..{end - 1}]", row(values[first:shown])[:-1] + (" ...]" if shown < end else "]")))
    if len(joined) > 6:
        rows.append((name, f"and {len(joined) - 6} more changed places"))
    return rows


def print_step(number, step):
    print(f"{number:3}  {step['stage']:<9}{headline(step)}")
    if step["kind"] == "host":
        print(f"       {step['name']:<22} {row(step['values'])}")
    for change in step["changed"]:
        for name, values in changed_rows(change):
            print(f"       {name:<22} {values}")
    if not step["changed"] and step["kind"] != "host":
        print("       nothing changed")


def print_trace(version, trace, keys, settings, note, everything, ended):
    hand = by_hand(f"{version}/README.md") or by_hand(f"{lab_of(version)}/README.md")
    if hand:
        print(f"By hand ({version}/README.md):\n")
        print("\n".join(f"    {line}".rstrip() for line in hand) + "\n")
    print(f"{version} on the cpu backend, n = {len(keys)}{''.join(', ' + s for s in settings)}. After each step, the arrays that it changed;")
    print(f". is a value that nobody has written. {note}".rstrip() + "\n")
    for change in trace.steps[0]["changed"]:
        print(f"       {change['array']:<22} {row(change['values'])}")
    last = len(trace.steps) - 1 if everything else trace.sorted_at(keys)
    number = 1
    while number <= last:
        step = trace.steps[number]
        same = number
        while same < last and not step["changed"] and trace.steps[same + 1] == step:
            same += 1
        print_step(number, step)
        if same > number:
            print(f"       {same - number} times more")
        number = same + 1
    if len(trace.steps) == 1:
        print("       no kernels, sets or copies")
    if last < len(trace.steps) - 1:
        print(f"\nHere the keys are sorted; {len(trace.steps) - 1 - last} more steps follow (TRACE=all, or --all, prints them).")
    if ended:
        print(f"\n{ended}")


# ---- the run


def make(goals):
    """On the cpu backend, also where there is a GPU."""
    return subprocess.run(["make", "-s", "-j2", "BACKEND=cpu"] + goals, capture_output=True, text=True)


def arguments_of(output, keys, settings, bare):
    """The command line of labs/check/trace.c."""
    return [output, "KEYS" if bare else "PAIRS", *settings, "--", *map(str, keys)]


def run(version, keys, settings, bare):
    """(trace, exit code, what it printed on stderr)"""
    build = make(["print-B"]).stdout.strip()
    path = f"{build}/{version}/trace"
    built = make([path])
    if built.returncode != 0:
        errors = [line for line in built.stderr.splitlines() if re.search(r"\berror\b", line)]
        quit_with((errors or built.stderr.splitlines() or ["the build failed"])[0])
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
    parser = argparse.ArgumentParser(prog="trace", description="Prints what every kernel of a version leaves in each array.")
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
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump(record, file)
            file.write("\n")
    note = example.get("note", "") if keys == example["keys"] else ""
    print_trace(version, trace, keys, settings, note, options.all, ended)
    return 0 if code == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
