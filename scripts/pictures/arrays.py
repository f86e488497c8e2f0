"""The steps of the algorithms on lists, from which the pictures take their numbers."""


def exclusive_scan(values):
    sums = [0]
    for value in values:
        sums.append(sums[-1] + value)
    return sums


def ranks(digits):
    return [digits[:i].count(digit) for i, digit in enumerate(digits)]


def moved(values, places):
    out = [None] * len(values)
    for value, place in zip(values, places):
        out[place] = value
    return out
