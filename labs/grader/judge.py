"""Inputs for a sort, and what is wrong with its output. Nothing here runs in a submission's process."""

import array
import random

SIZES = [0, 1, 2, 3, 31, 32, 33, 255, 256, 257, 1000, 1023, 1024, 1025, 4097, 65537]
KINDS = ["sorted", "reverse", "all-equal", "few-distinct", "bit-31", "high-bits", "low-bits", "ones", "other-positions"]


def make_keys(kind, n, seed, scores=()):
    """(keys, positions): n keys of a kind; the same seed gives the same input. scores: the homework's keys,
    of which the kinds "scores" and "scores in another order" take the first n."""
    source = random.Random(f"{kind} {n} {seed}")
    word = lambda: source.getrandbits(32)
    if kind.startswith("scores"):
        keys = list(scores[:n])
        if kind != "scores":
            source.shuffle(keys)
    elif kind == "sorted":
        keys = sorted(word() for _ in range(n))
    elif kind == "reverse":
        keys = sorted((word() for _ in range(n)), reverse=True)
    elif kind == "all-equal":
        keys = [word()] * n
    elif kind == "few-distinct":
        few = [word() for _ in range(5)]
        keys = [source.choice(few) for _ in range(n)]
    elif kind == "bit-31":
        keys = [word() & 0x80000003 for _ in range(n)]
    elif kind == "high-bits":
        keys = [word() & 0xFF000000 for _ in range(n)]
    elif kind == "low-bits":
        keys = [word() & 0xFF for _ in range(n)]
    elif kind == "ones":
        keys = [0xFFFFFFFF if word() & 1 else 0xFFFFFFFE for _ in range(n)]
    else:  # uniform, other-positions
        keys = [word() for _ in range(n)]
    positions = list(range(n))
    if kind == "other-positions":
        positions = [word() for _ in range(n)]
    return array.array("I", keys), array.array("I", positions)


def right_answer(keys, positions):
    order = sorted(range(len(keys)), key=keys.__getitem__)
    sorted_keys = array.array("I", (keys[i] for i in order))
    return sorted_keys, None if positions is None else array.array("I", (positions[i] for i in order))


class Case:
    """A sort: its input, and what is right of it. pairs: with positions. seed, scores: see make_keys()."""

    def __init__(self, kind, n, pairs, seed, scores=()):
        self.text = f"{kind}, n = {n}, {'pairs' if pairs else 'bare keys'}"
        self.keys, positions = make_keys(kind, n, seed, scores)
        self.positions = positions if pairs else None
        self.expected = right_answer(self.keys, self.positions)

    def fault(self, out_keys, out_positions, stable, earlier=()):
        return fault(self.keys, self.positions, self.expected, out_keys, out_positions, stable, earlier)


def _signed(value):
    return value - (1 << 32) if value >> 31 else value


def fault(keys, positions, expected, out_keys, out_positions, stable, earlier=()):
    """None if the output is right; otherwise a sentence that names the mistake. expected: what
    right_answer returned; earlier: right answers of earlier inputs."""
    want_keys, want_positions = expected
    n = len(keys)
    if out_keys == want_keys and (positions is None or out_positions == want_positions):
        return None
    if out_keys != want_keys:
        first = next(i for i in range(n) if out_keys[i] != want_keys[i])
        where = f"key {first} is {out_keys[first]}, expected {want_keys[first]}"
        if any(out_keys == old[0] for old in earlier if len(old[0]) == n):
            return f"gives the answer of an earlier input again, it did not sort this one ({where})"
        if out_keys == keys:
            return f"the output is the input, unsorted ({where})"
        if all(value == 0xA5A5A5A5 for value in out_keys):
            return f"the outputs were not written ({where})"
        if not any(out_keys):
            return f"all outputs are zero ({where})"
        if sorted(out_keys) == list(want_keys):
            signed = sorted(keys, key=_signed)
            descending = list(want_keys)[::-1]
            if list(out_keys) == signed == descending:  # as keys of two values may be
                return f"in descending order, which here is also the order of signed numbers ({where})"
            if list(out_keys) == signed:
                return f"in the order of signed numbers: keys with bit 31 come first ({where})"
            if list(out_keys) == descending:
                return f"in descending order ({where})"
            for bits in range(1, 32):
                if list(out_keys) == sorted(keys, key=lambda key: key & ((1 << bits) - 1)):
                    return f"sorted by the lowest {bits} bits only: is a pass missing, or its result not in the outputs? ({where})"
            return f"wrong order, though no key is lost ({where})"
        if 0xDBDBDBDB in out_keys:
            return f"keys come from memory that was never written: it holds 3688618971, 0xDBDBDBDB ({where})"
        wrong = sum(a != b for a, b in zip(out_keys, want_keys))
        if first == n - n % 256 and n % 256 and wrong <= n % 256:
            return f"only the last, partly filled tile is wrong ({where})"
        return f"keys are lost or invented; {wrong} of {n} places are wrong ({where})"
    first = next(i for i in range(n) if out_positions[i] != want_positions[i])
    where = f"position {first} is {out_positions[first]}, expected {want_positions[first]}"
    if any((out_keys, out_positions) == tuple(old) for old in earlier):
        return f"gives the answer of an earlier input again, it did not sort this one ({where})"
    if sorted(zip(out_keys, out_positions)) != sorted(zip(want_keys, want_positions)):
        return f"keys are right, but a position no longer belongs to its key ({where})"
    return f"not stable: equal keys changed their order ({where})" if stable else None
