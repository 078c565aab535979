#!/bin/bash
# Finding: objects as large as an API server takes them. Each costs only itself, and a Job with such a template runs.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

# large JOB: as large as etcd takes it; the value is made of characters that JSON writes in six bytes
large() {
    job "$1" | awk -v n=1200 '{ gsub(/"image":"busybox:1.36"/, "&,\"env\":[{\"name\":\"BLOB\",\"value\":\"@@\"}]") }
        { i = index($0, "@@"); if (!i) { print; next }
          printf "%s", substr($0, 1, i - 1); for (k = 0; k < n; k++) for (j = 0; j < 64; j++) printf "\\u0001\\u0001<<<<<<<<<<<<<<"
          print substr($0, i + 2) }'
}

tenants
start_kubelet
controller
for i in 1 2 3; do
    large "large-$i" > "$DIR/large.json"
    raw "$A" jobs "$DIR/large.json" > /dev/null
done
check_more "a Job of A as it is served, in bytes" "$(k get --raw "/apis/batch/v1/namespaces/$A/jobs/large-1" | wc -c)" 1200000
for i in 1 2 3; do NS=$A outcome "large-$i" Complete 60 2 "" CompletionsReached; done
unharmed
check "no object was unreadable" "$(exposed jobreeve_unreadable_objects_total)" 0
