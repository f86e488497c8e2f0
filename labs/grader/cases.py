"""The sorts by which a submission is judged: groups of cases, each case another input."""

import os
import random
import time

from . import judge, worker

ANOTHER_ORDER = 65536  # of the homework's keys are sorted in another order
MOST_LIMITS = 2  # time for the sorts of a group that crash, in multiples of the limit of one sort


def groups(rubric, scores, pairs_only):
    """{group: cases}; a case: (kind of input, n, with positions?). scores: the keys of the homework."""
    both = (True,) if pairs_only else (True, False)
    # Drawn, so that no submission knows them: whole blocks, a size between the fixed ones, and many equal keys.
    draw = random.SystemRandom().randrange
    sizes = judge.SIZES + [1024 * draw(5, 30), draw(8193, 30000)]
    equal = [("all-equal", draw(20000, 30000), pairs) for pairs in both]
    homework = min(rubric["homework"]["n"], len(scores))
    return {
        # CS344 never sorted an empty array; the contract here asks for it.
        "sizes": [("uniform", n, pairs) for n in sizes if n > 0 or not pairs_only for pairs in both],
        "inputs": [(kind, rubric["inputs"]["n"], pairs) for kind in judge.KINDS for pairs in both] + equal,
        "homework": [("scores", homework, True), ("scores in another order", min(homework, ANOTHER_ORDER), True)],
    }


LEAST_TO_LOOK_AT = 4096  # elements: a smaller array may well be sorted on the host
KERNELS_N = LEAST_TO_LOOK_AT + 1
KERNELS_SECONDS = 3  # without kernels, a loop that waits for a result of one may have no end


def _carried(text, n, to_host, to_device, in_calls):
    """A sentence if the host could have told the device the order, else None. The order of n elements takes log2(n!)
    bits, 1.3 bytes an element at 4,096 and 1.8 at 65,537; whoever tells less than a byte has not sorted. Calls alone
    say nothing of keys that the host has not seen: a pass of odd_even is a launch."""
    told = to_device + in_calls if to_host >= n else to_device
    return f"tells the device as much as the order of all keys: {to_host:,} bytes came to the host, {told:,} went back ({text})" if told >= n else None


def sorts_without_kernels(builder, version, limits, slot):
    """Is a sort right although its launches do nothing? Then the host has sorted."""
    case = judge.Case("uniform", KERNELS_N, True, os.urandom(8).hex())
    try:
        with worker.Worker(builder.tools, version, KERNELS_N, limits, slot=slot, on_gpu=builder.on_gpu, kernels=False) as process:
            _, _, *outputs = process.sort(case.keys, case.positions, limit=KERNELS_SECONDS)
            return case.fault(*outputs, False) is None
    except worker.Ended:
        return False


class Run:
    """One group of cases, sorted by one submission. After a crash it starts anew with the next case."""

    def __init__(self, builder, version, rubric, slot, scores):
        self._builder, self._version, self._rubric, self._slot, self._scores = builder, version, rubric, slot, scores
        self._process, self._earlier, self._crashes = None, [], 0
        self._late = True  # may a wrong result become right a little later? Waited for until one does not
        self.whys = []  # a sentence for each wrong sort
        self.not_run = 0  # sorts that were left out after a hang or many crashes
        self.scratch = []  # the cases after which scratch memory was not returned
        self.on_host = None  # the first case that was sorted on the host
        self.carried = None  # what the host told the device in the first case in which it was much
        self.ended = None  # how the process ended, if it did

    def run(self, cases):
        """Number of right sorts."""
        passed, sorted_any, begin = 0, False, time.monotonic()
        most = max(n for _, n, _ in cases)
        for number, (kind, n, pairs) in enumerate(cases):
            case = judge.Case(kind, n, pairs, os.urandom(8).hex(), self._scores)
            try:
                if self._process is None:
                    self._earlier = []
                    limits, gpu = self._rubric["limits"], self._builder.on_gpu
                    self._process = worker.Worker(self._builder.tools, self._version, max(most, 16), limits, slot=self._slot, on_gpu=gpu)
                wrong = self._judge(case)
            except worker.Ended as error:
                self._crashed(str(error))
                late = time.monotonic() - begin > MOST_LIMITS * self._rubric["limits"]["seconds"]
                if late or "still running" in self.ended or "loaded" in self.ended:
                    self.not_run = len(cases) - number - 1
                    break
                continue
            if wrong:
                self.whys.append(f"{case.text}: {wrong}")
            else:
                passed += 1
                sorted_any |= n > 3 and case.keys != case.expected[0]  # a sort that does nothing passes the others
        if self._process:
            self._process.close()
        # A mistake shows more clearly in a larger sort.
        self.whys.sort(key=lambda why: "n = " in why and int(why.split("n = ")[1].split(",")[0]) < 255)
        return passed if sorted_any else 0

    def why(self, count):
        """One sentence for a group of `count` cases; empty if all were right."""
        if not self.whys:
            return ""
        others = f"; and {len(self.whys) - 1} more of {count} sorts are wrong" if len(self.whys) > 1 else ""
        return self.whys[0] + others + (f"; {self.not_run} were not run" if self.not_run else "")

    def _judge(self, case):
        """None if the sort is right, otherwise the mistake."""
        stable, text, n = self._rubric["stable"], case.text, len(case.keys)
        _, answer, *outputs = self._process.sort(case.keys, case.positions, f"on {text}", self._builder.seconds_for(n))
        if answer == "g":
            return "wrote beyond the end of an array"
        if n >= LEAST_TO_LOOK_AT and not self.carried:
            self.carried = _carried(text, n, *self._process.traffic())
        if answer == "s":
            self.scratch.append(text)
        if answer == "h":
            self.on_host = self.on_host or text
        wrong = case.fault(*outputs, stable, self._earlier)
        if wrong and self._crashes == 0 and self._late:
            time.sleep(0.3)
            again = self._process.fetch_again(n, case.positions is not None)
            self._late = not case.fault(*again, stable)
            if self._late:
                wrong = "the result was complete only after your_sort had returned: a thread or stream that it does not wait for"
        self._earlier = self._earlier[-3:] + [case.expected]
        return wrong

    def _crashed(self, text):
        self.whys.append(text)
        if self._process:
            self._process.close()
        self._process = None
        self._crashes += 1
        self.ended = text
