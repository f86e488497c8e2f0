"""make check-lab V=NAME: where a lab stands, on one screen, the first thing to mend on top."""

import os
import re
import subprocess
import sys
import tempfile

from . import counters, judge, worker
from .make import is_gpu_build, make, make_value
from .sanitizers import sanitizers
from .steps import LIMITS, check_steps, number_of, rubric_of, stubs_left, todos


def sort_cases(tools, version, pairs_only, stable):
    """The first wrong case of the battery, or None; and the number of cases."""
    process = None
    cases = [("uniform", n) for n in judge.SIZES] + [(kind, 5000) for kind in judge.KINDS]
    earlier = []
    when = "while it was loaded"
    count = 0
    try:
        process = worker.Worker(tools, version, max(judge.SIZES), LIMITS, isolated=False)
        for kind, n in cases:
            for pairs in (True,) if pairs_only else (True, False):
                count += 1
                when = f"{kind}, n = {n}, {'pairs' if pairs else 'bare keys'}"
                keys, positions = judge.make_keys(kind, n, count)
                if not pairs:
                    positions = None
                expected = judge.right_answer(keys, positions)
                _, answer, out_keys, out_positions = process.sort(keys, positions, f"on {when}")
                if answer == "g":
                    return f"{when}: wrote beyond the end of an array", count
                wrong = judge.fault(keys, positions, expected, out_keys, out_positions, stable, earlier)
                if wrong:
                    return f"{when}: {wrong}", count
                if answer == "s":
                    return f"{when}: sorted, but scratch memory was not returned: a scratch_free is missing", count
                earlier.append(expected)
    except worker.Ended as error:
        return str(error), count
    finally:
        if process:
            process.close()
    return None, count


def hw4(version, build):
    """HW4's verdict on the sample image: its last line, and whether it is PASS."""
    built = make([f"{build}/{version}/HW4", "samples"])
    if built.returncode != 0:
        reason = next((line for line in built.stderr.splitlines() if not line.startswith("make")), "")
        return False, "HW4 cannot be built" + (f": {reason}" if reason else "")
    with tempfile.TemporaryDirectory() as folder:
        command = [f"{build}/{version}/HW4", "samples/portrait.ppm", "samples/template.ppm", folder + "/out.ppm"]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=300)
        except subprocess.TimeoutExpired:
            return False, "HW4 did not end within 300 s"
    lines = [line for line in done.stdout.splitlines() if line.startswith(("PASS", "FAIL"))]
    errors = [line for line in done.stderr.splitlines() if not line.startswith("next: ")]
    return done.returncode == 0, (lines or errors or [f"exit code {done.returncode}"])[-1]


def progress(text):
    """On a terminal, the current step of the check; an empty text clears the line."""
    if sys.stderr.isatty():
        print(f"\r{text}\033[K", end="", file=sys.stderr, flush=True)


def main(version):
    if not os.path.isfile(f"{version}/student_func.cu"):
        print(f"check-lab: there is no {version}/student_func.cu; make starter LAB=radix_v1 NAME={version} makes one", file=sys.stderr)
        return 2
    build = make_value("B")
    tools = build + "/labs"
    first = None  # the thing to mend first
    lines = []

    def add(name, right, text, state=None):
        nonlocal first
        if not right and first is None and state is None:
            first = f"{name}: {text}"
        lines.append((name, state or ("right" if right else "WRONG"), text))

    open_todos = todos(version)
    next_number = number_of(open_todos[0][1]) if open_todos else 99
    progress("building ..")
    built = make([tools + "/worker", tools + "/steps", f"{build}/{version}/version.so"])
    if built.returncode != 0:
        errors = [line for line in built.stderr.splitlines() if re.search(r"\berror\b", line)]
        add("build", False, (errors or built.stderr.splitlines() or ["failed"])[0][:200])
    else:
        add("build", True, "")
        progress("steps ..")
        ended = check_steps(version, tools, f"{build}/{version}/version.so", next_number, add)
        if not ended and (first is None and not any(state == "to do" for _, state, _ in lines)):
            check_sort(version, tools, build, add)
            if first is None:
                progress("memory, races and barriers: some minutes ..")
                for result in sanitizers(version, build):
                    add(*result)
            if first is None and not open_todos and not is_gpu_build(build):
                progress("counting what the kernels ask of memory ..")
                for result in counters.results(version, rubric_of(version)):
                    add(*result)
    progress("")
    if first:
        print(f"To mend first: {first}")
        stubs = stubs_left(version)
        if stubs:
            print(f"      {version}/student_func.cu, line {stubs[0]}: ends with // stub, but its TODO is gone. Delete it.")
    elif open_todos:
        number, text = open_todos[0]
        print(f"Next: {text}\n      {version}/student_func.cu, line {number}. Delete the comment when you have done it.")
    else:
        print(f"{version}: all right. Hand it in.")
    print()
    for name, state, text in lines:
        print(f"  {name:<12}{state:<7}{text}".rstrip())
    return 0 if first is None and not open_todos else 1


def check_sort(version, tools, build, add):
    with open(f"{version}/student_func.cu", encoding="utf-8") as file:
        source = file.read()
    progress("sorts of all sizes and kinds ..")
    wrong, count = sort_cases(tools, f"{build}/{version}/version.so", "sort_version" not in source, ".stable = true" in source)
    add("sort", wrong is None, wrong or f"{count} sorts of {len(judge.SIZES)} sizes and {len(judge.KINDS)} kinds")
    progress("HW4 ..")
    right, text = hw4(version, build)
    add("HW4", right, text)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
