# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Sourced by run.sh: what JobPolicies cost a webhook, beside one without any (--only policies).
POLICIES=100 NAMESPACES=1000 MANY=1000
US_A_REQUEST=30 KB_A_POLICY=10 GROWTH_KB=3072 LOAD_MS=1000
US_ALL_KINDS=40 US_A_LEVEL=5 US_A_SCHEDULE=2000
LEVELS=("baseline v1.25" "baseline latest" "restricted v1.31" "restricted v1.37") # that a Job's Pods are checked by
SCHEDULES=("* * * * *" "0 0 29 2 *" "*/7 3-21/5 * * *" "1-59/2,*/3 * 1-31/2 * 1-5" "59 23 31 12 0" "@every 1s")

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

# documents SPEC: POLICIES policies of it, in which @ is the number of each
documents() {
    local i
    for ((i = 0; i < POLICIES; i++)); do
        printf -- '---\napiVersion: policy.jobreeve.dev/v1alpha1\nkind: JobPolicy\nmetadata: {name: policy-%04d}\nspec:\n%s\n' "$i" "${1//@/$i}"
    done
}

# Ten rules that the recorded Job meets: of each kind but Pod security and CronJobs' facts.
ALL_KINDS='  match: {namespaces: ["def*"], kinds: [Job]}
  limits:
    parallelism: {max: 100@}
    suspend: Forbidden
    name: {excluded: ["x@-*"]}
    labels: {team: {values: ["a@", "b"]}}
    template:
      images: {excluded: ["*:latest", "*/x@:*"]}
      requests: {cpu: {max: 10@}}
      nodeSelector: {pool: {values: ["a@"]}}
    fields:
      template.spec.hostNetwork: Forbidden
      template.spec.containers[*].securityContext.privileged: Forbidden
  budget: {podsEver: 100000@}'

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

# us_each FILE RESOURCE NAME...: CPU of a request of that review, in us, the median of all rounds, by name: US
declare -A US
us_each() {
    local file=$1 resource=$2 r name
    shift 2
    for name in "$@"; do : > "$DIR/us.$name"; done
    for ((r = 1; r <= ROUNDS; r++)); do
        for name in $(in_turn "$r" "$@"); do
            closed "$name" validate 8 "$SECONDS_A_CELL" "$file" "$resource"
            awk -v n="$REQUESTS" -v t="$TICKS" -v hz="$(getconf CLK_TCK)" 'BEGIN { printf "%.2f\n", t / hz / n * 1e6 }' >> "$DIR/us.$name"
        done
    done
    for name in "$@"; do US[$name]=$(median < "$DIR/us.$name"); done
}
within() { awk -v a="$1" -v b="$2" -v most="$3" 'BEGIN { exit !(a - b <= most) }'; } # within WITH WITHOUT MOST

# allowed NAME FILE RESOURCE: that this review is allowed, with no warning: its policies are met
allowed() {
    curl -sf --cacert "$DIR/tls/tls.crt" -H 'Content-Type: application/json' --data-binary @"$2" "https://127.0.0.1:${PORTS[$1]}/validate-batch-v1-$3" |
        jq -e '.response.allowed and (.response.warnings | not)' > /dev/null
}

all_kinds() {
    documents "$ALL_KINDS" > "$DIR/kinds.yaml"
    start kinds ours --policy-file="$DIR/kinds.yaml"
    allowed kinds "$VALIDATE" job
    us_each "$VALIDATE" job plain kinds
    result "CPU a request: ${US[kinds]} us with $POLICIES JobPolicies of 10 rules of all kinds, ${US[plain]} us without ($US_ALL_KINDS us more at most)" \
        within "${US[kinds]}" "${US[plain]}" $US_ALL_KINDS
    proc_stop kinds
}

pod_security() {
    local most=$((US_A_LEVEL * ${#LEVELS[@]})) i level version
    jq -c '.request.object.spec.template.spec |= (.securityContext = {runAsNonRoot: true, seccompProfile: {type: "RuntimeDefault"}}
        | .containers[].securityContext = {allowPrivilegeEscalation: false, capabilities: {drop: ["ALL"]}})' "$VALIDATE" > "$DIR/restricted.json"
    for ((i = 0; i < POLICIES; i++)); do
        read -r level version <<< "${LEVELS[i % ${#LEVELS[@]}]}"
        POLICIES=1 documents "  podSecurity: {level: $level, version: $version}" | sed "s/policy-0000/policy-$i/"
    done > "$DIR/levels.yaml"
    start levels ours --policy-file="$DIR/levels.yaml"
    allowed levels "$DIR/restricted.json" job
    us_each "$DIR/restricted.json" job plain levels
    result "CPU a request: ${US[levels]} us with $POLICIES JobPolicies of ${#LEVELS[@]} Pod security levels and versions, ${US[plain]} us without ($most us more at most)" \
        within "${US[levels]}" "${US[plain]}" $most
    proc_stop levels
}

schedules() {
    local schedule
    documents '  limits: {cronJob: {shortestInterval: {min: 0s}, jobsPerDay: {max: 10000@}}}' > "$DIR/facts.yaml"
    start facts ours --policy-file="$DIR/facts.yaml"
    for schedule in "${SCHEDULES[@]}"; do
        jq -c --arg schedule "$schedule" '.request |= (.kind.kind = "CronJob" | .resource.resource = "cronjobs" | .requestKind.kind = "CronJob"
            | .requestResource.resource = "cronjobs" | .object = {apiVersion: "batch/v1", kind: "CronJob", metadata: {name: "c", namespace: "default"},
            spec: {schedule: $schedule, timeZone: "Australia/Lord_Howe", concurrencyPolicy: "Allow", suspend: false, successfulJobsHistoryLimit: 3,
            failedJobsHistoryLimit: 1, jobTemplate: {metadata: {}, spec: (.object.spec | del(.selector, .manualSelector, .template.metadata))}}})' \
            "$VALIDATE" > "$DIR/cron.json"
        allowed facts "$DIR/cron.json" cronjob
        us_each "$DIR/cron.json" cronjob plain facts
        result "CPU a CronJob \"$schedule\": ${US[facts]} us with $POLICIES JobPolicies about its facts, ${US[plain]} us without ($US_A_SCHEDULE us more at most)" \
            within "${US[facts]}" "${US[plain]}" $US_A_SCHEDULE
    done
    proc_stop facts
}

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
    all_kinds
    pod_security
    schedules
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
