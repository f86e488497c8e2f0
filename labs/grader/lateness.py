"""How late a submission is, and what that costs: --due, --grace, --late-percent."""

import datetime
import math
import os
import subprocess

from . import sandbox, submissions

LIMITS = {"file_mb": 1, "seconds": 10, "processes": 64}


def handed_in(path):
    """Seconds since 1970: of the last commit that changed it, in a git repository; else of its newest file."""
    top = os.path.abspath(path)
    while top != "/" and not os.path.exists(top + "/.git"):
        top = os.path.dirname(top)
    if top != "/":
        # In the sandbox, as a repository's own settings can name programs.
        command = ["git", "-c", "safe.directory=*", "log", "-1", "--format=%ct", "--", os.path.relpath(path, top)]
        line = sandbox.command_line(command, {}, {"/lab": top}, {}, LIMITS)
        done = subprocess.run(line, capture_output=True, text=True, stdin=subprocess.DEVNULL)
        if done.stdout.strip().isdigit():
            return int(done.stdout)
    return max((os.lstat(file).st_mtime for file in submissions.source_files(path)), default=0)


def penalty(path, due, grace, percent):
    """(percent that are lost, a sentence), or (0, "") in time. due: a datetime; grace: minutes; percent: for each day begun."""
    late = handed_in(path) - due.timestamp()
    if late <= 60 * grace:
        return 0, ""
    days = math.ceil(late / 86400)
    when = datetime.datetime.fromtimestamp(due.timestamp() + late).isoformat(" ", "minutes")
    return min(100, percent * days), f"handed in at {when}, {days} day{'s' * (days > 1)} late"
