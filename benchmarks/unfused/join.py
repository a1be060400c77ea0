# Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which kernels of two plans of one program compute the same ops.

Kernels are those of reports (docs/report.md): an op is known by where it was written. An op that is written as one and
computed as several, or computed again in another kernel, ties kernels together: a group has all kernels of both plans
that share a place, directly or by way of others.
"""


class Group:
    """Ids of kernels of either plan, in order."""

    def __init__(self):
        self.fused, self.unfused = [], []

    def times(self, fused_ms, unfused_ms):
        """Those of both sides, in ms, from the times by id."""
        return sum(fused_ms[i] for i in self.fused), sum(unfused_ms[i] for i in self.unfused)


def kernels_of(report):
    """Those of a report's only function that have been timed; not the host's ops."""
    return [kernel for kernel in report["functions"][0]["kernels"] if kernel["label"] != "host" and "ms" in kernel]


def join(fused, unfused):
    """The groups, and the ids of unfused kernels whose ops no fused kernel has (they became part of no kernel)."""
    parents = {}

    def root(place):
        while parents.setdefault(place, place) != place:
            parents[place] = parents[parents[place]]
            place = parents[place]
        return place

    for kernel in fused:
        for place in kernel["locations"][1:]:
            parents[root(place)] = root(kernel["locations"][0])
    known = {place for kernel in fused for place in kernel["locations"]}
    # An unfused kernel has ops of one place as a rule; where it has more, these were never apart.
    for kernel in unfused:
        places = [place for place in kernel["locations"] if place in known]
        for place in places[1:]:
            parents[root(place)] = root(places[0])
    groups, lost = {}, []
    for kernel in fused:
        if kernel["locations"]:
            groups.setdefault(root(kernel["locations"][0]), Group()).fused.append(kernel["id"])
    for kernel in unfused:
        place = next((place for place in kernel["locations"] if place in known), None)
        if place is None:
            lost.append(kernel["id"])
        else:
            groups[root(place)].unfused.append(kernel["id"])
    return list(groups.values()), lost


def merged(groups):
    """The groups that fusion has changed: of one kernel on either side there is nothing to compare."""
    return [group for group in groups if group.unfused and (len(group.fused), len(group.unfused)) != (1, 1)]


def sure_ratio(ratios):
    """The ratio that three of four rounds reach."""
    return sorted(ratios)[len(ratios) // 4]


def may_be_above(ratios, limit, rounds):
    """Whether three of four rounds can still be above, after some of them."""
    above = sum(ratio > limit for ratio in ratios)
    return above + rounds - len(ratios) >= rounds - rounds // 4
