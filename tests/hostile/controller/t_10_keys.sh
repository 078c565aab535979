#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Finding: a key with U+0000 (spec.volumes[].csi.volumeAttributes) in a Pod, and in a Job's template, ends every stream and every list for the
# whole cluster. Seen to fail on d0e5001.
# quick
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
VOLUME='"volumes":[{"name":"v","csi":{"driver":"x.example.com","volumeAttributes":{"a\u0000b":"1"}}}]'

keys_of() { # keys_of OBJECT JSONPATH: the keys of the volume's attributes, as they are served
    k get "$1" -n "$A" -o json | grep -o '"a\\u0000b"' | sort -u
}

tenants
start_kubelet
controller
cat > "$DIR/pod.json" << J
{"apiVersion":"v1","kind":"Pod","metadata":{"name":"poison"},"spec":{"restartPolicy":"Never",
"containers":[{"name":"main","image":"busybox:1.36"}],$VOLUME}}
J
raw "$A" pods "$DIR/pod.json" > /dev/null
check "the Pod is served with that key" "$(keys_of pod/poison)" '"a\u0000b"'
unharmed

job held "" "$VOLUME" > "$DIR/job.json"
raw "$A" jobs "$DIR/job.json" > /dev/null
check "the Job is served with that key" "$(keys_of job/held)" '"a\u0000b"'
NS=$A outcome held Complete 60 2 "" CompletionsReached
check "its Pods have what its template has" "$(k get pods -n "$A" -l batch.kubernetes.io/job-name=held -o json | grep -c '"a\\u0000b": "1"')" 2
check "so has the Job still" "$(keys_of job/held)" '"a\u0000b"'
completes "$B" after
check "no object was unreadable" "$(exposed jobreeve_unreadable_objects_total)" 0
