"""Names for the addresses of a traced program: arrays by the variable that their allocation is assigned to,
parameters by the kernel's definition, kernels by the symbol table."""

import glob
import os
import re
import subprocess


def read(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()


def lab_of(folder):
    """The lab whose starter a folder was made from, or None."""
    match = re.search(r'\.title = "lab: (\w+)"', read(f"{folder}/student_func.cu"))
    return match and match[1]


def without_comments(text):
    """Comments become spaces; lines keep their numbers."""
    blank = lambda match: re.sub(r"[^\n]", " ", match[0])
    return re.sub(r"//[^\n]*|/\*.*?(?:\*/|\Z)", blank, text, flags=re.S)


def parameters_at(text, start):
    """Names of the parameters behind the opening parenthesis at text[start]."""
    depth, names, last = 0, [], start + 1
    for i in range(start, len(text)):
        depth += text[i] in "(<[" or -(text[i] in ")>]")
        if (text[i] == "," and depth == 1) or depth == 0:
            words = re.findall(r"[A-Za-z_]\w*", re.sub(r"\[[^]]*\]|=.*", "", text[last:i]))
            names.append(words[-1] if words else "")
            last = i + 1
        if depth == 0:
            return names
    return names


def kernel_parameters(folder):
    """{kernel: names of its parameters} from the folder's sources and common/."""
    kernels = {}
    for path in glob.glob("common/*.cuh") + sorted(glob.glob("radix_*/*.cuh")) + glob.glob(f"{folder}/*.cu*"):
        text = without_comments(read(path))
        for match in re.finditer(r"__global__\s+(?:void\s+)?(?:__launch_bounds__\s*\([^)]*\)\s*)?(?:void\s+)?(\w+)\s*\(", text):
            kernels[match[1]] = parameters_at(text, match.end() - 1)
    return kernels


def sort_parameters(folder):
    """The five names in the folder's definition of your_sort."""
    text = without_comments(read(f"{folder}/student_func.cu"))
    match = re.search(r"\bvoid\s+your_sort\s*\(", text)
    names = parameters_at(text, match.end() - 1) if match else []
    return names if len(names) == 5 else ["d_inputVals", "d_inputPos", "d_outputVals", "d_outputPos", "numElems"]


class Program:
    """Addresses of an executable, as offsets from its start."""

    def __init__(self, path):
        self.path = path
        done = subprocess.run(["nm", "-C", "--defined-only", path], capture_output=True, text=True)
        rows = [line.split(" ", 2) for line in done.stdout.splitlines() if line.count(" ") >= 2]
        self.symbols = {int(row[0], 16): row[2] for row in rows}
        starts = [address for address, name in self.symbols.items() if name == "__executable_start"]
        self.start = starts[0] if starts else 0

    def kernel(self, offset):
        name = self.symbols.get(self.start + offset, "")
        name = re.sub(r"\(anonymous namespace\)::|\[clone [^]]*\]", "", name)
        return re.sub(r"^.*? (?=\w+(<.*>)?\()", "", re.sub(r"\(.*", "(", name, flags=re.S)).rstrip("(")

    def places(self, offset):
        """(file, line) of a call, given its return address; inlined callers follow."""
        command = ["addr2line", "-i", "-e", self.path, hex(self.start + offset - 1)]
        lines = subprocess.run(command, capture_output=True, text=True).stdout.splitlines()
        found = re.findall(r"^(.*):(\d+)", "\n".join(lines), flags=re.M)
        return [(path, int(line)) for path, line in found if os.path.isfile(path)]

    def variable(self, offset):
        """The variable that an allocation is assigned to, or None."""
        for path, line in self.places(offset):
            before = without_comments(read(path)).split("\n")[:line]
            statement = re.split(r";", " ".join(before[-6:]).rstrip("; "))[-1]
            match = re.search(r"cudaMalloc\w*\s*\((?:\s*\([^()]*\))*\s*&\s*([\w.>-]+)", statement)
            assigned = re.findall(r"([A-Za-z_][\w.]*)\s*=(?!=)", statement)
            if match or assigned:
                return match[1] if match else assigned[-1]
        return None
