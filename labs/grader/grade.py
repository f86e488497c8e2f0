"""scripts/grade.sh LAB FILES...|DIR: builds, runs, judges and times submissions; see labs/teacher/grading.md."""

import argparse
import atexit
import csv
import hashlib
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor

from . import judge, page, sandbox, worker
from .check import compare_steps, make, make_value

# What a submission calls or defines: shown to the teacher; costs nothing by itself.
NOTES = {
    r"^(fork|vfork|clone|execv.*|execl.*|system|popen|posix_spawn.*)$": "starts processes",
    r"^(kill|getppid|raise|tgkill|ptrace)$": "sends signals",
    r"^(exit|_exit|_Exit|quick_exit|abort)$": "ends the program",
    r"^(pthread_create|_ZNSt6thread.*)$": "starts threads",
    r"^(fopen|fopen64|open|open64|openat|creat|unlink|opendir)$": "opens files",
    r"^(dlopen|dlsym|mmap|mprotect|process_vm_.*)$": "reaches into the process",
    r"^(close|dup2?|shutdown)$": "closes file descriptors",
    r"^(socket|connect)$": "uses the network",
}


class Grader:
    def __init__(self, lab, rubric, results, jobs):
        self.lab, self.rubric, self.results, self.jobs = lab, rubric, results, jobs
        self.limits = rubric["limits"]
        self.build = make_value("B")
        self.on_gpu = self.build.startswith("build/cuda")
        # A user without rights builds and runs submissions here, whoever may read the results.
        self.work = tempfile.mkdtemp(prefix="grade.")
        os.chmod(self.work, 0o711)
        atexit.register(shutil.rmtree, self.work, ignore_errors=True)
        self.kit = os.path.join(self.work, "kit")
        self.lock = threading.Lock()
        self.slots = list(range(1, jobs + 1))

    # ---- once per run ---------------------------------------------------------------------------

    def prepare(self):
        """Builds the tools and the reference, and copies what a submission is built with: not the
        solutions."""
        reference = f"{self.build}/{self.rubric['reference']}/version.so"
        goals = [f"{self.build}/labs/worker", f"{self.build}/labs/steps", reference]
        done = make(goals)
        if done.returncode != 0:
            sys.exit(f"grade: cannot build the reference:\n{done.stderr[-2000:]}")
        self.reference = shutil.copy2(reference, self.work + "/reference.so")
        os.mkdir(self.work + "/tools", 0o755)
        for tool in ("worker", "steps"):
            shutil.copy2(f"{self.build}/labs/{tool}", self.work + "/tools")
        self.tools = self.work + "/tools"
        os.makedirs(self.kit)
        for part in ("Makefile", "common", "cuda_cpu"):
            copy = shutil.copytree if os.path.isdir(part) else shutil.copy2
            copy(part, f"{self.kit}/{part}")
        for part in ("rewrite", "generated/common", "generated/cuda_cpu"):
            source = f"{self.build}/{part}"
            if os.path.isdir(source):
                shutil.copytree(source, f"{self.kit}/{source}")
            elif os.path.isfile(source):
                os.makedirs(os.path.dirname(f"{self.kit}/{source}"), exist_ok=True)
                shutil.copy2(source, f"{self.kit}/{source}")
        self.harness = set(symbols(f"{self.build}/labs/worker", "--defined-only"))

    # ---- one submission -------------------------------------------------------------------------

    def grade(self, student, path):
        """All but the timing. Returns the record that grades.csv and the pages are made from."""
        with self.lock:
            slot = self.slots.pop()
        try:
            return self._grade(student, path, slot)
        finally:
            with self.lock:
                self.slots.append(slot)

    def _grade(self, student, path, slot):
        record = {"student": student, "groups": {}, "notes": [], "diagnoses": [], "right": False}
        folder = os.path.join(self.results, student)
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(folder)
        points = self.rubric["points"]

        def group(name, passed, of, why):
            record["groups"][name] = {"score": round(points.get(name, 0) * passed / of, 2), "max": points.get(name, 0), "why": why}

        source = read_sources(path)
        record["cs344"] = "sort_version" not in source
        version, error = self._build(path, folder, slot)
        group("builds", version is not None, 1, "" if version else error)
        if version is None:
            record["diagnoses"].append("does not build: " + error)
            for name in points:
                if name not in record["groups"]:
                    group(name, 0, 1, "does not build")
            return record
        record["version"] = version
        forbidden = self._inspect(version, source, record)
        if forbidden:
            record["diagnoses"] += forbidden
            for name in points:
                if name not in record["groups"]:
                    group(name, 0, 1, "not allowed: " + "; ".join(forbidden))
            return record

        scratch = []
        whys = {}
        for name, cases in self._groups(record["cs344"]).items():
            passed, why = self._run_cases(version, cases, slot, scratch, record)
            whys[name] = why
            group(name, passed, len(cases), why[0] if why else "")
            if len(why) > 1:
                record["groups"][name]["why"] += f"; and {len(why) - 1} more of {len(cases)} sorts"
            if "still running" in record.get("ended", ""):
                break
        for name in ("homework", "sizes", "inputs"):
            if name not in record["groups"]:
                group(name, 0, 1, "not run: " + record["ended"])
        record["right"] = not any(whys.get(name) for name in ("homework", "sizes", "inputs")) and "ended" not in record
        if any("answer of an earlier input" in text for why in whys.values() for text in why):
            for name in ("homework", "sizes", "inputs"):
                group(name, 0, 1, "it gives a remembered answer instead of sorting")
            record["right"] = False
        if "scratch" in points:
            right = record["right"] and not scratch
            group("scratch", right, 1, "" if right else (f"scratch memory was not returned ({scratch[0]}): a scratch_free is missing" if scratch else "only for a sort that is right"))
        if "stages" in points:
            self._stages(version, record, slot, group)
        for why in whys.values():
            for text in why[:1]:
                if text not in record["diagnoses"]:
                    record["diagnoses"].append(text)
        if not record["right"] and record["notes"] and record["diagnoses"]:
            record["diagnoses"][0] += f" (it {'; '.join(record['notes'])})"
        return record

    def _build(self, path, folder, slot):
        """Compiles inside the sandbox. Returns (path of the shared object, None) or (None, error)."""
        work = os.path.join(self.work, os.path.basename(folder))
        shutil.copytree(self.kit, work)
        target = os.path.join(work, "submission")
        os.makedirs(target)
        files = [path] if os.path.isfile(path) else [os.path.join(path, name) for name in sorted(os.listdir(path)) if name.endswith((".cu", ".cuh", ".h", ".inc"))]
        for file in files:
            if os.path.islink(file) or not os.path.isfile(file) or os.path.getsize(file) > 1 << 20:
                continue
            name = "student_func.cu" if os.path.isfile(path) else os.path.basename(file)
            shutil.copyfile(file, os.path.join(target, name))
        if not os.path.isfile(target + "/student_func.cu"):
            return None, "there is no student_func.cu"
        mk = f"labs/{self.lab}/version.mk" if os.path.isfile(f"labs/{self.lab}/version.mk") else f"{self.lab}/version.mk"
        if os.path.isfile(mk):
            with open(mk, encoding="utf-8") as file:
                text = file.read().replace("_" + self.lab, "_submission")
            with open(target + "/version.mk", "w", encoding="utf-8") as file:
                file.write(text)
        if os.getuid() == 0:
            for root, _, names in os.walk(work):
                for name in [root] + [os.path.join(root, name) for name in names]:
                    os.chown(name, 61000 + slot, 61000 + slot)
        # A compiler needs more than a sort: files and processes.
        limits = {**self.limits, "file_mb": 256, "processes": 128, "seconds": 120}
        goal = f"{self.build}/submission/version.so"
        variables = ["BACKEND=" + ("cuda" if self.on_gpu else "cpu"), "OPENCV=" + ("0" if "-noopencv" in self.build else "1")]
        match = re.match(r"build/cuda-([a-z0-9_]+?)(-|$)", self.build)
        if match:
            variables.append("ARCH=" + match[1])
        command = sandbox.command_line(["make", "-s", goal] + variables, {}, {"/lab": work}, {}, limits)
        try:
            done = subprocess.run(command, capture_output=True, timeout=180, preexec_fn=sandbox.limiter(limits, False, slot))
        except subprocess.TimeoutExpired:
            return None, "the compiler was still running after 180 s"
        if done.returncode != 0:
            errors = done.stderr.decode("utf-8", "replace").splitlines()
            real = [line for line in errors if re.search(r"\b(fatal )?error\b|undefined", line)] or errors or ["make failed"]
            return None, real[0][:300]
        version = work + ".so"
        shutil.copyfile(os.path.join(work, goal), version)
        os.chmod(version, 0o755)
        shutil.rmtree(work)
        return version, None

    def _inspect(self, version, source, record):
        """What the rubric forbids, from the source and from the symbols of the compiled file."""
        code = strip_comments(source)
        used = set(symbols(version, "--undefined-only"))
        forbidden = [text for pattern, text in self.rubric["forbidden"].items() if re.search(pattern, code) or any(re.search(pattern, name) for name in used)]
        if self.rubric["needs_kernel"] and not any("cudaLaunchKernel" in name or name.startswith("_ZN8cuda_cpu6launch") for name in used):
            forbidden.append("launches no kernel: nothing is sorted on the device")
        own = set(symbols(version, "--defined-only", strong=True)) - {"your_sort", "sort_version"}
        replaced = sorted(own & self.harness)
        if replaced:
            forbidden.append("replaces functions of the harness: " + ", ".join(replaced[:4]))
        for pattern, text in NOTES.items():
            # utils.h calls exit(): a name counts only if the submission's own source has it too.
            names = sorted(name for name in used if re.match(pattern, name) and ("_Z" in name or re.search(rf"\b{name.replace('64', '')}\s*\(", code)))
            if names:
                record["notes"].append(f"{text}: {', '.join(names[:4])}")
        if re.search(r"__attribute__\s*\(\(.*constructor", code):
            record["notes"].append("runs code in a constructor")
        if re.search(r"\bPASS\b|results\.json|/proc/|cudaMemcpyDeviceToHost", code):
            found = sorted(set(re.findall(r"\bPASS\b|results\.json|/proc/|cudaMemcpyDeviceToHost", code)))
            record["notes"].append("has in its source " + ", ".join(found))
        return forbidden

    def _groups(self, pairs_only):
        both = (True,) if pairs_only else (True, False)
        homework = self.rubric["homework"]["n"]
        return {
            # CS344 never sorted an empty array; the contract here asks for it.
            "sizes": [("uniform", n, pairs) for n in judge.SIZES if n > 0 or not pairs_only for pairs in both],
            "inputs": [(kind, self.rubric["inputs"]["n"], pairs) for kind in judge.KINDS for pairs in both],
            "homework": [("scores", homework, True)] * 2,
        }

    def _run_cases(self, version, cases, slot, scratch, record):
        """Number of right sorts, and a sentence for each wrong one. After a crash it starts anew
        with the next case, four times at most."""
        passed, real, whys, crashes = 0, 0, [], 0
        process, earlier = None, []
        for number, (kind, n, pairs) in enumerate(cases):
            text = f"{kind}, n = {n}, {'pairs' if pairs else 'bare keys'}"
            keys, positions = judge.make_keys(kind, n, os.urandom(8).hex())
            positions = positions if pairs else None
            expected = judge.right_answer(keys, positions)
            try:
                if process is None:
                    earlier = []
                    most = max(case[1] for case in cases)
                    process = worker.Worker(self.tools, version, max(most, 16), self.limits, slot=slot, on_gpu=self.on_gpu)
                _, answer, out_keys, out_positions = process.sort(keys, positions, f"on {text}")
                if answer == "g":
                    whys.append(f"{text}: wrote beyond the end of an array")
                    continue
                if answer == "s":
                    scratch.append(text)
                wrong = judge.fault(keys, positions, expected, out_keys, out_positions, self.rubric["stable"], earlier)
                if wrong and crashes == 0:
                    time.sleep(0.3)
                    again = process.fetch_again(n, pairs)
                    if not judge.fault(keys, positions, expected, *again, self.rubric["stable"]):
                        wrong = "the result was complete only after your_sort had returned: a thread or stream that it does not wait for"
                if wrong:
                    whys.append(f"{text}: {wrong}")
                else:
                    passed += 1
                    real += n > 3 and keys != expected[0]  # a sort that does nothing passes the others
                earlier = earlier[-3:] + [expected]
            except worker.Ended as error:
                whys.append(str(error))
                if process:
                    process.close()
                process = None
                crashes += 1
                record["ended"] = str(error)
                slow = "still running" in str(error)
                if crashes == 5 or slow or "loaded" in str(error):
                    whys += [str(error)] * (len(cases) - number - 1)
                    break
        if process:
            process.close()
        # A mistake shows more clearly in a larger sort.
        whys.sort(key=lambda why: "n = " in why and int(why.split("n = ")[1].split(",")[0]) < 255)
        return passed if real else 0, whys

    def _stages(self, version, record, slot, group):
        wanted = self.rubric["stages"]["arrays"]
        if record["right"]:
            group("stages", 1, 1, "")
            record["stages"] = "all"
            return
        if re.search("loaded|still running|printed more", record.get("ended", "")):
            group("stages", 0, 1, record["ended"])
            return
        n = self.rubric["stages"]["n"]
        shown, ended = compare_steps(self.tools, version, n, True, self.limits, slot, os.urandom(4).hex(), self.on_gpu)
        shown = dict(shown)
        right = [name for name in wanted if shown.get(name) == "right"]
        wrong = [f"{name} {shown[name]}" if name in shown else f"{name} is not shown (lab_show)" for name in wanted if name not in right]
        record["stages"] = " ".join(right) or "none"
        group("stages", len(right), max(len(wanted), 1), "; ".join(wrong[:2]) + (f" ({ended})" if ended else ""))
        record["diagnoses"] += [text for text in wrong if "wrong" in text][:1]

    # ---- timing ---------------------------------------------------------------------------------

    def time(self, record):
        """Beside the reference, in turns, new inputs each time; the clock is in this process."""
        points = self.rubric["points"].get("speed")
        if points is None or "speed" in record["groups"]:
            return
        rules = self.rubric["speed"]
        if not record["right"]:
            record["groups"]["speed"] = {"score": 0, "max": points, "why": "only a sort that is right is timed"}
            return
        seconds = {"reference": [], "submission": []}
        why = ""
        try:
            pair = {
                name: worker.Worker(self.tools, version, rules["n"], self.limits, slot=slot, on_gpu=self.on_gpu)
                for name, version, slot in (("reference", self.reference, 99), ("submission", record["version"], 98))
            }
            earlier = []
            for turn in range(rules["reps"] + 1):
                keys, positions = judge.make_keys("uniform", rules["n"], os.urandom(8).hex())
                expected = judge.right_answer(keys, positions)
                for name, process in pair.items():
                    taken, _, out_keys, out_positions = process.sort(keys, positions)
                    wrong = judge.fault(keys, positions, expected, out_keys, out_positions, self.rubric["stable"], earlier)
                    if wrong:
                        raise worker.Ended(f"{name}, while it was timed: {wrong}")
                    if turn > 0:  # the first is the warm-up
                        seconds[name].append(taken)
                earlier = [expected]
            for process in pair.values():
                process.close()
            times = {name: statistics.median(values) for name, values in seconds.items()}
            ratio = times["submission"] / times["reference"]
            score = points * min(1, rules["full_until"] / ratio)
            record["speed"] = {"ms": round(times["submission"] * 1e3, 2), "reference_ms": round(times["reference"] * 1e3, 2), "ratio": round(ratio, 3)}
            if ratio > rules["full_until"]:
                why = f"{ratio:.2f} times the reference's time; full points up to {rules['full_until']} times"
        except worker.Ended as error:
            score, why = 0, str(error)
            record["diagnoses"].append(why)
        record["groups"]["speed"] = {"score": round(score, 2), "max": points, "why": why}


def symbols(path, which, strong=False):
    done = subprocess.run(["nm", "-D", which, path], capture_output=True, text=True)
    names = []
    for line in done.stdout.splitlines():
        fields = line.split()
        if not strong or fields[-2] in "TDBR":
            names.append(fields[-1].split("@")[0])
    return names


def read_sources(path):
    files = [path] if os.path.isfile(path) else [os.path.join(path, name) for name in sorted(os.listdir(path)) if name.endswith((".cu", ".cuh", ".h", ".inc"))]
    text = ""
    for file in files:
        if os.path.isfile(file) and os.path.getsize(file) <= 1 << 20:
            with open(file, encoding="utf-8", errors="replace") as stream:
                text += stream.read() + "\n"
    return text


def strip_comments(code):
    return re.sub(r"//[^\n]*|/\*.*?\*/", " ", code, flags=re.S)


def find_submissions(paths):
    """{student: path}: folders with a student_func.cu, bare .cu files, or a folder of these."""
    found = {}

    def add(name, path):
        name = re.sub(r"[^A-Za-z0-9_.+-]", "_", name) or "unnamed"
        base, number = name, 2
        while name in found:
            name, number = f"{base}_{number}", number + 1
        found[name] = path

    for path in paths:
        path = os.path.normpath(path)
        if os.path.isfile(path):
            stem = os.path.splitext(os.path.basename(path))[0]
            add(os.path.basename(os.path.dirname(os.path.abspath(path))) if stem == "student_func" else stem, path)
        elif os.path.isfile(path + "/student_func.cu"):
            add(os.path.basename(os.path.abspath(path)), path)
        elif os.path.isdir(path):
            for name in sorted(os.listdir(path)):
                inner = os.path.join(path, name)
                if os.path.isdir(inner):
                    add(name, inner)
                elif name.endswith(".cu"):
                    add(os.path.splitext(name)[0], inner)
        else:
            sys.exit(f"grade: there is no {path}")
    return found


def fingerprint(rubric_text, path):
    """Of all that a grade depends on: the submission, the rubric, the grader and the reference."""
    digest = hashlib.sha256(rubric_text.encode())
    digest.update(read_sources(path).encode())
    here = os.path.dirname(__file__)
    for folder in (here, here + "/../check", "common"):
        for name in sorted(os.listdir(folder)):
            if name.endswith((".py", ".c", ".h", ".cuh")):
                with open(os.path.join(folder, name), "rb") as file:
                    digest.update(file.read())
    return digest.hexdigest()


def finish(grader, record, key, seconds):
    """Writes results.json and the page of one student."""
    record["score"] = round(sum(group["score"] for group in record["groups"].values()), 2)
    record["max"] = sum(group["max"] for group in record["groups"].values())
    record["key"], record["seconds"] = key, round(seconds, 1)
    version = record.pop("version", None)
    if version and os.path.exists(version):
        os.unlink(version)
    folder = os.path.join(grader.results, record["student"])
    with open(folder + "/results.json", "w", encoding="utf-8") as file:
        json.dump(page.gradescope(grader.rubric, record), file, indent=2)
    with open(folder + "/index.html", "w", encoding="utf-8") as file:
        file.write(page.html(grader.rubric, record))


def load_cached(results, student, key):
    try:
        with open(os.path.join(results, student, "results.json"), encoding="utf-8") as file:
            record = json.load(file)["extra_data"]
        return record if record.get("key") == key else None
    except (OSError, ValueError, KeyError):
        return None


def main():
    parser = argparse.ArgumentParser(prog="scripts/grade.sh", description="Grades submissions of a lab.")
    parser.add_argument("lab", help="a folder of labs/ with a rubric.json: radix_v1, ...")
    parser.add_argument("submissions", nargs="+", help="folders, student_func.cu files, or a folder of these")
    parser.add_argument("--rubric", default=None, help="another file of rules than labs/LAB/rubric.json")
    parser.add_argument("--out", default=None, help="folder of the results (build/grades/LAB)")
    parser.add_argument("--jobs", type=int, default=max(1, (os.cpu_count() or 2) // 2), help="submissions at a time; timings are one at a time")
    parser.add_argument("--again", action="store_true", help="grades also what has not changed")
    options = parser.parse_args()
    path = options.rubric or f"labs/{options.lab}/rubric.json"
    if not os.path.isfile(path):
        sys.exit(f"grade: there is no {path}")
    with open(path, encoding="utf-8") as file:
        rubric_text = file.read()
    try:
        rubric = json.loads(rubric_text)
    except ValueError as error:
        sys.exit(f"grade: {path}: {error}")
    try:
        sandbox.check()
    except sandbox.Refused as error:
        print(f"grade: {error}", file=sys.stderr)
        sys.exit(3)
    results = os.path.abspath(options.out or f"build/grades/{options.lab}")
    os.makedirs(results, exist_ok=True)
    submissions = find_submissions(options.submissions)
    grader = Grader(options.lab, rubric, results, options.jobs)
    grader.prepare()
    started = time.monotonic()
    records, keys, fresh = {}, {}, []
    for student, source in submissions.items():
        keys[student] = fingerprint(rubric_text, source)
        cached = None if options.again else load_cached(results, student, keys[student])
        if cached:
            records[student] = cached
        else:
            fresh.append(student)

    def one(student):
        begin = time.monotonic()
        try:
            record = grader.grade(student, submissions[student])
        except Exception as error:  # one submission must not end the grading of the others
            record = {"student": student, "groups": {}, "notes": [], "right": False, "diagnoses": [f"the grader failed, look at it by hand: {error!r}"]}
            for name, most in rubric["points"].items():
                record["groups"][name] = {"score": 0, "max": most, "why": record["diagnoses"][0]}
        record["took"] = time.monotonic() - begin
        return record

    terminal = sys.stderr.isatty()
    with ThreadPoolExecutor(options.jobs) as pool:
        for done, record in enumerate(pool.map(one, fresh), 1):
            records[record["student"]] = record
            if terminal:
                left = (time.monotonic() - started) / done * (len(fresh) - done)
                print(f"\r{done}/{len(fresh)} judged, about {left:.0f} s left \033[K", end="", file=sys.stderr)
    for done, student in enumerate(fresh, 1):
        begin = time.monotonic()
        grader.time(records[student])
        finish(grader, records[student], keys[student], records[student].pop("took", 0) + time.monotonic() - begin)
        if terminal:
            print(f"\r{done}/{len(fresh)} timed \033[K", end="", file=sys.stderr)
    if terminal:
        print("\r\033[K", end="", file=sys.stderr)
    ordered = [records[student] for student in submissions]
    groups = list(rubric["points"])
    with open(results + "/grades.csv", "w", newline="", encoding="utf-8") as file:
        table = csv.writer(file)
        table.writerow(["student", *groups, "total", "max", "speed_ratio", "stages", "diagnosis", "notes"])
        for record in ordered:
            scores = [record["groups"][name]["score"] for name in groups]
            row = [record["student"], *scores, record["score"], record["max"], record.get("speed", {}).get("ratio", "")]
            # A leading blank keeps a spreadsheet from taking a text for a formula.
            table.writerow(row + [record.get("stages", "")] + [re.sub(r"^[=+@-]", " ", "; ".join(record[name])) for name in ("diagnoses", "notes")])
    page.print_table(groups, ordered)
    print(f"{len(ordered)} submissions, {len(fresh)} graded now, {time.monotonic() - started:.0f} s; {results}/grades.csv")


if __name__ == "__main__":
    main()
