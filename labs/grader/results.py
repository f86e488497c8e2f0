"""Writes the results of a run: per student results.json and a page, and grades.csv for all."""

import csv
import json
import os
import re

from scripts.replace_file import replace_file

from . import page


def printable(value):
    """The same value, with ? for the control characters in its texts: a submission could hide or forge lines of
    the table on a terminal. Its files have the names that the student knows, without the grader's folder."""
    if isinstance(value, str):
        return re.sub(r"/lab/(submission/)?|[\w./-]*\bsubmission/(?=\w+\.)", "", re.sub(r"[\x00-\x1f\x7f-\x9f]", "?", value))
    if isinstance(value, list):
        return [printable(item) for item in value]
    return {name: printable(item) for name, item in value.items()} if isinstance(value, dict) else value


def finish(grader, record, key, seconds):
    """Adds the totals to a record; writes results.json and the page of its student."""
    record.update(printable(record))
    record["groups"] = {name: record["groups"][name] for name in grader.rubric["points"]}
    percent, text = record["late"]
    whole = sum(group["score"] for group in record["groups"].values())
    record["score"] = round(whole * (100 - percent) / 100, 2)
    record["late"] = f"{text}: {percent:g} % of {whole:g} points are lost" if percent else ""
    record["max"] = sum(group["max"] for group in record["groups"].values())
    record["key"], record["seconds"] = key, round(seconds, 1)
    version = record.pop("version", None)
    if version and os.path.exists(version):
        os.unlink(version)
    folder = os.path.join(grader.results, record["student"])
    with replace_file(folder + "/results.json") as file:
        json.dump(page.gradescope(grader.rubric, record), file, indent=2)
    with replace_file(folder + "/index.html") as file:
        file.write(page.html(grader.rubric, record))


def load(results, student, key):
    """The record of an earlier run, or None if anything that it depends on has changed."""
    try:
        with open(os.path.join(results, student, "results.json"), encoding="utf-8") as file:
            record = json.load(file)["extra_data"]
        return record if record.get("key") == key else None
    except (OSError, ValueError, KeyError):
        return None


def write_csv(path, groups, records):
    with replace_file(path) as file:
        table = csv.writer(file)
        table.writerow(["student", *groups, "total", "max", "speed_ratio", "stages", "look_at", "diagnosis", "notes", "late"])
        for record in records:
            scores = [record["groups"][name]["score"] for name in groups]
            row = [record["student"], *scores, record["score"], record["max"], record.get("speed", {}).get("ratio", "")]
            table.writerow(row + [record.get("stages", ""), to_look_at(record)] + [cell(record[name]) for name in ("diagnoses", "notes")] + [record["late"]])


def cell(texts):
    """With a leading blank a spreadsheet does not read a text as a formula."""
    return re.sub(r"^[=+@-]", " ", "; ".join(texts))


def to_look_at(record):
    """Why a person must decide on this record; empty if its grade stands."""
    if "held" in record:
        return "held: " + record["held"]
    return record.get("failed") or "; ".join(record["look"])


def failed(student, rubric, error):
    """The record of a submission on which the grader itself failed."""
    text = f"the grader failed, look at it by hand: {error!r}"
    groups = {name: {"score": 0, "max": most, "why": text} for name, most in rubric["points"].items()}
    return {"student": student, "groups": groups, "look": [], "notes": [], "right": False, "diagnoses": [text], "failed": text}
