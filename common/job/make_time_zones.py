#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes time_zones_table.h, which time_zones.c includes, from Go's copy of the IANA time zone database.

  make_time_zones.py GOROOT > time_zones_table.h
"""
import collections
import re
import struct
import sys
import textwrap
import zipfile

FROM, TO = 1735689600, 2145916800  # 2025-01-01, 2038-01-01
WIDTH = 96

HEAD = """/* SPDX-License-Identifier: Apache-2.0 */
/* Made by make_time_zones.py. */
/* clang-format off */
"""


def read(data):
    """The rule in the footer, and the changes from FROM on that are written out: (time, offset)."""
    isut, isstd, leap, times, types, chars = struct.unpack(">6l", data[20:44])
    at = 44 + times * 5 + types * 6 + chars + leap * 8 + isstd + isut
    _, _, _, times, types, _ = struct.unpack(">6l", data[at + 20:at + 44])
    at += 44
    moments = struct.unpack(f">{times}q", data[at:at + 8 * times])
    kinds = data[at + 8 * times:at + 9 * times]
    at += 9 * times
    offsets = [struct.unpack(">lBB", data[at + 6 * i:at + 6 * i + 6])[0] for i in range(types)]
    changes = [(t, offsets[k]) for t, k in zip(moments, kinds)]
    before = [c for c in changes if c[0] <= FROM]
    later = [c for c in changes if FROM < c[0] < TO]
    if later:
        later.insert(0, (FROM, before[-1][1] if before else offsets[0]))
    return data.rstrip(b"\n").rsplit(b"\n", 1)[-1].decode(), later


def words(names):
    lines = textwrap.wrap(" ".join(sorted(names)), WIDTH - 12, break_on_hyphens=False, break_long_words=False)
    return "\n".join(f'      "{line}{" " if i + 1 < len(lines) else ""}"' for i, line in enumerate(lines))


def main():
    root = sys.argv[1]
    release = re.search(r"^DATA=(.*)$", open(root + "/lib/time/update.bash", encoding="utf-8").read(), re.M)[1]
    rules, changes = collections.defaultdict(list), collections.defaultdict(list)
    with zipfile.ZipFile(root + "/lib/time/zoneinfo.zip") as z:
        for name in z.namelist():
            data = z.read(name)
            if data[:4] == b"TZif":
                rule, later = read(data)
                rules[rule].append(name)
                if later:
                    changes[tuple(later)].append(name)
    print(HEAD + f'#define RELEASE "{release}"\n')
    print("/* Zones and links by the rule that holds for them, as in a TZif file's footer. */\nstatic const struct zone_rule rules[] = {")
    for rule, names in sorted(rules.items()):
        print(f'    {{ "{rule}",\n{words(names)} }},')
    print("};\n\n/* Changes that are written out, before the rule holds: seconds since 1970, seconds east of UTC. */")
    for i, later in enumerate(sorted(changes)):
        print(f"static const struct jr_zone_change changes_{i}[] = {{")
        print(textwrap.fill(" ".join(f"{{ {t}, {o} }}," for t, o in later).replace(" }, {", " },\0{").replace(" ", "~").replace("\0", " "),
                            WIDTH, initial_indent="    ", subsequent_indent="    ", break_long_words=False).replace("~", " "))
        print("};")
    print("static const struct zone_changes changes[] = {")
    for i, later in enumerate(sorted(changes)):
        print(f'    {{ changes_{i}, JR_ARRAY_SIZE(changes_{i}),\n{words(changes[later])} }},')
    print("};\n/* clang-format on */")


main()
