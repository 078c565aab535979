#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Kill -9 of the controller while the API server has its k-th write: a proxy before the real API server holds that write, the controller is killed,
# and another one finishes the Jobs. Three things become of the write:
#   before   it is never carried out
#   after    it was carried out, and never answered
#   late     it is carried out when the next controller has begun to write; not a Pod's creation, after which there may be a Pod too many
# The Jobs end as they must, and an observer of the whole history finds nothing wrong. The same Jobs as in t_62, which does it on the devcluster:
# some 80 to 95 writes; k is drawn from each of 3 equal parts of the first 75. KILLS: of so many parts. SEED: another sample. JR_LONG=1: of 30 parts
# of the first 91; a life of fewer writes ends before its k-th, which may be only where k is above 75.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
. "$E2E/jobs.sh"
. "$E2E/scenario.sh"
. "$E2E/kill/trial.sh"
KILLS=${KILLS:-3} WRITES=75 SURE=75 AT_ONCE=12
[ -z "${JR_LONG:-}" ] || KILLS=30 WRITES=90
RANDOM=${SEED:-1}
WORK=$DIR/held-write
WATCHED=$WORK
PREFIX=held-$(printf %04x $((SRANDOM % 65536)))-
rm -rf "$WORK"
mkdir -p "$WORK"

ask() { # for trial.sh
    api "$@" --fail-with-body
}

# hold METHOD [REST] [CURL-ARGUMENT...]: of NS, by the proxy
hold() {
    curl -sS --fail-with-body --max-time 60 --cacert "$DIR/pki/ca.crt" -X "$1" "https://127.0.0.1:$PROXY/hold/$NS${2:-}" "${@:3}"
}

hold_has() { # hold_has EXPR: of what it tells
    sleep 0.2 # asking costs more than what is asked for
    hold GET | jq -e "$1"
}

proxy_ports() {
    log_since_start held-proxy | sed -n 's/^listening on //p' | grep .
}

begin_controller() { # begin_controller held|next: of this trial; without a Lease, as nobody else is there
    proc_start "held-$NAME" "$JR_BIN/jobreeve-controller" --kubeconfig "$DIR/$1.conf" --replace-builtin --namespace "$NS" --leader-elect=false \
        --health-probe-bind-address 0 --metrics-bind-address 0
}

held_or_over() {
    hold_has .held || { trial_over "$NAME" && ! hold_has .held; }
}

at_their_ends() {
    local left
    sleep 0.6
    left=$(ends "$NAME") && [ -z "$left" ]
}

# trial K before|after|late
trial() {
    local what
    NAME=$2-$1 NS=$PREFIX$2-$1
    hold PUT "" --data "{\"k\": $1, \"how\": \"$2\"}" > /dev/null
    begin_controller held
    trial_begins "$NAME"
    ALIVE="held-$NAME held-proxy" await 120 "write $1" held_or_over || return 1
    if hold_has .held > /dev/null; then
        what=$(hold GET | jq -r .what)
        echo "$1 $2 ${what/"$NS"/NS}" > "$WORK/$NAME.what"
    elif [ "$1" -gt $SURE ]; then
        touch "$WORK/$NAME.over"
    else
        echo "only so few writes" && return 1
    fi
    proc_kill "held-$NAME" 2> /dev/null # bash would tell of it
    hold DELETE > /dev/null
    begin_controller next
    trial_patch "$NAME-suspended" '{"spec":{"suspend":true}}'
    if [ "$2" = late ] && [ -e "$WORK/$NAME.what" ] && [[ $what != POST*/pods ]]; then
        ALIVE="held-$NAME held-proxy" await 120 "a write of the next one" hold_has '.next > 0' || return 1
        hold POST /late | jq -r .code >> "$WORK/$NAME.late"
    fi
    ALIVE="held-$NAME held-proxy" await 120 "the ends of $NAME" at_their_ends || {
        ends "$NAME"
        return 1
    }
    seen_right "$NAME" "$WORK/$NAME.history"
}

# run_trial K HOW: its result in a file, which is there when it has ended
run_trial() {
    local result=ok
    trap - ERR
    trap 'proc_stop "held-$NAME" 5; echo "$result" > "$WORK/$NAME.result"' EXIT
    trial "$@" > "$WORK/$2-$1.log" 2>&1 || result=FAIL
}

watch_from() { # watch_from VERSION NAME PATH
    spawn "watch-held-$2" "$E2E/watch.sh" "$WORK/$2" "$1" "$SERVER$3?watch=1&timeoutSeconds=3600" \
        --cacert "$DIR/pki/ca.crt" --cert "$DIR/pki/admin.crt" --key "$DIR/pki/admin.key"
}

start_kubelet
sed "s/controller-replace/controller-held/g" "$E2E/rbac/controller-replace.yaml" > "$WORK/controller-held.yaml" # whose requests are told apart
user controller-held "$WORK/controller-held.yaml"
spawn held-proxy python3 "$E2E/kill/held_proxy.py" "$SERVER" "$DIR/pki/ca.crt" "$DIR/pki/apiserver.crt" "$DIR/pki/apiserver.key"
ALIVE=held-proxy await 120 "the proxy" proxy_ports
read -r PROXY NEXT < <(proxy_ports)
for life in held:"$PROXY" next:"$NEXT"; do
    sed "s|server: \"[^\"]*\"|server: \"https://127.0.0.1:${life#*:}\"|" "$DIR/controller-held.conf" > "$DIR/${life%:*}.conf"
done
for ((i = 0; i < KILLS; i++)); do
    k=$((2 + i * (WRITES / KILLS) + RANDOM % (WRITES / KILLS)))
    printf '%s\n' "$k before" "$k after" "$k late"
done > "$WORK/trials"
while read -r k how; do
    printf -- '---\napiVersion: v1\nkind: Namespace\nmetadata: {name: "%s"}\n' "$PREFIX$how-$k"
done < "$WORK/trials" | k create -f - > /dev/null
SCENARIOS=$(sed 's/ /-/' "$WORK/trials")
await 120 "the service accounts" service_accounts
version=$(api GET '/apis/batch/v1/jobs?limit=1' | jq -r .metadata.resourceVersion)
watch_from "$version" jobs /apis/batch/v1/jobs
watch_from "$version" pods /api/v1/pods

trials=()
while read -r k how; do
    while [ "$(find "$WORK" -name '*.result' | wc -l)" -lt $((${#trials[@]} - AT_ONCE + 1)) ]; do sleep 0.2; done
    run_trial "$k" "$how" &
    trials+=($!)
done < "$WORK/trials"
wait "${trials[@]}" || true
n=0
while read -r k how; do
    if [ "$(cat "$WORK/$how-$k.result" 2> /dev/null)" = ok ]; then
        n=$((n + 1))
    else
        failed "killed at write $k, which is carried out: $how" "$(tail -n 8 "$WORK/$how-$k.log")" "nothing wrong"
    fi
done < "$WORK/trials"
check "kills with nothing wrong" "$n" $((3 * KILLS))
over=$(find "$WORK" -name '*.over' | wc -l)
late=$(awk -v sure=$SURE '$1 > sure' "$WORK/trials" | wc -l)
[ "$late" = 0 ] || check_more "kills above write $SURE" "$((late - over))" 0
check_more "writes that were carried out late" "$(find "$WORK" -name '*.late' | wc -l)" 0
echo "$over of $late lives had fewer writes than their k; carried out late, and answered: $(find "$WORK" -name '*.late' -exec cat {} + | sort | uniq -c | xargs)"
find "$WORK" -name '*.what' -exec sort -n {} + | sed 's/^/  /'
never_refused controller-held
proc_stop held-proxy
awk -v p="$PREFIX" '{ print p $2 "-" $1 }' "$WORK/trials" | xargs "$BIN/kubectl" --kubeconfig="$DIR/admin.conf" delete namespace --wait=false > /dev/null
