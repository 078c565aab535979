# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Sourced by make.sh: Pods that the API server refuses. All words are those of a real API server, but where a case says otherwise.

quota() {
    make "{apiVersion: \"v1\", kind: \"ResourceQuota\", metadata: {name: \"$1\", namespace: \"$NS\"}, spec: {hard: $2}}"
    await 30 "the quota's status" quota_counts "$1"
}
quota_counts() {
    [ -n "$(k get resourcequota "$1" -n "$NS" -o jsonpath='{.status.used}')" ]
}
# refused JOB [N]: awaits N refusals
refused() {
    await 60 "a refusal of $1" refusals "$1" "${2:-1}"
}
refusals() {
    [ "$(k get event -n "$NS" --field-selector "reason=FailedCreate,involvedObject.name=$1" -o json | jq '[.items[].count] | add // 0')" -ge "$2" ]
}

case_quota_exceeded() {
    in_namespace batch-jobs
    quota default '{pods: "3"}'
    job job-test-1 '.spec.completions = 3 | .spec.parallelism = 3'
    pods job-test-1 3
    for p in "${P[@]}"; do scheduled "$p" worker-1 && set_status "pod/$p" 'running(3)'; done
    job job-test-4
    refused job-test-4 3
    POST='.items |= unique_by(.metadata.uid) | .items |= sort_by(.kind != "Job", .metadata.name != "job-test-4")' dump job,pod,event,resourcequota
    expect '{now: job(65), ask: "job/job-test-4", verdict: "moves", who: "nobody",
        first_cause: "The quota default of the namespace allows 3 pods, and 3 are used by job-test-1: the Pod of this Job is refused. The controller goes on trying, and makes it once a Pod has ended.",
        must_mention: ["quota", "default", "\\b3\\b"], must_not_say: ["image", "must specify", "backoffLimit", "never (fit|run)", "unschedulable"],
        next_accept: ["kubectl (get|describe) (resource)?quota", "kubectl get (pods?|jobs?)"], next_reject: ["delete job[/ ]job-test-4", "replace --force", "delete .*(quota|pods? --all)"], next_example: "kubectl describe quota default -n batch-jobs",
        source: "https://github.com/kubernetes/kubernetes/issues/88718: Jobs that wait for a quota of pods; its times and words, with 3 instead of 9 Pods"}'
}

case_quota_must_specify() {
    in_namespace ingress-stack
    quota ingress-stack '{"limits.cpu": "8", "limits.memory": "16Gi", "requests.cpu": "4", "requests.memory": "8Gi"}'
    job hap-operator-kubernetes-ingress-crdjob-1 'c.name = "crd" | .metadata.labels = {"app.kubernetes.io/managed-by": "Helm", "app.kubernetes.io/instance": "hap-operator", "helm.sh/chart": "kubernetes-ingress-1.39.0"}
        | .metadata.annotations = {"meta.helm.sh/release-name": "hap-operator", "meta.helm.sh/release-namespace": "ingress-stack"} | .spec.ttlSecondsAfterFinished = 0'
    refused hap-operator-kubernetes-ingress-crdjob-1 3
    dump job,pod,event,resourcequota
    expect '{now: job(300), ask: "job/hap-operator-kubernetes-ingress-crdjob-1", verdict: "hand", who: "owner-of:Helm/hap-operator",
        first_cause: "The quota ingress-stack demands that each container says its requests and limits of cpu and memory, and the container crd says none: all of the Pods of the Job are refused, however often it is tried. The chart of the Helm release hap-operator must set them, or a LimitRange must give defaults.",
        must_mention: ["quota", "ingress-stack", "(request|limit)"], must_not_say: ["exceeded", "wait(s|ing)? (for|until) .*(quota|free)", "image", "backoffLimit"],
        next_accept: ["helm upgrade .*hap-operator", "helm .*hap-operator", "limitrange"], next_reject: ["(edit|patch|set|replace) .*job[/ ]hap-operator", "delete .*quota"], next_example: "helm upgrade hap-operator CHART -n ingress-stack --set RESOURCES",
        source: "https://github.com/haproxytech/helm-charts/issues/236: the Job of a chart, refused by a quota that wants limits"}'
}

case_limitrange() {
    in_namespace reports
    make '{apiVersion: "v1", kind: "LimitRange", metadata: {name: "per-container", namespace: "reports"}, spec: {limits: [{type: "Container", max: {memory: "2Gi"}, default: {memory: "512Mi"}, defaultRequest: {memory: "256Mi"}}]}}'
    sleep 2
    cronjob yearly '0 6 2 * *' 'c.resources = {requests: {memory: "3Gi"}, limits: {memory: "4Gi"}}'
    due yearly 2700000
    refused "$JOB" 2
    POST='older(cron; 400)' dump job,pod,event,limitrange,cronjob
    expect '{now: job(180), ask: "job/\(job.metadata.name)", verdict: "hand", who: "owner-of:CronJob/yearly",
        first_cause: "The LimitRange per-container allows a container at most 2Gi of memory, and main has a limit of 4Gi: each Pod is refused. The template of the CronJob yearly must ask for less, or the LimitRange must allow more.",
        must_mention: ["(LimitRange|limit range|maximum memory usage)", "2Gi", "4Gi", "CronJob"], must_not_say: ["(exceeded|resource) ?quota", "\\boom", "image", "wait for"],
        next_accept: ["kubectl .*(edit|patch|set resources|apply) .*(cronjob|cj)[/ ]yearly", "kubectl (get|describe|edit) (limitrange|limits)"], next_reject: ["(edit|patch|set resources) job[/ ]", "delete (pod|cronjob)"], next_example: "kubectl set resources cronjob yearly -n reports -c main --requests memory=SMALLER --limits memory=SMALLER",
        source: "real: kube-apiserver 1.36.0"}'
}

case_pod_security() {
    in_namespace pulp '.metadata.labels = {"pod-security.kubernetes.io/enforce": "restricted"}'
    make '{apiVersion: "repo-manager.pulpproject.org/v1", kind: "Pulp", metadata: {name: "pulp", namespace: "pulp"}, spec: {}}'
    job pulp-reset-admin-password-qph9d "c.name = \"reset-admin-password\" | c.image = \"quay.io/pulp/pulp-minimal:3.56\" | .metadata.ownerReferences = [$(owner pulp.repo-manager.pulpproject.org/pulp)]"
    refused pulp-reset-admin-password-qph9d 3
    dump job,pod,event namespace/pulp pulp.repo-manager.pulpproject.org/pulp
    expect '{now: job(1500), ask: "job/pulp-reset-admin-password-qph9d", verdict: "hand", who: "owner-of:Pulp/pulp", verdict_ok: [],
        first_cause: "The namespace pulp enforces Pod Security restricted, which the container reset-admin-password violates (privilege escalation, capabilities, runAsNonRoot, seccomp): each Pod is refused. What makes the Job, the Pulp pulp, must set its security context, or an admin must lower the level of the namespace.",
        must_mention: ["Pod ?Security", "restricted", "(runAsNonRoot|allowPrivilegeEscalation|seccomp|capabilities|security ?context)"], must_not_say: ["quota", "webhook", "image", "rbac"],
        next_accept: ["kubectl .*(edit|patch|get|describe) pulps?[/. ]", "kubectl label (ns|namespace)"], next_reject: ["kubectl (edit|patch) job", "delete job"], next_example: "kubectl edit pulp pulp -n pulp",
        source: "https://github.com/pulp/pulp-operator/issues/1315: the Job of an operator in a namespace with Pod Security restricted"}'
}

# webhook NAME PATH OPERATIONS RESOURCES: one of deny.py, for this namespace
webhook() {
    make "{apiVersion: \"admissionregistration.k8s.io/v1\", kind: \"ValidatingWebhookConfiguration\", metadata: {name: \"$1\"}, webhooks: [{name: \"$1\", clientConfig: {url: \"https://127.0.0.1:$(cat "$DIR/deny.port")/$2\", caBundle: \"$(pki_data "$DIR/pki/deny-ca.crt")\"},
        rules: [{apiGroups: [\"\"], apiVersions: [\"v1\"], operations: [\"$3\"], resources: [\"$4\"], scope: \"Namespaced\"}], namespaceSelector: {matchLabels: {\"kubernetes.io/metadata.name\": \"$NS\"}}, admissionReviewVersions: [\"v1\"], sideEffects: \"None\", failurePolicy: \"Fail\", timeoutSeconds: 5}]}"
    sleep 2
}
# Where it stands in a cluster: a Service, and no certificate authority of this one.
AS_SERVICE='(.items[] | select(.kind | endswith("WebhookConfiguration")).webhooks[].clientConfig) = {service: {namespace: "policy-system", name: "policy-webhook", path: "/validate", port: 443}, caBundle: "LS0tLS1CRUdJTg=="}'

case_webhook_denied() {
    K=1.33
    in_namespace finance
    webhook images.policy.example.com 'image-docker.io+acme+ledger:latest-is-not-allowed:-use-registry.example.com-and-a-tag-that-is-a-version' CREATE pods
    cronjob ledger-close '*/30 * * * *' 'c.image = "docker.io/acme/ledger:latest" | .spec.concurrencyPolicy = "Forbid"'
    due ledger-close 2400
    refused "$JOB" 3
    POST="$AS_SERVICE | older(cron; 30)" dump job,pod,event,cronjob validatingwebhookconfiguration/images.policy.example.com
    k delete validatingwebhookconfiguration images.policy.example.com
    expect '{now: job(420), ask: "job/\(job.metadata.name)", verdict: "hand", who: "owner-of:CronJob/ledger-close",
        first_cause: "The admission webhook images.policy.example.com refuses each Pod: the image docker.io/acme/ledger:latest is not allowed. The template of the CronJob ledger-close must name another image; this Job cannot be changed.",
        must_mention: ["images\\.policy\\.example\\.com", "docker\\.io/acme/ledger:latest", "CronJob"], must_not_say: ["pull", "quota", "tim(ed|e) ?out", "unreachable"],
        next_accept: ["kubectl .*(edit|patch|set image) .*(cronjob|cj)[/ ]ledger-close"], next_reject: ["(edit|patch|set image) .*[^n]job[/ ]ledger-close-", "delete .*webhookconfiguration"], next_example: "kubectl set image cronjob/ledger-close main=IMAGE -n finance",
        source: "real: kube-apiserver 1.36.0, a webhook of our own; words of apiserver/pkg/admission/plugin/webhook/errors/statuserror.go, same since 1.31"}'
}

case_webhook_down() {
    K=1.33
    in_namespace training
    make '{apiVersion: "admissionregistration.k8s.io/v1", kind: "MutatingWebhookConfiguration", metadata: {name: "jobset-mutating-webhook-configuration"}, webhooks: [{name: "mpod.kb.io", clientConfig: {url: "https://127.0.0.1:1/mutate--v1-pod", caBundle: "'"$(pki_data "$DIR/pki/deny-ca.crt")"'"},
        rules: [{apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["pods"]}], namespaceSelector: {matchLabels: {"kubernetes.io/metadata.name": "training"}}, admissionReviewVersions: ["v1"], sideEffects: "None", failurePolicy: "Fail"}]}'
    sleep 2
    job headless '.spec.completions = 4 | .spec.parallelism = 4 | .spec.completionMode = "Indexed" | p.subdomain = "headless-svc"'
    refused headless 4
    POST='(of("MutatingWebhookConfiguration").webhooks[].clientConfig) = {service: {namespace: "jobset-system", name: "jobset-webhook-service", path: "/mutate--v1-pod", port: 443}, caBundle: "LS0tLS1CRUdJTg=="} | (of("Event").message | select(test("mpod"))) = "Error creating: Internal error occurred: failed calling webhook \"mpod.kb.io\": failed to call webhook: Post \"https://jobset-webhook-service.jobset-system.svc:443/mutate--v1-pod?timeout=10s\": no endpoints available for service \"jobset-webhook-service\""' \
        dump job,pod,event mutatingwebhookconfiguration/jobset-mutating-webhook-configuration
    k delete mutatingwebhookconfiguration jobset-mutating-webhook-configuration
    expect '{now: job(600), ask: "job/headless", verdict: "hand", who: "admin",
        first_cause: "The webhook mpod.kb.io, which the API server must ask about each Pod, cannot be reached: its Service jobset-webhook-service in jobset-system has no endpoints. No Pod of the Job can be made until what serves it runs again; the Job itself is all right, and goes on by itself then.",
        must_mention: ["webhook", "mpod\\.kb\\.io", "(endpoint|reach|jobset-webhook-service)"], must_not_say: ["denied", "quota", "image", "node"],
        next_accept: ["kubectl .*(-n|--namespace)[ =]jobset-system", "kubectl (get|describe) mutatingwebhookconfiguration"], next_reject: ["delete job", "edit job", "delete .*webhookconfiguration"], next_example: "kubectl get pods,endpointslices -n jobset-system",
        source: "https://github.com/kubernetes-sigs/jobset/issues/361: a plain Job that gets no Pods since the webhook of JobSet has no endpoints; its words"}'
}

case_policy_denied() {
    in_namespace shop
    make '{apiVersion: "admissionregistration.k8s.io/v1", kind: "ValidatingAdmissionPolicy", metadata: {name: "owner-label"}, spec: {failurePolicy: "Fail", matchConstraints: {resourceRules: [{apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["pods"]}]},
        validations: [{expression: "has(object.metadata.labels) && \"team\" in object.metadata.labels", message: "each Pod must carry the label team"}]}}'
    make '{apiVersion: "admissionregistration.k8s.io/v1", kind: "ValidatingAdmissionPolicyBinding", metadata: {name: "owner-label-shop"}, spec: {policyName: "owner-label", validationActions: ["Deny"], matchResources: {namespaceSelector: {matchLabels: {"kubernetes.io/metadata.name": "shop"}}}}}'
    sleep 5
    make '{apiVersion: "argoproj.io/v1alpha1", kind: "Application", metadata: {name: "shop", namespace: "shop"}, spec: {}}'
    job db-migrate '.metadata.annotations = {"argocd.argoproj.io/tracking-id": "shop:batch/Job:shop/db-migrate", "argocd.argoproj.io/sync-options": "Replace=true"} | .metadata.labels = {"app.kubernetes.io/instance": "shop"}'
    refused db-migrate 2
    dump job,pod,event
    k delete validatingadmissionpolicybinding owner-label-shop
    k delete validatingadmissionpolicy owner-label
    expect '{now: job(240), ask: "job/db-migrate", verdict: "hand", who: "owner-of:Application/shop",
        first_cause: "The ValidatingAdmissionPolicy owner-label (binding owner-label-shop) refuses each Pod: it carries no label team. The template stands in what the Argo CD application shop deploys, and must be changed there.",
        must_mention: ["owner-label", "label", "team", "(Argo ?CD|Application)"], must_not_say: ["webhook .*(down|reach|time)", "quota", "image", "Pod Security"],
        next_accept: ["argocd app .*shop", "kubectl .*applications?(\\.argoproj\\.io)?[/ ]shop"], next_reject: ["kubectl (edit|patch|label|replace) .*job[/ ]db-migrate", "kubectl label pod", "delete .*admissionpolicy"], next_example: "argocd app diff shop",
        source: "real: kube-apiserver 1.36.0"}'
}

case_namespace_terminating() {
    in_namespace preview-1287
    job smoke-test '.metadata.finalizers = ["example.com/archive-logs"] | .spec.completions = 3'
    pods smoke-test 1
    k delete namespace preview-1287 --wait=false
    await 60 "the namespace to say what remains" k wait namespace/preview-1287 --for=condition=NamespaceFinalizersRemaining --timeout=1s
    sleep 2
    dump job,pod,event namespace/preview-1287
    k patch job smoke-test -n preview-1287 --type=merge -p '{"metadata": {"finalizers": null}}'
    expect '{now: (job | .metadata.deletionTimestamp | plus(2400)), ask: "job/smoke-test", verdict: "never", verdict_ok: ["hand"], who: "admin",
        first_cause: "The Job and its namespace preview-1287 are being deleted: it runs nothing any more. What holds the deletion up is the finalizer example.com/archive-logs, which its own controller must remove.",
        must_mention: ["(terminating|being deleted|deletion)", "example\\.com/archive-logs"], must_not_say: ["quota", "image", "nothing holds it up", "unschedulable"],
        next_accept: ["kubectl (get|describe) (ns|namespace)", "kubectl .*(get|patch|edit) job[/ ]smoke-test"], next_reject: ["create job", "(replace|delete) --force", "/finalize"], next_example: "kubectl describe namespace preview-1287",
        source: "real: kube-apiserver and namespace controller 1.36.0"}'
}

case_serviceaccount_missing() {
    in_namespace backup
    job etcd-snapshot 'p.serviceAccountName = "snapshotter"'
    refused etcd-snapshot 3
    dump job,pod,event,serviceaccount
    expect '{now: job(500), ask: "job/etcd-snapshot", verdict: "hand", who: "author",
        first_cause: "The service account snapshotter does not exist in the namespace backup: each Pod is refused. Once it is made, the Job goes on by itself.",
        must_mention: ["service ?account", "snapshotter"], must_not_say: ["quota", "image", "rbac|permission", "etcd-snapshot-.*not found"],
        next_accept: ["kubectl create (serviceaccount|sa) snapshotter"], next_reject: ["kubectl (edit|patch) job", "delete job"], next_example: "kubectl create serviceaccount snapshotter -n backup",
        source: "real: kube-apiserver 1.36.0"}'
}
