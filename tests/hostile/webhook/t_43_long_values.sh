#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Finding: what an error quotes was copied whole, again and again: a CronJob whose malformed schedule has 1.3 MB was answered 500, "out of memory",
# in place of a denial. Seen to fail on 23e780d2: 500 for the schedule and the period; answers of
# 2.7 MB for the time zone and the resource.
# quick
. "$(dirname "$0")/lib.sh"

LONG=$DIR/long
head -c 1300000 /dev/zero | tr '\0' '\177' > "$LONG" # a byte of JSON that Go's quotes show as four

# review KIND OPERATION SUBRESOURCE OLD OBJECT: of jq's expressions, in which $long is the text
review() {
    jq -nc --rawfile long "$LONG" --arg kind "$1" --arg op "$2" --arg sub "$3" '
        {apiVersion: "batch/v1", kind: $kind, metadata: {name: "pi", namespace: "default", uid: "u", resourceVersion: "1"}} as $o
        | {restartPolicy: "Never", containers: [{name: "c", image: "i"}]} as $pod
        | {selector: {matchLabels: {"batch.kubernetes.io/controller-uid": "u"}}, template: {spec: $pod}, completionMode: "Indexed", completions: 3} as $job
        | {schedule: "* * * * *", jobTemplate: {spec: {template: {spec: $pod}}}} as $cron
        | {apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview", request: {uid: "r", namespace: "default", name: "pi", operation: $op,
            subResource: $sub, kind: {group: "batch", version: "v1", kind: $kind},
            resource: {group: "batch", version: "v1", resource: (if $kind == "Job" then "jobs" else "cronjobs" end)},
            oldObject: ('"$4"'), object: ('"$5"')}}' | sed 's/\\u007f/\x7f/g' > "$DIR/review.json"
}

denied() { # denied NAME PATH TEXT: the review is, and the answer has the text and is no longer than what is shown of values
    check "$1" "$(ask "$DIR/review.json" "$2")" 200
    check "$1: denied" "$(jq -r .response.status.code "$DIR/answer")" 422
    check_has "$1: in words" "$(head -c 2000 "$DIR/answer")" "$3"
    check_more "$1: and few of them" 400000 "$(wc -c < "$DIR/answer")"
}

webhook
CRON=/validate-batch-v1-cronjob
review CronJob CREATE "" null '$o + {spec: ($cron + {schedule: ($long + " * * * *")})}'
denied "a schedule" $CRON 'spec.schedule: Invalid value'
review CronJob CREATE "" null '$o + {spec: ($cron + {schedule: ("@every " + $long)})}'
denied "a period" $CRON 'spec.schedule: Invalid value'
review CronJob CREATE "" null '$o + {spec: ($cron + {timeZone: $long})}'
denied "a time zone" $CRON 'spec.timeZone: Invalid value'
review Job CREATE "" null '$o + {spec: ($job | .template.spec.containers[0].resources.limits = {($long): "1"})}'
denied "the name of a resource" /validate-batch-v1-job 'resources.limits'
review Job CREATE "" null '$o + {spec: ($job + {successPolicy: {rules: [{succeededIndexes: $long}]}})}'
denied "the indexes of a success policy" /validate-batch-v1-job 'succeededIndexes'
review Job UPDATE "" '$o + {spec: $job}' '$o + {spec: $job} | .metadata += {deletionGracePeriodSeconds: 0, finalizers: [$long]}'
denied "a finalizer" /validate-batch-v1-job 'metadata.finalizers'
