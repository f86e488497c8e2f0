"""What a submission could reach outside its sort. It shares a process with the grader's worker: code that reads
the worker's commands, or runs before it, could give answers in the place of a sort. Read from the compiled
file before anything of it runs; a submission with such code waits for a person."""

import re
import subprocess

from .builder import lines_of, symbols

# The first pattern that a name matches in full. C++ names are as the linker knows them.
REACHES = {
    r"v?fork|clone3?|exec[vl]\w*|fexecve|system|popen|posix_spawn\w*|wait(pid|id|3|4)?": "starts processes",
    r"kill|killpg|getppid|raise|tgkill|sigqueue|ptrace|pidfd_\w+": "sends signals",
    r"signal|sigaction|sig\w+|setitimer|alarm|timer_\w+|_?_?(sig)?setjmp|_?longjmp": "runs code at signals",
    r"pthread_create|thrd_create|_ZNSt6thread\w*|_ZNSt6jthread\w*|_ZSt\w*async\w*": "starts threads",
    r"f?re?open\w*|fopen\w*|fdopen|open(at|dir|64|at64)?|creat\w*|unlink\w*|rename\w*|remove|tmpfile\w*|mkstemp\w*|_ZN\w*(basic_filebuf|basic_[io]?fstream|basic_file|10filesystem)\w*": "opens files",
    r"dlopen|dlsym|dlvsym|dlm?open|dladdr\w*|dl_iterate_phdr|mmap\w*|mprotect|mremap|process_vm_\w+|prctl|syscall|_r_debug|_dl_\w+|__libc_\w+_main": "reaches into the process",
    r"close\w*|dup[23]?|fcntl\w*|ioctl|poll|ppoll|select|pselect|p?(read|write)v?(64)?|recv\w*|send\w*|shutdown|pipe2?|splice|shm\w+|memfd_create": "uses file descriptors",
    r"socket\w*|connect|bind|listen|accept\w*|getaddrinfo": "uses the network",
}

# What a sort may call besides.
HARMLESS = "|".join(
    (
        r"(__wrap_)?_*cuda\w*|(check|knobs?|lab|scratch|stages?)_\w+|knob",  # CUDA, common/
        r"_Z\w+",  # C++
        r"__cxa_\w+|__gxx_personality_v0|_Unwind_\w+|__gmon_start__|_ITM_\w+|__tls_get_addr|__stack_chk_fail|__dso_handle|__errno_location|__libc_single_threaded",
        r"__[a-z]+[sdtq]i[2-4]|GOMP_\w+|omp_\w+|_?_?pthread_(key_create|once|mutex_\w+|self)|__cudart\w*",  # the compiler's own
        r"(__)?(mem(set|cpy|move|cmp|chr|rchr|pcpy)|str(len|nlen|n?cpy|n?cat|n?cmp|r?chr|str|tol|toul|toll|toull|tod|tof|error|dup|spn|cspn|tok))(_chk)?",
        r"malloc|calloc|realloc|free|aligned_alloc|posix_memalign|qsort|bsearch|l?l?abs|ato(i|l|ll|f)",
        r"(__)?v?(f|s|sn|as)?printf(_chk)?|(__isoc\d+_)?sscanf|f?puts|f?putc|putchar|fwrite|fflush|perror|stdout|stderr",
        r"s?rand(om)?(_r)?|[del]rand48|time|clock(_gettime)?|gettimeofday|difftime|u?sleep|nanosleep|sched_yield|getenv",
        r"exit|_exit|_Exit|quick_exit|abort|__assert_fail",
        r"(sqrt|cbrt|pow|exp2?|log(2|10|1p)?|ceil|floor|l?l?round|trunc|fabs|fma|fmod|fmin|fmax|sin|cos|tan|ldexp|frexp|l?l?rint|nearbyint|hypot)[fl]?",
    )
)


# Ways to the host that labs/check/host_copies.c does not watch.
UNWATCHED = r"cuda(MallocManaged|MallocHost|Host\w+|Memcpy(?!Async$)\w+|Memset(?!Async$)\w+|LaunchHostFunc\w*|StreamAddCallback|MemPrefetch\w*|Graph\w+)"


def unwatched(version):
    """A sentence, if the host could sort without being noticed."""
    names = sorted({name for name in symbols(version, "--undefined-only") if re.fullmatch(UNWATCHED, name)})
    return [f"may reach the host in ways that are not watched: {', '.join(names[:4])}"] if names else []


def reaches(version):
    """Sentences without a subject: "starts threads: pthread_create". Empty if there is nothing to look at."""
    found = {}
    for name in sorted(set(symbols(version, "--undefined-only"))):
        text = next((text for pattern, text in REACHES.items() if re.fullmatch(pattern, name)), None)
        if text or not re.fullmatch(HARMLESS, name):
            found.setdefault(text or "calls what a sort does not need", []).append(name)
    texts = [f"{text}: {', '.join(names[:4])}" for text, names in found.items()]
    early = _before_main(version)
    if early:
        texts.append(f"runs code before the sort is called: {', '.join(early[:4])}")
    direct = re.compile(r"\t(syscall|sysenter|int +\$0x80)\s")
    if any(direct.search(line) for line in lines_of("objdump", "-d", "--no-show-raw-insn", version)):
        texts.append("calls the system by a direct instruction")
    return texts


def _output(*command):
    return subprocess.run(command, capture_output=True, text=True, errors="replace").stdout


def _before_main(version):
    """Functions that the loader calls: constructors and resolvers, without those that the compiler makes for
    objects of C++."""
    names, resolvers = {}, []
    for line in _output("nm", version).splitlines():
        fields = line.split()
        if len(fields) == 3 and fields[1] in "TtWwi":
            names[int(fields[0], 16)] = fields[2]
            resolvers += [fields[2]] if fields[1] == "i" else []
    sections = _output("readelf", "-SW", version)
    places = re.findall(r"\.(?:preinit_array|init_array|ctors)\S*\s+\w+\s+([0-9a-f]+)\s+[0-9a-f]+\s+([0-9a-f]+)", sections)
    called = []
    for line in _output("readelf", "-rW", version).splitlines():
        match = re.match(r"([0-9a-f]{8,})\s+\w+\s+(R_\w+_(?:RELATIVE|64|ABS64|IRELATIV\w*))\s+(.*)", line)
        if not match:
            continue
        address, target = int(match[1], 16), match[3].split()
        if "IRELATIV" in match[2]:
            resolvers.append("a resolver of a function")
        elif any(int(start, 16) <= address < int(start, 16) + int(size, 16) for start, size in places):
            # "ADDRESS", or "VALUE NAME + OFFSET" for a function that others may call
            name = target[1].split("@")[0] if len(target) > 1 else names.get(int(target[0], 16), "a function without a name")
            called.append(name)
    own = [name for name in called if not re.fullmatch(r"frame_dummy|_GLOBAL__sub_I[_.].*|_ZL\d+__sti____cudaRegisterAllv", name)]
    return sorted(set(own + resolvers))
