"""make check-lab V=NAME: where a lab stands, on one screen, the first thing to mend on top."""

import hashlib
import os
import re
import signal
import subprocess
import sys
import tempfile

from labs.check.make import first_error, is_gpu_build, make, make_value
from labs.check.names import read
from scripts.replace_file import replace_file

from . import counters, judge, page, submissions, worker
from .sanitizers import sanitizers, watch
from .steps import LIMITS, after_which_kernel, check_steps, not_freed, number_of, rubric_of, shows, stubs_left, todos


def sort_cases(tools, version, pairs_only, stable):
    """The first wrong case of the battery, or None; and the number of cases."""
    cases = [("uniform", n) for n in judge.SIZES] + [(kind, 5000) for kind in judge.KINDS]
    earlier = []
    count = 0
    try:
        with worker.Worker(tools, version, max(judge.SIZES), LIMITS, isolated=False) as process:
            for kind, n in cases:
                for pairs in (True,) if pairs_only else (True, False):
                    count += 1
                    case = judge.Case(kind, n, pairs, count)
                    _, answer, *outputs = process.sort(case.keys, case.positions, f"on {case.text}")
                    if answer == "g":
                        return f"{case.text}: wrote beyond the end of an array", count
                    wrong = case.fault(*outputs, stable, earlier)
                    if wrong:
                        return f"{case.text}: {wrong}", count
                    if answer == "s":
                        return f"{case.text}: sorted, but scratch memory was not returned: a scratch_free is missing", count
                    earlier.append(case.expected)
    except worker.Ended as error:
        return str(error), count
    return None, count


def hw4(version, build):
    """HW4's verdict on the sample image: its last line, and whether it is PASS."""
    built = make([f"{build}/{version}/HW4", "samples"])
    if built.returncode != 0:
        reason = next((line for line in built.stderr.splitlines() if not line.startswith("make")), "")
        return False, "HW4 cannot be built" + (f": {reason}" if reason else "")
    with tempfile.TemporaryDirectory() as folder:
        command = [f"{build}/{version}/HW4", "samples/portrait.ppm", "samples/template.ppm", folder + "/out.ppm"]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=300)
        except subprocess.TimeoutExpired:
            return False, "HW4 did not end within 300 s"
    lines = [line for line in done.stdout.splitlines() if line.startswith(("PASS", "FAIL"))]
    errors = [line for line in done.stderr.splitlines() if not line.startswith("next: ")]
    return done.returncode == 0, (lines or errors or [f"exit code {done.returncode}"])[-1]


def comes_later(source, first, found):
    """Is the kernel in which a mistake was found launched below the place that shows the first wrong array?"""
    text = read(source)
    kernel = re.search(r"in kernel (\w+)", found)
    shown, launch = re.search(shows(re.split("[:,]", first)[0]), text), kernel and re.search(rf"\b{kernel[1]}\b[^;(]*<<<", text)
    return bool(shown and launch and launch.start() > shown.start())


class Check:
    def __init__(self, version):
        self.version, self.build = version, make_value("B")
        self.tools, self.shared_object = self.build + "/labs", f"{self.build}/{version}/version.so"
        self.source = f"{version}/student_func.cu"
        source = read(self.source)
        self.pairs_only, self.stable = "sort_version" not in source, ".stable = true" in source
        self.rubric = rubric_of(version)
        self.rules = self.rubric.get("stages", {})
        self.on_host = not self.rubric.get("needs_kernel", True)  # nothing there for the builds that watch kernels
        self.todos = todos(version)
        self.next_number = number_of(self.todos[0][1]) if self.todos else 99
        self.first = None  # the thing to mend first
        self.lines = []

    def add(self, name, right, text, state=None):
        if not right and self.first is None and state is None:
            self.first = f"{name}: {text}"
        self.lines.append((name, state or ("right" if right else "WRONG"), text))

    def run(self):
        page.progress("building ..")
        built = make([self.tools + "/worker", self.tools + "/steps", self.shared_object])
        if built.returncode != 0:
            self.add("build", False, first_error(built))
            return
        self.add("build", True, "")
        page.progress("steps ..")
        check_steps(self.version, self.tools, self.shared_object, self.next_number, self.add)
        to_do = any(state == "to do" for _, state, _ in self.lines)
        sort_from = self.rules.get("todo", {}).get("sort")  # with this TODO done it sorts, though others are open
        if self.first is None and not to_do and (sort_from is None or sort_from < self.next_number):
            self._sorts()
        if self.first is None and self.todos and self.next_number > 1 and not self.on_host or self._unexplained():
            self._watch()
        if self.first is None and not self.todos:
            page.progress("memory, races and barriers ..")
            for result in sanitizers(self.version, self.build, self.pairs_only, self.stable, self.rules.get("set", ""), on_host=self.on_host):
                self.add(*result)
        if self.first is None and not self.todos:
            page.progress("HW4 ..")
            right, text = hw4(self.version, self.build)
            self.add("HW4", right, text.removeprefix("HW4: "))
        if self.first is None and not self.todos and not is_gpu_build(self.build):
            page.progress("counting what the kernels ask of memory ..")
            for result in counters.results(self.version, self.rubric):
                self.add(*result)

    def _sorts(self):
        page.progress("sorts of all sizes and kinds ..")
        wrong, count = sort_cases(self.tools, self.shared_object, self.pairs_only, self.stable)
        if wrong and re.search("on (all-equal|few-distinct)|^(all-equal|few-distinct)", wrong):
            wrong += "; right without equal keys: do both sides agree on which of two equal keys comes first?"
        elif wrong and "no longer belongs" in wrong:  # positions are moved where keys are
            wrong += after_which_kernel(self.source, "sorted", self.source)
        elif wrong and "scratch_free" in wrong:
            wrong += not_freed(self.source, self.source)
        self.add("sort", wrong is None, wrong or f"{count} sorts of {len(judge.SIZES)} sizes and {len(judge.KINDS)} kinds")

    def _unexplained(self):
        """Is something wrong whose reason is not known?"""
        known = r"\?|kernel launch|still running|loops that cannot end|scratch_free"
        return self.first is not None and self.lines[0][1] == "right" and ("atomic" in self.first or not re.search(known, self.first))

    def _watch(self):
        """What a build finds that watches each access goes to the top: it names the kernel and the line."""
        if is_gpu_build(self.build):
            return
        page.progress("each access ..")
        name = "memcheck" if self.on_host else "accesses"
        for knobs in [""] + [self.rules[name] for name in ("set",) if name in self.rules] + list(self.rules.get("also", {})):
            found = watch(name, self.version, [("uniform", 1000, True), ("few-distinct", 1000, True)], None, knobs)
            if found:
                later = self.first and comes_later(self.source, self.first, found)
                self.add(name, False, found)
                self.first = self.first if later else f"{name}: {found}"
                return

    def report(self):
        """The whole text."""
        if self.first:
            text = [f"To mend first: {self.first}"]
            stubs = stubs_left(self.version)
            if stubs:
                text.append(f"      {self.version}/student_func.cu, line {stubs[0]}: ends with // stub, but its TODO is gone. Delete it.")
        elif self.todos:
            number, todo = self.todos[0]
            text = [f"Next: {todo}", f"      {self.version}/student_func.cu, line {number}. Delete the comment when you have done it."]
        else:
            text = [f"{self.version}: all right. Hand it in."]
        return "\n".join(text + [""] + [f"  {name:<12}{state:<7}{text}".rstrip() for name, state, text in self.lines])

    def digest(self):
        """Of all that a check depends on."""
        parts = [f"{self.build}/labs/worker", f"{self.build}/labs/steps"]
        made = "".join(hashlib.sha256(open(part, "rb").read()).hexdigest() for part in parts if os.path.exists(part))
        return submissions.fingerprint(made, self.build, self.version)


def main(version):
    if not os.path.isfile(f"{version}/student_func.cu"):
        print(f"check-lab: there is no {version}/student_func.cu; make starter LAB=radix_v1 NAME={version} makes one", file=sys.stderr)
        return 2
    check = Check(version)
    # What was all right is so again as long as nothing has changed.
    known = f"{check.build}/{version}/checked"
    if os.path.isfile(known):
        with open(known, encoding="utf-8") as file:
            digest, _, text = file.read().partition("\n")
        if digest == check.digest():
            print(text)
            return 0
    check.run()
    page.progress("")
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # head has read enough
    print(check.report())
    if check.first or check.todos:
        return 1
    with replace_file(known) as file:
        file.write(check.digest() + "\n" + check.report())
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
