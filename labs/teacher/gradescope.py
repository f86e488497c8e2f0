#!/usr/bin/env python3
"""Writes autograder.zip, which Gradescope takes as an assignment's autograder: the course without history, with the
lab's solution as the reference for speed.

  labs/teacher/gradescope.py LAB      make gradescope LAB=radix_v1

Exit code 2: no such lab, or a file cannot be written."""

import json
import os
import sys
import tempfile
import zipfile

from student_copy import ROOT, fill, read, stop

SETUP = """#!/usr/bin/env bash
# Gradescope runs this once, as root, when it builds the image. It ends with the grading of the lab's own solution, so
# that an image that cannot grade is not built, and later gradings find the tools built.
set -euo pipefail
cd /autograder/source/course
scripts/setup.sh gcc g++ make binutils util-linux python3 patch libboost-context-dev libjansson-dev libthrust-dev libtbb-dev
chmod 700 /autograder/source # the solution; submissions run as other users
scripts/grade.sh {lab} {reference} --container --out /autograder/solution
"""

RUN = """#!/usr/bin/env bash
# Gradescope runs this for each submission.
cd /autograder/source/course || exit 1
rm -rf /autograder/graded
mkdir -p /autograder/results
scripts/grade.sh {lab} /autograder/submission --container --out /autograder/graded >/autograder/log 2>&1
cat /autograder/log
results=(/autograder/graded/*/results.json)
if [ -f "${{results[0]}}" ]; then
  cp "${{results[0]}}" /autograder/results/results.json
else
  python3 -c 'import json, sys; json.dump({{"score": 0, "output": "Not graded: " + sys.stdin.read()}}, sys.stdout)' \\
    < <(tail -n 1 /autograder/log) >/autograder/results/results.json
fi
"""


def main(lab):
    if not os.path.isfile(f"{ROOT}/labs/{lab}/rubric.json"):
        stop(f"there is no lab '{lab}'; usage: make gradescope LAB=radix_v1", "gradescope")
    rubric = json.loads(read(f"{ROOT}/labs/{lab}/rubric.json"))
    folder = f"{ROOT}/build/gradescope/{lab}"
    with tempfile.TemporaryDirectory() as target:
        pieces = ["common", "gsort/block", "gsort/warp", "gsort/kernel", "gsort/call.h"]
        fill(target + "/course", [lab], pieces + [rubric["reference"]] + rubric.get("kit", []))
        for name, text in (("setup.sh", SETUP), ("run_autograder", RUN)):
            with open(f"{target}/{name}", "w", encoding="utf-8") as file:
                file.write(text.format(lab=lab, reference=rubric["reference"]))
            os.chmod(f"{target}/{name}", 0o755)
        try:
            os.makedirs(folder, exist_ok=True)
            with zipfile.ZipFile(folder + "/part.zip", "w", zipfile.ZIP_DEFLATED) as archive:
                for path, _, names in sorted(os.walk(target)):
                    for name in sorted(names):
                        archive.write(f"{path}/{name}", os.path.relpath(f"{path}/{name}", target))
            os.replace(folder + "/part.zip", folder + "/autograder.zip")
        except OSError as error:
            stop(f"{error.filename}: {error.strerror}", "gradescope")
    print(f"gradescope: build/gradescope/{lab}/autograder.zip")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "")
