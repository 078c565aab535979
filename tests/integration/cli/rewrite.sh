#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# jobreeve default and convert as processes: files, standard input, streams, exit codes. Usage: rewrite.sh JOBREEVE
set -eu -o pipefail
jobreeve=$1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
failed=0
checks=0

fault() { echo "$1" >&2; failed=1; }

run() { # run NAME CODE ARGUMENT...: the outputs are in out and err
    local name=$1 want=$2 code=0
    shift 2
    checks=$((checks + 1))
    "$jobreeve" "$@" > out 2> err < "${input:-/dev/null}" || code=$?
    [ "$code" = "$want" ] || { fault "$name: exit code $code, not $want"; cat err >&2; }
}

same() { # same NAME FILE TEXT
    [ "$(cat "$2")" = "$3" ] || { fault "$1: $2 is"; cat "$2" >&2; }
}

holds() { # holds NAME FILE TEXT
    [[ $(cat "$2") == *"$3"* ]] || { fault "$1: no \"$3\" in $2:"; cat "$2" >&2; }
}

cat > old.yaml << 'END'
# an old one
apiVersion: extensions/v1beta1
kind: Job
metadata: {name: pi}
spec:
  autoSelector: true
  template: {spec: {restartPolicy: Never}}
---
apiVersion: v1
kind: ConfigMap
END
cat > cron.json << 'END'
{"apiVersion": "batch/v1beta1", "kind": "CronJob", "spec": {"schedule": "@daily", "retries": 3}}
END
cat > bad.yaml << 'END'
apiVersion: batch/v1beta1
kind: CronJob
---
apiVersion: extensions/v1beta1
kind: Job
spec:
  autoSelector: 1
END

run 'one file' 0 convert old.yaml
same 'one file' out "$(printf '%s\n' 'apiVersion: batch/v1' 'kind: Job' 'metadata:' '  name: pi' 'spec:' '  template:' \
    '    spec:' '      restartPolicy: Never' '---' 'apiVersion: v1' 'kind: ConfigMap')"
same 'one file' err 'jobreeve convert: old.yaml: 1 of 2 objects are not of an old version and unchanged'

input=cron.json run 'standard input, as YAML' 0 convert -o yaml -
same 'standard input, as YAML' out "$(printf '%s\n' 'apiVersion: batch/v1' 'kind: CronJob' 'spec:' '  schedule: "@daily"' '  retries: 3')"
same 'standard input, as YAML' err '-:1:94: warning: spec.retries: no field of batch/v1; kept, but API servers will drop it'

run 'several files are one stream' 0 convert old.yaml cron.json old.yaml
"$jobreeve" default -o yaml out > again 2> err || fault 'several files: not readable again'
[ "$(grep -c '^---$' again)" = 4 ] || fault 'several files: not five documents'

run 'all or nothing' 1 convert bad.yaml cron.json
holds 'all or nothing' out '"CronJob"'
[ "$(grep -c CronJob out)" = 1 ] || fault 'all or nothing: something of bad.yaml was printed'
same 'all or nothing' err "$(printf '%s\n' 'bad.yaml:7:17: spec.autoSelector: expected true or false' \
    'jobreeve convert: bad.yaml: 1 of 2 objects refused: nothing is printed' \
    'cron.json:1:94: warning: spec.retries: no field of batch/v1; kept, but API servers will drop it')"

run 'a diff' 0 convert --diff cron.json
holds 'a diff' out '--- a/cron.json'
holds 'a diff' out '-  "apiVersion": "batch/v1beta1",'

run 'converted' 0 convert cron.json
cp out converted.json
run 'a diff of what stays as it is' 0 convert --diff converted.json
same 'a diff of what stays as it is' out ''
same 'a diff of what stays as it is' err 'jobreeve convert: converted.json: 1 of 1 objects are not of an old version and unchanged'

run 'a file that is not there' 2 convert bad.yaml none.yaml
holds 'a file that is not there' err "none.yaml: can't open: No such file or directory"
run 'a folder' 2 convert .
holds 'a folder' err ".: can't read: Is a directory"
printf 'a: [1\n' > broken.yaml
run 'no YAML' 2 default broken.yaml
holds 'no YAML' err 'jobreeve default: broken.yaml: line '
input=cron.json run 'no file is standard input' 0 convert --diff
holds 'no file is standard input' out '--- a/-'
run 'no such version' 2 convert --to v1beta1 old.yaml
holds 'no such version' err 'expected one of v1'
code=0
"$jobreeve" convert old.yaml > /dev/full 2> err || code=$?
[ "$code" = 2 ] || fault "output that can't be written: exit code $code"

"$jobreeve" convert old.yaml > new.yaml 2> err
run 'converted and defaulted' 0 default -o json --kubernetes-version v1.36 --uid u-1 new.yaml
holds 'converted and defaulted' out '"batch.kubernetes.io/controller-uid": "u-1"'
holds 'converted and defaulted' err 'new.yaml: 1 of 2 objects are no Jobs of batch/v1 and unchanged'
printf 'apiVersion: batch/v1\nkind: Job\nspec: {parallelism: many}\n' > typed.yaml
run 'a wrong type' 1 default typed.yaml new.yaml
holds 'a wrong type' err 'typed.yaml:3:21: spec.parallelism: '
holds 'a wrong type' out 'backoffLimit: 6'
run 'an unknown version' 2 default --kubernetes-version 1.30 new.yaml
holds 'an unknown version' err '--kubernetes-version: expected a version of Kubernetes from 1.31 to 1.37'
run 'two versions' 2 default --kubernetes-version 1.36,1.37 new.yaml
holds 'two versions' err '--kubernetes-version: expected one version, not 2: jobreeve check takes several'
cat > rules.yaml <<'END'
apiVersion: batch/v1
kind: Job
metadata: {name: rules}
spec:
  template:
    spec:
      restartPolicy: Never
      containers: [{name: c, image: c, restartPolicy: Never, restartPolicyRules: [{action: Restart, exitCodes: {operator: In, values: [3]}}]}]
END
run 'a field since 1.34' 0 default --kubernetes-version 1.34 --feature-gate ContainerRestartRules=true rules.yaml
holds 'a field since 1.34' out 'restartPolicyRules'
run 'not before' 0 default --kubernetes-version 1.33 rules.yaml
if grep -q restartPolicyRules out; then fault '1.33 keeps restartPolicyRules, which it does not know'; fi
run 'a locked gate' 2 default --feature-gate JobManagedBy=false new.yaml
holds 'a locked gate' err 'feature gate JobManagedBy is locked to true'

run 'nothing' 2
holds 'nothing' err 'Usage: jobreeve COMMAND'
run 'help' 0 help
for command in $(sed -n 's/^  \([a-z]*\)  *.*/\1/p' out); do
    run "$command --help" 0 "$command" --help
    holds "$command --help" out "Usage: jobreeve $command "
    cp out asked
    run "help $command" 0 help "$command"
    cmp -s out asked || fault "help $command: not as $command --help"
done
[ "$checks" -gt 25 ] || fault 'jobreeve help lists too few commands'
run 'no such command' 2 chekc
holds 'no such command' err "no command 'chekc'"

[ "$failed" = 0 ] && echo "$checks runs"
exit "$failed"
