#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# As t_24_newcomers, for the ports of the controller and of the keeper: one thread serves them, and does all else. An API server's answers are not
# in question: the devcluster is enough of one. Its metrics the controller serves by TLS, and the keeper without.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/probes.sh"

control
devcluster
spawn controller "$JR_BIN/jobreeve-controller" --kubeconfig "$DIR/devcluster/kubeconfig" --health-probe-bind-address=127.0.0.1:0 \
    --metrics-bind-address=127.0.0.1:0 --metrics-tls-cert-file="$DIR/tls/server.crt" --metrics-tls-private-key-file="$DIR/tls/server.key"
spawn keeper "$JR_BIN/jobreeve-webhook" --keeper --kubeconfig "$DIR/devcluster/kubeconfig" --webhook-configuration=none --tls-secret=none \
    --tls-secret-namespace=default --tls-names=127.0.0.1 --health-probe-bind-address=127.0.0.1:0 --metrics-bind-address=127.0.0.1:0
ALIVE="devcluster controller" await 60 "the controller" listener controller metrics
ALIVE="devcluster keeper" await 60 "the keeper" listener keeper metrics
ALIVE="devcluster controller" await 60 "its readiness" http_get "$(listener controller health)" /readyz
for n in 1 3 16 64; do
    crowd "controller-probes-$n" "http://$(listener controller health)/livez" "$CONTROL_HEALTH" $HTTP_KINDS $n
    crowd "controller-metrics-$n" "https://$(listener controller metrics)/metrics" "$CONTROL_METRICS" $TLS_KINDS $n
    crowd "keeper-probes-$n" "http://$(listener keeper health)/livez" "$CONTROL_HEALTH" $HTTP_KINDS $n
    crowd "keeper-metrics-$n" "http://$(listener keeper metrics)/metrics" "$CONTROL_HEALTH" $HTTP_KINDS $n
done
in_a_second
