"""Builds the grader's tools, the reference, and submissions: these inside the sandbox."""

import glob
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile

from labs.check.make import CHECKING, COUNTING, is_gpu_build, make, make_value, variables_of

from . import cases, judge, sandbox, submissions, worker

SECONDS, MEMORY_MB = 180, 4096  # for the compiler; the memory for each of its processes
MOST_BYTES = 50 << 20  # of a compiled file that is looked at
REFERENCE_SLOT = 99
REFERENCE_N = 65536
# A sort may take this many times as long as the reference, and this many seconds at least.
SLOWEST, LEAST_SECONDS = 30, 10
TOOLS = ("worker", "worker_without_kernels", "steps")
# Calls of a submission that labs/check/host_copies.c and host_launches.cpp take.
WATCHED = ("cudaMemcpy", "cudaMemcpyAsync", "cudaMemset", "cudaMemsetAsync")
WATCHED_LAUNCHES = ("__cudaLaunchKernel", "__cudaLaunchKernel_ptsz", "cudaLaunchKernel", "cudaLaunchCooperativeKernel", "cudaLaunchKernelExC")


class Builder:
    def __init__(self, lab, rubric, work):
        self.lab, self.rubric, self.work = lab, rubric, work
        self.build = make_value("B")
        self.on_gpu = is_gpu_build(self.build)
        self.kit = os.path.join(work, "kit")
        self.tools = os.path.join(work, "tools")
        # A copy for students is without the reference; then nothing is timed.
        self.reference = os.path.join(work, "reference.so") if os.path.isdir(rubric["reference"]) else None
        self.scores = os.path.join(work, "scores.raw")
        nvcc = make_value("NVCC")
        self.nvcc = nvcc if not self.on_gpu and nvcc.startswith("/usr/") else ""  # as the sandbox shows no other folder
        self.is_counted = "counters" in rubric and "speed" in rubric["points"] and not self.on_gpu
        options = [] if self.on_gpu else [CHECKING] + [COUNTING] * self.is_counted
        self._other_builds = {option: make([option, "print-B"]).stdout.strip() for option in options}
        self._reference_seconds = float("inf")  # for a sort of REFERENCE_N pairs
        self.harness = set()  # names that the worker defines; no submission may replace them

    def prepare(self):
        """Once per run: the tools, the reference, the homework's keys, and a copy of what a submission
        is built with: not the solutions."""
        reference = [f"{self.build}/{self.rubric['reference']}/version.so"] if self.reference else []
        scores = f"{self.build}/red_eye_scores"
        done = make([f"{self.build}/labs/{tool}" for tool in TOOLS] + reference + [scores, "samples"])
        for option, build in self._other_builds.items():
            if done.returncode == 0:
                done = make([option, f"{build}/labs/worker"])
        if done.returncode != 0:
            sys.exit(f"grade: cannot build the reference:\n{done.stderr[-2000:]}")
        done = subprocess.run([scores, "samples/portrait.ppm", "samples/template.ppm", self.scores], capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"grade: cannot compute the homework's scores: {done.stderr.strip()}")
        if reference:
            shutil.copy2(reference[0], self.reference)
            if os.getuid() == 0:  # no submission's user may read it
                os.chmod(self.reference, 0o500)
                os.chown(self.reference, sandbox.user_of(REFERENCE_SLOT), -1)
        os.mkdir(self.tools, 0o755)
        for tool in TOOLS:
            shutil.copy2(f"{self.build}/labs/{tool}", self.tools)
        for option, build in self._other_builds.items():
            os.mkdir(self.tools_of(option), 0o755)
            shutil.copy2(f"{build}/labs/worker", self.tools_of(option))
        os.makedirs(self.kit)
        os.mkdir(f"{self.kit}/scripts")
        for part in ("Makefile", "common", "cuda_cpu", "scripts/thrust_headers.sh"):
            copy = shutil.copytree if os.path.isdir(part) else shutil.copy2
            copy(part, f"{self.kit}/{part}")
        for part in glob.glob("gsort/block") + glob.glob("gsort/warp") + glob.glob("gsort/kernel"):  # pieces, not its sort
            shutil.copytree(part, f"{self.kit}/{part}")
        for part in glob.glob("gsort/call.h"):
            shutil.copy2(part, f"{self.kit}/gsort")
        for version in self.rubric.get("kit", []):  # versions on whose headers a submission may build
            shutil.copytree(version, f"{self.kit}/{version}", ignore=shutil.ignore_patterns("*.cu", "*.md"))
        for build in (self.build, *self._other_builds.values()):
            if os.path.isfile(f"{build}/rewrite"):  # of the cpu backend
                os.makedirs(f"{self.kit}/{build}")
                shutil.copy2(f"{build}/rewrite", f"{self.kit}/{build}")
        self.harness = set(symbols(f"{self.build}/labs/worker", "--defined-only"))
        if not reference:
            return
        try:
            self._time_reference()
        except worker.Ended as error:  # as where a user without rights cannot enter $TMPDIR
            sys.exit(f"grade: the reference does not run from {self.work}: {error}")
        if launches(symbols(self.reference, "--undefined-only")) and cases.sorts_without_kernels(self, self.reference, self.rubric["limits"], REFERENCE_SLOT):
            sys.exit("grade: worker_without_kernels runs kernels: labs/check/no_kernels.cpp does not fit the CUDA runtime")

    def _time_reference(self):
        keys, positions = judge.make_keys("uniform", REFERENCE_N, 0)
        process = worker.Worker(self.tools, self.reference, REFERENCE_N, self.rubric["limits"], slot=REFERENCE_SLOT, on_gpu=self.on_gpu)
        self._reference_seconds = min(process.sort(keys, positions)[0] for _ in range(2))
        process.close()

    def seconds_for(self, n):
        """The time limit of a sort of n elements."""
        by_reference = SLOWEST * self._reference_seconds * n / REFERENCE_N
        return min(self.rubric["limits"]["seconds"], max(LEAST_SECONDS, by_reference))

    def compile(self, student, path, slot):
        """Compiles inside the sandbox. Returns (path of the shared object, None) or (None, error). The folder stays for
        findings.py until forget()."""
        work = self._folder(student)
        shutil.copytree(self.kit, work)
        os.chmod(work, 0o700)
        error = self._fill(os.path.join(work, "submission"), path)
        if not error and os.getuid() == 0:
            for root, _, names in os.walk(work):
                for name in [root] + [os.path.join(root, name) for name in names]:
                    os.chown(name, sandbox.user_of(slot), sandbox.user_of(slot))
        error = error or self.make_inside(student, slot)
        return (None, error) if error else (self.take(student), None)

    def forget(self, student):
        shutil.rmtree(self._folder(student), ignore_errors=True)

    def _folder(self, student):
        """For make, without a name's blanks."""
        return os.path.join(self.work, hashlib.sha256(student.encode()).hexdigest()[:16])

    def tools_of(self, option):
        """The folder of the worker in the build with an option of make."""
        return self.tools + "." + option.partition("=")[0]  # env takes a word with = for a variable

    def build_of(self, student, option):
        """The build folder of a submission, as long as nothing of it runs that could change it."""
        return os.path.join(self._folder(student), self._other_builds.get(option, self.build))

    def take(self, student, option=""):
        """The shared object that make_inside() has built, where the submission cannot change it any more."""
        version = self._folder(student) + option + ".so"
        shutil.copyfile(self.build_of(student, option) + "/submission/version.so", version)
        os.chmod(version, 0o755)
        return version

    def _fill(self, target, path):
        """Copies the sources of a submission, and the lab's compiler options."""
        os.makedirs(target)
        for file in submissions.source_files(path):
            shutil.copyfile(file, os.path.join(target, os.path.basename(file) if submissions.is_folder(path) else "student_func.cu"))
        if not os.path.isfile(target + "/student_func.cu"):
            return submissions.why_unreadable(path + "/student_func.cu" if submissions.is_folder(path) else path)
        with open(target + "/student_func.cu", "rb") as file:
            if b"\0" in file.read():
                return "student_func.cu is not plain text, it has zero bytes: save it as UTF-8, not as UTF-16"
        # A folder that was called `mine` may include its files as "mine/kernels.cuh".
        for folder, file in re.findall(r'#\s*include\s+"([a-z][a-z0-9_]*)/([^"/]+)"', submissions.read_sources(target)):
            link = os.path.join(os.path.dirname(target), folder)
            if os.path.isfile(os.path.join(target, file)) and not os.path.lexists(link):
                os.symlink("submission", link)
        options = "".join(f"LDLIBS_submission += -Xlinker --wrap={name}\n" for name in WATCHED + (WATCHED_LAUNCHES if self.on_gpu else ()))
        options += "NVCCFLAGS_submission += -DNVTX_DISABLE\n"  # Thrust and CUB would load NVTX by dlopen()
        mk = next((mk for mk in (f"labs/{self.lab}/version.mk", f"{self.lab}/version.mk") if os.path.isfile(mk)), None)
        if mk:
            with open(mk, encoding="utf-8") as file:
                text = file.read().replace("_" + self.lab, "_submission")
            options += re.sub(r"(LDLIBS_submission\s*):=", r"\1+=", text)
        with open(target + "/version.mk", "w", encoding="utf-8") as file:
            file.write(options)
        return None

    def make_inside(self, student, slot, option=""):
        """Builds a submission in its folder. None, or the first error."""
        goal = f"{self._other_builds.get(option, self.build)}/submission/version.so"
        return self.run_inside(student, ["make", "-s", goal, *variables_of(self.build), *filter(None, [option])], slot)

    def run_inside(self, student, command, slot):
        """Runs a compiler in the folder of a submission. None, or the first error."""
        # A compiler needs more than a sort: files and processes.
        limits = {**self.rubric["limits"], "file_mb": 256, "processes": 128, "seconds": 120, "memory_mb": MEMORY_MB}
        command = sandbox.command_line(command, {}, {"/lab": self._folder(student)}, {}, limits, slot)
        with tempfile.TemporaryFile() as file:  # of limited size: some sources have gigabytes of errors
            try:
                done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=file, timeout=SECONDS, preexec_fn=sandbox.limiter(limits, True, slot))
            except subprocess.TimeoutExpired:
                return f"the compiler was still running after {SECONDS} s"
            if done.returncode == 0:
                return None
            file.seek(0)
            errors = [line for line in file.read(1 << 20).decode("utf-8", "replace").splitlines() if line.strip()]
        if any(re.match("cc1plus: out of memory|virtual memory exhausted", line) for line in errors):
            return f"the compiler needs more than {MEMORY_MB} MB of memory"
        real = [line for line in errors if re.search(r"\b(fatal )?error\b|undefined|defines no your_sort|^submission/[^\s:]+:\d+: ", line)] or errors or ["make failed"]
        return real[0][:300]


def launches(names):
    """Does a file with these undefined symbols launch kernels?"""
    return any("cudaLaunchKernel" in name or name.startswith("_ZN8cuda_cpu6launch") for name in names)


class TooMuch(Exception):
    """A compiled file that no tool can look at within its limits."""


def lines_of(*command):
    """What a tool prints of a compiled file, line by line."""
    if os.path.getsize(command[-1]) > MOST_BYTES:
        raise TooMuch
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, errors="replace", preexec_fn=sandbox.light_limits(20)) as tool:
        try:
            yield from tool.stdout
            if tool.wait() != 0:
                raise TooMuch
        finally:
            tool.kill()


def demangled(path):
    """All names of a compiled file, local ones too, as C++ writes them."""
    return {line.split(maxsplit=2)[-1].rstrip("\n") for line in lines_of("nm", "-C", path) if line.strip()}


def symbols(path, which, strong=False):
    """Names in the dynamic symbol table of a compiled file; strong: without weak ones."""
    done = subprocess.run(["nm", "-D", which, path], capture_output=True, text=True)
    names = []
    for line in done.stdout.splitlines():
        fields = line.split()
        if not strong or fields[-2] in "TDBR":
            names.append(fields[-1].split("@")[0])
    return names
