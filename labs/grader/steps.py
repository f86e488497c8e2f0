"""The steps of a lab: the TODOs that are still open, and the arrays that a version shows, compared with
what labs/check/steps computes."""

import json
import os
import re
import subprocess
import tempfile

from . import judge, worker

LIMITS = {"seconds": 30, "memory_mb": 0, "processes": 0, "file_mb": 16, "output_kb": 1024}
STEP_SIZES = [6, 1000, 4097]


def todos(folder):
    """(line number, text) of the TODO comments that are still there, in the order of their numbers."""
    found = []
    with open(f"{folder}/student_func.cu", encoding="utf-8", errors="replace") as file:
        lines = file.read().splitlines()
    for number, line in enumerate(lines, 1):
        match = re.match(r"\s*// (TODO .*)", line)
        if match:
            text = match[1].strip()
            for more in lines[number:]:  # the lines after it, indented, are the rest of the sentence
                match = re.match(r"\s*//       +(\S.*)", more)
                if not match:
                    break
                text += " " + match[1].strip()
            found.append((number, text))
    return sorted(found, key=lambda todo: number_of(todo[1]))  # stable: the kernel before its launch


def number_of(todo):
    match = re.match(r"TODO (\d+)", todo)
    return int(match[1]) if match else 99


def stubs_left(folder):
    """Line numbers of a starter's stubs whose TODO comment is gone."""
    found, of_todo = [], False
    with open(f"{folder}/student_func.cu", encoding="utf-8", errors="replace") as file:
        for number, line in enumerate(file, 1):
            if re.search(r"//+ stub$", line.rstrip()) and not line.lstrip().startswith("//"):
                found += [] if of_todo else [number]
            else:
                of_todo = line.lstrip().startswith("//") and (of_todo or "TODO" in line)
    return found


def rubric_of(version):
    """Of a folder made by make starter; {} for others."""
    with open(f"{version}/student_func.cu", encoding="utf-8") as file:
        match = re.search(r'\.title = "lab: (\w+)"', file.read())
    path = f"labs/{match[1]}/rubric.json" if match else ""
    if not os.path.isfile(path):
        return {}
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def compare_steps(tools, version, n, isolated=False, limits=LIMITS, slot=0, seed=0, on_gpu=False):
    """The output of labs/check/steps for one sort of n keys: a list of (array, text), and how it ended."""
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
    # {array: number of the TODO that computes it}
    todo = rubric_of(version).get("stages", {}).get("todo", {})
    # Where one array is wrong, those computed from it are wrong too: the first one counts.
    order = ([first_array] if first_array else []) + [name for name in shown if name != first_array]
    rows = {}
    for name in order:
        is_open = todo.get(name, 98 if next_number < 99 else 0) >= next_number
        right = shown[name] == "right"
        # The example's six digits may all differ; then a stub that ranks nothing is right by accident.
        by_accident = name in todo and n == STEP_SIZES[0]
        rows[name] = (right, "" if right else shown[name], "to do" if is_open and (by_accident or not right) else None)
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
