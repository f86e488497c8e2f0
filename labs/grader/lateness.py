"""How late a submission is, and what that costs: --due, --grace, --late-percent."""

import datetime
import math
import os
import subprocess

from . import sandbox, submissions

SECONDS = 10  # of git


def handed_in(path):
    """Seconds since 1970: of the last commit that changed it, in a git repository; else of its newest file."""
    top = os.path.abspath(path)
    while top != "/" and not os.path.exists(top + "/.git"):
        top = os.path.dirname(top)
    if top != "/":
        # In the sandbox, where nothing can be written: a repository's own settings can name programs.
        command = ["git", "-c", "safe.directory=*", "-c", "log.showSignature=false", "-C", "/lab"]
        command += ["log", "-1", "--format=%ct", "--", os.path.relpath(path, top)]
        line = sandbox.command_line(command, {"/lab": top}, {}, {}, {"file_mb": 1})
        try:
            done = subprocess.run(line, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=SECONDS, preexec_fn=sandbox.light_limits(SECONDS))
        except subprocess.TimeoutExpired:
            done = None
        if done and done.stdout.strip().isdigit():
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
