"""Grades the labs in a student's repository, and prints their points as Markdown, for a workflow of GitHub: into the file
$GITHUB_STEP_SUMMARY. Exit code 1 if a point is missing, or no folder holds a lab."""

import glob
import json
import os
import re
import subprocess
import sys

from labs.check.names import lab_of


def labs():
    """[(lab, folder)] of the folders that make starter has made."""
    found = []
    for path in sorted(glob.glob("*/student_func.cu")):
        lab = lab_of(os.path.dirname(path))
        if lab and os.path.isfile(f"labs/{lab}/rubric.json"):
            found.append((lab, os.path.dirname(path)))
    return found


def table(lab, folder):
    """(lines, all points?)"""
    out = f"build/classroom/{folder}"
    done = subprocess.run(["scripts/grade.sh", lab, folder, "--container", "--out", out], stderr=subprocess.PIPE, text=True)
    try:
        with open(f"{out}/{folder}/results.json", encoding="utf-8") as file:
            result = json.load(file)
    except OSError:
        return [f"## {folder}", "", "Not graded: " + done.stderr.strip().splitlines()[-1]], False
    cell = lambda text: re.sub(r"([|\\<>&`*_\[\]])", r"\\\1", text)
    lines = [f"## {folder}: {result['score']:g} of {result['extra_data']['max']:g} points", "", cell(result["output"]), "", "| what | points | why |", "|---|--:|---|"]
    lines += [f"| {cell(test['name'])} | {test['score']:g} of {test['max_score']:g} | {cell(test['output'])} |" for test in result["tests"]]
    return lines, result["score"] >= result["extra_data"]["max"]


def main():
    summary, complete = [], True
    for lab, folder in labs():
        lines, full = table(lab, folder)
        summary += lines + [""]
        complete &= full
    summary = summary or ["There is no lab here yet: `make starter LAB=...` begins one."]
    print("\n".join(summary))
    with open(os.environ.get("GITHUB_STEP_SUMMARY", os.devnull), "a", encoding="utf-8") as file:
        file.write("\n".join(summary) + "\n")
    return 0 if complete and labs() else 1


if __name__ == "__main__":
    sys.exit(main())
