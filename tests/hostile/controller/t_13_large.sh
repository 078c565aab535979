#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Finding: objects as large as an API server takes them, and one that is served as six times its size, since Go writes "<" as \u003c. Each
# costs only itself, and a Job with a large template runs. Seen on d0e5001: all were borne, but the one with "<" never completed.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

# large JOB TEXT TIMES: with an environment of so many times that text
large() {
    job "$1" | awk -v text="$2" -v n="$3" '{ gsub(/"image":"busybox:1.36"/, "&,\"env\":[{\"name\":\"BLOB\",\"value\":\"@@\"}]") }
        { i = index($0, "@@"); if (!i) { print; next }
          printf "%s", substr($0, 1, i - 1); for (k = 0; k < n; k++) printf "%s", text; print substr($0, i + 2) }'
}
served() { # served JOB: bytes
    k get --raw "/apis/batch/v1/namespaces/$A/jobs/$1" | wc -c
}

tenants
start_kubelet
controller
for i in 1 2 3; do
    large "large-$i" "sixteen letters " 85000 > "$DIR/large.json"
    raw "$A" jobs "$DIR/large.json" > /dev/null
    check_more "large-$i as it is served, in bytes" "$(served "large-$i")" 1300000
done
for i in 1 2 3; do NS=$A outcome "large-$i" Complete 60 2 "" CompletionsReached; done
large blown "<<<<<<<<<<<<<<<<" 80000 > "$DIR/large.json"
raw "$A" jobs "$DIR/large.json" > /dev/null
check_more "blown as it is served, in bytes" "$(served blown)" 7000000
# what is written back is as large as what was stored, not as what was served: an API server reads at most 3 MiB
NS=$A outcome blown Complete 60 2 "" CompletionsReached
unharmed
check "no object was unreadable" "$(exposed jobreeve_unreadable_objects_total)" 0
