#!/usr/bin/env python3
"""A repository for students: harness, cuda_cpu, common, and the starters and sheets of some labs; no solution.

  labs/teacher/student_copy.py DEST LAB ...     make student_copy DEST=../course LABS="radix_v1 radix_v2"

A new DEST becomes a git repository with one commit. Called again for the same DEST it adds a commit with the further
labs, and keeps what was changed there since. Exit code 2: a wrong request, or git or a file says no; then DEST is as
it was."""

import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# What students get whatever the labs are: files and folders that git knows.
PARTS = """
.clang-format .devcontainer .gitignore .vscode LICENSE Makefile common cuda_cpu harness std_sort_ref
labs/README.md labs/check labs/debugging.md labs/editor labs/editor.md labs/glossary.md labs/grader labs/labs.mk labs/rubric.json
report/images/before.png report/images/template.png
scripts/check_lab.sh scripts/check_name.sh scripts/compile_commands.py scripts/count.sh scripts/debug.sh
scripts/grade.sh scripts/new_version.sh scripts/replace_file.py scripts/samples.py
scripts/setup.sh scripts/starter.sh scripts/thrust_headers.sh
""".split()
LEFT_OUT = r"cuda_cpu/(tests|bench)/"
# Of these only those that the other files include, as some hold parts of solutions.
HEADERS = r"(common/[^/]*|gsort/.*)\.(h|cuh)"
OTHERS = {"open": ["thrust_ref", "cub_ref"]}  # lab 6 has no starter, and compares with these
SUBJECT = "Labs: "  # of the commits made here


def stop(text, program="student_copy"):
    print(f"{program}: {text}", file=sys.stderr)
    sys.exit(2)


def run(*command, where=ROOT):
    done = subprocess.run(command, cwd=where, capture_output=True, text=True, errors="replace")
    if done.returncode != 0:
        stop(f"{' '.join(command[:3])}: {done.stderr.strip() or done.stdout.strip()}")
    return done.stdout


def read(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()


def edit(path, pattern, change):
    text = re.sub(pattern, change, read(path))
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def sheet_of(lab):
    for path in sorted(glob.glob(ROOT + "/labs/[0-9]*.md")):
        if re.match(rf"<!-- lab:.*\b{lab}\b.*-->", read(path)):
            return os.path.relpath(path, ROOT)
    return stop(f"no sheet in labs/ is for {lab}")


def known(*paths):
    """Files that git knows, as they are now."""
    return [name for name in run("git", "ls-files", "-z", "--", *paths).split("\0") if os.path.isfile(f"{ROOT}/{name}")]


def files_below(target, suffixes):
    names = [os.path.join(folder, name) for folder, _, names in os.walk(target) for name in names]
    return [name for name in names if name.endswith(suffixes)]


def copy(names, target):
    for name in names:
        os.makedirs(os.path.dirname(f"{target}/{name}"), exist_ok=True)
        shutil.copy2(f"{ROOT}/{name}", f"{target}/{name}")


def copy_headers(target):
    """Those of HEADERS that the files in target include, and those that these include in turn."""
    queue = files_below(target, (".c", ".h", ".cpp", ".cu", ".cuh"))
    while queue:
        for header in re.findall(r'(?m)^\s*#\s*include\s+"([^"]+)"', read(queue.pop())):
            if re.fullmatch(HEADERS, header) and os.path.isfile(f"{ROOT}/{header}") and not os.path.exists(f"{target}/{header}"):
                copy([header], target)
                queue.append(f"{target}/{header}")


def fill(target, labs, more=()):
    """Writes the files of a copy with these labs; more: further files and folders."""
    sheets = sorted({sheet_of(lab) for lab in labs})
    parts = PARTS + sheets + [f"labs/{lab}/rubric.json" for lab in labs] + [other for lab in labs for other in OTHERS.get(lab, [])]
    copy([name for name in known(*parts) if not re.match(LEFT_OUT, name) and not re.fullmatch(HEADERS, name)], target)
    if more:
        copy(known(*more), target)
    os.makedirs(f"{target}/labs/starters")
    for lab in labs:
        if lab not in OTHERS:
            run("scripts/starter.sh", "--template", lab, f"{target}/labs/starters/{lab}")
    copy_headers(target)
    for sheet in sheets:
        copy(["labs/" + picture for picture in re.findall(r"\]\((pictures/[^)]+)\)", read(f"{target}/{sheet}"))], target)


def for_students(target):
    """Makes a filled folder one for students: its pages, and targets of make that can run."""
    os.makedirs(f"{target}/.github/workflows")
    for source, name in (("student_readme.md", "README.md"), ("classroom.yml", ".github/workflows/classroom.yml")):
        shutil.copy2(f"{ROOT}/labs/teacher/{source}", f"{target}/{name}")
    there = lambda path: os.path.exists(path.split("#")[0])
    edit(f"{target}/labs/README.md", r"(?m)^\| \[.*?\]\((.*?)\).*\n", lambda row: row[0] * there(f"{target}/labs/{row[1]}"))
    edit(f"{target}/labs/README.md", r"(?s)## For teachers.*", "")
    for page in files_below(target, ".md"):
        # A starter's page lies at the top, in a folder, when it is used. A link that leads nowhere becomes its text.
        folder = target + "/labs" if "/labs/starters/" in page else os.path.dirname(page)
        edit(page, r"!?\[([^]]*)\]\((?!\w+:|#)([^)\s]+)\)", lambda link: link[0] if there(f"{folder}/{link[2]}") else link[1])
    can_run = lambda rule: "gsort" not in rule and all(there(f"{target}/{script}") for script in re.findall(r"(?:scripts|labs/teacher)/[\w.]+", rule))
    for name in ("Makefile", "labs/labs.mk"):
        edit(f"{target}/{name}", r"(?m)^\w[\w -]*:(?!=).*\n(\t.*\n)*", lambda rule: rule[0] * can_run(rule[0]))


def begin(dest, labs):
    """A new repository with one commit, complete or not there at all."""
    parent = os.path.dirname(dest)
    if not os.path.isdir(parent):
        stop(f"there is no folder {parent}")
    part = tempfile.mkdtemp(prefix=".student_copy.", dir=parent)
    try:
        fill(part, labs)
        for_students(part)
        run("git", "init", "-q", "-b", "main", where=part)
        commit(part, labs)
        os.chmod(part, 0o755)
        if os.path.isdir(dest):
            os.rmdir(dest)
        os.rename(part, dest)
    finally:
        shutil.rmtree(part, ignore_errors=True)


def commit(where, labs):
    run("git", "add", "-A", "-f", where=where)
    run("git", "commit", "-q", "--allow-empty", "-m", SUBJECT + " ".join(labs), where=where)


def add(dest, labs):
    """Merges a commit that follows the last one made here; where both sides have changed a line, that of dest stays."""
    last = run("git", "log", "-1", f"--grep=^{SUBJECT}", "--format=%H %s", where=dest).split()
    if not last:
        stop(f"{dest} is a git repository without a commit '{SUBJECT}...': not one that was made here")
    if run("git", "status", "--porcelain", "-uno", where=dest):
        stop(f"{dest} has changes that are not committed")
    labs = last[2:] + [lab for lab in labs if lab not in last[2:]]
    with tempfile.TemporaryDirectory() as part:
        run("git", "clone", "-q", "--no-checkout", dest, part + "/copy")
        run("git", "checkout", "-q", "--detach", last[0], where=part + "/copy")
        for name in os.listdir(part + "/copy"):
            if name != ".git":
                run("rm", "-r", name, where=part + "/copy")
        fill(part + "/copy", labs)
        for_students(part + "/copy")
        commit(part + "/copy", labs)
        run("git", "fetch", "-q", part + "/copy", "HEAD", where=dest)
    try:
        run("git", "merge", "-q", "--no-edit", "-X", "ours", "FETCH_HEAD", where=dest)
    except SystemExit:
        subprocess.run(["git", "merge", "--abort"], cwd=dest, capture_output=True)
        raise
    return labs


def main(dest, labs):
    if not dest or not labs:
        stop('usage: make student_copy DEST=../course LABS="radix_v1 radix_v2"')
    for lab in labs:
        if lab != "open" and not os.path.isfile(f"{ROOT}/labs/starters/{lab}.patch"):
            stop(f"there is no lab '{lab}'")
    dest = os.path.abspath(dest)
    run("git", "var", "GIT_COMMITTER_IDENT")
    if os.path.isdir(dest + "/.git"):
        labs = add(dest, labs)
    elif os.path.lexists(dest) and not (os.path.isdir(dest) and not os.listdir(dest)):
        stop(f"{dest} is there already and is no git repository")
    else:
        begin(dest, labs)
    print(f"student_copy: {dest} has the labs {' '.join(labs)}")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "", sys.argv[2:])
