#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# jobreeve check as a program: exit codes, where output goes, folders, standard input, color. check.sh JOBREEVE
set -eu -o pipefail
jobreeve=$1
DIR=$(mktemp -d "${TMPDIR:-/tmp}/jobreeve-check.XXXXXX")
passed=0 failed=0
unset NO_COLOR
export TERM=xterm

finish() {
    local code=$?
    set +e
    chmod -R u+rwx "$DIR"
    rm -rf "$DIR"
    echo "$passed passed, $failed failed"
    [ "$code" = 0 ] && [ "$failed" = 0 ]
    exit $?
}
trap finish EXIT

run=("$jobreeve")
expect_by() { # expect_by ...: as expect, by the user of `by`
    [ ${#by[@]} = 0 ] || run=("${by[@]}" "$DIR/jobreeve")
    expect "$@"
    run=("$jobreeve")
}

# expect NAME CODE STDOUT-PATTERN STDERR-PATTERN ARG...: globs, over the whole output
expect() {
    local name=$1 code=$2 out=$3 err=$4 have=0
    shift 4
    "${run[@]}" check "$@" > "$DIR/out" 2> "$DIR/err" < "${STDIN:-/dev/null}" || have=$?
    # shellcheck disable=SC2053
    if [ "$have" = "$code" ] && [[ $(cat "$DIR/out") == $out ]] && [[ $(cat "$DIR/err") == $err ]]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAIL $name: exit $have, want $code; stdout:"
        cat "$DIR/out"
        echo "stderr:"
        cat "$DIR/err"
    fi
}

# holds NAME COMMAND...
holds() {
    local name=$1
    shift
    if "$@"; then passed=$((passed + 1)); else
        failed=$((failed + 1))
        echo "FAIL $name"
    fi
}

good=docs/examples/pi.yaml
bad=$DIR/bad.yaml
cat > "$bad" << 'Y'
apiVersion: batch/v1
kind: Job
metadata: {name: bad}
spec:
  parallelism: -1
  zz: 1
  template: {spec: {restartPolicy: Never, containers: [{name: c, image: i}]}}
Y
printf 'a: [1\n' > "$DIR/syntax.yaml"
line="$bad:5:16: spec.parallelism: Invalid value: -1: must be greater than or equal to 0"
warning="$bad:6:7: warning: spec.zz: unknown field \"spec.zz\""

# ---- exit codes
expect "fine" 0 "" "1 object in 1 file: 0 errors, 0 warnings" "$good"
expect "findings" 1 "$warning
$line" "1 object in 1 file: 1 error, 1 warning" "$bad"
expect "a syntax error" 2 "" "$DIR/syntax.yaml:2:1: did not find expected*; 1 unreadable" "$DIR/syntax.yaml"
expect "the others are checked all the same" 2 "*$line" "$DIR/none.yaml: can't open: No such file or directory
$DIR/syntax.yaml:*
1 object in 2 files: 1 error, 1 warning; 2 unreadable" "$DIR/none.yaml" "$DIR/syntax.yaml" "$bad"
expect "quiet" 1 "$line" "" -q "$bad"
expect "strict" 1 "$bad:6:7: spec.zz: unknown field \"spec.zz\"
$line" "*2 errors, 0 warnings" --strict "$bad"
expect "warnings only" 0 "*warning*" "*" <(sed 's/-1/1/' "$bad")
expect "warnings that count" 1 "*6:7: spec.zz: *" "*" --warnings-as-errors <(sed 's/-1/1/' "$bad")
expect "nothing in it" 0 "" "0 objects in 1 file: 0 errors, 0 warnings" /dev/null
expect "without end" 2 "" "/dev/zero: more than 67108864 bytes*" /dev/zero

# ---- wrong use
expect "no such flag" 2 "" "*--zz: no such flag*" --zz
expect "no such format" 2 "" "*--output: expected text, json, sarif, junit or github, not \"xml\"" -o xml "$good"
expect "two to standard output" 2 "" "*one format may go to standard output*" -o json,sarif "$good"
expect "a file twice" 2 "" "*x is there twice" -o json=x,sarif=x "$good"
expect "no file" 2 "" "*expected a file after \"json=\"" -o json= "$good"
expect "standard input twice" 2 "" "*standard input can be read once*" - -
expect "standard input twice, once as the old one" 2 "" "*standard input can be read once*" --old - -
expect "a status of nothing" 2 "" "*--subresource needs --old*" --subresource=status "$good"
expect "another version" 2 "" "*--kubernetes-version: expected a version of Kubernetes from 1.31 to 1.37*not \"1.30\"" --kubernetes-version 1.30 "$good"
expect "an unknown gate" 2 "" "*--feature-gate: Kubernetes 1.37 has no feature gate \"Nope\" that concerns Jobs" --feature-gate Nope=true "$good"
expect "a locked gate" 2 "" "*JobManagedBy is locked to true in Kubernetes 1.37" --feature-gate JobManagedBy=false "$good"
expect "an old file that is not there" 2 "" "*$DIR/none: can't open*" --old "$DIR/none" "$good"
expect "nowhere to write to" 2 "" "*$DIR/no/x: can't open for writing*" -o "json=$DIR/no/x" "$good"
expect "--help" 0 "*Exit codes: 0 fine, 1 errors found, 2 wrong use*" "" --help

# ---- several versions
versions=docs/examples/versions.yaml
expect "one says which" 1 "$versions:10:25: warning: in 1.33: *
$versions:17:24: would be refused by 1.33: *
$versions:12:13: warning: in 1.34: *" "1 object in 1 file, by Kubernetes 1.33, 1.34: 1 error, 2 warnings; 1 refused by 1.33" \
    --kubernetes-version 1.34 --kubernetes-version v1.33 "$versions"
expect "an older patch" 1 "*:12:13: would be refused by 1.37: *" "*, by Kubernetes 1.35.0, 1.37: *" --kubernetes-version=1.37,1.35.0 "$versions"
expect "none says anything" 0 "" "1 object in 1 file, by Kubernetes 1.31 to 1.37: 0 errors, 0 warnings" \
    --kubernetes-version=1.31,1.32,1.33,1.34,1.35,1.36,1.37 "$good"
expect "a preview, too" 0 "" "1 object in 1 file, by Kubernetes 1.37, 1.38: 0 errors, 0 warnings" --kubernetes-version=1.37,1.38 "$good"
expect "all say the same" 1 "$warning
$line" "*, by Kubernetes 1.36, 1.37: 1 error, 1 warning; 1 refused by 1.36, 1.37" --kubernetes-version=1.36,1.37 "$bad"
expect "quiet about several" 1 "$versions:17:24: would be refused by 1.33: *" "" -q --kubernetes-version=1.33,1.34 "$versions"
expect "the newest by default" 1 "$versions:12:13: spec.template.spec.hostAliases*must not have leading 0s" "*" "$versions"
cat > "$DIR/go.yaml" <<'END'
apiVersion: batch/v1
kind: Job
metadata: {name: go, labels: {b: "2", a: "1"}}
spec:
  manualSelector: true
  selector: {matchLabels: {c: "3"}}
  template:
    metadata: {labels: {b: "2", a: "<1>"}}
    spec: {restartPolicy: Never, containers: [{name: c, image: c}]}
---
apiVersion: batch/v1
kind: Job
metadata: {name: embedded}
spec: {template: {spec: {restartPolicy: Never, containers: [{name: c, image: c}], volumes: [{name: v, csi: 3}]}}}
END
# Maps as Go prints them until 1.33; embedded structs in paths since 1.35.
expect "words of older versions" 1 "*would be refused by 1.33: *labels: Invalid value: map[[]string]string{\"a\":\"<1>\", \"b\":\"2\"}: *
*would be refused by 1.33, 1.34: *Go struct field Volume.spec.template.spec.volumes.csi of type v1.CSIVolumeSource*" "*" \
    --kubernetes-version=1.33,1.34,1.35 "$DIR/go.yaml"
expect "words of newer ones" 1 "*would be refused by 1.34, 1.35: *labels: Invalid value: {\"a\":*}: *
*would be refused by 1.35: *Go struct field Volume.spec.template.spec.volumes.VolumeSource.csi of type v1.CSIVolumeSource*" "*" \
    --kubernetes-version=1.33,1.34,1.35 "$DIR/go.yaml"
cat > "$DIR/init.yaml" <<'END'
apiVersion: batch/v1
kind: Job
metadata: {name: init}
spec:
  template:
    spec:
      restartPolicy: Never
      containers: [{name: c, image: c}]
      initContainers: [{name: i, image: i, restartPolicyRules: [{action: Restart, exitCodes: {operator: In, values: [3]}}]}]
END
expect "a rule since 1.35" 1 "*would be refused by 1.35: *initContainers?0?*: Required value: must specify restartPolicy when restart rules are used" "*; 1 refused by 1.35" \
    --kubernetes-version=1.34,1.35 --feature-gate ContainerRestartRules=true "$DIR/init.yaml"
expect "a version twice" 2 "" "*--kubernetes-version: 1.36.0 is there twice" --kubernetes-version=1.36.0,1.35,v1.36.0 "$good"
expect "another version among them" 2 "" "*expected a version of Kubernetes from 1.31 to 1.37*not \"1.30\"" --kubernetes-version=1.36,1.30 "$good"
expect "a gate of one of them" 0 "" "*" --kubernetes-version=1.34,1.37 --feature-gate GenericWorkload=true "$good"
expect "a gate of none" 2 "" "*Kubernetes 1.37 has no feature gate \"Nope\" that concerns Jobs" --kubernetes-version=1.34,1.37 --feature-gate Nope=true "$good"
expect "in each format" 1 "*" "*" --kubernetes-version=1.33,1.34 -o "text,json=$DIR/v.json,sarif=$DIR/v.sarif,junit=$DIR/v.xml,github=$DIR/v.txt" \
    "$versions"
holds "json of several" test "$(jq -c '.kubernetesVersions, .objects[0].answers[0].kubernetesVersions, .objects[0].findings[2].kubernetesVersions' "$DIR/v.json" |
    paste -sd ' ')" = '["1.33","1.34"] ["1.33"] ["1.34"]'
holds "sarif of several" test "$(jq -c '.runs[0] | .properties, .results[1].properties' "$DIR/v.sarif" | paste -sd ' ')" = \
    '{"kubernetesVersions":["1.33","1.34"]} {"kubernetesVersions":["1.33"]}'
holds "junit of several" grep -q ':17:24: would be refused by 1.33: spec' "$DIR/v.xml"
holds "github of several" grep -q '^::error .*::would be refused by 1.33: spec' "$DIR/v.txt"

# Policies are no version's: 1.33 refuses before it would evaluate them.
sed 's/- name: train$/- {name: d, image: i, restartPolicy: Never}\n        &/' docs/examples/policies/dump.yaml > "$DIR/dump.yaml"
expect "policies once" 1 "$DIR/dump.yaml:19:46: would be refused by 1.33: spec.*
$DIR/dump.yaml:12:5: policy \"shared-gpu\": spec: up to 20 Pods at once*$DIR/dump.yaml:12:5: policy *" \
    "2 objects in 1 file, by Kubernetes 1.33 to 1.35: 5 errors, 0 warnings; 1 refused by 1.33 to 1.35; 1 of other kinds passed over" \
    --kubernetes-version=1.33,1.34,1.35 --policy docs/examples/policies/shared-gpu.yaml "$DIR/dump.yaml"
holds "none with a version" test "$(grep -c '^[^ ]* policy' "$DIR/out")" = 4

# ---- standard input
STDIN=$bad expect "named" 1 "*-:5:16: spec.parallelism: *" "*" -
STDIN=$bad expect "where there is nothing else" 1 "*-:5:16: spec.parallelism: *" "*"

# ---- folders
mkdir -p "$DIR/tree/b" "$DIR/tree/c.yaml" "$DIR/empty" "$DIR/locked"
cp "$bad" "$DIR/tree/b/2.yml"
cp "$bad" "$DIR/tree/a.yaml"
"$jobreeve" default -o json "$bad" > "$DIR/tree/b/1.json"
ln -s .. "$DIR/tree/b/loop"
ln -s loop.yaml "$DIR/tree/loop.yaml"
expect "sorted, loops and all" 2 "$DIR/tree/a.yaml:*$DIR/tree/b/1.json:*$DIR/tree/b/2.yml:*" \
    "$DIR/tree/loop.yaml: can't follow the link: Too many levels*3 objects in 3 files*1 unreadable" "$DIR/tree"
expect "nothing to evaluate" 2 "" "$DIR/empty: no \*.yaml, \*.yml or \*.json in it*" "$DIR/empty"
# To root nothing is closed: asked as somebody else.
chmod 000 "$DIR/locked"
by=()
if [ "$(id -u)" = 0 ]; then
    by=(setpriv --reuid 65534 --regid 65534 --clear-groups)
    chmod 711 "$DIR"
    cp "$jobreeve" "$DIR/jobreeve"
fi
expect_by "a closed folder" 2 "" "$DIR/locked: can't open: Permission denied*" "$DIR/locked"

# ---- several outputs at once
expect "all at once" 1 "::warning file=*::error file=*" "" \
    -o github -o "json=$DIR/r.json,sarif=$DIR/r.sarif" -o "junit=$DIR/r.xml" -o "text=$DIR/r.txt" "$bad"
holds "json" test "$(jq -r '.objects[0].findings[1].rule' "$DIR/r.json")" = parallelism-negative
holds "sarif" test "$(jq -r '.runs[0].results[1].locations[0].physicalLocation.region.startLine' "$DIR/r.sarif")" = 5
holds "junit" test "$(grep -c '<failure' "$DIR/r.xml")" = 1
holds "text" test "$(sed -n 2p "$DIR/r.txt")" = "$line"

# ---- updates
sed 's/-1/3/; /zz/d' "$bad" > "$DIR/old.yaml"
sed 's/parallelism: -1/completions: 5/; /zz/d' "$bad" > "$DIR/new.yaml"
expect "what may not change" 1 "$DIR/new.yaml:5:16: spec.completions: Invalid value: 5: field is immutable" "*" \
    --old "$DIR/old.yaml" "$DIR/new.yaml"
expect "nothing changed" 0 "" "1 object in 1 file, 1 update: 0 errors, 0 warnings" --old "$DIR/old.yaml" "$DIR/old.yaml"
expect "nothing of it was there" 0 "" "1 object in 1 file, 0 updates: 0 errors, 0 warnings" --old /dev/null "$DIR/old.yaml"
echo 'root:x:0:0' > "$DIR/text"
expect "an old file without objects" 2 "" "*$DIR/text: expected an object*" --old "$DIR/text" "$DIR/old.yaml"

# ---- fields in a wrong place: the nearest place for them
cat > "$DIR/hint.yaml" << 'Y'
apiVersion: batch/v1
kind: Job
metadata: {name: hints}
spec:
  template:
    spec:
      restartPolicy: Never
      containers:
      - name: c
        image: busybox
        limits: {memory: 1Gi}
        readOnlyRootFilesystem: true
        httpGet: {path: /, port: 80}
Y
cat > "$DIR/hint_cron.yaml" << 'Y'
apiVersion: batch/v1
kind: CronJob
metadata: {name: hints}
spec:
  schedule: "0 1 * * *"
  backoffLimit: 1
  ttlSecondsAfterFinished: 60
  restartPolicy: Never
  jobTemplate:
    spec:
      schedule: x
      timeZone: UTC
      template:
        spec:
          concurrencyPolicy: Forbid
          containers:
          - {name: c, image: b, requests: {cpu: 1}}
          restartPolicy: Never
Y
hints() { "$jobreeve" check "$1" 2> /dev/null | sed -n 's/.*(did you mean \(.*\)?)$/\1/p'; }
C='spec.template.spec.containers[0]'
holds "hints for a container's fields" test "$(hints "$DIR/hint.yaml")" = "$C.resources.limits
$C.securityContext.readOnlyRootFilesystem
$C.livenessProbe.httpGet"
holds "hints for a CronJob's" test "$(hints "$DIR/hint_cron.yaml")" = "spec.jobTemplate.spec.backoffLimit
spec.jobTemplate.spec.ttlSecondsAfterFinished
spec.jobTemplate.spec.template.spec.restartPolicy
spec.schedule
spec.timeZone
spec.concurrencyPolicy
spec.jobTemplate.$C.resources.requests"

# ---- color and sources
expect "never, as it is no terminal" 1 "$warning
$line" "*" "$bad"
expect "always" 1 $'*\x1b[1m'"$bad:5:16:"$'\x1b[0m*    5 |   parallelism: -1\n      |                \x1b[1;31m^\x1b[0m' "*" \
    --color=always "$bad"
# in a terminal, by script(1) of bsdutils
tty() { script -qec "env $1 '$jobreeve' check $2 '$bad'" /dev/null | tr -d '\r' > "$DIR/out" || true; }
tty "" ""
holds "a terminal has color" grep -q $'\x1b\[1;31m^' "$DIR/out"
tty NO_COLOR=1 ""
holds "NO_COLOR has none" test "$(grep -c $'\x1b' "$DIR/out")" = 0
holds "but the source" grep -q '^    5 |   parallelism: -1' "$DIR/out"
tty "" --color=never
holds "never means never" test "$(grep -c $'\x1b' "$DIR/out")" = 0

# ---- the hook for pre-commit: its command line, with the files at the end
hook=$(sed -n 's/^  entry: jobreeve //p' .pre-commit-hooks.yaml)
holds "the hook has one command" test "$(wc -w <<< "$hook")" = 1
holds "a good file passes it" "$jobreeve" "$hook" docs/examples/pi.yaml
fails() { ! "$@"; }
holds "a bad one doesn't" fails "$jobreeve" "$hook" docs/examples/pi.yaml docs/examples/bad.yaml
