"""Files of students: which there are, their source text, and what a grade depends on."""

import hashlib
import os
import re
import sys

SUFFIXES = (".cu", ".cuh", ".h", ".inc")
MOST_BYTES = 1 << 20  # of a source file; larger ones are left out


def source_files(path):
    """The source files of a submission: a file, or those of a folder. None of a link, which may lead to the
    files of another student."""
    if os.path.islink(path):
        return []
    files = [path] if os.path.isfile(path) else [os.path.join(path, name) for name in sorted(os.listdir(path)) if name.endswith(SUFFIXES)]
    return [file for file in files if os.path.isfile(file) and not os.path.islink(file) and os.path.getsize(file) <= MOST_BYTES]


def read_sources(path):
    text = ""
    for file in source_files(path):
        with open(file, encoding="utf-8", errors="replace") as stream:
            text += stream.read() + "\n"
    return text


def find(paths):
    """{student: path}: folders with a student_func.cu, bare .cu files, or a folder of these."""
    found = {}

    def add(name, path):
        name = re.sub(r"[^A-Za-z0-9_.+-]", "_", name).lstrip(".+-") or "unnamed"  # + or - begins a formula in grades.csv
        name = "grades_csv" if name == "grades.csv" else name  # beside the folders of the results
        base, number = name, 2
        while name in found:
            name, number = f"{base}_{number}", number + 1
        found[name] = path

    for path in paths:
        path = os.path.normpath(path)
        if os.path.isfile(path):
            stem = os.path.splitext(os.path.basename(path))[0]
            add(os.path.basename(os.path.dirname(os.path.abspath(path))) if stem == "student_func" else stem, path)
        elif os.path.isfile(path + "/student_func.cu"):
            add(os.path.basename(os.path.abspath(path)), path)
        elif os.path.isdir(path):
            for name in sorted(os.listdir(path)):
                inner = os.path.join(path, name)
                if os.path.isdir(inner):
                    add(name, inner)
                elif name.endswith(".cu"):
                    add(os.path.splitext(name)[0], inner)
        else:
            sys.exit(f"grade: there is no {path}")
    if not found:
        sys.exit("grade: there is no submission in " + ", ".join(paths))
    return found


def fingerprint(rubric_text, build, path):
    """Of all that a grade depends on: the submission, the rubric, the build folder (its backend and options),
    the grader and what submissions include."""
    digest = hashlib.sha256((rubric_text + build).encode())
    digest.update(read_sources(path).encode())
    here = os.path.dirname(__file__)
    for folder in (here, here + "/../check", "common"):
        for name in sorted(os.listdir(folder)):
            if name.endswith((".py", ".c", ".h", ".cuh")):
                with open(os.path.join(folder, name), "rb") as file:
                    digest.update(file.read())
    return digest.hexdigest()
