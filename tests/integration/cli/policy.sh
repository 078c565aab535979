#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# jobreeve policy as a program: its subcommands, exit codes, where output goes, folders, standard input. policy.sh JOBREEVE
set -eu -o pipefail
jobreeve=$(realpath "$1")
DIR=$(mktemp -d "${TMPDIR:-/tmp}/jobreeve-policy.XXXXXX")
passed=0 failed=0

finish() {
    local code=$?
    rm -rf "$DIR"
    echo "$passed passed, $failed failed"
    [ "$code" = 0 ] && [ "$failed" = 0 ]
    exit $?
}
trap finish EXIT

# expect NAME CODE STDOUT-PATTERN STDERR-PATTERN ARG...: globs, over the whole output
expect() {
    local name=$1 code=$2 out=$3 err=$4 have=0
    shift 4
    "$jobreeve" "$@" > "$DIR/out" 2> "$DIR/err" < "${STDIN:-/dev/null}" || have=$?
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

# ---- commands and subcommands
expect "no command" 2 "" "Usage: jobreeve COMMAND *  policy *"
expect "no subcommand" 2 "" "Usage: jobreeve policy COMMAND *  facts *  test *" policy
expect "their list" 0 "Usage: jobreeve policy COMMAND *  facts *  test *" "" policy --help
expect "help for it" 0 "Usage: jobreeve policy COMMAND *" "" help policy
expect "help for a subcommand" 0 "Usage: jobreeve policy facts *--trusted-controllers*" "" help policy facts
expect "a subcommand's own" 0 "Usage: jobreeve policy test *" "" policy test --help
expect "help for nothing" 2 "" "jobreeve help: expected nothing behind 'test'" help policy test x
expect "no such subcommand" 2 "" "jobreeve policy: no command 'zz': see jobreeve policy --help" policy zz
expect "help for none" 2 "" "jobreeve policy: no command 'zz': *" help policy zz
expect "no such command" 2 "" "jobreeve: no command 'zz': see jobreeve --help" zz
expect "the version" 0 "jobreeve *" "" policy --version

# ---- library
expect "ready policies" 0 "bounded-retries *
*
require-ttl          A finished Job and its Pods are removed within a time: *
retry-safe *\\(a ValidatingAdmissionPolicy\\)" "" policy library
expect "one" 0 "# A finished Job *
#   maxSeconds=604800
#   defaultSeconds=0
#   actions=\[\"Warn\",\"Audit\"\]
*
  failurePolicy: \"Ignore\"
  limits:
    ttlSecondsAfterFinished: {required: true, max: 604800}" "" policy library require-ttl
expect "with settings" 0 "*
#   maxSeconds=60
*
  match: {excludeNamespaces: \[\"kube-system\",\"ci\"\]}
  validationActions: \[\"Deny\",\"Audit\"\]
  failurePolicy: \"Fail\"
  exceptions: \[{*}\]
  defaults: {ttlSecondsAfterFinished: 30}
  limits:
    ttlSecondsAfterFinished: {required: true, max: 60}" "" policy library require-ttl --set maxSeconds=60 --set defaultSeconds=30 \
    --set 'actions=[Deny, Audit]' --set 'excludeNamespaces=[ci]' --set 'exceptions=[{namespaces: [a], reason: r, until: 2027-03-31T00:00:00Z, lift: [limits.ttlSecondsAfterFinished]}]'
expect "a line for each" 0 "*
        values:
        - \"a.example/\*\"
        - \"b.example:5000/c/\*\"" "" policy library image-registries --set 'registries=[a.example, "b.example:5000/c"]'
expect "false leaves a line out" 0 "*
      concurrencyPolicy: *
      startingDeadlineSeconds: *
      successfulJobsHistoryLimit: *" "" policy library cronjob-hygiene --set timeZone=false
expect "a text isn't read as YAML" 0 "*
    version: \"v1.36\"" "" policy library pod-security --set level=baseline --set version=v1.36
while IFS='|' read -r policy set said; do
    expect "$policy --set $set" 2 "" "jobreeve policy library: $said" policy library "$policy" --set "$set"
done << 'T'
zz|a=1|no ready policy 'zz': see jobreeve policy library for their names
require-ttl|maxSeconds=soon|--set: maxSeconds: expected a number, not "soon"
require-ttl|maxSeconds=|--set: maxSeconds: expected a number, not ""
require-ttl|maxSeconds|--set: expected KEY=VALUE, not "maxSeconds"
require-ttl|maxSecond=1|--set: no setting 'maxSecond': expected one of maxSeconds, defaultSeconds, actions, excludeNamespaces, exceptions
require-ttl|maxSeconds=-1|the policy would be refused: spec.limits.ttlSecondsAfterFinished.max: Invalid value: -1: *
require-ttl|excludeNamespaces=ci|--set: excludeNamespaces: expected a list, as \[a, b\], not "ci"
retry-safe|actions=[Nope]|--set: actions: expected Audit, Warn, or Deny in place of Warn, not "Nope"
retry-safe|actions=[Deny, Warn]|--set: actions: expected Deny or Warn, not both
require-ttl|exceptions=[{until: 1}]|the policy would be refused: *
require-ttl|exceptions={|--set: exceptions: line 1, column 2: unexpected end of the text
ceiling-per-job|requestsAtOnce=1|--set: requestsAtOnce: expected a map, as {a: b}, not "1"
cronjob-hygiene|timeZone=1|--set: timeZone: expected true or false, not "1"
image-registries|registries=[]|expected at least one, as --set registries=\[a, b\]
image-registries|registries=[1]|--set: registries: expected a list of texts
T
expect "nothing to enforce" 2 "" "*there is nothing to enforce: settings are empty" policy library gpu-budget --set 'requestsAtOnce={}' --set 'resourceHours={}'
expect "two at once" 2 "" "jobreeve policy library: expected the name of one policy" policy library require-ttl gpu-budget
expect "settings of none" 2 "" "jobreeve policy library: expected the name of one policy" policy library --set a=b

# ---- facts
job=docs/examples/policies/training.yaml
expect "facts" 0 "$job:2: Job team-vision/training
  podsEver *(4 completions, 2 retries)*" "" policy facts "$job"
expect "of a folder" 0 "*/training.yaml:2: *" "" policy facts docs/examples/policies
sed 's/^spec:/spec:\n  managedBy: example.com\/own/' "$job" > "$DIR/managed.yaml"
expect "another controller's" 0 "*podsEver *unbounded: managedBy is example.com/own*" "" policy facts "$DIR/managed.yaml"
expect "a trusted one's" 0 "*podsEver *(4 completions, 2 retries)*" "" policy facts --trusted-controllers example.com/own "$DIR/managed.yaml"
expect "as JSON" 0 '\[{"file":"'"$job"'",*"unbounded":\[\]}\]' "" policy facts -o json "$job"
expect "no such format" 2 "" "*--output*" policy facts -o xml "$job"
expect "what is wrong" 1 "$job*" "docs/examples/bad.yaml:13:5: spec.selector: *" policy facts docs/examples/bad.yaml "$job"
expect "nothing but what is wrong" 1 "\[\]" "docs/examples/bad.yaml:*" policy facts -o json docs/examples/bad.yaml
expect "no such file" 2 "$job*" "$DIR/none: can't open: No such file or directory" policy facts "$DIR/none" "$job"
STDIN=$job expect "standard input" 0 "-:2: Job *" "" policy facts
expect "standard input twice" 2 "" "*standard input can be read once*" policy facts - -

# ---- suites
cat > "$DIR/policy.yaml" << 'Y'
apiVersion: policy.jobreeve.dev/v1alpha1
kind: JobPolicy
metadata: {name: narrow}
spec:
  limits:
    parallelism: {max: 4}
Y
suite() { # suite FILE PARALLELISM OUTCOME...
    printf 'apiVersion: policy.jobreeve.dev/v1alpha1\nkind: JobPolicyTest\ncases:\n' > "$1"
    local file=$1
    shift
    while [ $# -gt 0 ]; do
        cat >> "$file" << Y
- name: $1 $2
  object:
    apiVersion: batch/v1
    kind: Job
    metadata: {name: j}
    spec: {parallelism: $1, template: {spec: {restartPolicy: Never, containers: [{name: c, image: i}]}}}
  expect: {outcome: $2}
Y
        shift 2
    done
}
suite "$DIR/suite.yaml" 4 Allowed 5 Denied
expect "all is well" 0 "2 cases in 1 suite: 2 passed, 0 failed; 1 rule: 0 never violated, 0 never met" "" policy test "$DIR"
expect "each case" 0 "$DIR/suite.yaml:4: 4 Allowed: passed
$DIR/suite.yaml:11: 5 Denied: passed
2 cases *" "" policy test -v "$DIR"
expect "by file" 0 "2 cases *" "" policy test "$DIR/suite.yaml"
(cd "$DIR" && "$jobreeve" policy test > here.out) || failed=$((failed + 1))
[[ $(cat "$DIR/here.out") == "2 cases in 1 suite: 2 passed, "* ]] || failed=$((failed + 1))
suite "$DIR/suite.yaml" 4 Allowed 5 Denied 6 Allowed
expect "a case fails" 1 "$DIR/suite.yaml:18: 6 Allowed: expected Allowed, came Denied: policy \"narrow\": spec.parallelism: is 6, at most 4 allowed
3 cases in 1 suite: 2 passed, 1 failed; *" "" policy test "$DIR"
suite "$DIR/suite.yaml" 4 Allowed
expect "a rule is not tested" 1 "1 case in 1 suite: 1 passed, 0 failed; 1 rule: 1 never violated, 0 never met
$DIR/policy.yaml:6: policy \"narrow\": limits.parallelism: no case violates it" "" policy test "$DIR"
mkdir "$DIR/more"
suite "$DIR/more/suite.yaml" 9 Denied
sed -i 's/^cases:/policies: [..\/policy.yaml]\ncases:/' "$DIR/more/suite.yaml"
expect "suites of other folders share the rules" 0 "2 cases in 2 suites: 2 passed, 0 failed; 1 rule: 0 never violated, 0 never met" "" \
    policy test "$DIR"
printf 'more: 1\n' >> "$DIR/more/suite.yaml"
expect "one that is wrong; the others run" 2 "1 case in 1 suite: *" "$DIR/more/suite.yaml:12:7: unknown field \"more\"" policy test "$DIR"
expect "no suite" 2 "" "$DIR/policy.yaml: no JobPolicyTest in it" policy test "$DIR/policy.yaml"
expect "no such file" 2 "" "$DIR/none: can't open: No such file or directory" policy test "$DIR/none"
expect "no such flag" 2 "" "*--zz: no such flag*" policy test --zz

cat > "$DIR/cron.yaml" << 'END'
apiVersion: policy.jobreeve.dev/v1alpha1
kind: JobPolicy
metadata: {name: cron}
spec:
  limits: {parallelism: {max: 4}, cronJob: {jobsPerDay: {max: 4}}}
  exceptions: [{namespaces: [free], lift: [limits.parallelism], until: "2199-01-01T00:00:00Z", reason: r}]
END
mkdir "$DIR/cron"
suite "$DIR/cron/suite.yaml" 4 Allowed 5 Denied
sed -i 's/^cases:/policies: [..\/cron.yaml]\ncases:/' "$DIR/cron/suite.yaml"
expect "a Job meets no rule about CronJobs" 1 "2 cases in 1 suite: 2 passed, 0 failed; 2 rules: 1 never violated, 1 never met
$DIR/cron/../cron.yaml:5: policy \"cron\": limits.cronJob.jobsPerDay: no case violates it, none meets it" "" policy test "$DIR/cron"
for namespace in free other; do
    sed "s/NAMESPACE/$namespace/" > "$DIR/job-$namespace.yaml" << 'END'
apiVersion: batch/v1
kind: Job
metadata: {name: a, namespace: NAMESPACE}
spec: {parallelism: 5, template: {spec: {restartPolicy: Never, containers: [{name: a, image: i}]}}}
END
done
expect "an exception applies" 0 "" "1 object in 1 file: 0 errors, 0 warnings; 1 by an exception of a policy" check --policy "$DIR/cron.yaml" "$DIR/job-free.yaml"
expect "an exception doesn't" 1 "*spec.parallelism: is 5, at most 4 allowed*" "*1 object in 1 file: 1 error, 0 warnings" check --policy "$DIR/cron.yaml" "$DIR/job-other.yaml"

# ---- objects that name no namespace
cat > "$DIR/teams.yaml" << 'END'
apiVersion: policy.jobreeve.dev/v1alpha1
kind: JobPolicy
metadata: {name: teams}
spec: {match: {namespaces: ["team-*"]}, limits: {parallelism: {max: 4}, ttlSecondsAfterFinished: {required: true}}, defaults: {ttlSecondsAfterFinished: 60}}
END
grep -v '^metadata' "$DIR/job-free.yaml" > "$DIR/nameless.yaml"
{
    sed 's/, namespace: free//' "$DIR/job-free.yaml"
    printf -- '---\n'
    sed 's/name: a, namespace: free/name: b, namespace: other/' "$DIR/job-free.yaml"
} > "$DIR/jobs.yaml"
sed 's/parallelism: 5, /parallelism: 5, backoffLimit: 5, /; s/namespace: free/namespace: team-a/' "$DIR/job-free.yaml" > "$DIR/stored.yaml"
sed '/^---/,$d' "$DIR/jobs.yaml" > "$DIR/one.yaml"
sed 's/namespace: free/namespace: 5/' "$DIR/job-free.yaml" > "$DIR/number.yaml"
printf 'apiVersion: v1\nkind: Namespace\nmetadata: {name: n}\n' > "$DIR/namespace.yaml"
many="$DIR/jobs.yaml:4:21: policy \"teams\": spec.parallelism: is 5, at most 4 allowed"
# NAME|CODE|STDOUT|STDERR|ARGUMENTS
while IFS='|' read -r name code out err args; do
    # shellcheck disable=SC2086 # they are words
    expect "$name" "$code" "$out" "$err" ${args//DIR/$DIR}
done << T
none of a policy's|0||2 objects in 1 file: 0 errors, 0 warnings; no policy matches 2|check -p DIR/teams.yaml DIR/jobs.yaml
of -n, but for the one that names its own|1|$many|2 objects in 1 file: 1 error, 0 warnings; no policy matches 1|check -n team-a -p DIR/teams.yaml DIR/jobs.yaml
without policies nothing is matched|0||2 objects in 1 file: 0 errors, 0 warnings|check --namespace team-a DIR/jobs.yaml
other kinds don't count|0||0 objects in 1 file: 0 errors, 0 warnings; 1 of other kinds passed over|check -p DIR/teams.yaml DIR/namespace.yaml
nor what an API server refuses|1|*|1 object in 1 file: 8 errors, 0 warnings|check -p DIR/teams.yaml docs/examples/bad.yaml
counts, as JSON|1|*"policiesNotEvaluated":0,"excepted":0,"unmatched":1,*"namespace":"team-a","name":"a",*"namespace":"other","name":"b",*||check -n team-a -o json -p DIR/teams.yaml DIR/jobs.yaml
exceptions, as JSON|0|*"excepted":1,"unmatched":0,*||check -n free -o json -p DIR/cron.yaml DIR/job-free.yaml
no object of it was there|0||1 object in 1 file, 0 updates: *|check --old DIR/stored.yaml DIR/one.yaml
an object of it was there|0||1 object in 1 file, 1 update: *|check -n team-a --old DIR/stored.yaml DIR/one.yaml
old ones are of it, too|0||1 object in 1 file, 1 update: *|check -n team-a --old DIR/one.yaml DIR/stored.yaml
no metadata|1|*metadata.name: *|*|check -n team-a DIR/nameless.yaml
a namespace that is none|1|*cannot unmarshal number into Go struct field ObjectMeta.metadata.namespace of type string*|*|check -n team-a DIR/number.yaml
no name|2||jobreeve check: --namespace: "Team_A" is no namespace's name*|check -n Team_A DIR/jobs.yaml
an empty name|2||jobreeve check: --namespace: "" is no namespace's name*|check --namespace= DIR/jobs.yaml
no name for defaults|2||jobreeve default: --namespace: "a.b" is no namespace's name*|default -n a.b DIR/one.yaml
T
expect "printed as it is" 0 "*  name: a
  labels:*" "" default -p "$DIR/teams.yaml" "$DIR/one.yaml"
expect "of -n, with its defaults" 0 "*  name: a
  namespace: team-a
*  ttlSecondsAfterFinished: 60*" "" default -n team-a -p "$DIR/teams.yaml" "$DIR/one.yaml"

# ---- what is only worth saying of policies
sed 's/2199-/2001-/' "$DIR/cron.yaml" > "$DIR/ended.yaml"
expect "an exception that has ended" 1 "*" "warning: $DIR/ended.yaml:6:*: the exception has ended
1 object in 1 file: 1 error, 0 warnings" check -p "$DIR/ended.yaml" "$DIR/job-free.yaml"
expect "not where it is quiet" 1 "*at most 4 allowed" "" check -q -p "$DIR/ended.yaml" "$DIR/job-free.yaml"
expect "errors are told of" 2 "" "*spec.limits.x*1 error in the policies" check -q -p <(sed 's/limits: {/&x: 1, /' "$DIR/cron.yaml") "$DIR/job-free.yaml"
