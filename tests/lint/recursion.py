#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Which functions of our programs call themselves, directly or by way of others.

    recursion.py PROGRAM...

Recursion over what comes from outside ends a process by its stack: endpoints that failed at once did that to the keeper. So each cycle of direct
calls in the linked program has to hold a function that is listed here, with what bounds its depth. Calls by pointers aren't seen; what a compiler has
made a loop of isn't either.
"""
import re
import subprocess
import sys

JSON = "the depth of a JSON document, JR_READER_DEPTH_MAX at most"
SCHEMA = "the nesting of the API's types, and the depth of a JSON document"
BOUNDED = {
    JSON: "jr_tree_clear jr_tree_copy jr_tree_measure jr_node_wipe print tree_equal diff_tree jr_field_path_keep write_from jr_field_find find_path "
          "jr_positions_write read_mapping own_members merge merge_object drop_nulls copy_object strip take_object compare_value forget has_all has_elements jr_strategic_prune warn_dropped "
          "jr_print_go redact_below jr_node_print jr_yaml_print put_items put_members read_value canonicalize_members rewrite_numbers type_at",
    SCHEMA: "read_struct decode_members drop_members find_dropped has jr_defaults_apply unknown_in jr_schema_prune trip_object equal equal_members equal_objects is_zero show_struct search_type write_members write_repeated write_row write_value write_object",
    "the fields of a path that is written in our source, or in a policy": "visit_pattern follow_names jr_pod_check_fields read_object",
    "the aspects of a configuration, four": "patch_aspect reconcile_aspect",
    "operations that wait for one another in pairs": "complete_op",
    "the folders of a path, PATH_MAX bytes at most": "walk_folder",
}
LISTED = {name: why for why, names in BOUNDED.items() for name in names.split()}


def calls_of(program):
    """Each function's direct calls, and its jumps to the beginning of another one."""
    text = subprocess.run(["objdump", "-d", "--no-show-raw-insn", program], capture_output=True, text=True, check=True).stdout
    calls, function = {}, None
    for line in text.splitlines():
        if begin := re.match(r"[0-9a-f]+ <([^>]+)>:$", line):
            function = calls.setdefault(begin[1], set())
            name = begin[1]
        elif function is not None and (to := re.search(r"\s(call|bl|b|j[a-z]+)\s+[0-9a-f]+ <([^>+]+)>$", line)):
            if to[1] in ("call", "bl") or to[2] != name:
                function.add(to[2])
    return calls


def reachable(calls, begin):
    seen, todo = set(), [begin]
    while todo:
        for name in calls.get(todo.pop(), ()):
            if name not in seen:
                seen.add(name)
                todo.append(name)
    return seen


def main():
    bad, met = 0, set()
    for program in sys.argv[1:]:
        calls = calls_of(program)
        if len(calls) < 500:
            sys.exit(f"{program}: {len(calls)} functions: is it stripped?")
        listed = {name for name in calls if name.split(".")[0] in LISTED}
        met |= {name.split(".")[0] for name in listed if name in reachable(calls, name)}
        left = {name: to - listed for name, to in calls.items() if name not in listed}
        for name in sorted(left):
            if name in reachable(left, name):
                print(f"{program}: {name} calls itself, directly or by way of others: a loop, or a line here that says what bounds it")
                bad = 1
    if not bad:
        print(f"{len(met)} functions are recursive, each with a bound")
    if unused := sorted(set(LISTED) - met):  # by the compiler's choice, or no longer
        print(f"not recursive in what it has made: {' '.join(unused)}")
    sys.exit(bad)


main()
