"""Which submissions are alike, by sim_c of the Debian package similarity-tester: it compares the shape of code, whatever
its names, comments and layout are. A list to look at, not a verdict: short labs have few right solutions."""

import csv
import os
import re
import shutil
import subprocess
import tempfile

from labs.check.names import without_comments
from scripts.replace_file import replace_file

from . import submissions

LEAST = 70  # percent


def _own_code(path, given):
    """The lines of a submission that its starter did not have."""
    lines = without_comments(submissions.read_sources(path)).splitlines()
    return "\n".join(line for line in lines if line.strip() not in given) + "\n"


def pairs(found, published, starters):
    """[(percent, name, name)], the most similar first. found, published: {name: path}; published ones are not compared with
    each other. starters: files that all students were given."""
    given = {line.strip() for path in starters for line in without_comments(submissions.read_sources(path)).splitlines()}
    with tempfile.TemporaryDirectory() as folder:
        files = []
        for number, path in enumerate(list(found.values()) + list(published.values())):
            files.append(f"{number}.c")
            with open(os.path.join(folder, files[-1]), "w", encoding="utf-8") as file:
                file.write(_own_code(path, given))
        command = ["sim_c", "-e", "-p", "-a", "-s", "-r", "16", "-t", str(LEAST)]
        command += files[: len(found)] + (["/"] + files[len(found) :] if published else [])
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    names, best = list(found) + list(published), {}
    for one, percent, other in re.findall(r"^(\d+)\.c consists for (\d+) % of (\d+)\.c", done.stdout, re.M):
        pair = tuple(sorted((int(one), int(other))))
        best[pair] = max(best.get(pair, 0), int(percent))
    return sorted(((percent, names[one], names[other]) for (one, other), percent in best.items()), reverse=True)


def missing():
    return shutil.which("sim_c") is None


def write(path, rows):
    with replace_file(path) as file:
        table = csv.writer(file)
        table.writerow(["percent", "one", "other"])
        table.writerows(rows)
