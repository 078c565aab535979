# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Sourced by make.sh: Pods that have a node, and whose containers cannot begin. The words are those of pkg/kubelet and of containerd.

# pull_fails POD NODE ERROR LAST COUNT: the image's registry said ERROR, last and so many times since the Pod was made
pull_fails() {
    local image
    image=$(k get pod "$1" -n "$NS" -o jsonpath='{.spec.containers[0].image}')
    event "pod/$1" Normal Pulling "Pulling image \"$image\"" "kubelet:$2" 2 "$4" "$5"
    event "pod/$1" Warning Failed "Failed to pull image \"$image\": $3" "kubelet:$2" 3 "$4" "$5"
    event "pod/$1" Warning Failed "Error: ErrImagePull" "kubelet:$2" 3 "$4" "$5"
    event "pod/$1" Normal BackOff "Back-off pulling image \"$image\"" "kubelet:$2" 4 "$(($4 + 20))" "$(($5 * 4))"
    event "pod/$1" Warning Failed "Error: ImagePullBackOff" "kubelet:$2" 4 "$(($4 + 20))" "$(($5 * 4))"
}
# pull_waits POD ERROR: and it waits for the next try
pull_waits() {
    set_status "pod/$1" "waiting(\"ImagePullBackOff\"; \"Back-off pulling image \\\"\(.spec.containers[0].image)\\\": ErrImagePull: \" + $(jq -n --arg e "$2" '$e'))"
}

case_image_missing_forbid() {
    local error='rpc error: code = NotFound desc = failed to pull and unpack image "docker.io/library/busybox:unexistingtag": failed to resolve reference "docker.io/library/busybox:unexistingtag": docker.io/library/busybox:unexistingtag: not found'
    K=1.33
    in_namespace tests
    cronjob testjob '*/1 * * * *' '.spec.concurrencyPolicy = "Forbid" | c.name = "testjob" | c.image = "busybox:unexistingtag" | del(c.command)'
    due testjob 90
    pods "$JOB" 1
    scheduled "${P[0]}" worker-2
    pull_fails "${P[0]}" worker-2 "$error" 900 7
    pull_waits "${P[0]}" "$error"
    k patch cronjob testjob -n tests --type=json -p '[{"op": "replace", "path": "/spec/jobTemplate/spec/template/spec/containers/0/image", "value": "busybox:1.37"}]'
    await 100 "a start that is skipped" claim_told JobAlreadyActive
    POST='older(cron; 12)' dump cronjob,job,pod,event
    expect '{now: pod(1200), ask: "cronjob/testjob", verdict: "hand", who: "author",
        first_cause: "The CronJob starts nothing because its last Job, \(job.metadata.name), still counts as active and the policy is Forbid: it waits for the image busybox:unexistingtag, which the registry does not have, and waits forever. The CronJob names another image meanwhile, so it is enough to delete the Job.",
        must_mention: ["Forbid", "\(job.metadata.name)", "busybox:unexistingtag"], must_not_say: ["suspended", "missed .*deadline", "time ?zone", "insufficient", "backoffLimit .*reached"],
        next_accept: ["kubectl delete job[/ ]testjob-"], next_reject: ["delete (cronjob|cj)", "create job .*--from", "delete pod"], next_example: "kubectl delete job \(job.metadata.name) -n tests",
        source: "https://github.com/kubernetes/kubernetes/issues/58748: the CronJob and its image, and that it was repaired in the CronJob; the events of the CronJob are real"}'
}

case_image_unauthorized() {
    local error='failed to pull and unpack image "docker.io/acme/trainer:2.1": failed to resolve reference "docker.io/acme/trainer:2.1": pull access denied, repository does not exist or may require authorization: server message: insufficient_scope: authorization failed'
    in_namespace tf-jobs
    make '{apiVersion: "jobset.x-k8s.io/v1alpha2", kind: "JobSet", metadata: {name: "tf", namespace: "tf-jobs"}, spec: {replicatedJobs: [{name: "worker", replicas: 1, template: {spec: {parallelism: 2, completions: 2, backoffLimit: 0}}}], failurePolicy: {maxRestarts: 0}}}'
    job tf-worker-0 ".metadata.labels = {\"jobset.sigs.k8s.io/jobset-name\": \"tf\", \"jobset.sigs.k8s.io/replicatedjob-name\": \"worker\", \"jobset.sigs.k8s.io/job-index\": \"0\"} | .metadata.ownerReferences = [$(owner jobset.jobset.x-k8s.io/tf)]
        | .spec.completionMode = \"Indexed\" | .spec.completions = 2 | .spec.parallelism = 2 | .spec.backoffLimit = 0 | c.image = \"acme/trainer:2.1\" | p.imagePullSecrets = [{name: \"hub\"}]"
    pods tf-worker-0 2
    for p in "${P[@]}"; do
        scheduled "$p" worker-1
        event "pod/$p" Warning FailedToRetrieveImagePullSecret "Unable to retrieve some image pull secrets (hub); attempting to pull the image may not succeed." kubelet:worker-1 2 380 30
        pull_fails "$p" worker-1 "$error" 380 6
        pull_waits "$p" "$error"
    done
    dump job,pod,event jobset.jobset.x-k8s.io/tf
    expect '{now: pod(480), ask: "job/tf-worker-0", verdict: "hand", who: "owner-of:JobSet/tf",
        first_cause: "Both Pods wait for the image acme/trainer:2.1, which the registry does not give to them: the pull secret hub that the template names is not there. Once the secret is made, the kubelet pulls by itself; if the name is wrong, the JobSet tf must name another.",
        must_mention: ["acme/trainer:2\\.1", "(authoriz|access denied|pull secret|credential)"], must_not_say: ["rate limit", "\\bOOM", "insufficient (cpu|memory)", "(becomes|will be|is) failed", "backoffLimit (is )?(reached|exceeded)"],
        next_accept: ["kubectl create secret (docker-registry )?.*hub", "kubectl .*(edit|patch) jobset"], next_reject: ["(edit|patch|set image) .*[^a-z]jobs?[/ ]tf-worker-0", "delete job"], next_example: "kubectl create secret docker-registry hub -n tf-jobs --docker-username USER",
        source: "kubernetes v1.36.0: pkg/kubelet/images/image_manager.go, kubelet_pods.go (FailedToRetrieveImagePullSecret); containerd: core/remotes/docker/resolver.go"}'
}

case_image_rate_limit() {
    local error='failed to pull and unpack image "docker.io/charmedkubeflow/argoexec:3.4.16-ffcffa9": failed to resolve reference "docker.io/charmedkubeflow/argoexec:3.4.16-ffcffa9": unexpected status from HEAD request to https://registry-1.docker.io/v2/charmedkubeflow/argoexec/manifests/3.4.16-ffcffa9: 429 Too Many Requests'
    K=1.33
    in_namespace kubeflow
    job export-artifacts 'c.image = "charmedkubeflow/argoexec:3.4.16-ffcffa9"'
    pods export-artifacts 1
    scheduled "${P[0]}" worker-3
    pull_fails "${P[0]}" worker-3 "$error" 170 4
    pull_waits "${P[0]}" "$error"
    dump job,pod,event
    expect '{now: pod(260), ask: "job/export-artifacts", verdict: "moves", verdict_ok: ["hand"], who: "nobody",
        first_cause: "The registry answers 429 Too Many Requests for charmedkubeflow/argoexec:3.4.16-ffcffa9: its limit of pulls is reached. The kubelet goes on trying, and gets the image once the limit lets it; with credentials, or from a mirror, it comes sooner.",
        must_mention: ["(429|too many requests|rate limit|pull limit|limit of pulls)", "argoexec"], must_not_say: ["(image|tag) .*(not exist|not found|missing)", "unauthori[sz]ed", "backoffLimit (is )?(reached|exceeded)"],
        next_accept: ["kubectl (get|describe) pod", "kubectl create secret docker-registry", "kubectl .*wait"], next_reject: ["delete (job|pod)", "(edit|patch|set image) job"], next_example: "kubectl describe pod \(first(of("Pod")).metadata.name) -n kubeflow",
        source: "https://github.com/canonical/bundle-kubeflow/issues/1274: the image, and the words of kubelet, containerd and registry"}'
}

case_image_pulling() {
    in_namespace llama
    job warm-cache 'c.image = "registry.example.com/ml/llama-70b:2026-11" | c.resources.requests = {memory: "12Gi"}'
    pods warm-cache 1
    scheduled "${P[0]}" worker-1
    event "pod/${P[0]}" Normal Pulling 'Pulling image "registry.example.com/ml/llama-70b:2026-11"' kubelet:worker-1 2
    set_status "pod/${P[0]}" 'waiting("ContainerCreating"; "") | conditions(2; 1; null; 1; unready)'
    dump job,pod,event
    expect '{now: pod(552), ask: "job/warm-cache", verdict: "moves", who: "nobody",
        first_cause: "The node worker-1 pulls the image registry.example.com/ml/llama-70b:2026-11 since 9 minutes, with no error. Large images take 10 minutes and more: nothing is wrong.",
        must_mention: ["pull", "llama-70b"], must_not_say: ["fail", "back-?off", "not found", "must (act|change)", "insufficient", "stuck"],
        next_accept: ["kubectl (get|describe|wait)"], next_reject: ["delete", "(edit|patch)", "replace"], next_example: "kubectl get pod \(first(of("Pod")).metadata.name) -n llama -w",
        source: "kubernetes v1.36.0: pkg/kubelet/images/image_manager.go"}'
}

case_image_repaired() {
    local error='rpc error: code = NotFound desc = failed to pull and unpack image "registry.example.com/batch/reindex:1.4.2": failed to resolve reference "registry.example.com/batch/reindex:1.4.2": registry.example.com/batch/reindex:1.4.2: not found'
    in_namespace search
    job reindex
    pods reindex 1
    scheduled "${P[0]}" worker-2
    pull_fails "${P[0]}" worker-2 "$error" 320 6
    event "pod/${P[0]}" Normal Pulled 'Successfully pulled image "registry.example.com/batch/reindex:1.4.2" in 8.214s (8.214s including waiting). Image size: 184233914 bytes.' kubelet:worker-2 636
    event "pod/${P[0]}" Normal Created "Container created" kubelet:worker-2 637
    event "pod/${P[0]}" Normal Started "Container started" kubelet:worker-2 637
    set_status "pod/${P[0]}" 'running(637)'
    sleep 3
    dump job,pod,event
    expect '{now: pod(1150), ask: "job/reindex", verdict: "moves", who: "nobody",
        first_cause: "Nothing holds the Job up: its Pod runs since 8 minutes. That its image was not found at first is past.",
        must_mention: ["run(s|ning)|nothing (holds|is wrong)"], must_not_say: ["waits? for (the|its|an) image", "ImagePullBackOff", "must (act|change|push)"],
        next_accept: ["kubectl (logs|get|describe|wait)"], next_reject: ["delete", "(edit|patch|set image)"], next_example: "kubectl logs -f job/reindex -n search",
        source: "kubernetes v1.36.0: pkg/kubelet/images/image_manager.go; containerd: core/remotes/docker/resolver.go"}'
}

case_config_missing() {
    K=1.33
    in_namespace mastodon
    job mastodon-db-migrate 'c.name = "mastodon" | c.image = "ghcr.io/mastodon/mastodon:v4.4" | c.envFrom = [{configMapRef: {name: "mastodon-env"}}] | .metadata.labels = {"helm.sh/chart": "mastodon-3.0.0", "app.kubernetes.io/name": "mastodon", "app.kubernetes.io/instance": "mastodon", "app.kubernetes.io/managed-by": "Helm"}
        | .metadata.annotations = {"helm.sh/hook": "post-install,pre-upgrade", "helm.sh/hook-delete-policy": "before-hook-creation,hook-succeeded", "helm.sh/hook-weight": "-2"}'
    pods mastodon-db-migrate 1
    scheduled "${P[0]}" worker-1
    CONTAINER=mastodon event "pod/${P[0]}" Normal Pulled 'Container image "ghcr.io/mastodon/mastodon:v4.4" already present on machine' kubelet:worker-1 2 370 30
    CONTAINER=mastodon event "pod/${P[0]}" Warning Failed 'Error: configmap "mastodon-env" not found' kubelet:worker-1 2 132 12
    set_status "pod/${P[0]}" 'waiting("CreateContainerConfigError"; "configmap \"mastodon-env\" not found")'
    dump job,pod,event
    expect '{now: pod(374), ask: "job/mastodon-db-migrate", verdict: "hand", who: "owner-of:Helm/mastodon",
        first_cause: "The container needs the ConfigMap mastodon-env, which is not there. The Job is a hook of the Helm release mastodon, and the chart makes the ConfigMap later than the hook runs; once it is made, the container starts by itself.",
        must_mention: ["mastodon-env", "config ?map"], must_not_say: ["(cannot|not) .*pull", "insufficient", "crash", "quota", "backoffLimit (is )?(reached|exceeded)"],
        next_accept: ["helm .*mastodon", "kubectl create configmap mastodon-env", "kubectl .*get (configmaps?|cm)"], next_reject: ["(edit|patch) job", "delete (pod|job)"], next_example: "kubectl create configmap mastodon-env -n mastodon --from-env-file FILE",
        source: "https://github.com/mastodon/mastodon/issues/21640: a Helm hook whose ConfigMap does not exist yet; its words"}'
}

case_mount_fails() {
    K=1.33
    in_namespace argo
    make '{apiVersion: "argoproj.io/v1alpha1", kind: "Workflow", metadata: {name: "fooworker-98g74", namespace: "argo"}, spec: {entrypoint: "main"}, status: {phase: "Running"}}'
    job fooworker-job ".metadata.ownerReferences = [$(owner workflow.argoproj.io/fooworker-98g74)] | .metadata.labels = {\"workflows.argoproj.io/workflow\": \"fooworker-98g74\"} | p.volumes = [{name: \"secretstore\", secret: {secretName: \"foosecret\"}}] | c.volumeMounts = [{name: \"secretstore\", mountPath: \"/secrets\", readOnly: true}]"
    pods fooworker-job 1
    scheduled "${P[0]}" worker-1
    event "pod/${P[0]}" Warning FailedMount 'MountVolume.SetUp failed for volume "secretstore" : secret "foosecret" not found' kubelet:worker-1 1 610 12
    set_status "pod/${P[0]}" 'waiting("ContainerCreating"; "")'
    dump job,pod,event workflow.argoproj.io/fooworker-98g74
    expect '{now: pod(720), ask: "job/fooworker-job", verdict: "hand", who: "owner-of:Workflow/fooworker-98g74",
        first_cause: "The volume secretstore cannot be mounted, since the Secret foosecret is not there: the container is never created. Once the Secret is made, the kubelet goes on by itself; if the name is wrong, the Workflow fooworker-98g74 must name another.",
        must_mention: ["foosecret", "(mount|volume)"], must_not_say: ["image", "insufficient", "PersistentVolumeClaim", "quota"],
        next_accept: ["kubectl create secret .*foosecret", "kubectl .*get secret", "argo .*fooworker-98g74", "kubectl .*(edit|get|patch) (wf|workflow)"], next_reject: ["(edit|patch) job", "delete (pod|job)"], next_example: "kubectl create secret generic foosecret -n argo --from-file FILE",
        source: "https://github.com/argoproj/argo-workflows/issues/788: a Workflow that hangs at a Secret that is not there; here with a Job of the Workflow between"}'
}

case_sandbox_fails() {
    K=1.33
    in_namespace crawl
    job fetch '.spec.completions = 2 | .spec.parallelism = 2'
    pods fetch 2
    for p in "${P[@]}"; do
        scheduled "$p" worker-3
        event "pod/$p" Warning FailedCreatePodSandBox "Failed to create pod sandbox: rpc error: code = Unknown desc = failed to setup network for sandbox \"93bd20a225527b195e03ed1cdc1cf6704f9a97a73f8275736525160667d7547b\": plugin type=\"aws-cni\" name=\"aws-cni\" failed (add): add cmd: failed to assign an IP address to container" kubelet:worker-3 3
        event "pod/$p" Normal SandboxChanged "Pod sandbox changed, it will be killed and re-created." kubelet:worker-3 4 400 31
        event "pod/$p" Warning FailedCreatePodSandBox "(combined from similar events): Failed to create pod sandbox: rpc error: code = Unknown desc = failed to setup network for sandbox \"e5e58f3484bfc56fc0b2fe580d73d4142d7488d96e7efc19e65e5a962c9c2a8f\": plugin type=\"aws-cni\" name=\"aws-cni\" failed (add): add cmd: failed to assign an IP address to container" kubelet:worker-3 130 400 21
        set_status "pod/$p" 'waiting("ContainerCreating"; "")'
    done
    dump job,pod,event
    expect '{now: pod(470), ask: "job/fetch", verdict: "hand", verdict_ok: ["moves"], who: "admin",
        first_cause: "Both Pods are on worker-3, and its network plugin (aws-cni) has no free IP address for them: their sandboxes cannot be set up. It is tried again all the time, and goes on once Pods there end or the subnet has addresses.",
        must_mention: ["(sandbox|network|cni)", "\\bIP\\b"], must_not_say: ["image", "insufficient (cpu|memory)", "quota", "Secret"],
        next_accept: ["kubectl .*(get|describe) (pods?|nodes?)"], next_reject: ["(edit|patch) job", "delete job"], next_example: "kubectl get pods -A --field-selector spec.nodeName=worker-3",
        source: "https://github.com/aws/amazon-vpc-cni-k8s/issues/281: no addresses left on the node; the words as containerd says them since"}'
}
