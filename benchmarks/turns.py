# Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Two programs that are timed in turn, until it is clear whether the first one is slower."""

import statistics

CLEAR = 0.95  # a ratio below which a round says that the program is not slower
MORE = 3  # times as many rounds, for programs that seem to be slower


def ratio_of(rounds):
    """The median of the rounds' ratios, of pairs of times."""
    return statistics.median(time / reference if reference else 1.0 for time, reference in rounds)


def is_clear(rounds):
    """Two rounds say that the program is not slower, and more rounds need not be asked."""
    return len(rounds) > 1 and all(time < CLEAR * reference for time, reference in rounds)


def take_turns(measure, count, wanted):
    """Pairs of times, one for each of `count` rounds: `measure()` gives a pair. A program that is clearly not slower is not
    asked again, and one whose ratio is above `wanted` after all rounds is asked for MORE times as many."""
    rounds, most = [], count
    while len(rounds) < most and not is_clear(rounds):
        rounds.append(measure())
        if len(rounds) == count and ratio_of(rounds) > wanted:
            most = MORE * count
    return rounds
