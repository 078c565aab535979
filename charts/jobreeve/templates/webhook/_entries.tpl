{{- define "jobreeve.clientConfig" -}}
clientConfig:
{{- with include "jobreeve.caBundle" .root }}
  caBundle: {{ . }}
{{- end }}
  service:
    name: {{ include "jobreeve.webhook" .root }}
    namespace: {{ .root.Release.Namespace }}
    path: {{ .path }}
    port: 443
{{- end -}}

{{- /* What an update must be for the mutating side and for JobPolicies. */ -}}
{{- define "jobreeve.updateConditions" -}}
- name: not-being-deleted
  expression: request.operation != 'UPDATE' || !has(object.metadata.deletionTimestamp)
- name: spec-changed
  expression: request.operation != 'UPDATE' || object.spec != oldObject.spec
{{- end -}}

{{- /* What it must be for the validating side. The spec of an object that is being deleted counts, too, and the labels by which policies
select it: its Pods go on for as long as a finalizer is there. Takes the kind and the root. */ -}}
{{- define "jobreeve.validatingConditions" -}}
{{- $conditions := list "request.operation != 'UPDATE'" "object.spec != oldObject.spec" -}}
{{- if and (eq .kind "job") (include "jobreeve.policies" .root) .root.Values.policies.metadataUpdates -}}
{{- $differ := "(has(object.metadata.%[1]s) ? object.metadata.%[1]s : {}) != (has(oldObject.metadata.%[1]s) ? oldObject.metadata.%[1]s : {})" -}}
{{- $conditions = append $conditions (printf $differ "labels") -}}
{{- $conditions = append $conditions (printf "(!has(object.metadata.deletionTimestamp) && %s)" (printf $differ "annotations")) -}}
{{- end -}}
- name: changed
  expression: {{ join " || " $conditions | quote }}
{{- end -}}

{{- /* One entry of a configuration. Takes (dict "root" $ "verb" mutate|validate "kind" job|cronjob "values" VALUES). That a finalizer is
removed is never asked about, so that nothing we say can keep an object from going. */ -}}
{{- define "jobreeve.webhookEntry" -}}
- name: {{ .verb }}.{{ .kind }}.jobreeve.dev
  {{- include "jobreeve.clientConfig" (dict "root" .root "path" (printf "/%s-batch-v1-%s" .verb .kind)) | nindent 2 }}
  rules:
  - apiGroups: [batch]
    apiVersions: [v1]
    resources: [{{ .kind }}s]
    operations: [CREATE, UPDATE]
    scope: Namespaced
  admissionReviewVersions: [v1]
  matchPolicy: Equivalent
  sideEffects: None
  failurePolicy: {{ ternary "Ignore" .values.failurePolicy (include "jobreeve.keeps" .root | eq "true") }}
  timeoutSeconds: {{ .values.timeoutSeconds }}
  {{- with .values.reinvocationPolicy }}
  reinvocationPolicy: {{ . }}
  {{- end }}
  namespaceSelector:
    {{- include "jobreeve.namespaceSelector" (dict "root" .root "selector" .root.Values.webhook.namespaceSelector) | nindent 4 }}
  {{- with .root.Values.webhook.objectSelector }}
  objectSelector:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  matchConditions:
  {{- if eq .verb "validate" }}
  {{- include "jobreeve.validatingConditions" . | nindent 2 }}
  {{- else }}
  {{- include "jobreeve.updateConditions" .root | nindent 2 }}
  {{- end }}
  {{- with .root.Values.webhook.matchConditions }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end -}}

{{- /* The sides that are asked, as a list in JSON. */ -}}
{{- define "jobreeve.sides" -}}
{{- $sides := list -}}
{{- range $side, $name := dict "mutating" "mutate" "validating" "validate" -}}
{{- if (index $.Values.webhook $side).enabled -}}
{{- $sides = append $sides $name -}}
{{- end -}}
{{- end -}}
{{- toJson $sides -}}
{{- end -}}

{{- /* Of one of the configurations. Takes (dict "root" $ "values" VALUES). Fail is the keeper's to set, once a replica answers: with
none, Jobs would be refused for as long as none comes. */ -}}
{{- define "jobreeve.configurationMetadata" -}}
metadata:
  name: {{ include "jobreeve.fullname" .root }}
  labels:
    {{- include "jobreeve.labels" (dict "root" .root "component" "webhook") | nindent 4 }}
{{- $annotations := deepCopy .root.Values.webhookAnnotations }}
{{- if and (include "jobreeve.keeps" .root) (eq .values.failurePolicy "Fail") }}
{{- $_ := set $annotations "jobreeve.dev/failure-policy" "Fail" }}
{{- end }}
{{- if eq .root.Values.tls.type "certManager" }}
{{- $_ := set $annotations "cert-manager.io/inject-ca-from" (printf "%s/%s" .root.Release.Namespace (include "jobreeve.webhook" .root)) }}
{{- end }}
{{- with $annotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
{{- end }}
{{- end -}}
