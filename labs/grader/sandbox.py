"""Runs a command of a submission with bubblewrap: no network, no view of the machine's files but
/usr, a private /tmp, a user without rights, and limits. Refuses where bubblewrap is not installed, unless the grader runs
in a container that is made for grading (--container): then with setpriv as a user without rights, with limits."""

import glob
import os
import resource
import shutil
import subprocess
import threading

NOBODY = 65534
DEVICES = "/dev/nvidia*"  # a GPU's device nodes and /dev/nvidia-caps, bound where they exist. Not yet run on a GPU.


PATH = "/usr/local/cuda/bin:/usr/local/bin:/usr/bin:/bin"
in_container = False  # set by grade.py


class Refused(Exception):
    """There is no sandbox here; the message is a sentence for the teacher."""


def check():
    """Raises Refused unless a sandbox can be started."""
    if in_container:
        if os.getuid() != 0:
            raise Refused("--container needs root in the container, to run submissions as other users")
        test = subprocess.run(_as_user(0) + ["/usr/bin/true"], capture_output=True, text=True)
        if test.returncode != 0:
            raise Refused("setpriv cannot take rights away here: " + test.stderr.strip())
        return
    if shutil.which("bwrap") is None:
        raise Refused("no sandbox here: install bubblewrap (apt install bubblewrap); nothing was run")
    test = subprocess.run(_isolated() + ["/usr/bin/true"], capture_output=True, text=True)
    if test.returncode != 0:
        text = test.stderr.strip()
        if "ermission denied" in text or "not permitted" in text:
            text += "; does the system forbid user namespaces? labs/teacher/grading.md names the settings"
        raise Refused("bubblewrap cannot start a sandbox here: " + text)


def _isolated():
    command = ["bwrap", "--unshare-all", "--die-with-parent", "--new-session", "--clearenv"]
    command += ["--uid", str(NOBODY), "--gid", str(NOBODY), "--hostname", "lab"]
    command += ["--setenv", "PATH", PATH, "--setenv", "HOME", "/tmp"]
    command += ["--ro-bind", "/usr", "/usr"]
    for name in ("bin", "sbin", "lib", "lib32", "lib64"):
        if os.path.islink("/" + name):
            command += ["--symlink", os.readlink("/" + name), "/" + name]
        elif os.path.isdir("/" + name):
            command += ["--ro-bind", "/" + name, "/" + name]
    for path in ("/etc/ld.so.cache", "/etc/alternatives"):
        if os.path.exists(path):
            command += ["--ro-bind", path, path]
    command += ["--proc", "/proc", "--dev", "/dev"]
    for device in sorted(glob.glob(DEVICES)):
        command += ["--dev-bind", device, device]
    return command


def command_line(command, read_only, writable, environment, limits, slot=0):
    """The command that runs a command in the sandbox. read_only, writable: {path inside: path outside}."""
    if in_container:  # nothing is mounted: the paths outside are those inside
        variables = {"PATH": PATH, "HOME": "/tmp", **environment}
        return (
            _as_user(slot)
            + ["env", "-i", "-C", next(iter(writable.values()), "/tmp")]
            + [f"{name}={value}" for name, value in variables.items()]
            + [{**read_only, **writable}.get(word, word) for word in command]
        )
    line = _isolated()
    for folder in ("/tmp", "/dev/shm"):
        line += ["--size", str(limits["file_mb"] << 20), "--tmpfs", folder]
    for inside, outside in read_only.items():
        line += ["--ro-bind", outside, inside]
    for inside, outside in writable.items():
        line += ["--bind", outside, inside]
    line += ["--remount-ro", "/dev", "--remount-ro", "/"]  # both are memory, without a limit
    for name, value in environment.items():
        line += ["--setenv", name, value]
    if writable:
        line += ["--chdir", next(iter(writable))]
    return line + ["--"] + command


def _as_user(slot):
    user = str(user_of(slot))
    return ["setpriv", "--reuid", user, "--regid", user, "--clear-groups", "--inh-caps=-all", "--bounding-set=-all", "--no-new-privs", "--pdeathsig", "KILL", "--"]


def end(slot):
    """Ends all that a submission has left running. Bubblewrap does so by itself."""
    if in_container:
        subprocess.run(_as_user(slot) + ["kill", "-9", "--", "-1"], capture_output=True)


def remove_at_end(folder):
    """Removes a folder when this process has ended, also by a signal: the end of the pipe, which is held open by the
    object returned. A compiler that is just being killed may still write."""
    command = ["sh", "-c", 'cat; rm -rf "$0" || { sleep 1; rm -rf "$0"; }', folder]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)


def cpu_seconds(limits):
    """Seconds of processor time that a process may take for all its sorts. They end a loop without end on a busy
    machine too, where the time limit of a sort is longer."""
    return limits["seconds"] * max(4, 2 * (os.cpu_count() or 1))


def user_of(slot):
    """If the grader runs as root: a user without rights for one job, which no other grader at the same time has. A
    container may have no more than 65,536 users."""
    return 60000 + slot if in_container else 100000 + 128 * (os.getpid() % 4096) + slot


def limiter(limits, limit_memory, slot):
    """A function that sets the limits in the child. `slot` gives each job at the same time another
    user, if the grader runs as root: the number of processes is counted per user."""
    user = os.getuid() or user_of(slot)

    def limit():
        # SIGXCPU says what happened; SIGKILL, at the second limit, cannot be caught.
        processor = cpu_seconds(limits)
        resource.setrlimit(resource.RLIMIT_CPU, (processor, processor + 2))
        for kind, value in (
            (resource.RLIMIT_FSIZE, limits["file_mb"] << 20),
            (resource.RLIMIT_CORE, 0),
            (resource.RLIMIT_NOFILE, 256),
            (resource.RLIMIT_NPROC, limits["processes"] + (0 if os.getuid() == 0 else _processes_of(user))),
        ):
            resource.setrlimit(kind, (value, value))
        if limit_memory:
            resource.setrlimit(resource.RLIMIT_AS, (limits["memory_mb"] << 20, limits["memory_mb"] << 20))
        if os.getuid() == 0 and not in_container:
            os.setgroups([])
            os.setresgid(user, user, user)
            os.setresuid(user, user, user)

    return limit


def light_limits(seconds):
    """A function that limits a tool which only looks at a student's files, in the child: its processor time, and 1 GB."""

    def limit():
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
        resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))

    return limit


def _processes_of(user):
    count = 0
    for task in glob.glob("/proc/[0-9]*/task/*"):
        try:
            count += os.stat(task).st_uid == user
        except OSError:
            pass
    return count


class Output:
    """Keeps the beginning and the end of a process's output, and kills it when it prints too much."""

    KEPT = 32768  # bytes of either

    def __init__(self, stream, most, process):
        self._head, self._tail = b"", b""
        self.too_much = False
        self._stream, self._most, self._process = stream, most, process
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def _read(self):
        total = 0
        while True:
            piece = self._stream.read1(65536)
            if not piece:
                return
            total += len(piece)
            room = self.KEPT - len(self._head)
            self._head += piece[:room]
            self._tail = (self._tail + piece[room:])[-self.KEPT :]
            if total > self._most:
                self.too_much = True
                self._process.kill()
                return

    def finish(self):
        self._thread.join(timeout=5)
        return (self._head + self._tail).decode("utf-8", "replace")
