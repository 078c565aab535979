# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Sourced by make.sh: containers that begin, and what becomes of them. The words are those of pkg/kubelet and of the controllers of nodes.

# fails POD NODE CODE REASON [SECONDS]: it has run for so long, and ends now
fails() {
    local t
    scheduled "$1" "$2"
    t=$(age "$1")
    began "$1" "$2" "$t"
    set_status "pod/$1" "ended($3; \"$4\"; $t; $t + ${5:-1}) ${6:+| $6}"
}
# runs POD NODE: since now
runs() {
    local t
    scheduled "$1" "$2"
    t=$(age "$1")
    began "$1" "$2" "$t"
    set_status "pod/$1" "running($t) ${3:+| $3}"
}

case_init_fails() {
    in_namespace assets
    job publish '.spec.template.spec.restartPolicy = "OnFailure" | p.initContainers = [{name: "fetch", image: "registry.example.com/tools/fetch:3", command: ["/hooks/fetch.sh"]}]'
    pods publish 1
    scheduled "${P[0]}" worker-1
    for r in Pulled:'Container image "registry.example.com/tools/fetch:3" already present on machine and can be accessed by the pod' Created:"Container created" Started:"Container started"; do
        CONTAINER=fetch event "pod/${P[0]}" Normal "${r%%:*}" "${r#*:}" kubelet:worker-1 2 35 4
    done
    CONTAINER=fetch event "pod/${P[0]}" Warning BackOff "Back-off restarting failed container fetch in pod ${P[0]}_assets($(k get pod "${P[0]}" -n assets -o jsonpath='{.metadata.uid}'))" kubelet:worker-1 4 60 6
    set_status "pod/${P[0]}" 'waiting("PodInitializing"; "") | .status.initContainerStatuses = [status_of(.spec.initContainers[0]; waits("CrashLoopBackOff"; "back-off 40s restarting failed container=fetch pod=\(.metadata.name)_assets(\(.metadata.uid))"))
        + {restartCount: 3, imageID: image_id(.spec.initContainers[0].image), containerID: container_id(1), lastState: terminated(126; "Error"; 35; 36)}] | conditions(3; null; null; 1; unready)'
    dump job,pod,event
    expect '{now: pod(64), ask: "job/publish", verdict: "hand", verdict_ok: ["moves"], who: "author",
        first_cause: "The init container fetch fails each time with exit code 126: its command /hooks/fetch.sh cannot be executed. The container main never begins. The Job must be made anew with one that can; its restarts count against the backoffLimit of 6.",
        must_mention: ["init", "fetch", "126"], must_not_say: ["\\bOOM", "main (fails|crashes|exits)", "pull", "(has|is) failed\\.$", "insufficient"],
        next_accept: ["kubectl logs .*(-c|--container)[ =]?fetch"], next_reject: ["(edit|patch) job", "delete pod", "rollout"], next_example: "kubectl logs \(first(of("Pod")).metadata.name) -c fetch -n assets --previous",
        source: "kubernetes v1.36.0: pkg/kubelet/kuberuntime/kuberuntime_manager.go (doBackOff), pkg/kubelet/kubelet_pods.go"}'
}

case_crash_loop() {
    K=1.33
    in_namespace test-jobs
    job test-job '.spec.template.spec.restartPolicy = "OnFailure" | c.name = "pi" | c.image = "busybox:1.36" | c.command = ["sh", "-c", "sleep 5; false"]'
    pods test-job 1
    scheduled "${P[0]}" worker-1
    CONTAINER=pi event "pod/${P[0]}" Normal Pulled 'Container image "busybox:1.36" already present on machine' kubelet:worker-1 1 96 5
    CONTAINER=pi event "pod/${P[0]}" Normal Created "Created container: pi" kubelet:worker-1 1 96 5
    CONTAINER=pi event "pod/${P[0]}" Normal Started "Started container pi" kubelet:worker-1 1 96 5
    CONTAINER=pi event "pod/${P[0]}" Warning BackOff "Back-off restarting failed container pi in pod ${P[0]}_test-jobs($(k get pod "${P[0]}" -n test-jobs -o jsonpath='{.metadata.uid}'))" kubelet:worker-1 12 114 7
    set_status "pod/${P[0]}" 'crashed(4; 1; "Error"; 96; 101; "1m20s")'
    sleep 2
    dump job,pod,event
    expect '{now: pod(118), ask: "job/test-job", verdict: "moves", verdict_ok: ["hand"], who: "nobody", when: pod(181),
        first_cause: "The container pi ends with exit code 1 each time. It has been restarted 4 times, and waits for its next start, 80 seconds after its last end. At 6 restarts in all the Job has failed (backoffLimit 6).",
        must_mention: ["exit(ed)? (code|status)? ?1\\b|code 1\\b", "(back-?off|restart|next (start|try))"], must_not_say: ["\\bOOM", "(has|is) failed[. ]*$", "pull", "waits for a new pod", "insufficient"],
        next_accept: ["kubectl logs"], next_reject: ["delete", "(edit|patch)", "rollout"], next_example: "kubectl logs \(first(of("Pod")).metadata.name) -n test-jobs --previous",
        source: "https://github.com/kubernetes/kubernetes/issues/54870: backoffLimit with restartPolicy OnFailure; the words of kubernetes v1.33.13: pkg/kubelet/kuberuntime/kuberuntime_manager.go (doBackOff)"}'
}

case_oom() {
    in_namespace pricing
    job recompute 'c.resources = {requests: {memory: "256Mi"}, limits: {memory: "256Mi"}} | .spec.backoffLimit = 5'
    pods recompute 1 && fails "${P[0]}" worker-1 137 OOMKilled 41
    WAIT=90 pods recompute 2 && fails "${P[1]}" worker-2 137 OOMKilled 1
    WAIT=120 pods recompute 3 && runs "${P[2]}" worker-1
    sleep 2
    dump job,pod,event
    expect '{now: newest(20), ask: "job/recompute", verdict: "hand", verdict_ok: ["moves"], who: "author",
        first_cause: "Both Pods before were killed since main used more than its memory limit of 256Mi (OOMKilled, exit code 137), and the third has the same limit. The Job must be made anew with more; the memory of a Job that is not suspended cannot be changed.",
        must_mention: ["\\bOOM|out of memory", "256Mi"], must_not_say: ["evict", "node .*(low|pressure)", "liveness", "preempt", "pull"],
        next_accept: ["kubectl .*get job[/ ]recompute.*-o yaml", "kubectl .*(create|replace|apply|patch) .*recompute", "kubectl top pod"], next_reject: ["kubectl (set resources|edit) job", "delete pod", "kubectl patch job[/ ]recompute (?!.*suspend)"], next_example: "kubectl get job recompute -n pricing -o yaml",
        source: "kubernetes v1.36.0: pkg/kubelet/kuberuntime/kuberuntime_container.go; the retries are real (Job controller)"}'
}

case_exit_127() {
    in_namespace mail
    cronjob digest '15 * * * *' 'c.command = ["sh", "-c", "send-digest --all"] | .spec.jobTemplate.spec.backoffLimit = 1'
    due digest 4000
    pods "$JOB" 1 && fails "${P[0]}" worker-1 127 Error 1
    WAIT=90 pods "$JOB" 2 && fails "${P[1]}" worker-2 127 Error 1
    await 60 "the end of the Job" k wait "job/$JOB" -n mail --for=condition=Failed --timeout=1s
    sleep 2
    POST='older(cron; 80)' dump job,pod,event,cronjob
    expect '{now: (job | .status.conditions[] | select(.type == "Failed").lastTransitionTime | plus(240)), ask: "job/\(job.metadata.name)", verdict: "over", who: "owner-of:CronJob/digest",
        first_cause: "The Job has failed: both of its Pods ended with exit code 127, command not found (sh -c send-digest --all), and its backoffLimit is 1. The CronJob digest makes the next Job from the same template, which must be changed there.",
        must_mention: ["127", "(not found|no such command|does not exist)", "fail"], must_not_say: ["\\bOOM", "image .*(not found|pull)", "retr(y|ies) .*soon", "next (try|pod)"],
        next_accept: ["kubectl logs", "kubectl .*(edit|patch|set) .*(cronjob|cj)[/ ]digest"], next_reject: ["(edit|patch) .*[^n]job[/ ]digest-", "delete (cronjob|cj)"], next_example: "kubectl edit cronjob digest -n mail",
        source: "real: Job and CronJob controllers 1.36.0; exit code 127 is the shell that says command not found"}'
}

case_liveness_kills() {
    in_namespace etl
    job consolidate '.spec.template.spec.restartPolicy = "OnFailure" | c.livenessProbe = {httpGet: {path: "/healthz", port: 8080}, periodSeconds: 10, failureThreshold: 3, timeoutSeconds: 1}
        | .metadata.labels = {"app.kubernetes.io/managed-by": "Helm", "app.kubernetes.io/instance": "etl", "helm.sh/chart": "etl-7.2.0"} | .metadata.annotations = {"meta.helm.sh/release-name": "etl", "meta.helm.sh/release-namespace": "etl"}'
    pods consolidate 1
    scheduled "${P[0]}" worker-2
    event "pod/${P[0]}" Warning Unhealthy 'Liveness probe failed: Get "http://10.244.3.27:8080/healthz": dial tcp 10.244.3.27:8080: connect: connection refused' kubelet:worker-2 12 232 11
    event "pod/${P[0]}" Normal Killing "Container main failed liveness probe, will be restarted" kubelet:worker-2 32 162 3
    event "pod/${P[0]}" Normal Pulled 'Container image "registry.example.com/batch/consolidate:1.4.2" already present on machine and can be accessed by the pod' kubelet:worker-2 2 212 4
    event "pod/${P[0]}" Normal Created "Container created" kubelet:worker-2 2 212 4
    event "pod/${P[0]}" Normal Started "Container started" kubelet:worker-2 2 212 4
    set_status "pod/${P[0]}" 'running(212) | .status.containerStatuses[0] |= . + {restartCount: 3} | .status.containerStatuses[0].lastState = terminated(137; "Error"; 132; 192)'
    sleep 2
    dump job,pod,event
    expect '{now: pod(236), ask: "job/consolidate", verdict: "hand", verdict_ok: ["moves"], who: "owner-of:Helm/etl",
        first_cause: "The liveness probe of main (port 8080, /healthz: connection refused) fails, and the kubelet kills the container for it, three times until now (exit code 137): it does not get to its end. Jobs need no liveness probe: the chart of the Helm release etl must drop it, or make it fit.",
        must_mention: ["liveness", "probe"], must_not_say: ["\\bOOM|out of memory", "evict", "preempt", "pull", "node .*(lost|not ready)"],
        next_accept: ["helm .*\\betl\\b", "kubectl logs", "kubectl .*describe pod"], next_reject: ["(edit|patch) job", "delete pod", "set resources"], next_example: "helm upgrade etl CHART -n etl --set PROBE",
        source: "kubernetes v1.36.0: pkg/kubelet/prober/prober.go, pkg/kubelet/kuberuntime/kuberuntime_manager.go (computePodActions)"}'
}

case_node_shutdown() {
    in_namespace render
    job frames '.spec.completions = 4 | .spec.completionMode = "Indexed" | c.resources.requests = {cpu: "1"}'
    pods frames 1
    fails "${P[0]}" worker-1 143 Error 1 '.status.reason = "Terminated" | .status.message = "Pod was terminated in response to imminent node shutdown." | disrupted("TerminationByKubelet"; .status.message; its_end)'
    WAIT=90 pods frames 2
    runs "${P[1]}" worker-2
    sleep 3
    dump job,pod,event
    expect '{now: newest(120), ask: "job/frames", verdict: "moves", who: "nobody",
        first_cause: "Nothing holds the Job up: the Pod of index 0 runs. That the one before was ended (exit code 143) since its node shut down is past; it was replaced.",
        must_mention: ["run(s|ning)|nothing (holds|is wrong)"], must_not_say: ["must (act|change)", "\\bOOM", "waits? for (its )?back-?off", "(has|is) failed\\b(?! attempt)", "worker-1 .*(is|stays) down"],
        next_accept: ["kubectl (logs|get|describe|wait)"], next_reject: ["delete", "(edit|patch)", "uncordon"], next_example: "kubectl get pods -l batch.kubernetes.io/job-name=frames -n render",
        source: "kubernetes v1.36.0: pkg/kubelet/nodeshutdown/nodeshutdown_manager.go; the replacement is real (Job controller)"}'
}

case_evicted_storage() {
    in_namespace video
    job transcode '.spec.backoffLimit = 6 | c.name = "manager"'
    local p t i=0 evicted='.status.phase = "Failed" | .status.reason = "Evicted" | .status.message = "The node was low on resource: ephemeral-storage. Threshold quantity: 10738034671, available: 9201836Ki. Container manager was using 39106848Ki, request is 0, has larger consumption of ephemeral-storage. " | disrupted("TerminationByKubelet"; .status.message; its_end)'
    for p in 1 2; do
        WAIT=90 pods transcode $p
        fails "${P[i]}" "worker-$p" 137 Error 2 "$evicted"
        t=$(k get pod "${P[i]}" -n video -o json | jq '(.status.containerStatuses[0].state.terminated.finishedAt | fromdate) - (.metadata.creationTimestamp | fromdate)')
        event "pod/${P[i]}" Warning Evicted "The node was low on resource: ephemeral-storage. Threshold quantity: 10738034671, available: 9201836Ki. Container manager was using 39106848Ki, request is 0, has larger consumption of ephemeral-storage. " "kubelet:worker-$p" "$((t - 1))"
        event "pod/${P[i]}" Normal Killing "Stopping container manager" "kubelet:worker-$p" "$((t - 1))"
        i=$p
    done
    WAIT=120 pods transcode 3 && runs "${P[2]}" worker-3
    sleep 2
    dump job,pod,event
    expect '{now: newest(30), ask: "job/transcode", verdict: "hand", verdict_ok: ["moves"], who: "author",
        first_cause: "Both Pods before were evicted: manager had written some 37Gi to the local disk of its node, with a request of 0, until the node ran low on ephemeral-storage. The third Pod does the same. The Job needs a request for ephemeral-storage, or a volume to write to.",
        must_mention: ["evict", "(ephemeral-storage|disk|local storage)"], must_not_say: ["\\bOOM|out of memory", "memory limit", "preempt", "liveness", "pull"],
        next_accept: ["kubectl .*get job[/ ]transcode.*-o yaml", "kubectl .*(describe|get) nodes?", "kubectl .*(create|apply|replace) "], next_reject: ["(edit|set resources|patch) job", "drain", "delete pod"], next_example: "kubectl get job transcode -n video -o yaml",
        source: "https://github.com/sustainable-computing-io/susql-operator/issues/140: the words of the eviction (kubernetes: pkg/kubelet/eviction/helpers.go); here a Job, whose retries are real"}'
}

case_preempted() {
    in_namespace sweep
    job grid '.spec.completions = 1 | c.resources.requests = {cpu: "3"} | p.priorityClassName = null | del(p.priorityClassName)'
    pods grid 1
    local t first=${P[0]}
    runs "$first" worker-2
    t=$(age "$first")
    set_status "pod/$first" '.status.conditions = [condition("DisruptionTarget"; "True"; '"$t"') + {reason: "PreemptionByScheduler", message: "default-scheduler: preempting to accommodate a higher priority pod"}] + .status.conditions'
    new_event "pod/$first" Normal Preempted Preempting "Preempted by pod 7d1f0d1c-5b3e-4d0e-9a53-0f6f7a2c1be4 on node worker-2" default-scheduler "$t"
    event "pod/$first" Normal Killing "Stopping container main" kubelet:worker-2 "$t"
    k delete pod "$first" -n sweep --wait=false
    pods grid 2
    set_status "pod/$first" '.status.conditions as $c | ended(143; "Error"; 1; '"$t"' + 2) | .status.conditions = [$c[0]] + .status.conditions'
    k delete pod "$first" -n sweep --force --grace-period=0 --wait=false 2> /dev/null
    await 60 "the end of $first" gone "pod/$first"
    pods grid 1
    unschedulable "${P[0]}" "0/6 nodes are available: 3 Insufficient cpu, 3 node(s) had untolerated taint(s). no new claims to deallocate, preemption: 0/6 nodes are available: 3 No preemption victims found for incoming pod, 3 Preemption is not helpful for scheduling." 310 2
    dump job,pod,event
    expect '{now: pod(400), ask: "job/grid", verdict: "moves", who: "nobody",
        first_cause: "The Pod of the Job was preempted, on worker-2, by one of higher priority. Its replacement waits until a node has room for 3 CPUs.",
        must_mention: ["(preempt|priority)", "(cpu|room|busy|wait)"], must_not_say: ["never (fit|run)", "\\bOOM", "missing .*toleration", "image", "exit code 1\\b", "must (act|change)"],
        next_accept: ["kubectl (get|describe|top) (nodes?|pods?|priorityclass)"], next_reject: ["delete", "(edit|patch) job", "toleration"], next_example: "kubectl describe pod \(first(of("Pod")).metadata.name) -n sweep",
        source: "kubernetes v1.36.0: pkg/scheduler/framework/preemption/executor.go, defaultpreemption/default_preemption.go; deletion and replacement are real"}'
}
gone() {
    ! k get "$1" -n "$NS" > /dev/null 2>&1
}

# The node controller's: the kubelet of the Pod has not answered for a while.
NOT_READY='(now | floor | todate) as $t | (.status.conditions[] | select(.type == "Ready")) |= (.status = "False" | .lastTransitionTime = $t)'
# lost NODE: its kubelet has stopped
lost() {
    node "$1" 8 32Gi
    NS="" set_status "node/$1" '.status.conditions |= map(.status = "Unknown" | .reason = "NodeStatusUnknown" | .message = "Kubelet stopped posting node status." | .lastTransitionTime = (now | todate))'
    k get node "$1" -o json | jq '.spec.taints = [("NoSchedule", "NoExecute") as $e | {key: "node.kubernetes.io/unreachable", effect: $e, timeAdded: (now | todate)}]' | k replace -f - > /dev/null
}

case_node_lost() {
    in_namespace simulate
    node edge-3 8 32Gi
    job monte-carlo '.spec.podReplacementPolicy = "Failed" | .spec.completionMode = "Indexed" | .spec.completions = 2 | .spec.parallelism = 2 | p.tolerations = [{key: "node.kubernetes.io/unreachable", operator: "Exists", effect: "NoExecute", tolerationSeconds: 30}]'
    pods monte-carlo 2
    runs "${P[0]}" worker-1
    runs "${P[1]}" edge-3
    lost edge-3
    local t
    t=$(age "${P[1]}")
    set_status "pod/${P[1]}" "$NOT_READY"' | disrupted("DeletionByTaintManager"; "Taint manager: deleting due to NoExecute taint"; '"$t + 30)"
    event "pod/${P[1]}" Warning NodeNotReady "Node is not ready" node-controller "$t"
    event "pod/${P[1]}" Normal TaintManagerEviction "Marking for deletion Pod simulate/${P[1]}" taint-eviction-controller $((t + 30))
    k delete pod "${P[1]}" -n simulate --wait=false
    sleep 3
    dump job,pod,event node/edge-3 node/worker-1
    expect '([of("Pod") | select(.metadata.deletionTimestamp)][0]) as $p | {now: ($p.metadata.deletionTimestamp | plus(1900)), ask: "job/monte-carlo", verdict: "hand", who: "admin",
        first_cause: "The node edge-3 has not answered for half an hour, and the Pod of index 1, which is there, cannot end: it stays Terminating. With podReplacementPolicy Failed no other Pod is made until it has. An admin must repair the node, or, once it is surely off, taint it as out of service.",
        must_mention: ["edge-3", "(terminating|deletion|cannot end)", "(podReplacementPolicy|replace)"], must_not_say: ["\\bOOM", "(insufficient|busy)", "image", "moves by itself", "backoffLimit"],
        next_accept: ["kubectl taint nodes? edge-3 .*out-of-service", "kubectl (get|describe) nodes?[/ ]edge-3"], next_reject: ["delete pod.*--force", "--grace-period[= ]0", "replace --force", "delete job"], next_example: "kubectl taint nodes edge-3 node.kubernetes.io/out-of-service=nodeshutdown:NoExecute",
        source: "https://github.com/kubernetes/enhancements/issues/6262: Jobs with podReplacementPolicy Failed that wait for a node that is gone; the words of kubernetes v1.36.0: pkg/controller/nodelifecycle, pkg/controller/tainteviction"}'
}

case_finalizer_kept() {
    in_namespace compliance
    job scan-images '.spec.completions = 2 | .spec.parallelism = 2'
    pods scan-images 2
    webhook pods.guard.example.com 'updates-of-pods-are-not-allowed-here' UPDATE pods
    for p in "${P[@]}"; do
        scheduled "$p" worker-1 && began "$p" worker-1 1 && set_status "pod/$p" 'ended(0; "Completed"; 1; 24)'
    done
    sleep 15
    POST="$AS_SERVICE" dump job,pod,event validatingwebhookconfiguration/pods.guard.example.com
    k delete validatingwebhookconfiguration pods.guard.example.com
    expect '{now: pod(1800), ask: "job/scan-images", verdict: "hand", who: "admin",
        first_cause: "Both Pods have succeeded, and the Job controller cannot take its finalizer batch.kubernetes.io/job-tracking from them, without which it does not complete the Job. The webhook pods.guard.example.com is asked about each update of a Pod, and refuses.",
        must_mention: ["(finalizer|job-tracking)", "(webhook|pods\\.guard\\.example\\.com|admission)"], must_not_say: ["still running", "\\bOOM", "image", "insufficient", "exit code [1-9]"],
        next_accept: ["kubectl (get|describe|edit) validatingwebhookconfigurations?"], next_reject: ["(patch|edit) pods? .*finalizers", "delete (job|pod)", "replace --force"], next_example: "kubectl get validatingwebhookconfiguration pods.guard.example.com -o yaml",
        source: "https://github.com/kubernetes/website/pull/43773: webhooks that refuse updates of Pods keep Jobs from completing; real: Job controller and kube-apiserver 1.36.0"}'
}

case_sidecar_old() {
    K=1.33
    in_namespace test1 '.metadata.labels = {"istio-injection": "enabled"}'
    job pi 'c.name = "pi" | c.image = "perl:5.34" | c.command = ["perl", "-Mbignum=bpi", "-wle", "print bpi(2000)"]'
    pods pi 1
    scheduled "${P[0]}" worker-1
    began "${P[0]}" worker-1 3
    set_status "pod/${P[0]}" 'running(3) | (.status.containerStatuses[0] + {name: "istio-proxy", image: "docker.io/istio/proxyv2:1.27.1", imageID: image_id("docker.io/istio/proxyv2:1.27.1")}) as $proxy
        | .status.containerStatuses = [$proxy, (.status.containerStatuses[0] + {ready: false, started: false, state: terminated(0; "Completed"; 3; 19)})] | conditions(3; 1; null; 19; {reason: "ContainersNotReady", message: "containers with unready status: [pi]"})'
    POST='(of("Pod").spec.containers) |= . + [{name: "istio-proxy", image: "docker.io/istio/proxyv2:1.27.1", args: ["proxy", "sidecar"], resources: {limits: {cpu: "2", memory: "1Gi"}, requests: {cpu: "100m", memory: "128Mi"}}, terminationMessagePath: "/dev/termination-log", terminationMessagePolicy: "File", imagePullPolicy: "IfNotPresent"}] | (of("Pod").metadata.annotations) |= . + {"sidecar.istio.io/status": "{\"containers\":[\"istio-proxy\"]}"}' \
        dump job,pod,event namespace/test1
    expect '{now: pod(960), ask: "job/pi", verdict: "hand", who: "author",
        first_cause: "The container pi ended with success after 16 seconds, and istio-proxy, a sidecar that was injected as an ordinary container, runs on: the Pod never ends, and the Job is never complete. The sidecar must be a native one (an init container with restartPolicy Always), be told to quit, or not be injected.",
        must_mention: ["istio-proxy", "(sidecar|container)"], must_not_say: ["nothing (holds|is wrong)", "image", "\\bOOM", "still (computes|works)", "readiness"],
        next_accept: ["kubectl exec .*istio-proxy", "kubectl .*(get|describe|delete) pod", "kubectl .*get job[/ ]pi.*-o yaml", "kubectl .*(create|apply|replace)"], next_reject: ["(edit|patch) job", "rollout restart"], next_example: "kubectl exec \(first(of("Pod")).metadata.name) -c istio-proxy -n test1 -- pilot-agent request POST quitquitquit",
        source: "https://github.com/istio/istio/issues/11045: the Job pi that never completes"}'
}
