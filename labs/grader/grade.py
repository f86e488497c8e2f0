"""scripts/grade.sh LAB FILES...|DIR: builds, runs, judges and times submissions; see labs/teacher/grading.md."""

import argparse
import json
import os
import signal
import sys
import time
from concurrent.futures import ThreadPoolExecutor

from . import page, results, sandbox, submissions
from .grader import Grader
from .timing import time_record


LOOK = 4  # exit code
HELD = "What is held was not run: it could take the grader's place. Read it; --accept NAME then grades it."


def arguments():
    parser = argparse.ArgumentParser(prog="scripts/grade.sh", description="Grades submissions of a lab.")
    parser.add_argument("lab", help="a folder of labs/ with a rubric.json: radix_v1, ...")
    parser.add_argument("submissions", nargs="+", help="folders, student_func.cu files, or a folder of them")
    parser.add_argument("--rubric", default=None, help="another file of rules than labs/LAB/rubric.json")
    parser.add_argument("--out", default=None, help="folder of the results (build/grades/LAB)")
    parser.add_argument("--jobs", type=int, default=max(1, (os.cpu_count() or 2) // 2), help="submissions at a time; timings are one at a time")
    parser.add_argument("--accept", default="", metavar="NAME,NAME", help="runs these, though they hold code that a sort does not need: you have read them")
    parser.add_argument("--again", action="store_true", help="grades also what has not changed")
    options = parser.parse_args()
    if options.jobs < 1:
        sys.exit("grade: --jobs is at least 1")
    return options


def read_rubric(options):
    """(text, rubric)"""
    path = options.rubric or f"labs/{options.lab}/rubric.json"
    if not os.path.isfile(path):
        sys.exit(f"grade: there is no {path}")
    with open(path, encoding="utf-8") as file:
        text = file.read()
    try:
        return text, json.loads(text)
    except ValueError as error:
        sys.exit(f"grade: {path}: {error}")


def progress(text):
    """On a terminal, one line that is written again and again; an empty text clears it."""
    if sys.stderr.isatty():
        print(f"\r{text}\033[K", end="", file=sys.stderr)


def judge_all(grader, found, fresh, jobs):
    """{student: record} of the fresh submissions; `took` is the seconds that each needed."""

    def one(student):
        begin = time.monotonic()
        try:
            record = grader.grade(student, found[student])
        except Exception as error:  # one submission must not end the grading of the others
            record = results.failed(student, grader.rubric, error)
        record["took"] = time.monotonic() - begin
        return record

    records, started = {}, time.monotonic()
    with ThreadPoolExecutor(jobs) as pool:
        for done, record in enumerate(pool.map(one, fresh), 1):
            records[record["student"]] = record
            left = (time.monotonic() - started) / done * (len(fresh) - done)
            progress(f"{done}/{len(fresh)} judged, about {left:.0f} s left ")
    return records


def main():
    options = arguments()
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)  # where it is ignored, exit codes are lost
    rubric_text, rubric = read_rubric(options)
    try:
        sandbox.check()
    except sandbox.Refused as error:
        print(f"grade: {error}", file=sys.stderr)
        sys.exit(3)
    out = os.path.abspath(options.out or f"build/grades/{options.lab}")
    try:
        sys.exit(grade(options, rubric_text, rubric, out))
    except OSError as error:
        sys.exit(f"grade: cannot write {error.filename or out}: {error.strerror}")


def grade(options, rubric_text, rubric, out):
    """Exit code."""
    found = submissions.find(options.submissions)
    os.makedirs(out, exist_ok=True)
    started = time.monotonic()
    accepted = [name for name in options.accept.split(",") if name]
    unknown = [name for name in accepted if name not in found]
    if unknown:
        sys.exit(f"grade: --accept {unknown[0]}: there is no such submission")
    grader = Grader(options.lab, rubric, out, options.jobs, accepted)
    grader.prepare()
    rules = {student: rubric_text + ("accepted" if student in accepted else "") for student in found}
    keys = {student: submissions.fingerprint(rules[student], grader.builder.build + grader.builder.nvcc, path) for student, path in found.items()}
    records = {student: None if options.again else results.load(out, student, keys[student]) for student in found}
    fresh = [student for student in found if records[student] is None]
    records.update(judge_all(grader, found, fresh, options.jobs))
    for done, student in enumerate(fresh, 1):
        begin = time.monotonic()
        time_record(grader, records[student])
        results.finish(grader, records[student], keys[student], records[student].pop("took") + time.monotonic() - begin)
        progress(f"{done}/{len(fresh)} timed ")
    progress("")
    ordered, groups = [records[student] for student in found], list(rubric["points"])
    results.write_csv(out + "/grades.csv", groups, ordered)
    if "speed" in rubric and "speed" not in groups:
        print("speed is not graded on the cpu backend: this lab is timed on a GPU")
    page.print_table(groups, ordered)
    print(f"{len(ordered)} submissions, {len(fresh)} graded now, {time.monotonic() - started:.0f} s; {out}/grades.csv")
    to_look_at = [record["student"] for record in ordered if results.to_look_at(record)]
    if to_look_at:
        print(f"LOOK AT {len(to_look_at)} of them before you give a grade: {', '.join(to_look_at)}")
        if any("held" in record for record in ordered):
            print(HELD)
    return LOOK if to_look_at else 0


if __name__ == "__main__":
    main()
