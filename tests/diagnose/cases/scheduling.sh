# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Sourced by make.sh: Pods without a node. The words are those of pkg/scheduler, of the version that K says.

NODES=(node/worker-1 node/worker-2 node/worker-3 node/ml-1 node/ml-2 node/control-1)

case_selector_never() {
    in_namespace vision
    job train-resnet 'p.nodeSelector = {"example.com/gpu": "a100"} | c.resources.requests = {cpu: "2"}'
    pods train-resnet 1
    unschedulable "${P[0]}" "0/6 nodes are available: 3 node(s) didn't match Pod's node affinity/selector, 3 node(s) had untolerated taint(s). no new claims to deallocate, preemption: 0/6 nodes are available: 6 Preemption is not helpful for scheduling." 900 4
    dump job,pod,event "${NODES[@]}"
    expect '{now: pod(1500), ask: "job/train-resnet", verdict: "hand", who: "author",
        first_cause: "The Pod asks for a node with the label example.com/gpu=a100, and none of the 6 nodes has it. Waiting does not help: the Job must ask for another label, or a node must get it.",
        must_mention: ["(selector|label|affinity)", "example\\.com/gpu"], must_not_say: ["(add|needs?|lacks?) .*toleration", "insufficient", "busy", "image", "quota"],
        next_accept: ["kubectl get nodes.*(label|example\\.com/gpu|-L|-l)", "kubectl label nodes?", "kubectl .*(patch|edit) job[/ ]train-resnet", "kubectl get job train-resnet.*-o yaml"], next_reject: ["delete pod", "(patch|edit) pod", "taint"], next_example: "kubectl get nodes -L example.com/gpu",
        source: "kubernetes v1.36.0: pkg/scheduler/framework/plugins/nodeaffinity/node_affinity.go, tainttoleration/taint_toleration.go, framework/types.go (FitError), framework/preemption/preemption.go"}'
}

case_memory_never() {
    in_namespace genome
    job index-build 'c.resources = {requests: {memory: "512Gi", cpu: "2"}, limits: {memory: "512Gi"}}'
    pods index-build 1
    unschedulable "${P[0]}" "0/6 nodes are available: 3 Insufficient memory, 3 node(s) had untolerated taint(s). no new claims to deallocate, preemption: 0/6 nodes are available: 6 Preemption is not helpful for scheduling." 1200 5
    dump job,pod,event "${NODES[@]}"
    expect '{now: pod(1800), ask: "job/index-build", verdict: "hand", verdict_ok: ["never"], who: "author",
        first_cause: "The Pod asks for 512Gi of memory, and the largest node has 64Gi: it fits on none, also when they are empty. The Job must be made anew with a smaller request, or a larger node added.",
        must_mention: ["memory", "512Gi"], must_not_say: ["busy", "(until|once|when) .*(free|finish|ends?\\b)", "\\boom", "image", "taint.* (holds|keeps|is why)"],
        next_accept: ["kubectl (get|describe) nodes?", "kubectl .*(get|create|apply|replace) .*job", "kubectl .*index-build.*-o yaml"], next_reject: ["delete pod", "kubectl (patch|edit|set resources) job[/ ]index-build", "taint"], next_example: "kubectl describe nodes",
        source: "kubernetes v1.36.0: pkg/scheduler/framework/plugins/noderesources/fit.go, framework/preemption/preemption.go"}'
}

case_taint_named() {
    K=1.33
    in_namespace recsys
    job embeddings 'p.nodeSelector = {"example.com/pool": "ml"} | c.resources.requests = {cpu: "8"}'
    pods embeddings 1
    unschedulable "${P[0]}" "0/6 nodes are available: 1 node(s) had untolerated taint {node-role.kubernetes.io/control-plane: }, 2 node(s) had untolerated taint {dedicated: ml}, 3 node(s) didn't match Pod's node affinity/selector. preemption: 0/6 nodes are available: 6 Preemption is not helpful for scheduling." 600 3
    dump job,pod,event "${NODES[@]}"
    expect '{now: pod(900), ask: "job/embeddings", verdict: "hand", who: "author",
        first_cause: "The nodes that the selector example.com/pool=ml picks, ml-1 and ml-2, have the taint dedicated=ml:NoSchedule, which the Pod does not tolerate. A toleration is missing.",
        must_mention: ["taint", "dedicated", "tolerat"], must_not_say: ["insufficient", "no node (has|carries|matches) .*label", "quota", "image"],
        next_accept: ["kubectl .*patch pod.*toleration", "kubectl .*(patch|edit) (job|pod)[/ ]embeddings", "kubectl .*get job[/ ]embeddings.*-o yaml"], next_reject: ["kubectl taint", "delete node"], next_example: "kubectl edit pod \(first(of("Pod")).metadata.name) -n recsys",
        source: "kubernetes v1.33.13: pkg/scheduler/framework/plugins/tainttoleration/taint_toleration.go, nodeaffinity/node_affinity.go, framework/types.go"}'
}

case_taint_beside_busy() {
    in_namespace nightly
    job rollup 'c.resources.requests = {cpu: "3"}'
    pods rollup 1
    unschedulable "${P[0]}" "0/6 nodes are available: 3 Insufficient cpu, 3 node(s) had untolerated taint(s). no new claims to deallocate, preemption: 0/6 nodes are available: 3 No preemption victims found for incoming pod, 3 Preemption is not helpful for scheduling." 300 2
    dump job,pod,event "${NODES[@]}"
    expect '{now: pod(420), ask: "job/rollup", verdict: "moves", who: "nobody",
        first_cause: "The three worker nodes, which have 4 CPUs each, are too busy now for 3 more: the Pod waits until one has room. The other three nodes are tainted and are not meant for it.",
        must_mention: ["cpu", "(busy|room|free|wait|in use|taken)"], must_not_say: ["never (fit|run|schedul)", "(add|needs?|lacks?|missing) .*toleration", "quota", "image", "must (act|change)"],
        next_accept: ["kubectl (get|describe|top) (nodes?|pods?)"], next_reject: ["toleration", "taint", "delete", "(edit|patch) job"], next_example: "kubectl describe pod \(first(of("Pod")).metadata.name) -n nightly",
        source: "kubernetes v1.36.0: pkg/scheduler/framework/plugins/noderesources/fit.go, defaultpreemption/default_preemption.go"}'
}

case_scheduling_gate() {
    in_namespace ingest
    job load-2026-11 'p.schedulingGates = [{name: "example.com/data-staged"}] | .spec.completions = 2 | .spec.parallelism = 2'
    pods load-2026-11 2
    dump job,pod,event
    expect '{now: pod(2700), ask: "job/load-2026-11", verdict: "hand", verdict_ok: ["unknown"], who: "author",
        first_cause: "Both Pods have the scheduling gate example.com/data-staged: no scheduler looks at them until whoever put it there takes it away. It stands in the template of the Job.",
        must_mention: ["gate", "example\\.com/data-staged"], must_not_say: ["schedulerName|no scheduler (runs|works)", "insufficient", "quota", "image", "nothing holds"],
        next_accept: ["kubectl .*(get|describe|patch|edit) pods?"], next_reject: ["delete", "(patch|edit) job"], next_example: "kubectl patch pod \(first(of("Pod")).metadata.name) -n ingest --type=json -p REMOVE-GATE",
        source: "real: kube-apiserver 1.36.0 writes the condition (pkg/registry/core/pod/strategy.go)"}'
}

case_no_scheduler() {
    in_namespace hpc
    job mpi-launch 'p.schedulerName = "volcano" | .spec.completions = 2 | .spec.parallelism = 2'
    pods mpi-launch 2
    dump job,pod,event
    expect '{now: pod(1560), ask: "job/mpi-launch", verdict: "hand", verdict_ok: ["unknown"], who: "admin",
        first_cause: "No scheduler has looked at the Pods since they were made 26 minutes ago: they ask for the scheduler volcano, and nothing of it is to be seen. Either it must be installed and run, or the Job be made anew for the default one.",
        must_mention: ["scheduler", "volcano"], must_not_say: ["insufficient", "busy", "gate", "image", "taint", "quota"],
        next_accept: ["kubectl .*get (pods?|deploy(ment)?s?|all).*(volcano|-A|--all-namespaces)", "kubectl .*(mpi-launch)"], next_reject: ["delete pod", "(edit|patch) (pod|job)"], next_example: "kubectl get pods -A -l app=volcano-scheduler",
        source: "real: kube-apiserver and Job controller 1.36.0, with no scheduler of that name"}'
}

case_pvc_class_missing() {
    K=1.33
    in_namespace openmetadata
    make '{apiVersion: "v1", kind: "PersistentVolumeClaim", metadata: {name: "airflow-volume-claim", namespace: "openmetadata"}, spec: {accessModes: ["ReadWriteOnce"], storageClassName: "openmetadata-storageclass", resources: {requests: {storage: "10Gi"}}}}'
    job migrate-dags 'p.volumes = [{name: "dags", persistentVolumeClaim: {claimName: "airflow-volume-claim"}}] | c.volumeMounts = [{name: "dags", mountPath: "/dags"}]'
    pods migrate-dags 1
    unschedulable "${P[0]}" "0/2 nodes are available: pod has unbound immediate PersistentVolumeClaims. preemption: 0/2 nodes are available: 2 Preemption is not helpful for scheduling." 900 4
    await 60 "the claim's event" claim_told ProvisioningFailed
    dump job,pod,event,pvc
    expect '{now: pod(1260), ask: "job/migrate-dags", verdict: "hand", who: "admin",
        first_cause: "The claim airflow-volume-claim is not bound: its storage class openmetadata-storageclass does not exist. The class must be made, or the claim be made anew with one that exists.",
        must_mention: ["airflow-volume-claim", "openmetadata-storageclass"], must_not_say: ["insufficient", "busy", "taint", "image", "quota"],
        next_accept: ["kubectl (get|describe) (storageclass|sc)", "kubectl .*(get|describe|delete|replace|create|apply) .*(pvc|persistentvolumeclaims?)", "kubectl create .*storageclass"], next_reject: ["delete (pod|job)", "(edit|patch) job"], next_example: "kubectl get storageclass",
        source: "https://github.com/open-metadata/openmetadata-helm-charts/issues/417: the claim, and the words of the scheduler; here with a Job, and the real volume controller says what is missing"}'
}
claim_told() {
    [ -n "$(k get event -n "$NS" --field-selector "reason=$1" -o name)" ]
}

case_claim_behind_busy() {
    in_namespace warehouse
    make '{apiVersion: "storage.k8s.io/v1", kind: "StorageClass", metadata: {name: "local-nvme"}, provisioner: "nvme.csi.example.com", volumeBindingMode: "WaitForFirstConsumer", reclaimPolicy: "Delete"}' || true
    make '{apiVersion: "v1", kind: "PersistentVolumeClaim", metadata: {name: "scratch", namespace: "warehouse"}, spec: {accessModes: ["ReadWriteOnce"], storageClassName: "local-nvme", resources: {requests: {storage: "200Gi"}}}}'
    await 60 "the claim's event" claim_told WaitForFirstConsumer
    job sort-runs 'p.volumes = [{name: "scratch", persistentVolumeClaim: {claimName: "scratch"}}] | c.volumeMounts = [{name: "scratch", mountPath: "/scratch"}] | c.resources.requests = {cpu: "3"}'
    pods sort-runs 1
    unschedulable "${P[0]}" "0/6 nodes are available: 3 Insufficient cpu, 3 node(s) had untolerated taint(s). no new claims to deallocate, preemption: 0/6 nodes are available: 3 No preemption victims found for incoming pod, 3 Preemption is not helpful for scheduling." 500 3
    dump job,pod,event,pvc storageclass/local-nvme
    expect '{now: pod(700), ask: "job/sort-runs", verdict: "moves", who: "nobody",
        first_cause: "The nodes that the Pod may use are too busy for 3 CPUs: it waits until one has room. Its claim scratch is unbound because it waits for the Pod to get a node (WaitForFirstConsumer), not the other way round.",
        must_mention: ["cpu", "(busy|room|free|wait|in use|taken)"], must_not_say: ["(claim|pvc|volume)[^.]* (holds|blocks|is why|keeps it)", "storage ?class .*(missing|not exist)", "never (fit|run)", "image", "toleration"],
        next_accept: ["kubectl (get|describe|top) (nodes?|pods?)"], next_reject: ["(create|delete|edit|patch) .*(pvc|persistentvolume)", "delete", "toleration"], next_example: "kubectl describe pod \(first(of("Pod")).metadata.name) -n warehouse",
        source: "kubernetes v1.36.0: the words of the scheduler as in taint-beside-busy; the claim and its events are real (volume controller)"}'
}

case_device_class_missing() {
    in_namespace inference
    make '{apiVersion: "resource.k8s.io/v1", kind: "ResourceClaimTemplate", metadata: {name: "one-gpu", namespace: "inference"}, spec: {spec: {devices: {requests: [{name: "gpu", exactly: {deviceClassName: "gpu.example.com"}}]}}}}'
    job eval-model 'p.resourceClaims = [{name: "gpu", resourceClaimTemplateName: "one-gpu"}] | c.resources.claims = [{name: "gpu"}]'
    pods eval-model 1
    await 60 "the claim" claim_made
    unschedulable "${P[0]}" "0/6 nodes are available: request gpu: device class gpu.example.com does not exist. no new claims to deallocate, preemption: 0/6 nodes are available: 6 Preemption is not helpful for scheduling." 400 3
    dump job,pod,event,resourceclaim,resourceclaimtemplate
    expect '{now: pod(800), ask: "job/eval-model", verdict: "hand", who: "admin",
        first_cause: "The resource claim of the Pod asks for a device of the class gpu.example.com, and there is no such device class: its driver is not installed, or the template one-gpu names the wrong one.",
        must_mention: ["gpu\\.example\\.com", "(device ?class|claim)"], must_not_say: ["insufficient", "PersistentVolume", "taint", "image", "busy"],
        next_accept: ["kubectl (get|describe) deviceclass", "kubectl .*(get|describe|edit) resourceclaim"], next_reject: ["delete (pod|job)", "(edit|patch) job"], next_example: "kubectl get deviceclasses",
        source: "kubernetes v1.36.0: pkg/scheduler/framework/plugins/dynamicresources/dynamicresources.go; the claim is real (resource claim controller)"}'
}
claim_made() {
    [ -n "$(k get resourceclaim -n "$NS" -o name)" ]
}

case_autoscaler_working() {
    in_namespace speech
    job finetune 'c.resources.limits = {"nvidia.com/gpu": "4", memory: "64Gi", cpu: "16"} | p.tolerations = [{key: "nvidia.com/gpu", operator: "Exists"}]'
    pods finetune 1
    unschedulable "${P[0]}" "0/6 nodes are available: 3 Insufficient nvidia.com/gpu, 3 node(s) had untolerated taint(s). no new claims to deallocate, preemption: 0/6 nodes are available: 6 Preemption is not helpful for scheduling." 8 1
    event "pod/${P[0]}" Normal TriggeredScaleUp 'pod triggered scale-up: [{gpu-a100-pool 0->1 (max: 8)}]' cluster-autoscaler 14
    dump job,pod,event
    expect '{now: pod(250), ask: "job/finetune", verdict: "moves", who: "nobody",
        first_cause: "No node has a free GPU, and the cluster autoscaler adds one for the Pod, to the group gpu-a100-pool, since 4 minutes ago. New nodes take 3 to 15 minutes.",
        must_mention: ["autoscal|scale-up|scaling up|new node"], must_not_say: ["never (fit|run)", "must (act|change|add)", "add .*toleration", "image", "quota"],
        next_accept: ["kubectl (get|describe) (nodes?|pods?)"], next_reject: ["delete", "(edit|patch)", "taint", "scale "], next_example: "kubectl get nodes -w",
        source: "kubernetes v1.36.0: pkg/scheduler/framework/plugins/noderesources/fit.go; kubernetes/autoscaler: cluster-autoscaler/processors/status/eventing_scale_up_processor.go"}'
}

case_gang_not_whole() {
    in_namespace llm
    make '{apiVersion: "v1", kind: "ResourceQuota", metadata: {name: "team-llm", namespace: "llm"}, spec: {hard: {"requests.cpu": "12"}}}'
    await 30 "the quota" quota_counts team-llm
    make '{apiVersion: "scheduling.k8s.io/v1alpha2", kind: "PodGroup", metadata: {name: "pretrain-workers", namespace: "llm"}, spec: {schedulingPolicy: {gang: {minCount: 4}}}}'
    job pretrain '.spec.completionMode = "Indexed" | .spec.completions = 4 | .spec.parallelism = 4 | c.resources.requests = {cpu: "4"} | p.schedulingGroup = {podGroupName: "pretrain-workers"}'
    pods pretrain 3
    refused pretrain 3
    dump job,pod,event,resourcequota,podgroup.scheduling.k8s.io
    expect '{now: job(1200), ask: "job/pretrain", verdict: "hand", verdict_ok: ["never"], who: "author",
        first_cause: "The quota team-llm allows 12 CPUs, and the four Pods of the Job want 4 each: the fourth is refused. The three others wait for it, since their group pretrain-workers is only scheduled with 4 Pods, and they hold all of the quota meanwhile: nothing here gets it going.",
        must_mention: ["quota", "team-llm", "(gang|group|pretrain-workers|all 4|four)"], must_not_say: ["no scheduler", "image", "taint", "insufficient cpu on"],
        next_accept: ["kubectl (get|describe|edit|patch) (resource)?quota", "kubectl .*(get|create|apply|replace) .*pretrain"], next_reject: ["delete pod", "delete .*quota"], next_example: "kubectl describe quota team-llm -n llm",
        source: "real: kube-apiserver 1.36.0 with the gate GenericWorkload; no word of the scheduler, which says nothing of a Pod that waits for its group (pkg/scheduler/framework/plugins/gangscheduling/gangscheduling.go, PreEnqueue)"}'
}
