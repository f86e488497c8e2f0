"""make check-lab V=NAME: where a lab stands, on one screen, the first thing to mend on top."""

import json
import os
import re
import subprocess
import sys
import tempfile

from labs.check import sanitize

from . import judge, worker

LIMITS = {"seconds": 30, "memory_mb": 0, "processes": 0, "file_mb": 16, "output_kb": 1024}
STEP_SIZES = [6, 1000, 4097]


def make(goals, **options):
    command = ["make", "-s", "-j2"] + [f"{name}={value}" for name, value in options.items()] + goals
    return subprocess.run(command, capture_output=True, text=True)


def make_value(name, **options):
    done = make([f"print-{name}"], **options)
    return done.stdout.strip()


def todos(folder):
    """(line number, text) of the TODO comments that are still there."""
    found = []
    with open(f"{folder}/student_func.cu", encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            match = re.match(r"\s*// (TODO .*)", line)
            if match:
                found.append((number, match[1].strip()))
    return sorted(found, key=lambda todo: number_of(todo[1]))  # stable: the kernel before its launch


def number_of(todo):
    match = re.match(r"TODO (\d+)", todo)
    return int(match[1]) if match else 99


def todo_of_arrays(version):
    """{array: number of the TODO that computes it}, for a folder made by make starter."""
    with open(f"{version}/student_func.cu", encoding="utf-8") as file:
        match = re.search(r'\.title = "lab: (\w+)"', file.read())
    path = f"labs/{match[1]}/rubric.json" if match else ""
    if not os.path.isfile(path):
        return {}
    with open(path, encoding="utf-8") as file:
        return json.load(file).get("stages", {}).get("todo", {})


def compare_steps(tools, version, n, isolated=False, limits=LIMITS, slot=0, seed=0, on_gpu=False):
    """What labs/check/steps says of one sort of n keys: a list of (array, text), and how it ended."""
    keys, positions = judge.make_keys("uniform", n, seed)
    if n == 6:
        keys = type(keys)("I", [1, 3, 5, 2, 6, 4])  # the sheets' example
    ended = None
    process = None
    records = b""
    try:
        process = worker.Worker(tools, version, max(n, 16), limits, isolated, show=True, slot=slot, on_gpu=on_gpu)
        process.sort(keys, positions)
    except worker.Ended as error:
        ended = str(error)
    if process:
        process.records.seek(0)
        records = process.records.read()
        process.close()
    with tempfile.NamedTemporaryFile() as file:
        file.write(keys.tobytes())
        file.flush()
        done = subprocess.run([tools + "/steps", file.name], input=records, capture_output=True)
    lines = [line.split(": ", 1) for line in done.stdout.decode("utf-8", "replace").splitlines() if ": " in line]
    if done.returncode == 2 and not ended:
        ended = done.stderr.decode("utf-8", "replace").strip()
    return lines, ended


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
        text = str(error)
        return text, count
    finally:
        if process:
            process.close()
    return None, count


def hw4(version, build):
    """HW4's verdict on the sample image: its last line, and whether it is PASS."""
    built = make([f"{build}/{version}/HW4", "samples"])
    if built.returncode != 0:
        return False, "HW4 cannot be built"
    with tempfile.TemporaryDirectory() as folder:
        command = [f"{build}/{version}/HW4", "samples/portrait.ppm", "samples/template.ppm", folder + "/out.ppm"]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=300)
        except subprocess.TimeoutExpired:
            return False, "HW4 did not end within 300 s"
    lines = [line for line in done.stdout.splitlines() if line.startswith(("PASS", "FAIL"))]
    errors = [line for line in done.stderr.splitlines() if not line.startswith("next: ")]
    return done.returncode == 0, (lines or errors or [f"exit code {done.returncode}"])[-1]


def sanitizers(version, build):
    """Named results of the checking builds: (name, right, text)."""
    backend = "cuda" if build.startswith("build/cuda") else "cpu"
    small = ["samples/small.ppm", "samples/small_template.ppm"]
    results = []
    if backend == "cuda":
        with open(f"{version}/student_func.cu", encoding="utf-8") as file:
            return sanitize.results(version, build, make, "sort_version" not in file.read())
    if not os.path.exists("samples/portrait.ppm"):
        return results
    make_small(small)
    for name, options, environment in (
        ("memcheck", {"SANITIZE": 1}, {}),
        ("accesses", {"CHECK": "all"}, {}),
        ("racecheck", {}, {"CUDA_CPU_RACECHECK": "1"}),  # the threads of a block in another order
    ):
        if "CHECK" in options and not has_checking_build():
            continue
        folder = make_value("B", **options)
        if make([f"{folder}/{version}/HW4"], **options).returncode != 0:
            results.append((name, False, "cannot be built"))
            continue
        command = [f"{folder}/{version}/HW4", *small, "/dev/null.ppm"]
        with tempfile.TemporaryDirectory() as output:
            command[-1] = output + "/out.ppm"
            try:
                done = subprocess.run(command, capture_output=True, text=True, timeout=300, env={**os.environ, **environment})
            except subprocess.TimeoutExpired:
                results.append((name, False, "did not end within 300 s"))
                continue
        texts = [line for line in (done.stderr + done.stdout).splitlines() if re.search("ERROR|error|check|race|FAIL", line)]
        results.append((name, done.returncode == 0, "nothing found" if done.returncode == 0 else (texts or ["failed"])[0][:200]))
    return results


def has_checking_build():
    """Does the Makefile know CHECK=all, which watches each access of the kernels?"""
    with open("Makefile", encoding="utf-8") as file:
        return re.search(r"^CHECK +[?]=", file.read(), re.M) is not None


def make_small(paths):
    """A corner of the sample image, so that a slow build of the sort ends soon."""
    if all(os.path.exists(path) for path in paths):
        return
    for source, path, width, height in (("portrait", paths[0], 96, 64), ("template", paths[1], 0, 0)):
        with open(f"samples/{source}.ppm", "rb") as file:
            data = file.read()
        match = re.match(rb"P6\s+(?:#.*\s+)*(\d+)\s+(\d+)\s+255\s", data)
        columns, rows = int(match[1]), int(match[2])
        width, height = min(width or columns, columns), min(height or rows, rows)
        pixels = data[match.end() :]
        part = b"".join(pixels[3 * columns * y : 3 * (columns * y + width)] for y in range(height))
        with open(path, "wb") as file:
            file.write(b"P6\n%d %d\n255\n" % (width, height) + part)


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
    built = make([tools + "/worker", tools + "/steps", f"{build}/{version}/version.so"])
    if built.returncode != 0:
        errors = [line for line in built.stderr.splitlines() if re.search(r"\berror\b", line)]
        add("build", False, (errors or built.stderr.splitlines() or ["failed"])[0][:200])
    else:
        add("build", True, "")
        ended = check_steps(version, tools, f"{build}/{version}/version.so", next_number, add)
        if not ended and (first is None and not any(state == "to do" for _, state, _ in lines)):
            check_sort(version, tools, build, add)
            if first is None:
                for result in sanitizers(version, build):
                    add(*result)
    if first:
        print(f"To mend first: {first}")
    elif open_todos:
        number, text = open_todos[0]
        print(f"Next: {text}\n      {version}/student_func.cu, line {number}")
    else:
        print(f"{version}: all right. Hand it in.")
    print()
    for name, state, text in lines:
        print(f"  {name:<12}{state:<7}{text}".rstrip()[:200])
    return 0 if first is None and not open_todos else 1


def check_steps(version, tools, shared_object, next_number, add):
    """The arrays that the version shows; an array whose TODO is still open is "to do", not wrong."""
    shown, first_array = {}, None
    for n in STEP_SIZES:
        steps, ended = compare_steps(tools, shared_object, n)
        for name, text in steps:
            if name == "first":
                first_array = text
            elif shown.get(name, "right") == "right":
                shown[name] = text if text == "right" else f"{text.removeprefix('wrong ')} (n = {n})"
        if ended or any(text != "right" for text in shown.values()):
            break
    todo = todo_of_arrays(version)
    # Where one array is wrong, those computed from it are wrong too: the first one counts.
    order = ([first_array] if first_array else []) + [name for name in shown if name != first_array]
    rows = {}
    for name in order:
        is_open = todo.get(name, 98 if next_number < 99 else 0) >= next_number
        right = shown[name] == "right"
        rows[name] = (right, "" if right else shown[name], "to do" if is_open and not right else None)
    if first_array and rows[first_array][2] is None:
        add(first_array, *rows.pop(first_array))
        for name, (right, text, state) in rows.items():
            add(name, right, "" if not right else text, state or (None if right else "after"))
    else:
        for name in shown:
            right, text, state = rows[name]
            add(name, right, "" if state else text, state)
    if ended:
        add("sort", False, ended + f" (n = {n})")
    return ended


def check_sort(version, tools, build, add):
    with open(f"{version}/student_func.cu", encoding="utf-8") as file:
        source = file.read()
    wrong, count = sort_cases(tools, f"{build}/{version}/version.so", "sort_version" not in source, ".stable = true" in source)
    add("sort", wrong is None, wrong or f"{count} sorts of {len(judge.SIZES)} sizes and {len(judge.KINDS)} kinds")
    right, text = hw4(version, build)
    add("HW4", right, text)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
