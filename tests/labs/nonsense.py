#!/usr/bin/env python3
"""Empties each TODO of a lab's starter in turn, with those before it written and those after it open, and fails if
make check-lab does not call that a mistake.

  tests/labs/nonsense.py LAB"""

import difflib
import os
import re
import shutil
import subprocess
import sys

NAME = "bats_nonsense"


def lines_of(command):
    shutil.rmtree(NAME, ignore_errors=True)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    with open(NAME + "/student_func.cu", encoding="utf-8") as file:
        return file.read().splitlines()


def number_of(block):
    todo = re.search(r"// TODO (\d)", "\n".join(block))
    return int(todo[1]) if todo else 0


def main(lab):
    starter, solved = (lines_of([program, lab, NAME]) for program in ("scripts/starter.sh", "tests/labs/solved.sh"))
    blocks = []  # (lines of the starter, of the solution)
    for _, a, b, c, d in difflib.SequenceMatcher(None, starter, solved, autojunk=False).get_opcodes():
        blocks.append((starter[a:b], solved[c:d]))
    missed = []
    for emptied, (todo, _) in enumerate(blocks):
        number = number_of(todo)
        if number == 0 or not blocks[emptied][1]:  # nothing to write there
            continue
        text = []
        for at, (before, after) in enumerate(blocks):
            if number_of(before):
                text += [] if at == emptied else after if number_of(before) <= number else before
            else:
                text += before or [line for line in after if line.startswith("#include")]
        with open(NAME + "/student_func.cu", "w", encoding="utf-8") as file:
            file.write("\n".join(text) + "\n")
        done = subprocess.run(["scripts/check_lab.sh", NAME], capture_output=True, text=True)
        first = (done.stdout + done.stderr).splitlines()[0]
        print(f"{lab} {todo[0].strip()[:60]}: {first[:200]}", flush=True)
        if done.returncode != 1 or not first.startswith("To mend first: ") or "build:" in first:
            missed.append(todo[0].strip())
    shutil.rmtree(NAME, ignore_errors=True)
    return "\n".join(missed) or 0


if __name__ == "__main__":
    os.chdir(os.path.dirname(os.path.abspath(__file__)) + "/../..")
    sys.exit(main(sys.argv[1]))
