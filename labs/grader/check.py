"""make check-lab V=NAME: where a lab stands, on one screen, the first thing to mend on top."""

import os
import re
import subprocess
import sys
import tempfile

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
    return found


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
    if backend == "cuda" or not os.path.exists("samples/portrait.ppm"):
        return results
    make_small(small)
    for name, options, environment in (
        ("memcheck", {"SANITIZE": 1}, {}),
        ("racecheck", {}, {"CUDA_CPU_RACECHECK": "1"}),
    ):
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
        results.append((name, done.returncode == 0, "nothing found" if done.returncode == 0 else (texts or ["failed"])[0][:150]))
    return results


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

    def add(name, right, text):
        nonlocal first
        if not right and first is None:
            first = f"{name}: {text}"
        lines.append((name, "right" if right else "WRONG", text))

    open_todos = todos(version)
    built = make([tools + "/worker", tools + "/steps", f"{build}/{version}/version.so"])
    if built.returncode != 0:
        errors = [line for line in built.stderr.splitlines() if re.search(r"\berror\b", line)]
        add("build", False, (errors or built.stderr.splitlines() or ["failed"])[0][:200])
    else:
        add("build", True, "")
        with open(f"{version}/student_func.cu", encoding="utf-8") as file:
            source = file.read()
        pairs_only = "sort_version" not in source
        shown, first_array = {}, None
        for n in STEP_SIZES:
            steps, ended = compare_steps(tools, f"{build}/{version}/version.so", n)
            for name, text in steps:
                if name == "first":
                    first_array = text
                elif shown.get(name, "right") == "right":
                    shown[name] = text if text == "right" else f"{text} (n = {n})"
            if ended or any(text != "right" for text in shown.values()):
                break
        if first_array:
            first = f"{first_array}: {shown[first_array]}"
        for name, text in shown.items():
            add(name, text == "right", "" if text == "right" else text.removeprefix("wrong "))
        if ended:
            add("sort", False, ended + f" (n = {n})")
        else:
            stable = ".stable = true" in source
            wrong, count = sort_cases(tools, f"{build}/{version}/version.so", pairs_only, stable)
            add("sort", wrong is None, wrong or f"{count} sorts of {len(judge.SIZES)} sizes and {len(judge.KINDS)} kinds")
            right, text = hw4(version, build)
            add("HW4", right, text)
        if first is None:
            for name, right, text in sanitizers(version, build):
                add(name, right, text)
    if open_todos:
        number, text = open_todos[0]
        print(f"Next: {text}\n      {version}/student_func.cu, line {number}")
        if first:
            print(f"  ({first})")
    elif first:
        print(f"To mend first: {first}")
    else:
        print(f"{version}: all right. Hand it in.")
    print()
    for name, state, text in lines:
        print(f"  {name:<12}{state:<7}{text}".rstrip()[:160])
    return 0 if first is None and not open_todos else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
