"""The steps of a lab: the TODOs that are still open, and the arrays that a version shows, compared with
what labs/check/steps computes."""

import json
import os
import re
import subprocess
import tempfile

from labs.check.names import lab_of, read

from . import judge, worker

LIMITS = {"seconds": 10, "memory_mb": 0, "processes": 0, "file_mb": 16, "output_kb": 1024}
STEP_SIZES = [6, 1000, 4097]


def todos(folder):
    """(line number, text) of the TODO comments that are still there, in the order of their numbers."""
    found = []
    lines = read(f"{folder}/student_func.cu").splitlines()
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
    for number, line in enumerate(read(f"{folder}/student_func.cu").split("\n"), 1):
        if re.search(r"//+ stub$", line.rstrip()) and not line.lstrip().startswith("//"):
            found += [] if of_todo else [number]
        else:
            of_todo = line.lstrip().startswith("//") and (of_todo or "TODO" in line)
    return found


def rubric_of(version):
    """Of a folder made by make starter; {} for others."""
    path = f"labs/{lab_of(version)}/rubric.json"
    if not os.path.isfile(path):
        return {}
    return json.loads(read(path))


def compare_steps(tools, version, n, isolated=False, limits=LIMITS, slot=0, seed=0, on_gpu=False, knobs=""):
    """The output of labs/check/steps for one sort of n keys: a list of (array, text), and how it ended. knobs: settings,
    such as "tileBits=5"."""
    keys, positions = judge.make_keys("uniform", n, seed)
    if n == 6:
        keys = type(keys)("I", [1, 3, 5, 2, 6, 4])  # the sheets' example
    ended = None
    process = None
    records = b""
    try:
        process = worker.Worker(tools, version, max(n, 16), limits, isolated, show=True, slot=slot, on_gpu=on_gpu, settings={"LAB_SET": knobs})
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


def launched_before(source, place):
    """The kernel or scan that a source launches last before a line, and the line's number. place: that number, or a pattern."""
    kernel = function = before_if = either = ""
    last = {}  # function: the kernel that it launches last, or its scan
    for number, line in enumerate(read(source).split("\n"), 1):
        if number == place or isinstance(place, str) and re.search(place, line):
            return kernel, number
        begin = re.match(r"[a-z_][^;]*?(\w+)\(", line)
        if begin:
            function, kernel, either = begin[1], "", ""
        elif re.match(r"\s*(} )?else\b", line):
            either = kernel + " or " if kernel not in ("", before_if) else ""
        elif re.match(r"\s*if\b", line):
            before_if = kernel
        for name, _, launch in re.findall(r"(\w+)\s*(<[^<>]*>)?\s*(<<<|\()", line):
            if launch == "<<<" or name.endswith("_scan") or name in last:
                last[function] = kernel = either + (name if launch == "<<<" else last.get(name, name))
                either = ""
    return "", 0


def after_which_kernel(source, name, called):
    """Where an array is shown: "; after take_digit, mine/student_func.cu:95". Empty if it is not found. called: what the
    source is called there."""
    kernel, number = launched_before(source, shows(name))
    return (f"; after {kernel}, " if kernel else "; ") + f"{called}:{number}" if number else ""


def not_freed(source, called):
    """The first array of scratch memory that a source never gives back."""
    text = read(source)
    for array in re.finditer(r"(\w+) *= *(?:\([^()]*\) *)?scratch_alloc\(", text):
        if not re.search(rf"scratch_free\({array[1]}\)", text):
            return f" ({array[1]}, {called}:{text[: array.start()].count(chr(10)) + 1})"
    return ""


def shows(name):
    return rf'\blab_\w+\(.*"{name}"'


def check_steps(version, tools, shared_object, next_number, add):
    """The arrays that the version shows; an array whose TODO is still open is "to do", not wrong."""
    rules = rubric_of(version).get("stages", {})
    todo = dict(rules.get("todo", {}))
    runs = [(n, "", None) for n in STEP_SIZES] + ([(rules["n"], rules["set"], None)] if "set" in rules else [])
    for knobs, own in rules.get("also", {}).items():  # another way through the sort, with separate TODOs
        todo.update({f"{name}, {knobs}": number for name, number in own.items()})
        runs.append((rules["n"], knobs, own))
    is_open = lambda name: todo.get(name, 98 if next_number < 99 else 0) >= next_number
    shown, first_array, ended = {}, None, None
    source = version + "/student_func.cu"
    for n, knobs, own in runs:
        steps, ended = compare_steps(tools, shared_object, n, knobs=knobs)
        at = f"(n = {n}{', ' + knobs if knobs else ''})"
        label = lambda name: f"{name}, {knobs}" if own and name in own else name
        for name, text in steps:
            if name == "first":
                first_array = label(text)
            elif shown.get(label(name), "right") == "right" and (not own or name in own):
                shown[label(name)] = text if text == "right" else f"{text.removeprefix('wrong ')} {at}{after_which_kernel(source, name, source)}"
        if ended or any(text != "right" and not is_open(name) for name, text in shown.items()):
            break
    # Where one array is wrong, those computed from it are wrong too: the first one counts.
    if first_array not in shown or shown[first_array] == "right" or is_open(first_array):
        first_array = None
    for name in sorted(shown, key=lambda name: name != first_array):
        right = shown[name] == "right"
        if is_open(name) and (name in todo or not right):
            add(name, right, "", "to do")
        elif first_array and name != first_array:
            add(name, right, "" if right else "wrong, too: it may follow", None if right else "after")
        else:
            add(name, right, "" if right else shown[name])
    launch = re.search(r"student_func\.cu:(\d+): kernel launch: invalid \w+", ended or "")
    if launch:
        kernel = launched_before(source, int(launch[1]))[0] or "the kernel"
        ended = ended.replace(launch[0], f"{launch[0]}: {kernel} is launched with 0 blocks, more than 1,024 threads in one, or too much shared memory")
    if ended:
        add("sort", False, f"{ended} {at}")
