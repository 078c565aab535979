{{- /* Whose Jobs, by which Lease, how: the flags that a service and a last accounting (decommission) share. */ -}}
{{- define "jobreeve.controllerArgs" -}}
{{- $c := .Values.controller -}}
{{- if eq $c.mode "replaceBuiltin" -}}
- --replace-builtin=true
{{- else -}}
- --controller-name={{ $c.name }}
{{- end }}
{{- with $c.namespaces }}
- --namespace={{ join "," . }}
{{- end }}
- --leader-elect-resource-name={{ include "jobreeve.controller" . }}
- --leader-elect-resource-namespace={{ .Release.Namespace }}
- --max-inflight={{ $c.maxInflight }}
- --job-cache-bytes={{ $c.jobCacheBytes }}
- --kube-api-qps={{ $c.kubeApiQps }}
- --kube-api-burst={{ int64 $c.kubeApiBurst }}
- --kubernetes-version={{ .Values.kubernetesVersion }}
{{- with include "jobreeve.gates" $c.featureGates }}
- --feature-gates={{ . }}
{{- end }}
- --gang-scheduling={{ $c.gangScheduling }}
{{ include "jobreeve.logArgs" . }}
{{- end -}}

{{- /* What it does to Jobs, wherever: rules of a Role or a ClusterRole. */ -}}
{{- define "jobreeve.controllerRules" -}}
- apiGroups: [batch]
  resources: [jobs]
  verbs: [get, list, watch{{ if .Values.controller.ttlAfterFinished }}, delete{{ end }}] # get: before an adoption, and where a template isn't cached
- apiGroups: [batch]
  resources: [jobs/status]
  verbs: [update]
- apiGroups: [batch]
  resources: [jobs/finalizers]
  verbs: [update] # to set blockOwnerDeletion
- apiGroups: [""]
  resources: [pods]
  verbs: [list, watch, create, delete, patch]
- apiGroups: [""]
  resources: [events]
  verbs: [create, patch]
{{- end -}}

{{- /* What it needs beside these for gangs, where their gate may be on: nothing or a rule. */ -}}
{{- define "jobreeve.gangRules" -}}
{{- $gates := .Values.controller.featureGates -}}
{{- if ternary $gates.WorkloadWithJob (include "jobreeve.readsGates" .) (hasKey $gates "WorkloadWithJob") -}}
- apiGroups: [scheduling.k8s.io]
  resources: [workloads, podgroups]
  verbs: [list, watch, create, patch] # patch: minCount
{{- end -}}
{{- end -}}

{{- define "jobreeve.controllerLeaseRules" -}}
- apiGroups: [coordination.k8s.io]
  resources: [leases]
  verbs: [create] # a name cannot be asked for in a create
- apiGroups: [coordination.k8s.io]
  resources: [leases]
  resourceNames: [{{ include "jobreeve.controller" . }}]
  verbs: [get, update]
{{- end -}}
