"""Checks what --time SECONDSs printed: OUTPUT.txt SECONDS."""

import re
import sys

text = open(sys.argv[1]).read()
seconds = float(sys.argv[2])
median, least, count = re.search(r"run: median (\S+) ms, least (\S+) ms of (\d+)", text).groups()
median, least, count = float(median), float(least), int(count)
assert 0 <= least <= median and count >= 1, text
# All of it takes the time that was asked for, of which the runs have a part.
assert least * count <= 1000 * seconds + 2 * median + 1, (least, count, seconds)
if count >= 100:
    p50, p90, p99 = map(float, re.search(r"p50 (\S+) ms, p90 (\S+) ms, p99 (\S+) ms", text).groups())
    assert least <= p50 <= p90 <= p99, text
    assert abs(p50 - median) <= 0.001 + 0.2 * median, text
throughput = float(re.search(r"throughput: (\S+) runs/s", text).group(1))
assert least == 0 or throughput <= 1001 / least, text
