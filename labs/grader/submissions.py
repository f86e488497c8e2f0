"""Files of students: which there are, their source text, and what a grade depends on."""

import glob
import hashlib
import os
import re
import stat
import sys
import unicodedata

SUFFIXES = (".cu", ".cuh", ".h", ".inc")
MOST_BYTES = 1 << 20  # of a source file; larger ones are left out


def source_files(path):
    """The source files of a submission: a file, or the files of a folder. None of a link, which may lead to the
    files of another student."""
    if os.path.islink(path):
        return []
    if is_folder(path) and not os.access(path, os.R_OK | os.X_OK):
        return []
    files = [os.path.join(path, name) for name in sorted(os.listdir(path)) if name.endswith(SUFFIXES)] if is_folder(path) else [path]
    return [file for file in files if why_unreadable(file) is None]


def is_folder(path):
    return os.path.isdir(path) and not os.path.islink(path)


def why_unreadable(file):
    """Why a file is no source file to be read, or None. Says so without opening it: a pipe would wait for a writer."""
    try:
        status = os.lstat(file)
    except PermissionError:
        return "the folder's permissions forbid to read it"
    except FileNotFoundError:
        others = b", ".join(sorted(os.listdir(os.fsencode(os.path.dirname(file) or ".")))[:5]).decode("utf-8", "replace")
        return f"there is no {os.path.basename(file)}" + (f"; there is {others}" if others else "")
    kinds = {stat.S_IFLNK: "a link, which is not followed", stat.S_IFDIR: "a folder", stat.S_IFIFO: "a named pipe", stat.S_IFREG: None}
    fault = kinds.get(stat.S_IFMT(status.st_mode), "a device or a socket")
    if fault is None and status.st_size > MOST_BYTES:
        fault = f"of {status.st_size:,} bytes; a source file has at most {MOST_BYTES:,}"
    elif fault is None and not os.access(file, os.R_OK):
        fault = "not to be read: its permissions forbid it"
    return fault and f"{os.path.basename(file)} is {fault}"


def read_sources(path):
    text = ""
    for file in source_files(path):
        with open(file, encoding="utf-8", errors="replace") as stream:
            text += stream.read() + "\n"
    return text


def _folder_of(lab, path):
    """The folder in a clone of the course's repository that holds the lab; the path itself where there is not exactly one."""
    title, found = f'.title = "lab: {lab}"', []
    for folder in [] if os.path.islink(path) or os.path.lexists(path + "/student_func.cu") else glob.glob(glob.escape(path) + "/*"):
        if is_folder(folder) and why_unreadable(folder + "/student_func.cu") is None and title in read_sources(folder):
            found.append(folder)
    return found[0] if len(found) == 1 else path


def find(paths, lab):
    """{student: path}: folders with a student_func.cu, clones in which a folder holds the lab, bare .cu files, or a folder of them."""
    entries = []
    add = lambda name, path: entries.append((name, path))
    for path in paths:
        path = os.path.normpath(path)
        if os.path.lexists(path + "/student_func.cu"):
            add(os.path.basename(os.path.abspath(path)), path)
        elif os.path.isdir(path):
            for name in sorted(os.listdir(path)):
                inner = os.path.join(path, name)
                if name.startswith(".") or name == "__MACOSX":  # what file managers and zip programs leave
                    continue
                if os.path.isdir(inner):
                    add(name, _folder_of(lab, inner))
                elif name.endswith(".cu"):
                    add(os.path.splitext(name)[0], inner)
                else:
                    print(f"grade: {inner!a} is no folder and no .cu file: not graded", file=sys.stderr)
        elif os.path.lexists(path) and not path.endswith(".cu"):
            sys.exit(f"grade: {path} is no folder and no .cu file")
        elif os.path.lexists(path):
            stem = os.path.splitext(os.path.basename(path))[0]
            add(os.path.basename(os.path.dirname(os.path.abspath(path))) if stem == "student_func" else stem, path)
        else:
            sys.exit(f"grade: there is no {path}")
    if not entries:
        sys.exit("grade: there is no submission in " + ", ".join(paths))
    return _named(entries)


def _named(entries):
    """{name: path} in the order of the entries. A name that can stay as it is belongs to its entry; one that must be
    changed takes another than these."""

    def usable(name):
        if re.search("[\udc80-\udcff]", name):  # no UTF-8: from a zip of Windows
            name = os.fsencode(name).decode("cp1252", "replace")
        name = re.sub(r"[^\w.+ -]", "_", unicodedata.normalize("NFC", name)).lstrip(".+- ") or "unnamed"  # + or - begins a formula in grades.csv
        name = name.encode()[:100].decode("utf-8", "ignore")  # a file's name may have 255 bytes, and some are longer than the student's
        return name.replace(".", "_") if name in ("grades.csv", "similar.csv") else name  # beside the folders of the results

    found, taken = {}, {name for name, _ in entries if usable(name) == name}
    for original, path in entries:
        base, number = usable(original), 2
        name = base
        while name in found or (name in taken and name != original):
            name, number = f"{base}_{number}", number + 1
        found[name] = path
    return found


def fingerprint(rubric_text, build, path):
    """Of all that a grade depends on: the submission, the rubric, the build folder (its backend and options) and nvcc,
    the grader and what submissions include."""
    digest = hashlib.sha256((rubric_text + build).encode())
    for file in source_files(path):
        digest.update(os.fsencode(os.path.basename(file)) + b"\0")
    digest.update(read_sources(path).encode())
    here = os.path.dirname(__file__)
    for folder in (here, here + "/../check", "common"):
        for name in sorted(os.listdir(folder)):
            if name.endswith((".py", ".c", ".cpp", ".h", ".cuh")):
                with open(os.path.join(folder, name), "rb") as file:
                    digest.update(file.read())
    return digest.hexdigest()
