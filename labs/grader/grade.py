"""scripts/grade.sh LAB FILES...|DIR: builds, runs, judges and times submissions; see labs/teacher/grading.md."""

import argparse
import datetime
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor

from . import gradebook, lateness, page, results, sandbox, similar, submissions
from .grader import Grader
from .timing import time_record


USAGE, LOOK = 2, 4  # exit codes
HELD = "What is held was not run: it could take the grader's place. Read it; --accept NAME then grades it."

NUMBER = (int, float)
KINDS = {str: "a text", bool: "true or false", int: "a whole number", NUMBER: "a number", list: "a list", dict: "an object"}
RUBRIC = {  # what every rubric has; GROUPS: what it has besides if there are points for a group
    **{"title": str, "reference": str, "stable": bool, "needs_kernel": bool, "points": dict, "forbidden": dict},
    **{"homework": {"n": int}, "inputs": {"n": int}, "limits": dict.fromkeys(("seconds", "memory_mb", "processes", "file_mb", "output_kb"), int)},
}
GROUPS = {"stages": {"n": int, "arrays": list}, "speed": {"n": int, "reps": int, "full_until": NUMBER}}


def here(path):
    """A path as it was typed: scripts/grade.sh has left the folder where that was."""
    return os.path.join(os.environ.get("GRADE_FROM", ""), path)


def arguments():
    parser = argparse.ArgumentParser(prog="scripts/grade.sh", description="Grades submissions of a lab.")
    parser.add_argument("lab", help="a folder of labs/ with a rubric.json: radix_v1, ...")
    parser.add_argument("submissions", nargs="+", type=here, help="folders, student_func.cu files, or a folder of them")
    parser.add_argument("--rubric", type=here, help="another file of rules than labs/LAB/rubric.json")
    parser.add_argument("--out", type=here, help="folder of the results (build/grades/LAB)")
    parser.add_argument("--jobs", type=int, default=max(1, (os.cpu_count() or 2) // 2), help="submissions at a time; timings are one at a time")
    parser.add_argument("--accept", default="", metavar="NAME,NAME", help="runs these, though they hold code that a sort does not need: you have read them")
    parser.add_argument("--container", action="store_true", help="this container is made for grading, and is the sandbox: runs submissions without bubblewrap, as users without rights")
    parser.add_argument("--again", action="store_true", help="grades also what has not changed")
    parser.add_argument("--due", type=datetime.datetime.fromisoformat, metavar="TIME", help="like '2026-12-04 18:00': what is handed in later loses points; the time is a commit's in a git repository, else the newest file's")
    parser.add_argument("--grace", type=float, default=0, metavar="MINUTES", help="after --due that cost nothing (0)")
    parser.add_argument("--late-percent", type=float, default=10, metavar="P", help="of the points that each day begun costs (10)")
    parser.add_argument("--similar", nargs="*", type=here, metavar="FILE", help="lists pairs of submissions that are alike (similar.csv); FILE: published solutions to compare with")
    parser.add_argument("--roster", type=here, metavar="FILE", help="the grades that Canvas exports, or Moodle's grading worksheet")
    parser.add_argument("--export", metavar="canvas=FILE", help="writes the grades of --roster's students as Canvas (canvas=FILE) or Moodle (moodle=FILE) imports them")
    options = parser.parse_args()
    if options.jobs < 1:
        sys.exit("grade: --jobs is at least 1")
    if not (options.grace >= 0 and 0 <= options.late_percent <= 100):
        sys.exit("grade: --grace is 0 minutes or more, --late-percent from 0 to 100")
    if options.similar is not None and similar.missing():
        sys.exit("grade: --similar needs sim_c (apt install similarity-tester)")
    options.kind, _, options.export = (options.export or "").partition("=")
    options.export = options.export and here(options.export)
    if (options.kind or options.roster) and (options.kind not in gradebook.NEEDED or not options.export or not options.roster):
        sys.exit("grade: --export is canvas=FILE or moodle=FILE, with --roster; neither goes without the other")
    return options


def read_rubric(options):
    """(text, rubric): what all labs have in common, each entry of which the lab's own file may replace."""
    text, rubric = "", {}
    path = options.rubric or f"labs/{options.lab}/rubric.json"
    if not os.path.isfile(path):
        sys.exit(f"grade: there is no {path}")
    try:
        for part in ("labs/rubric.json", path):
            with open(part, encoding="utf-8") as file:
                entries = file.read()
            text += entries
            check(json.loads(entries), {}, "the rubric")
            rubric.update(json.loads(entries))
        check_rubric(rubric)
    except (ValueError, TypeError, re.error) as error:
        sys.exit(f"grade: {path}: {error}")
    return text, rubric


def check_rubric(rubric):
    """Raises ValueError, TypeError or re.error."""
    check(rubric, RUBRIC, "the rubric")
    points = rubric["points"]
    check(points, dict.fromkeys(points, NUMBER), "points")
    check(rubric, {group: GROUPS[group] for group in points if group in GROUPS}, "the rubric")
    for name in points:
        if name not in page.WHAT:
            raise ValueError(f"points: there is no group {name}, only {', '.join(page.WHAT)}")
    for pattern in [*rubric["forbidden"], *rubric.get("forbidden_symbols", {})]:
        re.compile(pattern)


def check(value, wanted, name):
    """wanted: a type, or what the parts of an object are to be."""
    kind = dict if isinstance(wanted, dict) else wanted
    if not isinstance(value, kind):
        raise ValueError(f"{name} is missing, or not {KINDS[kind]}")
    for part in wanted if isinstance(wanted, dict) else ():
        check(value.get(part), wanted[part], part)


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
            page.progress(f"{done}/{len(fresh)} judged, about {left:.0f} s left ")
    return records


def main():
    options = arguments()
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)  # where it is ignored, exit codes are lost
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # Ctrl-C ends it at once; what the sandbox runs ends with it
    rubric_text, rubric = read_rubric(options)
    sandbox.in_container = options.container
    try:
        sandbox.check()
    except sandbox.Refused as error:
        print(f"grade: {error}", file=sys.stderr)
        sys.exit(3)
    if options.container:
        print("grade: without bubblewrap: this container is the sandbox. Submissions run as users without rights (setpriv), with limits, and see the container's files and network.", file=sys.stderr)
    out = os.path.abspath(options.out or f"build/grades/{options.lab}")
    try:
        sys.exit(grade(options, rubric_text, rubric, out))
    except OSError as error:
        sys.exit(f"grade: cannot write {error.filename2 or error.filename or out}: {error.strerror}")


def grade(options, rubric_text, rubric, out):
    """Exit code."""
    found = submissions.find(options.submissions, options.lab)
    try:
        roster = gradebook.read_roster(options.roster, options.kind) if options.kind else None
    except gradebook.Unfit as error:
        sys.exit(f"grade: {error}")
    late = {student: lateness.penalty(path, options.due, options.grace, options.late_percent) if options.due else (0, "") for student, path in found.items()}
    os.makedirs(out, exist_ok=True)
    started = time.monotonic()
    accepted = [name for name in options.accept.split(",") if name]
    unknown = [name for name in accepted if name not in found]
    if unknown:
        sys.exit(f"grade: --accept {unknown[0]}: there is no such submission")
    asked = list(rubric["points"])
    grader = Grader(options.lab, rubric, out, options.jobs, accepted)
    grader.prepare()
    rules = {student: rubric_text + ("accepted" if student in accepted else "") + str(late[student]) for student in found}
    keys = {student: submissions.fingerprint(rules[student], grader.builder.build + grader.builder.nvcc, path) for student, path in found.items()}
    records = {student: None if options.again else results.load(out, student, keys[student]) for student in found}
    fresh = [student for student in found if records[student] is None]
    records.update(judge_all(grader, found, fresh, options.jobs))
    for done, student in enumerate(fresh, 1):
        begin = time.monotonic()
        time_record(grader, records[student])
        records[student]["late"] = late[student]
        results.finish(grader, records[student], keys[student], records[student].pop("took") + time.monotonic() - begin)
        page.progress(f"{done}/{len(fresh)} timed ")
    page.progress("")
    ordered, groups = [records[student] for student in found], list(rubric["points"])
    results.write_csv(out + "/grades.csv", groups, ordered)
    if "speed" in asked and "speed" not in groups:
        print("speed is not graded " + ("on the cpu backend: this lab is timed on a GPU" if grader.builder.reference else f"in a copy without {rubric['reference']}"))
    page.print_table(groups, ordered)
    print(f"{len(ordered)} submissions, {len(fresh)} graded now, {time.monotonic() - started:.0f} s; {out}/grades.csv")
    if options.similar is not None:
        list_similar(options, found, out)
    unknown = gradebook.export(options.kind, options.export, roster, rubric["title"], records) if options.kind else []
    to_look_at = [record["student"] for record in ordered if results.to_look_at(record)]
    if to_look_at:
        print(f"LOOK AT {len(to_look_at)} of them before you give a grade: {', '.join(to_look_at)}")
        if any("held" in record for record in ordered):
            print(HELD)
    if unknown:
        print(f"NOT IN THE ROSTER, or in several of its rows: {', '.join(unknown)}; they are not in {options.export}")
    return LOOK if to_look_at or unknown else 0


def list_similar(options, found, out):
    published = submissions.find(options.similar, options.lab) if options.similar else {}
    published = {f"published: {name}": path for name, path in published.items()}
    if os.path.isfile(f"{options.lab}/student_func.cu"):
        published[f"the solution {options.lab}"] = options.lab
    with tempfile.TemporaryDirectory(dir=".", prefix=".grade.") as folder:
        starter = folder + "/starter"
        subprocess.run(["scripts/starter.sh", "--template", options.lab, starter], capture_output=True)
        rows = similar.pairs(found, published, [starter] if os.path.isdir(starter) else [])
    similar.write(out + "/similar.csv", rows)
    print(f"{len(rows)} pairs are alike, {similar.LEAST} % or more ({out}/similar.csv): look at them")
    for percent, one, other in rows[:20]:
        print(f"  {percent:>3} %  {one}  {other}")


if __name__ == "__main__":
    try:
        main()
    except SystemExit as end:
        if isinstance(end.code, str):
            print(end.code, file=sys.stderr)
            end.code = USAGE
        raise
