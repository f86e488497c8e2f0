"""Starts labs/check/worker with a submission and gives it inputs. Clocks and judges outside it."""

import array
import fcntl
import mmap
import os
import re
import select
import signal
import struct
import subprocess
import tempfile
import time

from . import sandbox

PAGE = 4096
LAB_CHANNEL, COUNTS = 6, 7
MOST_PATIENCE = 5
SECONDS_TO_COUNT = 60  # for a COUNT build at its end, which looks up lines of source

# The child's descriptors 3 to 7 are set between fork and exec: nothing of subprocess may be there.
while True:
    _reserved = os.open(os.devnull, os.O_RDONLY)
    if _reserved > 9:
        break


class Ended(Exception):
    """The worker ended or was ended; the message gives the reason."""


def patience():
    """Factor for the time limit of a sort: on a machine with more work than cores each process waits for its turn."""
    return min(MOST_PATIENCE, max(1, os.getloadavg()[0] / (os.cpu_count() or 1)))


def _innermost(process):
    """The process itself, or below bubblewrap the one that it runs."""
    while True:
        try:
            with open(f"/proc/{process}/task/{process}/children", encoding="ascii") as file:
                children = file.read().split()
        except OSError:
            return process
        if not children:
            return process
        process = int(children[0])


class Worker:
    """A process that has loaded a version. isolated=False: no sandbox, for one's own code. kernels=False: its
    launches succeed, and no kernel runs. counts=True, in a COUNT build: close() leaves its counts in `counts`. settings: of
    its environment."""

    def __init__(self, tools, version, capacity, limits, isolated=True, show=False, slot=0, on_gpu=False, kernels=True, counts=False, settings=None):
        program = tools + ("/worker" if kernels else "/worker_without_kernels")
        self._limits, self._slot = limits, slot
        self._patience = patience()  # before it runs: a fork bomb makes the machine busy
        self.capacity = capacity
        self._memory_fd = os.memfd_create("lab")
        size = PAGE + 16 * capacity
        os.ftruncate(self._memory_fd, size)
        self._memory = mmap.mmap(self._memory_fd, size)
        self.records = tempfile.TemporaryFile() if show else None
        command_out, self._commands = os.pipe()
        self._answers, answer_in = os.pipe()
        descriptors = {3: command_out, 4: answer_in, 5: self._memory_fd}
        environment = {"OMP_NUM_THREADS": str(os.cpu_count()), **(settings or {})}
        if show:
            descriptors[LAB_CHANNEL] = self.records.fileno()
            environment["LAB_CHANNEL"] = str(LAB_CHANNEL)
        self._counts = os.memfd_create("counts") if counts else None
        if counts:
            descriptors[COUNTS] = self._counts
            environment["CUDA_CPU_COUNT"] = f"/proc/self/fd/{COUNTS}"
        limit = None
        if isolated:
            command = sandbox.command_line(
                ["/lab/worker", "/lab/version.so"], {"/lab/worker": program, "/lab/version.so": version}, {}, environment, limits, slot
            )
            limit = sandbox.limiter(limits, not on_gpu, slot)
        else:
            command = [program, os.path.abspath(version)]
        # Through high numbers, so that none is overwritten before it is copied.
        high = {to: fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, 64) for to, fd in descriptors.items()}

        def prepare():
            signal.signal(signal.SIGQUIT, signal.SIG_DFL)  # a shell's background commands ignore it
            for to, fd in high.items():
                os.dup2(fd, to, inheritable=True)
            if limit:
                limit()

        self._process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            preexec_fn=prepare,
            close_fds=True,
            pass_fds=tuple(descriptors),
            start_new_session=isolated,
            env=None if isolated else {**os.environ, **environment},
        )
        for fd in high.values():
            os.close(fd)
        os.close(command_out)
        os.close(answer_in)
        self.output = sandbox.Output(self._process.stdout, limits["output_kb"] << 10, self._process)
        try:
            self._answer("while it was loaded, before it had any input (a constructor?)")
        except Ended:
            self.close()
            raise

    def _answer(self, when, seconds=None):
        begin = time.monotonic()
        most = (seconds or self._limits["seconds"]) * self._patience
        while True:
            left = begin + most - time.monotonic()
            ready = select.select([self._answers], [], [], max(left, 0))[0]
            if ready:
                answer = os.read(self._answers, 1)
                if answer:
                    return answer.decode("latin1")
                raise Ended(self._how(when))
            if left <= 0:
                text = f"still running after {time.monotonic() - begin:.0f} s {when}: a loop without end, or a deadlock?"
                os.kill(_innermost(self._process.pid), signal.SIGQUIT)  # the cpu backend then names kernel, thread and line
                try:
                    self._process.wait(timeout=2 * self._patience)
                except subprocess.TimeoutExpired:
                    pass
                self._process.kill()
                where = re.search(r"(?m)^\w+: .*\bin kernel .*", self.output.finish())
                raise Ended(text + (f" {where[0]}" if where else ""))

    def _how(self, when):
        try:
            code = self._process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            code = self._process.wait()
            return f"closed its answer channel {when}"
        text = self.output.finish()
        if self.output.too_much:
            return f"printed more than {self._limits['output_kb']} KB {when}; it was ended"
        number = -code if code < 0 else code - 128
        if number > 0:
            try:
                name = signal.Signals(number).name
            except ValueError:
                name = f"signal {number}"
            if name == "SIGXCPU":
                return f"still running after {sandbox.cpu_seconds(self._limits)} s of processor time {when}: a loop without end?"
            meaning = {
                "SIGSEGV": "an access outside its arrays",
                "SIGXFSZ": f"it wrote more than {self._limits['file_mb']} MB to a file",
                "SIGABRT": "it called abort, or the C++ runtime did",
                "SIGKILL": "it was killed: memory, or it killed itself",
            }.get(name, "")
            return f"crashed {when} ({name}{': ' + meaning if meaning else ''})"
        lines = [line for line in text.splitlines() if line.strip()]
        crash = re.search(r"^crash: (.*)", text, re.M)  # the cpu backend names kernel, thread and line itself
        if crash:
            return f"crashed {when}: {crash[1].partition('; a build with')[0]}"
        if code == 3 and lines:
            message = re.search(r"(?m)^.*(check|error|CUDA|failed|invalid|memory)[\s\S]*", "\n".join(lines))
            if message is None:
                return f"stopped {when} (exit code 3); its last line: {lines[-1].strip()[:80]}"
            return f"stopped {when}: {'; '.join(line.strip() for line in message[0].splitlines())[:600]}"
        return f"ended the program itself {when} (exit code {code})"

    def sort(self, keys, positions, when="while it sorted", limit=None):
        """Sorts; returns (seconds, answer, keys, positions). positions None: bare keys. limit: seconds, if they
        are fewer than the rubric's."""
        n = len(keys)
        self._memory[:16] = struct.pack("=QQ", n, positions is not None)
        self._put(0, keys)
        if positions is not None:
            self._put(1, positions)
        for index in (2, 3):
            self._put(index, array.array("I", bytes(4 * n)))
        start = time.perf_counter()
        self._command(b"s", when)
        answer = self._answer(when, limit)
        seconds = time.perf_counter() - start
        return seconds, answer, self._get(2, n), self._get(3, n) if positions is not None else None

    def traffic(self):
        """Bytes of the last sort: copied to the host, to the device, and said in calls (labs/check/host_copies.h)."""
        return struct.unpack("=QQQ", self._memory[16:40])

    def fetch_again(self, n, with_positions):
        """The outputs as they are now: has something gone on writing after the sort returned?"""
        self._command(b"f", "after it had sorted")
        self._answer("after it had sorted")
        return self._get(2, n), self._get(3, n) if with_positions else None

    def _command(self, command, when):
        if select.select([self._answers], [], [], 0)[0] and os.read(self._answers, 1):
            self._process.kill()
            raise Ended(f"answered before it was asked {when}: it writes to file descriptors of the grader")
        try:
            os.write(self._commands, command)
        except BrokenPipeError:
            raise Ended(self._how(when)) from None

    def _place(self, index):
        return PAGE + 4 * index * self.capacity

    def _put(self, index, values):
        start = self._place(index)
        self._memory[start : start + 4 * len(values)] = values.tobytes()

    def _get(self, index, n):
        start = self._place(index)
        return array.array("I", self._memory[start : start + 4 * n])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        for fd in (self._commands, self._answers):
            try:
                os.close(fd)
            except OSError:
                pass
        try:
            self._process.wait(timeout=2 if self._counts is None else SECONDS_TO_COUNT)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        sandbox.end(self._slot)  # what it left running holds the pipe of its output
        text = self.output.finish()
        if self._counts is not None:
            with os.fdopen(self._counts, "rb") as file:
                self.counts, self._counts = file.read(), None
        self._process.stdout.close()
        self._memory.close()
        os.close(self._memory_fd)
        self._commands = self._answers = -1
        return text
