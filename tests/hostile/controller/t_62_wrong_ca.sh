#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Finding: CA files are read once, and a standby with a wrong CA retries for ever and says ready.
# A controller whose CA file is another's is not ready, and says why, once it could not read its Lease for the Lease's duration (5 s here).
# When the file is replaced it gets to work, without a restart. Seen to fail on d0e5001: it said ready, and never read the right file.
. "$(dirname "${BASH_SOURCE[0]}")/../../e2e/lib.sh"
. "$E2E/jobs.sh"
NS=wrong-ca
FILE=$DIR/wrong-ca.crt

readyz() {
    http_get "$HEALTH" /readyz
}
says_why() {
    curl -sS --max-time 10 "http://$HEALTH/readyz" | grep "not ready: on standby, and the lease can't be read: .*certificate-authority $FILE"
}
logged() { # logged MESSAGE [TEXT]
    log_since_start controller | grep "\"msg\":\"$1\"" | grep "${2:-.}"
}

fresh_namespace $NS
start_kubelet
user controller-replace "$E2E/rbac/controller-replace.yaml"
pki_ca "$DIR/pki" wrong-ca
cp "$DIR/pki/wrong-ca.crt" "$FILE"
sed "s|certificate-authority-data: [^}]*|certificate-authority: \"$FILE\"|" "$DIR/controller-replace.conf" > "$DIR/wrong-ca.conf"
check "the kubeconfig names the file" "$(grep -c "certificate-authority: \"$FILE\"" "$DIR/wrong-ca.conf")" 1
spawn controller "$JR_BIN/jobreeve-controller" --kubeconfig "$DIR/wrong-ca.conf" --health-probe-bind-address 127.0.0.1:0 \
    --metrics-bind-address 127.0.0.1:0 --replace-builtin --leader-elect-lease-duration 5s --leader-elect-renew-deadline 4s \
    --leader-elect-retry-period 1s
ALIVE=controller await 60 "the controller" listener controller health
HEALTH=$(listener controller health)
ALIVE=controller check_await "it is not ready, and says by which file" 60 says_why
check_await "the log says so, too" 60 logged "the lease is not read" "certificate-authority $FILE"

printf 'no certificate\n' > "$FILE"
check_await "a file that can't be used is named" 60 logged "certificates not read again, the old ones stay" "$FILE"
cp "$DIR/pki/ca.crt" "$FILE"
ALIVE=controller check_await "with the right file it is ready" 60 readyz
check_await "the log says that it was read again" 60 logged "certificates read again"
cat << Y | k create -n $NS -f - > /dev/null
apiVersion: batch/v1
kind: Job
metadata: {name: after}
spec:
  template:
    metadata: {annotations: {kubelet.jobreeve.dev/duration: 200ms}}
    spec:
      restartPolicy: Never
      containers: [{name: main, image: "busybox:1.36"}]
Y
outcome after Complete 60 1 "" CompletionsReached
proc_stop controller
check "the controller ends well" "$STOP_STATUS" 0
