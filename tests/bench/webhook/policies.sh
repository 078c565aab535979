# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Sourced by run.sh: what JobPolicies cost a webhook, beside one without any (--only policies).
POLICIES=100 NAMESPACES=1000 MANY=1000
US_A_REQUEST=30 KB_A_POLICY=10 GROWTH_KB=3072 LOAD_MS=1000

policy_documents() { # policy_documents N: that match and are met by the recorded Job, of 5 limits and ceilings each
    local i
    for ((i = 0; i < $1; i++)); do
        cat << Y
---
apiVersion: policy.jobreeve.dev/v1alpha1
kind: JobPolicy
metadata: {name: policy-$(printf %04d "$i")}
spec:
  match: {namespaceSelector: {matchLabels: {tier: batch}}}
  limits: {parallelism: {max: $((1000 + i))}, backoffLimit: {max: $((100 + i))}, completions: {max: $((100000 + i))}}
  budget: {podsEver: $((1000000 + i)), requestsAtOnce: {cpu: "$((1000 + i))"}}
Y
    done
}

# devcluster_with: the policies and Namespaces in an API server; sets KUBECONFIG_FILE
devcluster_with() {
    local server token i
    mkdir -p "$DIR/dc"
    proc_start_writing "$DIR/dc/kubeconfig" devcluster "$JR_BIN/jobreeve-devcluster" --data-dir "$DIR/dc" --log-level warn --node ''
    server=$(sed -n 's/^ *server: //p' "$DIR/dc/kubeconfig") token=$(sed -n 's/^ *token: //p' "$DIR/dc/kubeconfig")
    {
        for ((i = 0; i < NAMESPACES; i++)); do
            printf 'next\nurl = "%s/api/v1/namespaces"\ncacert = "%s"\nheader = "Authorization: Bearer %s"\nheader = "Content-Type: application/json"\noutput = /dev/null\nsilent\nfail\ndata = "%s"\n' \
                "$server" "$DIR/dc/ca.crt" "$token" \
                "{\\\"apiVersion\\\":\\\"v1\\\",\\\"kind\\\":\\\"Namespace\\\",\\\"metadata\\\":{\\\"name\\\":\\\"team-$i\\\",\\\"labels\\\":{\\\"tier\\\":\\\"batch\\\",\\\"team\\\":\\\"$i\\\"}}}"
        done
    } | sed 1d > "$DIR/namespaces.curl"
    curl -K "$DIR/namespaces.curl"
    curl -sS --fail -o /dev/null --cacert "$DIR/dc/ca.crt" -H "Authorization: Bearer $token" -X PATCH -H 'Content-Type: application/merge-patch+json' \
        -d '{"metadata":{"labels":{"tier":"batch"}}}' "$server/api/v1/namespaces/default"
    policy_documents $POLICIES | sed 's/^---$/\x00/' | while IFS= read -r -d '' doc; do
        [ -z "${doc//[[:space:]]/}" ] || curl -sS --fail -o /dev/null --cacert "$DIR/dc/ca.crt" -H "Authorization: Bearer $token" \
            -H 'Content-Type: application/yaml' --data-binary "$doc" "$server/apis/policy.jobreeve.dev/v1alpha1/jobpolicies"
    done
}

ready() { curl -sf -o /dev/null "http://$(listener "$1" health)/readyz"; }

# anon_after NAME: RssAnon after the same load on each, the least of five seconds
anon_after() {
    local i
    closed "$1" validate 8 "$SECONDS_A_CELL"
    for i in 1 2 3 4 5; do
        status_kb "$1" RssAnon
        sleep 1
    done | sort -n | head -n 1
}

in_force() { # in_force NAME: how many policies it says it enforces
    curl -sf "http://$(listener "$1" metrics)/metrics" | grep -c '^jobreeve_policy_generation{'
}

median() { sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }

policies() {
    local r name us without with began took few many plain policed
    devcluster_with
    start plain ours
    start policed ours --policies --kubeconfig="$DIR/dc/kubeconfig"
    ALIVE="policed devcluster" await 60 "the policies" ready policed
    # The last of them may still be on its way to a replica that began before.
    [ "$(in_force policed)" -ge $((POLICIES - 1)) ]
    for ((r = 1; r <= ROUNDS; r++)); do
        say "policies, round $r of $ROUNDS"
        for name in $(in_turn "$r" plain policed); do
            closed "$name" validate 8 "$SECONDS_A_CELL"
            us=$(awk -v n="$REQUESTS" -v t="$TICKS" -v hz="$(getconf CLK_TCK)" 'BEGIN { printf "%.2f", t / hz / n * 1e6 }')
            say "$name: $us us of CPU a request"
            echo "$us" >> "$DIR/us.$name"
        done
    done
    without=$(median < "$DIR/us.plain") with=$(median < "$DIR/us.policed")
    plain=$(anon_after plain) policed=$(anon_after policed)
    proc_stop plain
    proc_stop policed
    policy_documents $POLICIES | sed 's/namespaceSelector: {matchLabels: {tier: batch}}/namespaces: ["*"]/' > "$DIR/few.yaml"
    policy_documents $((POLICIES + MANY)) | sed 's/namespaceSelector: {matchLabels: {tier: batch}}/namespaces: ["*"]/' > "$DIR/many.yaml"
    start few ours --policy-file="$DIR/few.yaml"
    few=$(status_kb few RssAnon)
    began=$(now_ms)
    start many ours --policy-file="$DIR/many.yaml"
    took=$(($(now_ms) - began))
    many=$(status_kb many RssAnon)
    echo
    result "CPU a request: $with us with $POLICIES JobPolicies of 5 rules, $without us without ($US_A_REQUEST us more at most)" \
        awk -v a="$with" -v b="$without" -v most=$US_A_REQUEST 'BEGIN { exit !(a - b <= most) }'
    result "RssAnon: $policed kB with $POLICIES JobPolicies and $NAMESPACES Namespaces watched, $plain kB without ($GROWTH_KB kB more at most)" \
        [ $((policed - plain)) -le $GROWTH_KB ]
    result "RssAnon of $MANY more JobPolicies: $((many - few)) kB ($KB_A_POLICY kB each at most)" [ $((many - few)) -le $((MANY * KB_A_POLICY)) ]
    result "started with $((POLICIES + MANY)) JobPolicies after $took ms (at most $LOAD_MS)" [ "$took" -le $LOAD_MS ]
    for name in few many devcluster; do proc_stop "$name"; done
}
