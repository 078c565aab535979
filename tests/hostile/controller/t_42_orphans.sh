#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Finding: a long text of claim errors ends the process. Before a Job adopts Pods it is read anew; where that fails there is an error for each Pod
# that nobody controls and its selector matches. Of 7,000 of them, or of these with their long names, the text was above its limit, which was
# taken for a lack of memory, and the process ended; the next one likewise. B's Jobs complete meanwhile, by the same process. Seen to fail on
# d0e5001: "giving up", and it ended.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
NAME=$(printf 'orphan%.0s' $(seq 40)) # 240 letters, and a number of seven
N=3000

adopting() { # a Job that would adopt them all, and makes none
    cat << J
{"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"adopting"},"spec":{"manualSelector":true,"suspend":true,
"selector":{"matchLabels":{"a":"orphan"}},
"template":{"metadata":{"labels":{"a":"orphan"}},"spec":{"restartPolicy":"Never","containers":[{"name":"main","image":"busybox:1.36"}]}}}}
J
}
refused_reads() { # refused_reads MORE-THAN: the Job was to be read anew, and could not
    [ "$(proxied "^403! GET .*/namespaces/$A/jobs/adopting")" -gt "$1" ]
}

tenants
start_kubelet
proxy orphans
proxied_conf "$DIR/pki/orphans.crt"
start_controller_by "$DIR/proxied.conf" --replace-builtin
PID=$(proc_pid controller)

faults "always GET /namespaces/$A/jobs/adopting$ 403"
crowd "$A" $N "$NAME" '"a":"orphan"'
adopting > "$DIR/adopting.json"
raw "$A" jobs "$DIR/adopting.json" > /dev/null
ALIVE=controller check_await "the Job can't be read anew" 60 refused_reads 0
completes "$B" beside
TRIES=$(proxied '^403! ')
ALIVE=controller check_await "it is tried again" 120 refused_reads "$TRIES"
completes "$B" again
check "the controller is the same" "$(proc_pid controller)" "$PID"
proc_stop controller
check "the controller ends well" "$STOP_STATUS" 0
