# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Sourced by make.sh: what the Job controller itself decides. Its conditions, counts and events are real.

case_backoff_waiting() {
    in_namespace solver
    job solve '.spec.backoffLimit = 25 | .spec.completions = 25'
    pods solve 1 && fails "${P[0]}" worker-1 139 Error 1
    WAIT=90 pods solve 2 && fails "${P[1]}" worker-2 139 Error 1
    WAIT=120 pods solve 3 && fails "${P[2]}" worker-1 139 Error 1
    sleep 4
    dump job,pod,event
    expect '{now: ended(12), ask: "job/solve", verdict: "moves", verdict_ok: ["hand"], who: "nobody", when: ended(40),
        first_cause: "The last three Pods failed with exit code 139 (a segmentation fault), and the controller waits with the next one: 40 seconds from the last failure.",
        must_mention: ["139", "(back-?off|waits?|next (pod|try))"], must_not_say: ["\\bOOM", "backoffLimit (is )?(reached|exceeded)", "pull", "nothing (holds|is wrong)", "quota"],
        next_accept: ["kubectl logs"], next_reject: ["delete", "(edit|patch)", "replace"], next_example: "kubectl logs \([of("Pod")] | max_by(.metadata.creationTimestamp).metadata.name) -n solver",
        source: "https://github.com/kubernetes/kubernetes/pull/114516: the delays between the Pods of a Job that fails (10 s, 20 s, 40 s); its Job, real on 1.36.0"}'
}

case_backoff_last_try() {
    in_namespace tiles
    job render-tiles '.spec.completions = 6 | .spec.parallelism = 6'
    pods render-tiles 6
    local p t beside=()
    t=$(($(age "${P[0]}") + 8))
    for p in "${P[@]}"; do
        { bind "$p" worker-1 && set_status "pod/$p" "ended(1; \"Error\"; 2; $t)"; } &
        beside+=($!)
    done
    wait "${beside[@]}"
    await 60 "six failures" has_failed render-tiles 6
    dump job,pod,event
    expect '{now: ended(100), ask: "job/render-tiles", verdict: "moves", verdict_ok: ["hand"], who: "nobody", when: ended(320),
        first_cause: "All six Pods failed with exit code 1, one after the first beginning, and the controller waits 320 seconds from the last failure before it makes new ones. 6 failures of a backoffLimit of 6 do not end the Job: the next one does.",
        must_mention: ["exit(ed)? (code|status)? ?1\\b|code 1\\b", "(one more|last|next|another|back-?off)"], must_not_say: ["(has|is) failed[. ]*$", "backoffLimit (is )?(reached|exceeded)", "\\bOOM", "no (more|further) (try|pod|retr)", "(it|job) (is over|has ended)"],
        next_accept: ["kubectl logs"], next_reject: ["delete", "(edit|patch) job", "replace"], next_example: "kubectl logs -l batch.kubernetes.io/job-name=render-tiles -n tiles --prefix",
        source: "real: Job controller 1.36.0 (pkg/controller/job/backoff_utils.go; job_controller.go: failed > backoffLimit)"}'
}
has_failed() {
    [ "$(k get job "$1" -n "$NS" -o jsonpath='{.status.failed}')" = "$2" ]
}

case_index_delay() {
    in_namespace shards
    job reshard '.spec.completionMode = "Indexed" | .spec.completions = 4 | .spec.parallelism = 4 | .spec.backoffLimitPerIndex = 2'
    pods reshard 4
    local p
    for p in 0 1 3; do runs "${P[p]}" worker-$((p > 2 ? 3 : p + 1)); done
    fails "${P[2]}" worker-3 1 Error 8
    await 20 "the failure" has_failed_pod "${P[2]}"
    sleep 1.5
    dump job,pod,event
    expect '{now: ended(4), ask: "job/reshard", verdict: "moves", who: "nobody", when: ended(10),
        first_cause: "Index 2 failed with exit code 1, and is tried again 10 seconds after its end (backoffLimitPerIndex 2). The three other indexes run.",
        must_mention: ["index 2|indexes? .*\\b2\\b", "(again|back-?off|retr|delay|next)"], must_not_say: ["\\bOOM", "(has|is) failed (for good|finally)", "must (act|change)", "pull", "maxFailedIndexes"],
        next_accept: ["kubectl (logs|get|describe)"], next_reject: ["delete", "(edit|patch)", "replace"], next_example: "kubectl logs \(of("Pod") | select(.status.phase == "Failed").metadata.name) -n shards",
        source: "real: Job controller 1.36.0 (pkg/controller/job/backoff_utils.go, getRemainingTimePerIndex)"}'
}
has_failed_pod() {
    [ "$(k get pod "$1" -n "$NS" -o jsonpath='{.status.phase}')" = Failed ]
}

case_fail_job_rule() {
    in_namespace audit
    job reconcile '.spec.completions = 3 | .spec.parallelism = 3 | .spec.podFailurePolicy = {rules: [{action: "FailJob", onExitCodes: {containerName: "main", operator: "In", values: [42]}}, {action: "Ignore", onPodConditions: [{type: "DisruptionTarget"}]}]}'
    pods reconcile 3
    runs "${P[0]}" worker-1
    runs "${P[1]}" worker-2
    fails "${P[2]}" worker-3 42 Error 1
    await 60 "the end of the Job to be decided" k wait job/reconcile -n audit --for=condition=FailureTarget --timeout=1s
    sleep 3
    dump job,pod,event
    expect '{now: newest(4), ask: "job/reconcile", verdict: "never", verdict_ok: ["moves", "over"], who: "author",
        first_cause: "The Job fails: \(of("Pod") | select(.status.phase == "Failed").metadata.name) ended with exit code 42, for which the rule at index 0 of podFailurePolicy says FailJob. Its end is decided (FailureTarget), and its two other Pods are being ended.",
        must_mention: ["42", "(FailJob|podFailurePolicy|failure policy|rule)"], must_not_say: ["backoffLimit (is )?(reached|exceeded)", "\\bOOM", "retr(y|ied) (again|soon)", "nothing (holds|is wrong)", "next try"],
        next_accept: ["kubectl logs"], next_reject: ["(edit|patch) job", "delete pod", "replace --force"], next_example: "kubectl logs \(of("Pod") | select(.status.phase == "Failed").metadata.name) -n audit",
        source: "real: Job controller 1.36.0 (pkg/controller/job/pod_failure_policy.go)"}'
}

case_max_failed_indexes() {
    in_namespace bench
    job sweep '.spec.completionMode = "Indexed" | .spec.completions = 6 | .spec.parallelism = 6 | .spec.backoffLimitPerIndex = 0 | .spec.maxFailedIndexes = 1'
    pods sweep 6
    local p
    for p in 0 1; do bind "${P[p]}" worker-1 && set_status "pod/${P[p]}" 'ended(0; "Completed"; 1; 3)'; done
    for p in 3 5; do fails "${P[p]}" worker-2 2 Error 1; done
    await 60 "the end of the Job" k wait job/sweep -n bench --for=condition=Failed --timeout=1s
    sleep 2
    dump job,pod,event
    expect '{now: (job | .status.conditions[] | select(.type == "Failed").lastTransitionTime | plus(600)), ask: "job/sweep", verdict: "over", who: "author",
        first_cause: "The Job has failed: the indexes 3 and 5 failed (exit code 2), and maxFailedIndexes allows one. The rest was stopped.",
        must_mention: ["maxFailedIndexes|failed indexes", "\\b3\\b.*\\b5\\b|3,5"], must_not_say: ["backoffLimit (is )?(reached|exceeded)", "2147483647", "\\bOOM", "deadline", "next try"],
        next_accept: ["kubectl logs"], next_reject: ["(edit|patch) job", "delete pod", "replace --force"], next_example: "kubectl logs -l batch.kubernetes.io/job-name=sweep,batch.kubernetes.io/job-completion-index=3 -n bench",
        source: "real: Job controller 1.36.0"}'
}

case_deadline() {
    in_namespace close
    job month-end '.spec.activeDeadlineSeconds = 25 | c.resources.requests = {memory: "96Gi"}'
    pods month-end 1
    unschedulable "${P[0]}" "0/6 nodes are available: 3 Insufficient memory, 3 node(s) had untolerated taint(s). no new claims to deallocate, preemption: 0/6 nodes are available: 6 Preemption is not helpful for scheduling." 3 2
    await 90 "the end of the Job" k wait job/month-end -n close --for=condition=Failed --timeout=1s
    sleep 2
    dump job,pod,event
    expect '{now: (job | .status.conditions[] | select(.type == "Failed").lastTransitionTime | plus(400)), ask: "job/month-end", verdict: "over", who: "author",
        first_cause: "The Job has failed: it was active for longer than its activeDeadlineSeconds of 25. Its Pod had no node in that time, since 96Gi of memory fit on none.",
        must_mention: ["deadline", "(memory|node|schedul)"], must_not_say: ["backoffLimit (is )?(reached|exceeded)", "exit code", "\\bOOM", "(waits|pending) (now|still)", "image"],
        next_accept: ["kubectl .*(get|create|apply|replace)", "kubectl describe nodes?"], next_reject: ["(edit|patch) job", "delete pod"], next_example: "kubectl get job month-end -n close -o yaml",
        source: "real: Job controller 1.36.0; the words of the scheduler as in memory-never"}'
}

case_complete_ttl() {
    in_namespace promote
    job artifact-promoter-presync '.spec.ttlSecondsAfterFinished = 900 | .metadata.annotations = {"argocd.argoproj.io/hook": "PreSync", "argocd.argoproj.io/hook-delete-policy": "BeforeHookCreation"} | .metadata.labels = {"app.kubernetes.io/instance": "promoter"}'
    pods artifact-promoter-presync 1
    fails "${P[0]}" worker-1 0 Completed 2
    await 60 "the end of the Job" k wait job/artifact-promoter-presync -n promote --for=condition=Complete --timeout=1s
    sleep 2
    dump job,pod,event
    expect '{now: (job | .status.completionTime | plus(300)), ask: "job/artifact-promoter-presync", verdict: "over", who: "nobody", when: (job | .status.completionTime | plus(900)),
        first_cause: "The Job is complete: its Pod ended with success 5 minutes ago. It is deleted 15 minutes after its end (ttlSecondsAfterFinished). If Argo CD still waits for it, that is not the fault of the Job.",
        must_mention: ["complete|succe(eded|ss)"], must_not_say: ["fail", "\\bstuck", "must (act|change)", "(pod|job) (still )?waits", "image"],
        next_accept: ["kubectl (logs|get|describe)", "argocd app"], next_reject: ["delete", "(edit|patch)", "replace"], next_example: "kubectl logs job/artifact-promoter-presync -n promote",
        source: "https://github.com/argoproj/argo-cd/issues/4979: a PreSync hook whose Job is complete while Argo CD waits; here before the TTL has deleted it"}'
}

case_success_policy() {
    in_namespace mpi
    job launch '.spec.completionMode = "Indexed" | .spec.completions = 3 | .spec.parallelism = 3 | .spec.successPolicy = {rules: [{succeededIndexes: "0"}]}'
    pods launch 3
    runs "${P[1]}" worker-1
    runs "${P[2]}" worker-2
    fails "${P[0]}" worker-3 0 Completed 1
    await 60 "success" k wait job/launch -n mpi --for=condition=SuccessCriteriaMet --timeout=1s
    sleep 3
    dump job,pod,event
    expect '{now: newest(6), ask: "job/launch", verdict: "moves", verdict_ok: ["over"], who: "nobody",
        first_cause: "The Job has succeeded: index 0 succeeded, which is what its successPolicy asks for. Its two other Pods are being ended, after which it is complete.",
        must_mention: ["succe(eded|ss|ssful)", "(ending|terminat|being ended|stop)"], must_not_say: ["stuck", "fail", "must (act|change)", "deadline", "finalizer"],
        next_accept: ["kubectl (logs|get|wait|describe)"], next_reject: ["delete", "(edit|patch)", "--force"], next_example: "kubectl get pods -l batch.kubernetes.io/job-name=launch -n mpi",
        source: "real: Job controller 1.36.0 (pkg/controller/job/success_policy.go)"}'
}

case_suspended() {
    in_namespace import
    job bulk-load '.spec.completions = 10 | .spec.parallelism = 2'
    pods bulk-load 2
    k patch job bulk-load -n import --type=merge -p '{"spec": {"suspend": true}}'
    await 60 "the Job to be suspended" k wait job/bulk-load -n import --for=condition=Suspended --timeout=1s
    sleep 2
    dump job,pod,event
    expect '{now: job(3000), ask: "job/bulk-load", verdict: "hand", who: "author",
        first_cause: "The Job is suspended, by a person: no queue stands behind it. It goes on when spec.suspend is set to false.",
        must_mention: ["suspend"], must_not_say: ["kueue", "workload", "quota", "image", "nothing holds"],
        next_accept: ["kubectl (patch|edit) job[/ ]bulk-load"], next_reject: ["delete", "replace --force", "create job"], next_example: "kubectl patch job bulk-load -n import --type=merge -p \u0027{\"spec\":{\"suspend\":false}}\u0027",
        source: "real: Job controller 1.36.0"}'
}

case_parallelism_zero() {
    K=1.33
    in_namespace queue-workers
    job drain '.spec.parallelism = 0 | .spec.completions = 5'
    sleep 4
    dump job,pod,event
    expect '{now: job(1800), ask: "job/drain", verdict: "hand", who: "author",
        first_cause: "The Job has parallelism 0: it makes no Pods until that is raised.",
        must_mention: ["parallelism", "\\b0\\b|zero"], must_not_say: ["suspended", "quota", "image", "refused", "nothing holds"],
        next_accept: ["kubectl (patch|edit|scale) job[/ ]drain"], next_reject: ["delete", "replace --force"], next_example: "kubectl patch job drain -n queue-workers --type=merge -p \u0027{\"spec\":{\"parallelism\":1}}\u0027",
        source: "real: Job controller 1.36.0"}'
}

case_managed_by() {
    in_namespace grid
    job fold-proteins '.spec.managedBy = "batch.example.com/runner" | .spec.completions = 8 | .spec.parallelism = 4'
    sleep 4
    dump job,pod,event
    expect '{now: job(2400), ask: "job/fold-proteins", verdict: "hand", verdict_ok: ["unknown"], who: "admin",
        first_cause: "The Job is left to the controller batch.example.com/runner (spec.managedBy), which has done nothing with it for 40 minutes: its status is empty. The built-in controller does not touch it. managedBy cannot be changed; that controller must run, or the Job be made anew without.",
        must_mention: ["managedBy|managed by", "batch\\.example\\.com/runner"], must_not_say: ["quota", "image", "suspended", "nothing holds", "multikueue"],
        next_accept: ["kubectl .*get (deploy(ment)?s?|pods?|all).*(-A|--all-namespaces|batch)", "kubectl .*fold-proteins"], next_reject: ["(patch|edit) job[/ ]fold-proteins.*managedBy", "delete pod"], next_example: "kubectl get deployments,pods -A",
        source: "real: Job controller 1.36.0, which leaves it alone"}'
}

case_clock_skew() {
    in_namespace plant
    job telemetry '.spec.completions = 3'
    pods telemetry 1
    bind "${P[0]}" worker-3
    set_status "pod/${P[0]}" 'ended(1; "Error"; 482; 484)'
    await 60 "the failure to be counted" has_failed telemetry 1
    sleep 14
    dump job,pod,event
    expect '{now: pod(60), ask: "job/telemetry", verdict: "moves", verdict_ok: ["hand"], who: "nobody", when: ended(10),
        first_cause: "The Pod failed with exit code 1, and the next one comes 10 seconds after its end, which its node says lies 7 minutes from now: the clock of worker-3 is fast by some 8 minutes, and the back-off is as much longer.",
        must_mention: ["(clock|skew|future)", "(back-?off|next|wait)"], must_not_say: ["\\bOOM", "quota", "backoffLimit (is )?(reached|exceeded)", "pull", "(has|is) failed[. ]*$"],
        next_accept: ["kubectl .*(logs|get|describe)"], next_reject: ["delete", "(edit|patch)", "replace"], next_example: "kubectl logs \(first(of("Pod")).metadata.name) -n plant",
        source: "real: Job controller 1.36.0, with a Pod whose end is written 8 minutes ahead (pkg/controller/job/backoff_utils.go: the delay counts from finishedAt)"}'
}

case_running_many() {
    in_namespace survey
    quota survey '{pods: "40"}'
    job galaxies '.spec.completionMode = "Indexed" | .spec.completions = 60 | .spec.parallelism = 50 | c.command = ["/app/run", "--shard"]'
    pods galaxies 40
    refused galaxies 2
    k patch resourcequota survey -n survey --type=merge -p '{"spec": {"hard": {"pods": "80"}}}'
    WAIT=240 pods galaxies 50
    local p n=0
    for p in "${P[@]}"; do
        bind "$p" "worker-$((n % 3 + 1))"
        if [ $n -lt 4 ]; then set_status "pod/$p" 'ended(0; "Completed"; 2; 30)'; elif [ $n -lt 48 ]; then set_status "pod/$p" 'running(3)'; else set_status "pod/$p" 'waiting("ContainerCreating"; "")'; fi
        n=$((n + 1))
    done
    await 60 "four successes" four_have_succeeded
    WAIT=60 pods galaxies 54
    for p in "${P[@]:50}"; do bind "$p" worker-1 && set_status "pod/$p" 'running(2)'; done
    sleep 3
    dump job,pod,event,resourcequota
    expect '{now: newest(40), ask: "job/galaxies", verdict: "moves", who: "nobody",
        first_cause: "Nothing holds the Job up: 4 of 60 indexes are done, 48 Pods run and two are starting. That the quota survey refused Pods at first is past: it was raised.",
        must_mention: ["run(s|ning)|nothing (holds|is wrong)|\\b4\\b.*\\b60\\b"], must_not_say: ["(exceeded|waits for|held by|refused by) .*quota", "stuck", "must (act|change)", "fail", "ContainerCreating .*(hangs|stuck)"],
        next_accept: ["kubectl (get|logs|wait|describe)"], next_reject: ["delete", "(edit|patch)", "scale"], next_example: "kubectl get pods -l batch.kubernetes.io/job-name=galaxies -n survey",
        source: "real: Job controller and quota of 1.36.0"}'
}
four_have_succeeded() {
    [ "$(k get job galaxies -n survey -o jsonpath='{.status.succeeded}')" = 4 ]
}
