"""gdb for kernels on the cpu backend: source this file, or use make debug. Backtraces show the kernel, its launch and
nothing in between; `cuda thread` and `cuda threads` name the running thread and all threads of its block."""

import re

import gdb
from gdb.FrameDecorator import FrameDecorator

HIDDEN = re.compile(r"^(cuda_cpu::|std::|boost::|make_fcontext|jump_fcontext|__wrap_|wrap_launch|wrap_argument)")
# Offsets of the saved frame pointer and return address in a suspended stack, x86-64 (cuda_cpu/src/launch/fiber.cpp).
SAVED_RBP, SAVED_RIP = 0x28, 0x30


def value(text):
    return gdb.parse_and_eval(text)


def triple(vector):
    return f"({int(vector['x'])},{int(vector['y'])},{int(vector['z'])})"


def shape(vector):
    return str(int(vector["x"])) if int(vector["y"]) == 1 and int(vector["z"]) == 1 else triple(vector)


def in_kernel():
    try:
        return int(value("cuda_cpu::current").cast(gdb.lookup_type("long"))) != 0
    except gdb.error:
        return False  # not running, or no cpu backend


def block_state():
    return value("*(cuda_cpu::BlockState *)cuda_cpu::current_block")


def need_kernel():
    if not in_kernel():
        raise gdb.GdbError("not in a kernel: set a breakpoint in one, and continue")


# ---- backtraces


def is_kernel(frame, caller):
    """A kernel is called by the lambda that stands at its launch: operator() in the program's own source."""
    return caller is not None and caller.name() is not None and caller.name().startswith("operator()") and is_launch(caller)


def is_launch(frame):
    if frame.name() is None or not frame.name().startswith("operator()"):
        return False
    symtab = frame.find_sal().symtab
    return symtab is not None and "cuda_cpu/" not in symtab.filename and not symtab.filename.startswith("/usr/")


def function_at(pc):
    """The name of the function around an address, or None."""
    block = gdb.block_for_pc(pc)
    while block is not None and block.function is None:
        block = block.superblock
    return block.function.print_name if block is not None else None


def host_function(frame):
    """The function around a launch. The lambda that calls the kernel stands on a line of the launch, to which code of
    that function belongs too."""
    place = frame.find_sal()
    lines = place.symtab.linetable()
    for line in (place.line + offset for offset in (0, -1, 1, -2, 2, -3, 3)):  # a launch may take several lines
        for entry in lines.line(line) or ():
            name = function_at(entry.pc) or "operator()"
            if not name.startswith(("operator()", "cuda_cpu::", "std::")) and "lambda" not in name:
                return name.split("(")[0]
    return "host code"


class KernelFrame(FrameDecorator):
    def function(self):
        block = block_state()
        return f"{self.inferior_frame().name()}<<<{shape(block['grid'].dereference()['launch']['grid'])}, {block_shape()}>>>"


class LaunchFrame(FrameDecorator):
    def function(self):
        return f"launched by {host_function(self.inferior_frame())}"

    def frame_args(self):
        return None

    def address(self):
        return None


def block_shape():
    return shape(value("cuda_cpu::blockDim"))


class CudaFrameFilter:
    def __init__(self):
        self.name, self.priority, self.enabled = "cuda", 100, True
        gdb.frame_filters[self.name] = self

    def filter(self, frames):
        for decorated in frames:
            frame = decorated.inferior_frame()
            name = frame.name()
            if in_kernel() and is_launch(frame):
                yield LaunchFrame(decorated)
                return  # behind it there is only the machinery that runs the threads of a block
            if name is None or HIDDEN.match(name):
                continue
            yield KernelFrame(decorated) if in_kernel() and is_kernel(frame, frame.older()) else decorated


# ---- commands


def thread_state(block, number):
    """State of a thread of the running block, and the line where it waits."""
    threads = block["threads"]
    current = int(value("cuda_cpu::current->number"))
    if number == current:
        return "runs"
    if not block["collective"]:  # until the first barrier, threads run one after the other
        return "has returned" if number < current else "has not started"
    warp = block["warps"][number // 32]
    if int(warp["returned"]) >> (number % 32) & 1 or (block["ending"] and number < current):
        return "has returned"
    if number >= int(block["started"]):
        return "has not started"
    site = threads[number]["site"]
    place = f"{site['what'].string()}, {site['file'].string()}:{int(site['line'])}"
    # In a wave (cuda_cpu/src/launch/block.h) the threads behind the running one can go on; the sets of lanes say nothing then.
    is_ready = number > current if block["wave"] or block["ending"] else int(warp["ready"]) >> (number % 32) & 1
    return f"goes on after {place}" if is_ready else f"waits at {place}"


def ranges(numbers):
    """'0-4, 7' for [0, 1, 2, 3, 4, 7]"""
    texts, first = [], 0
    for i in range(len(numbers)):
        if i + 1 == len(numbers) or numbers[i + 1] != numbers[i] + 1:
            texts.append(str(numbers[i]) if i == first else f"{numbers[first]}-{numbers[i]}")
            first = i + 1
    return ", ".join(texts)


class Cuda(gdb.Command):
    """The CUDA thread that runs, and all threads of its block (cpu backend).

    cuda thread      kernel, block, thread, warp and lane of the running thread
    cuda thread N    state of thread N of the block; its backtrace while it waits
    cuda threads     state of each thread of the block"""

    def __init__(self):
        super().__init__("cuda", gdb.COMMAND_STACK)

    def invoke(self, text, from_tty):
        words = text.split()
        if words == ["threads"]:
            need_kernel()
            self.threads()
        elif words[:1] == ["thread"] and len(words) <= 2 and all(word.isdigit() for word in words[1:]):
            need_kernel()
            self.thread(int(words[1])) if len(words) == 2 else self.focus()
        else:
            raise gdb.GdbError("cuda thread, cuda thread N or cuda threads")

    def focus(self):
        launch = block_state()["grid"].dereference()["launch"]
        number = int(value("cuda_cpu::current->number"))
        print(f"kernel {launch['name'].string()}<<<{shape(launch['grid'])}, {shape(launch['block'])}>>>, "
              f"block {triple(value('cuda_cpu::blockIdx'))}, thread {triple(value('cuda_cpu::threadIdx'))}, "
              f"warp {number // 32}, lane {number % 32}")

    def threads(self):
        block = block_state()
        states = {}
        for number in range(int(block["count"])):
            states.setdefault(thread_state(block, number), []).append(number)
        for state, numbers in sorted(states.items(), key=lambda item: item[1]):
            print(f"  {ranges(numbers):<16} {state}")

    def thread(self, number):
        block = block_state()
        if number >= int(block["count"]):
            raise gdb.GdbError(f"the block has {int(block['count'])} threads")
        state = thread_state(block, number)
        print(f"thread {number} {state}")
        if not state.startswith(("waits", "goes on")):
            return
        context = int(block["threads"][number]["stack"].cast(gdb.lookup_type("long")))
        level = 0
        for pc in saved_addresses(context):
            name = function_at(pc) or ""
            place = gdb.find_pc_line(pc - 1)
            if not name or place.symtab is None or HIDDEN.match(name) or "cuda_cpu/" in place.symtab.filename:
                continue
            launch = "operator()" in name
            print(f"#{level}  {'the launch' if launch else name.split('(')[0]} at {place.symtab.filename}:{place.line}")
            if launch:
                return
            level += 1


def saved_addresses(context):
    """Return addresses of a suspended stack, the innermost first; a build without optimisation keeps frame pointers."""
    def word(address):
        return int(gdb.Value(address).cast(gdb.lookup_type("long").pointer()).dereference())
    try:
        pc, frame = word(context + SAVED_RIP), word(context + SAVED_RBP)
        for _ in range(64):
            yield pc
            pc, frame = word(frame + 8), word(frame)
    except gdb.MemoryError:
        return


CudaFrameFilter()
Cuda()
