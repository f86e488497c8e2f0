"""Grades as Canvas and Moodle import them. Names and ids are from the roster, a file that the platform exported:
Canvas's grades, or Moodle's grading worksheet."""

import csv
import re
import unicodedata

from scripts.replace_file import replace_file

from .results import cell

CANVAS = ["Student", "ID", "SIS User ID", "SIS Login ID", "Section"]
NEEDED = {"canvas": ("Student", "ID"), "moodle": ("Identifier", "Full name", "Grade")}


class Unfit(Exception):
    """The roster is not one; the message is a sentence for the teacher."""


def read_roster(path, kind):
    try:
        with open(path, encoding="utf-8-sig", newline="") as file:
            rows = list(csv.DictReader(file, restval=""))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise Unfit(f"{path} cannot be read as a roster: {error}") from None
    if any(None in row for row in rows):
        raise Unfit(f"{path}: a row has more cells than the first one")
    missing = [name for name in NEEDED[kind] if not rows or name not in rows[0]]
    if missing:
        raise Unfit(f"{path} has no column {' or '.join(missing)}: is it the file that {kind.capitalize()} exports?")
    return rows


def _plain(name):
    """Müller, Anna and anna müller are the same name."""
    name = unicodedata.normalize("NFC", name).casefold().strip()
    return " ".join(reversed([part.strip() for part in name.split(",")])) if name.count(",") == 1 else name


def _keys(row):
    """What a submission of this row may be called."""
    keys = [row.get("ID"), row.get("SIS User ID"), (row.get("Identifier") or "").replace("Participant ", "")]
    for name in ("SIS Login ID", "Email address"):
        login = row.get(name) or ""
        keys += [login, login.split("@")[0]]
    keys += [_plain(row.get("Student") or row.get("Full name") or "")]
    return {key.casefold() for key in keys if key}


def match(rows, students):
    """({number of the row: student}, students that are in no row or in several). A name is a name or login of the roster,
    or that of a file as the platform hands it out, with the id in it."""
    of_key = {}
    for number, row in enumerate(rows):
        for key in _keys(row):
            of_key.setdefault(key, set()).add(number)
    matched, unknown = {}, []
    for student in students:
        handed_out = re.search(r"_(?:late_)?(\d+)_(?:\d+_|assignsubmission)", student, re.I)  # Canvas, Moodle
        numbers = of_key.get(handed_out[1] if handed_out else _plain(student), set())
        if len(numbers) == 1 and not numbers & set(matched):
            matched[next(iter(numbers))] = student
        else:
            unknown.append(student)
    return matched, unknown


def export(kind, path, rows, title, records):
    """Writes the file; returns the students that the roster does not have. Those on whom a person must decide have no grade."""
    most = next(iter(records.values()))["max"]
    matched, unknown = match(rows, records)
    columns = list(rows[0])
    if kind == "canvas":
        column = next((name for name in columns if name.startswith(title)), title)  # "Lab 2 (1234)" is Canvas's own
        columns = [name for name in columns if name in CANVAS] + [column]
    with replace_file(path) as file:
        table = csv.DictWriter(file, columns, extrasaction="ignore")
        table.writeheader()
        for number, row in enumerate(rows):
            record = records.get(matched.get(number), {})
            graded = "score" in record and not ("held" in record or "failed" in record)
            if kind == "canvas":
                possible = row["Student"].strip() == "Points Possible"
                row = {**row, column: most if possible else record["score"] if graded else ""}
            elif graded:
                of = float((row.get("Maximum grade") or str(most)).replace(",", "."))
                row = {**row, "Grade": round(record["score"] * of / most, 2), "Feedback comments": cell(record["diagnoses"]) or "All right."}
            table.writerow(row)
    return unknown
