{{- define "jobreeve.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 40 | trimSuffix "-" -}}
{{- end -}}

{{- /* At most 40 bytes, so that all that is appended keeps a Service's name below 64; what is cut is told apart by a hash. */ -}}
{{- define "jobreeve.fullname" -}}
{{- $name := default .Chart.Name .Values.nameOverride -}}
{{- $full := .Values.fullnameOverride -}}
{{- if not $full -}}
{{- $full = ternary .Release.Name (printf "%s-%s" .Release.Name $name) (contains $name .Release.Name) -}}
{{- end -}}
{{- $full = replace "." "-" $full -}}
{{- if gt (len $full) 40 -}}
{{- $full = printf "%s-%s" (trunc 31 $full | trimSuffix "-") (sha256sum $full | trunc 8) -}}
{{- end -}}
{{- $full -}}
{{- end -}}

{{- define "jobreeve.webhook" -}}{{ include "jobreeve.fullname" . }}-webhook{{- end -}}
{{- define "jobreeve.keeper" -}}{{ include "jobreeve.fullname" . }}-keeper{{- end -}}
{{- define "jobreeve.controller" -}}{{ include "jobreeve.fullname" . }}-controller{{- end -}}
{{- define "jobreeve.apiMetrics" -}}{{ include "jobreeve.fullname" . }}-api-metrics{{- end -}}
{{- define "jobreeve.preDelete" -}}{{ include "jobreeve.fullname" . }}-pre-delete{{- end -}}
{{- define "jobreeve.test" -}}{{ include "jobreeve.fullname" . }}-test{{- end -}}

{{- define "jobreeve.chart" -}}
{{- printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" | trunc 63 | trimSuffix "-" -}}
{{- end -}}

{{- /* What selects: never to change in an upgrade. Takes (dict "root" $ "component" NAME). */ -}}
{{- define "jobreeve.selectorLabels" -}}
app.kubernetes.io/name: {{ include "jobreeve.name" .root }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- end -}}

{{- /* All labels but the chart's version, which would restart Pods without need. */ -}}
{{- define "jobreeve.podLabels" -}}
{{ include "jobreeve.selectorLabels" . }}
app.kubernetes.io/part-of: jobreeve
{{- with .root.Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- define "jobreeve.labels" -}}
helm.sh/chart: {{ include "jobreeve.chart" .root }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
{{ include "jobreeve.podLabels" . }}
{{- end -}}

{{- /* The account of a part. Takes (dict "root" $ "component" NAME). */ -}}
{{- define "jobreeve.account" -}}
{{- (index .root.Values .component).serviceAccount.name | default (include (printf "jobreeve.%s" .component) .root) -}}
{{- end -}}

{{- /* The ServiceAccount of a part, unless it is there already. Takes (dict "root" $ "component" NAME). */ -}}
{{- define "jobreeve.serviceAccount" -}}
{{- $account := (index .root.Values .component).serviceAccount -}}
{{- if $account.create -}}
apiVersion: v1
kind: ServiceAccount
metadata:
  name: {{ include "jobreeve.account" . }}
  namespace: {{ .root.Release.Namespace }}
  labels:
    {{- include "jobreeve.labels" . | nindent 4 }}
  {{- with $account.annotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
automountServiceAccountToken: false
{{- end -}}
{{- end -}}

{{- /* What comes before image.repository; may be empty. */ -}}
{{- define "jobreeve.registry" -}}
{{- (.Values.global | default dict).imageRegistry | default .Values.image.registry -}}
{{- end -}}

{{- define "jobreeve.image" -}}
{{- with include "jobreeve.registry" . -}}{{ . }}/{{- end -}}
{{- with .Values.image -}}
{{- if .digest -}}
{{ .repository }}@{{ .digest }}
{{- else -}}
{{ .repository }}:{{ .tag | default $.Chart.AppVersion }}
{{- end -}}
{{- end -}}
{{- end -}}

{{- /* The Secrets to pull with, each once, as a list in JSON of maps of name. */ -}}
{{- define "jobreeve.pullSecrets" -}}
{{- $secrets := list -}}
{{- range concat ((.Values.global | default dict).imagePullSecrets | default list) .Values.imagePullSecrets -}}
{{- if kindIs "string" . -}}
{{- $secrets = append $secrets (dict "name" .) -}}
{{- else -}}
{{- $secrets = append $secrets . -}}
{{- end -}}
{{- end -}}
{{- uniq $secrets | toJson -}}
{{- end -}}

{{- /* The priority class of a part's Pods; may be empty. The hooks' is the webhook's. Takes (dict "root" $ "values" VALUES). */ -}}
{{- define "jobreeve.priorityClass" -}}
{{- .values.priorityClassName | default .root.Values.priorityClassName -}}
{{- end -}}

{{- /* How many Pods may be there at one time of a class that some clusters (GKE) allow in namespaces with a quota for it only: replicas, as
many again while they are replaced, and the hooks' Pods. Nothing if there is none. */ -}}
{{- define "jobreeve.criticalPods" -}}
{{- $critical := list "system-cluster-critical" "system-node-critical" -}}
{{- $pods := 0 -}}
{{- range include "jobreeve.deployments" . | fromJsonArray -}}
{{- $values := index $.Values . -}}
{{- if has (include "jobreeve.priorityClass" (dict "root" $ "values" $values)) $critical -}}
{{- $pods = add $pods (mul 2 (int $values.replicas)) -}}
{{- end -}}
{{- end -}}
{{- if has (include "jobreeve.priorityClass" (dict "root" . "values" .Values.webhook)) $critical -}}
{{- $pods = add $pods (ternary 1 0 .Values.preDelete.enabled) (ternary 1 0 (and .Values.webhook.enabled .Values.helmTest.enabled)) -}}
{{- end -}}
{{- if $pods -}}
{{ $pods }}
{{- end -}}
{{- end -}}

{{- /* What Pods of all kinds begin with. Takes (dict "root" $ "values" VALUES "dnsPolicy" DEFAULT), the last of which may be missing. */ -}}
{{- define "jobreeve.podSpec" -}}
{{- with include "jobreeve.pullSecrets" .root | fromJsonArray }}
imagePullSecrets:
{{ toYaml . }}
{{- end }}
{{- with include "jobreeve.priorityClass" . }}
priorityClassName: {{ . }}
{{- end }}
{{- with .root.Values.dnsPolicy | default .dnsPolicy }}
dnsPolicy: {{ . }}
{{- end }}
{{- with .root.Values.dnsConfig }}
dnsConfig:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .root.Values.hostAliases }}
hostAliases:
{{ toYaml . }}
{{- end }}
{{- with .root.Values.podSecurityContext }}
securityContext:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{- /* The addresses of a part's Service. Takes VALUES.service. */ -}}
{{- define "jobreeve.ipFamilies" -}}
{{- with .ipFamilyPolicy }}
ipFamilyPolicy: {{ . }}
{{- end }}
{{- with .ipFamilies }}
ipFamilies:
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- /* What containers of all kinds begin with. Takes (dict "root" $). */ -}}
{{- define "jobreeve.containerSpec" -}}
image: {{ include "jobreeve.image" .root | quote }}
imagePullPolicy: {{ .root.Values.image.pullPolicy }}
{{- with .root.Values.securityContext }}
securityContext:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{- /* What is switched on, of the webhook and the controller, as a list in JSON. */ -}}
{{- define "jobreeve.parts" -}}
{{- $parts := list -}}
{{- range list "webhook" "controller" -}}
{{- if (index $.Values .).enabled -}}
{{- $parts = append $parts . -}}
{{- end -}}
{{- end -}}
{{- toJson $parts -}}
{{- end -}}

{{- /* The parts and the keeper, where there is one: all Deployments, as a list in JSON. */ -}}
{{- define "jobreeve.deployments" -}}
{{- concat (include "jobreeve.parts" . | fromJsonArray) (ternary (list "keeper") list (include "jobreeve.keeps" . | eq "true")) | toJson -}}
{{- end -}}

{{- define "jobreeve.logArgs" -}}
- --log-level={{ .Values.logLevel }}
- --logging-format={{ .Values.logFormat }}
{{- end -}}

{{- /* Where a Pod may run. Takes (dict "root" $ "component" NAME "values" VALUES). */ -}}
{{- define "jobreeve.placement" -}}
{{- with .values.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .values.tolerations }}
tolerations:
{{ toYaml . }}
{{- end }}
affinity:
{{- if .values.affinity }}
  {{- toYaml .values.affinity | nindent 2 }}
{{- else }}
  podAntiAffinity:
    preferredDuringSchedulingIgnoredDuringExecution:
    - weight: 100
      podAffinityTerm:
        topologyKey: kubernetes.io/hostname
        labelSelector:
          matchLabels:
            {{- include "jobreeve.selectorLabels" . | nindent 12 }}
{{- end }}
topologySpreadConstraints:
{{- if .values.topologySpreadConstraints }}
{{ toYaml .values.topologySpreadConstraints }}
{{- else }}
{{- range $key := list "topology.kubernetes.io/zone" "kubernetes.io/hostname" }}
- maxSkew: 1
  topologyKey: {{ $key }}
  whenUnsatisfiable: ScheduleAnyway
  labelSelector:
    matchLabels:
      {{- include "jobreeve.selectorLabels" $ | nindent 6 }}
  matchLabelKeys:
  - pod-template-hash
{{- end }}
{{- end }}
{{- end -}}

{{- /* Name=true,Name=false of a map of gates. */ -}}
{{- define "jobreeve.gates" -}}
{{- $gates := list -}}
{{- range $name, $on := . -}}
{{- $gates = append $gates (printf "%s=%t" $name $on) -}}
{{- end -}}
{{- join "," $gates -}}
{{- end -}}

{{- /* Are policies enforced, the cluster's or those of files? */ -}}
{{- define "jobreeve.policies" -}}
{{- if and .Values.webhook.enabled (or .Values.policies.enforce .Values.policies.files) -}}
true
{{- end -}}
{{- end -}}

{{- /* Does the controller write the status of JobPolicies, and audit? One that runs the Jobs of some namespaces alone has no right to see the others. */ -}}
{{- define "jobreeve.reportsPolicies" -}}
{{- if and .Values.policies.enforce .Values.controller.enabled (not .Values.controller.namespaces) -}}
true
{{- end -}}
{{- end -}}

{{- /* Does the webhook watch Namespaces? It does for the cluster's policies, and for those of files that select by a namespace's labels. */ -}}
{{- define "jobreeve.watchesNamespaces" -}}
{{- if and .Values.webhook.enabled (or .Values.policies.enforce (contains "namespaceSelector" (toJson .Values.policies.files))) -}}
true
{{- end -}}
{{- end -}}

{{- /* Does a program read which feature gates the API server has on? A controller of some namespaces alone needs no right beyond them. */ -}}
{{- define "jobreeve.readsGates" -}}
{{- if and .Values.readFeatureGates (eq .Values.kubernetesVersion "auto") (or .Values.webhook.enabled (and .Values.controller.enabled (not .Values.controller.namespaces))) -}}
true
{{- end -}}
{{- end -}}

{{- /* Does the webhook call the API server, if only for its version? */ -}}
{{- define "jobreeve.webhookCalls" -}}
{{- if or (eq .Values.kubernetesVersion "auto") (eq .Values.tls.type "self") (include "jobreeve.watchesNamespaces" .) -}}
true
{{- end -}}
{{- end -}}

{{- /* failurePolicy of the validating side for Jobs and CronJobs. A policy that denies denies nothing while the webhook is skipped. */ -}}
{{- define "jobreeve.validatingFailurePolicy" -}}
{{- .Values.webhook.validating.failurePolicy | default (ternary "Fail" "Ignore" (include "jobreeve.policies" . | eq "true")) -}}
{{- end -}}

{{- /* The ConfigMap of the policies' files. */ -}}
{{- define "jobreeve.policyFiles" -}}{{ include "jobreeve.fullname" . }}-policies{{- end -}}

{{- /* A ready policy's text with its settings filled in: .text, .settings. A line has one mark at most: ${x} is the setting x as JSON, ${x?} leaves
the line out where x is empty, and ${each x} makes a line for each item of x, with its text. `jobreeve policy library` reads the same marks. */ -}}
{{- define "jobreeve.fillIn" -}}
{{- $settings := .settings -}}
{{- range $line := splitList "\n" .text }}
{{- $mark := regexFind `\$\{[^}]*\}` $line }}
{{- $value := get $settings ($mark | trimPrefix "${" | trimPrefix "each " | trimSuffix "}" | trimSuffix "?") }}
{{- if hasPrefix "${each " $mark }}
{{- range $item := $value }}
{{ replace $mark (toJson $item | trimPrefix "\"" | trimSuffix "\"") $line }}
{{- end }}
{{- else if eq $mark "" }}
{{ $line }}
{{- else if or $value (not (hasSuffix "?}" $mark)) }}
{{ replace $mark (toJson $value) $line }}
{{- end }}
{{- end }}
{{- end -}}

{{- /* Is there a keeper? */ -}}
{{- define "jobreeve.keeps" -}}
{{- if and .Values.webhook.enabled .Values.keeper.enabled -}}
true
{{- end -}}
{{- end -}}

{{- /* Does the keeper write caBundle? */ -}}
{{- define "jobreeve.keepsCABundle" -}}
{{- if or (eq .Values.tls.type "self") (and (eq .Values.tls.type "existingSecret") (not .Values.tls.existingSecret.caBundle)) -}}
true
{{- end -}}
{{- end -}}

{{- /* The Secret that the keeper keeps with tls.type self. */ -}}
{{- define "jobreeve.selfSecret" -}}{{ include "jobreeve.webhook" . }}-tls{{- end -}}

{{- /* The Secret of the serving certificate: another one in each mode, so that going from one to another never meets a Secret that
somebody else keeps. */ -}}
{{- define "jobreeve.tlsSecret" -}}
{{- if eq .Values.tls.type "existingSecret" -}}
{{ .Values.tls.existingSecret.name }}
{{- else if eq .Values.tls.type "self" -}}
{{ include "jobreeve.selfSecret" . }}
{{- else -}}
{{ include "jobreeve.webhook" . }}-{{ lower .Values.tls.type }}
{{- end -}}
{{- end -}}

{{- /* All names of the Service, and what was added, as a list in JSON. */ -}}
{{- define "jobreeve.serviceNames" -}}
{{- $service := include "jobreeve.webhook" . -}}
{{- $namespaced := printf "%s.%s" $service .Release.Namespace -}}
{{- list $service $namespaced (printf "%s.svc" $namespaced) (printf "%s.svc.cluster.local" $namespaced) | toJson -}}
{{- end -}}
