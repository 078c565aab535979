# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Sourced by make.sh: CronJobs. What they start, and the events of their controller, are real.

case_cron_suspended() {
    in_namespace newsletter
    cronjob weekly-mail '0 7 * * 1' '.spec.suspend = true | .spec.timeZone = "Europe/Vienna"'
    sleep 2
    POST='older(cron; 94) | (cron.status) = {lastScheduleTime: "2026-10-26T06:00:00Z", lastSuccessfulTime: "2026-10-26T06:00:41Z"}' dump cronjob,job,pod,event
    expect '{now: "2026-12-02T18:30:00Z", ask: "cronjob/weekly-mail", verdict: "hand", who: "author",
        first_cause: "The CronJob is suspended: it has started nothing since 26 October, and does not until spec.suspend is false.",
        must_mention: ["suspend"], must_not_say: ["too many missed", "time ?zone .*(unknown|invalid)", "Forbid", "image", "next start (is|at|in)"],
        next_accept: ["kubectl (patch|edit) (cronjob|cj)[/ ]weekly-mail"], next_reject: ["delete", "create job .*--from", "replace"], next_example: "kubectl patch cronjob weekly-mail -n newsletter --type=merge -p \u0027{\"spec\":{\"suspend\":false}}\u0027",
        source: "real: CronJob controller 1.36.0; its last start is written"}'
}

case_forbid_terminating() {
    in_namespace pki
    node edge-7 8 32Gi
    cronjob ca-reconciler '*/10 * * * *' '.spec.concurrencyPolicy = "Forbid" | .spec.jobTemplate.spec.activeDeadlineSeconds = 60 | p.terminationGracePeriodSeconds = 5'
    due ca-reconciler 700
    pods "$JOB" 1
    runs "${P[0]}" edge-7
    lost edge-7
    set_status "pod/${P[0]}" "$NOT_READY"
    event "pod/${P[0]}" Warning NodeNotReady "Node is not ready" node-controller "$(age "${P[0]}")"
    await 90 "the deadline" k wait "job/$JOB" -n pki --for=condition=FailureTarget --timeout=1s
    event "cronjob/ca-reconciler" Normal JobAlreadyActive "Not starting job because prior execution is running and concurrency policy is Forbid" cronjob-controller 610 2412 9
    POST='older(cron; 60)' dump cronjob,job,pod,event node/edge-7
    expect '{now: pod(2700), ask: "cronjob/ca-reconciler", verdict: "hand", who: "admin",
        first_cause: "The CronJob starts nothing, since its Job \(job.metadata.name) still counts as active and the policy is Forbid. That Job has passed its deadline and is to fail, but its Pod cannot end: the node edge-7, where it is, does not answer. The node must be repaired, or be tainted as out of service once it is surely off.",
        must_mention: ["Forbid", "edge-7", "(terminating|cannot end|deletion|ending)"], must_not_say: ["suspended", "image", "insufficient", "\\bOOM", "too many missed"],
        next_accept: ["kubectl taint nodes? edge-7 .*out-of-service", "kubectl (get|describe) nodes?[/ ]edge-7"], next_reject: ["delete (cronjob|cj)", "create job .*--from", "(patch|edit) pods? .*finalizers"], next_example: "kubectl describe node edge-7",
        source: "https://github.com/harn3ss/open-infra/issues/104: a Job past its deadline, with a Pod wedged in Terminating, that keeps a CronJob with Forbid from starting; real but for the node and the later skips"}'
}

case_many_missed() {
    in_namespace dev-cluster
    cronjob poll '* * * * *' 'p.containers[0].image = "busybox:1.37"'
    due poll 25000
    pods "$JOB" 1
    fails "${P[0]}" worker-1 0 Completed 1
    await 60 "the end of the Job" k wait "job/$JOB" -n dev-cluster --for=condition=Complete --timeout=1s
    await 30 "the CronJob to know" claim_told SawCompletedJob
    POST='older(cron; 20)' dump cronjob,job,pod,event
    expect '([of("Job").status.completionTime] | max) as $at | {now: ($at | plus(3)), ask: "cronjob/poll", verdict: "moves", who: "nobody", when: ([$at | fromdate + 3 | (. / 60 | floor + 1) * 60 | todate][0]),
        first_cause: "Nothing holds the CronJob up: its next start is at the full minute. It had missed more than 100 starts while nobody ran it, of which its controller only warns: it made one Job for them, which succeeded.",
        must_mention: ["next (start|run|job)|starts? (again )?(at|in)"], must_not_say: ["(no longer|never|won.t|will not|stopped|refuses to) .*start", "must (be (deleted|made anew)|set)", "image", "suspended", "clock .*(wrong|skewed)"],
        next_accept: ["kubectl (get|describe|logs)"], next_reject: ["delete", "replace", "(edit|patch)"], next_example: "kubectl get cronjob poll -n dev-cluster",
        source: "https://github.com/k3d-io/k3d/issues/523: a laptop that slept through 100 starts; today the controller (1.36.0, real) only warns"}'
}

case_start_missed() {
    in_namespace accounting
    cronjob hourly-sync '0 * * * *' '.spec.startingDeadlineSeconds = 60'
    k patch cronjob hourly-sync -n accounting --subresource=status --type=merge -p "{\"status\": {\"lastScheduleTime\": \"$(date -u -d '3 hours ago' +%Y-%m-%dT%H:00:00Z)\", \"lastSuccessfulTime\": \"$(date -u -d '3 hours ago' +%Y-%m-%dT%H:00:37Z)\"}}"
    sleep 5
    POST='older(cron; 41)' dump cronjob,job,pod,event
    expect '(now | . / 3600 | floor * 3600) as $hour | {now: ($hour + 1750 | todate), ask: "cronjob/hourly-sync", verdict: "moves", who: "nobody", when: ($hour + 3600 | todate),
        first_cause: "Nothing holds the CronJob up now: it starts at the next full hour. The starts since \(cron | .status.lastScheduleTime) were missed, each by more than the startingDeadlineSeconds of 60, and are not made up for: its controller did not run, or could not make a Job. It says nothing of them.",
        must_mention: ["(missed|skipped|not (made|started)|no start)", "next"], must_not_say: ["suspended", "Forbid", "image", "never (starts|runs)", "time ?zone"],
        next_accept: ["kubectl (get|describe|edit|patch) (cronjob|cj)", "kubectl create job .*--from"], next_reject: ["delete", "replace"], next_example: "kubectl create job hourly-sync-now --from=cronjob/hourly-sync -n accounting",
        source: "real: CronJob controller 1.36.0, which tells of no start that is past its deadline (pkg/controller/cronjob/utils.go: mostRecentScheduleTime begins at the deadline)"}'
}

case_time_zone_unknown() {
    K=1.33
    in_namespace kyiv-office
    cronjob morning-report '30 3 * * *' '.spec.timeZone = "Europe/Kyiv"'
    event cronjob/morning-report Warning UnknownTimeZone 'invalid timeZone: "Europe/Kyiv": unknown time zone Europe/Kyiv' cronjob-controller 0 1206 3
    POST='older(cron; 5)' dump cronjob,job,pod,event
    expect '{now: ([of("Event").lastTimestamp] | max | plus(600)), ask: "cronjob/morning-report", verdict: "hand", who: "admin",
        first_cause: "The CronJob has never started anything: its controller does not know the time zone Europe/Kyiv, since it has older zone data than the API server, which took it. An admin must give it newer data; the old name Europe/Kiev works until then.",
        must_mention: ["time ?zone", "Europe/Kyiv"], must_not_say: ["suspended", "Forbid", "image", "daylight", "next start (is|at|in)"],
        next_accept: ["kubectl (edit|patch) (cronjob|cj)[/ ]morning-report"], next_reject: ["delete", "replace --force"], next_example: "kubectl patch cronjob morning-report -n kyiv-office --type=merge -p \u0027{\"spec\":{\"timeZone\":\"Europe/Kiev\"}}\u0027",
        source: "kubernetes v1.33.13: pkg/controller/cronjob/cronjob_controllerv2.go (UnknownTimeZone)"}'
}

case_dst_skipped() {
    K=1.33
    in_namespace stats
    cronjob daily-stats '30 2 * * *' '.spec.timeZone = "Europe/Berlin"'
    due daily-stats 90000
    pods "$JOB" 1
    fails "${P[0]}" worker-1 0 Completed 1
    await 60 "the end of the Job" k wait "job/$JOB" -n stats --for=condition=Complete --timeout=1s
    await 30 "the CronJob to know" claim_told SawCompletedJob
    # The day before the clocks go forward, at 02:30 in Berlin: minute 29577690 of the epoch.
    POST='("2026-03-28T01:30:01Z" | fromdate) as $t | (job | created | fromdate) as $was | .items |= map(select(.kind != "Event")) | shift($t - $was) | (cron.status.lastScheduleTime) = "2026-03-28T01:30:00Z" | older(cron; 200)
        | walk(if type == "string" then gsub("daily-stats-[0-9]{8}"; "daily-stats-29577690") else . end) | (job.metadata.annotations["batch.kubernetes.io/cronjob-scheduled-timestamp"]) = "2026-03-28T02:30:00+01:00"' dump cronjob,job,pod,event
    expect '{now: "2026-03-29T09:00:00Z", ask: "cronjob/daily-stats", verdict: "moves", who: "nobody", when: "2026-03-30T00:30:00Z",
        first_cause: "Nothing holds the CronJob up. There was no start today, since 02:30 did not exist: in Europe/Berlin the clocks went from 02:00 to 03:00. The next one is tomorrow at 02:30.",
        must_mention: ["(daylight|summer time|clocks?|DST|did not exist|02:30)", "next"], must_not_say: ["too many missed", "suspended", "deadline .*missed", "unknown time ?zone", "stuck"],
        next_accept: ["kubectl create job .*--from", "kubectl (get|describe|edit|patch) (cronjob|cj)"], next_reject: ["delete", "replace"], next_example: "kubectl create job daily-stats-today --from=cronjob/daily-stats -n stats",
        source: "https://github.com/argoproj/argo-workflows/issues/8137: a start at an hour that daylight saving skips, which robfig/cron leaves out; here a CronJob, which uses the same library"}'
}
