#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Finding: CA files are read once. The API server gets a certificate of another CA while the controller runs, and a moment later the CA's file
# is another one, as in a cluster whose CA is renewed: the controller goes on, by the same process, once and once more. Until the file is
# there it asks nothing of who serves by a CA that it doesn't know. Seen to fail on d0e5001: no Job after the first CA has completed.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
FILE=$DIR/served-ca.crt

turned_down() { # it has tried, and broken off the handshake
    [ "$(proxied '^no handshake: .*UNKNOWN_CA')" -gt 0 ]
}

tenants
start_kubelet
proxy served-ca-1
cp "$DIR/pki/served-ca-1.crt" "$FILE"
proxied_conf "$FILE"
# So much time that a slow machine is no reason to give up the Lease.
start_controller_by "$DIR/proxied.conf" --replace-builtin --leader-elect-lease-duration 120s --leader-elect-renew-deadline 100s \
    --leader-elect-retry-period 1s
PID=$(proc_pid controller)
completes "$B" before
for i in 2 3; do
    proxy served-ca-$i "$PROXY"
    ALIVE=controller check_await "CA $i: not trusted at first" 60 turned_down
    check "CA $i: nothing is asked" "$(proxied '^[0-9]')" 0
    cp "$DIR/pki/served-ca-$i.crt" "$FILE.new"
    mv "$FILE.new" "$FILE"
    completes "$B" "after-$i"
    ALIVE=controller check_await "CA $i: ready" 60 http_get "$HEALTH" /readyz
    check "CA $i: the controller is the same" "$(proc_pid controller)" "$PID"
done
check_more "the file was read again" "$(log_since_start controller | grep -c '"msg":"certificates read again"' || true)" 1
proc_stop controller
check "the controller ends well" "$STOP_STATUS" 0
