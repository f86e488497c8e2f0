"""Grades one submission: builds it, reads it, runs it, and gives points by the rubric."""

import array
import atexit
import os
import re
import shutil
import tempfile
import threading

from . import cases, counters, findings, sandbox, submissions
from .builder import Builder, TooMuch
from .inspection import inspect, other_code
from .reach import unwatched
from .steps import STEP_SIZES, after_which_kernel, compare_steps, not_freed

NOT_BY_KERNELS = "its kernels do not do the work: the result is right also where no kernel runs, so the host has sorted"
CORRECTNESS = ("homework", "sizes", "inputs")


class Grader:
    def __init__(self, lab, rubric, results, jobs, accepted=()):
        """accepted: students whose source a person has read: theirs is run, whatever it could reach."""
        self.rubric, self.results, self.accepted = rubric, results, accepted
        # A user without rights builds and runs submissions here, whoever may read the results.
        work = tempfile.mkdtemp(prefix="grade.")
        os.chmod(work, 0o711)
        atexit.register(shutil.rmtree, work, ignore_errors=True)
        self._remover = sandbox.remove_at_end(work)
        self.builder = Builder(lab, rubric, work)
        if not self.builder.reference and not self.builder.is_counted or rubric.get("speed", {}).get("gpu_only") and not self.builder.on_gpu:
            rubric["points"].pop("speed", None)
        self.scores = array.array("I")
        self._lock = threading.Lock()
        self._slots = list(range(1, jobs + 1))

    def prepare(self):
        """Once per run."""
        self.builder.prepare()
        with open(self.builder.scores, "rb") as file:
            self.scores.frombytes(file.read())

    def grade(self, student, path):
        """All but the timing. Returns the record that grades.csv and the pages are made from."""
        with self._lock:
            slot = self._slots.pop()
        try:
            return self._grade(student, path, slot)
        finally:
            sandbox.end(slot)
            self.builder.forget(student)
            with self._lock:
                self._slots.append(slot)

    def _grade(self, student, path, slot):
        record = {"student": student, "groups": {}, "look": [], "notes": [], "diagnoses": [], "right": False}
        folder = os.path.join(self.results, student)
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(folder)
        source = submissions.read_sources(path)
        record["cs344"] = "sort_version" not in source
        version, error = self.builder.compile(student, path, slot)
        self._group(record, "builds", version is not None, 1, "" if version else error)
        if version is None:
            record["diagnoses"].append("does not build: " + error)
            self._nothing_for_the_rest(record, "does not build")
            return record
        record["version"] = version
        try:
            forbidden, reached, record["notes"] = inspect(version, source, self.rubric, self.builder.harness)
        except TooMuch:
            forbidden, reached = [], ["is too large to look at, or has names that are too long"]
        if forbidden:
            record["diagnoses"] += forbidden
            self._nothing_for_the_rest(record, "not run: it " + "; ".join(forbidden))
            return record
        if reached and student not in self.accepted:
            record["held"] = "it " + "; ".join(reached)
            record["diagnoses"].append("held, not run: " + record["held"])
            self._nothing_for_the_rest(record, f"not run until your teacher has read it: {record['held']}. A sort has no need of that")
            return record
        record["notes"] = reached + record["notes"]
        if self.rubric["needs_kernel"]:
            record["look"] = unwatched(version) + other_code(source)
        if self.rubric["needs_kernel"] and cases.sorts_without_kernels(self.builder, version, self.rubric["limits"], slot):
            record["diagnoses"].append(NOT_BY_KERNELS)
            self._nothing_for_the_rest(record, NOT_BY_KERNELS)
            return record
        self._correctness(version, path, record, slot)
        # The other builds take longer than the sorts: not for a submission that crashes or hangs.
        if "ended" not in record and not self.builder.on_gpu:
            found = findings.find(self.builder, student, slot, record["cs344"], self.rubric["stable"], record["right"])
            # Its kernel and line come first, unless the reason is known.
            known = not record["diagnoses"] or "?" in record["diagnoses"][0]
            record["diagnoses"] = record["diagnoses"] + found if known else found + record["diagnoses"]
            record["look"] += found if record["right"] else []
        if record["right"] and self.builder.is_counted:
            counters.grade(self.builder, student, slot, record)
        if record["notes"] and record["diagnoses"] and not record["right"]:
            record["diagnoses"][0] += f" (it {'; '.join(record['notes'])})"
        return record

    def _correctness(self, version, path, record, slot):
        """The groups homework, sizes, inputs, scratch and stages."""
        scratch, whys, carried = [], {}, None
        for name, group in cases.groups(self.rubric, self.scores, record["cs344"]).items():
            run = cases.Run(self.builder, version, self.rubric, slot, self.scores)
            passed = run.run(group)
            scratch += run.scratch
            if run.carried and self.rubric["needs_kernel"]:
                carried = carried or run.carried
            if run.on_host and "host_sort" in self.rubric:
                self._sorts_on_host(record, run.on_host)
                return
            whys[name] = run.whys
            if run.ended:
                record["ended"] = run.ended
            self._group(record, name, passed, len(group), run.why(len(group)))
            if "still running" in record.get("ended", ""):
                break
        record["look"] += [carried] if carried else []
        for name in CORRECTNESS:
            if name not in record["groups"]:
                self._group(record, name, 0, 1, "not run: " + record["ended"])
        record["right"] = not any(whys.get(name) for name in CORRECTNESS) and "ended" not in record
        if any("answer of an earlier input" in text for why in whys.values() for text in why):
            for name in CORRECTNESS:
                self._group(record, name, 0, 1, "it gives a remembered answer instead of sorting")
            record["right"] = False
        source = os.path.join(path, "student_func.cu") if os.path.isdir(path) else path
        if "scratch" in self.rubric["points"]:
            leak = f"scratch memory was not returned ({scratch[0]}): a scratch_free is missing{not_freed(source, 'student_func.cu')}" if scratch else "only for a sort that is right"
            right = record["right"] and not scratch
            self._group(record, "scratch", right, 1, "" if right else leak)
            if record["right"] and scratch:
                record["diagnoses"].append(leak)
        if "stages" in self.rubric["points"]:
            self._stages(version, source, record, slot)
        for why in whys.values():
            for text in why[:1]:
                if text not in record["diagnoses"]:
                    record["diagnoses"].append(text)

    def _sorts_on_host(self, record, case):
        """No points but for building, as for a forbidden call."""
        why = f"{self.rubric['host_sort']} ({case})"
        record["diagnoses"].append(why)
        record["right"], record["groups"] = False, {"builds": record["groups"]["builds"]}
        self._nothing_for_the_rest(record, why)

    def _stages(self, version, source, record, slot):
        rules = self.rubric["stages"]
        if record["right"]:
            self._group(record, "stages", 1, 1, "")
            record["stages"] = "all"
            record["steps"] = {name: "right" for name in rules["arrays"]}
            return
        if re.search("loaded|still running|printed more", record.get("ended", "")):
            self._group(record, "stages", 0, 1, record["ended"])
            return
        limits, gpu = self.rubric["limits"], self.builder.on_gpu
        compare = lambda n, knobs: compare_steps(self.builder.tools, version, n, True, limits, slot, os.urandom(4).hex(), gpu, knobs)
        shown, ended = compare(rules["n"], rules.get("set", ""))
        shown = dict(shown)
        right = [name for name in rules["arrays"] if shown.get(name) == "right"]
        missing = "was not reached" if ended else "is not shown (lab_show)"
        record["steps"] = {name: shown.get(name, missing) for name in rules["arrays"]}
        wrong = [f"{name} {record['steps'][name]}" for name in rules["arrays"] if name not in right]
        record["stages"] = " ".join(right) or "none"
        self._group(record, "stages", len(right), max(len(rules["arrays"]), 1), "; ".join(wrong[:2]) + (f" ({ended})" if ended else ""))
        if ended and "first" not in shown:  # a small array may show what makes a larger one crash
            shown = dict(compare(STEP_SIZES[0], "")[0])
        first = shown.get("first")
        if first:
            record["diagnoses"].append(f"{first} {shown[first]}{after_which_kernel(source, first, 'student_func.cu')}")

    def _group(self, record, name, passed, of, why):
        points = self.rubric["points"].get(name, 0)
        record["groups"][name] = {"score": round(points * passed / of, 2), "max": points, "why": why}

    def _nothing_for_the_rest(self, record, why):
        for name in self.rubric["points"]:
            if name not in record["groups"]:
                self._group(record, name, 0, 1, why)
