{{- /* The Pod has one, or two that listen on the same port: the second is the standby, whose other ports have names of their own. Takes
(dict "root" $ "name" NAME "ports" VALUES). */ -}}
{{- define "jobreeve.webhookContainer" -}}
{{- $root := .root }}
{{- $w := $root.Values.webhook }}
{{- $clientCA := $root.Values.tls.clientCA }}
{{- $files := ne $root.Values.tls.type "self" }}
{{- $policyFiles := list }}
{{- range $file := keys $root.Values.policies.files | sortAlpha }}
{{- $policyFiles = append $policyFiles (printf "/etc/jobreeve/policies/%s" $file) }}
{{- end }}
{{- $standby := ternary "standby-" "" (eq .name "standby") -}}
- name: {{ .name }}
  {{- include "jobreeve.containerSpec" (dict "root" $root) | nindent 2 }}
  command: [/usr/bin/jobreeve-webhook]
  args:
  - --port={{ $w.port }}
  {{- if $w.standby.enabled }}
  - --reuse-port
  {{- end }}
  {{- include "jobreeve.webhookTLSArgs" $root | nindent 2 }}
  {{- if or $clientCA.configMap $clientCA.secret }}
  - --client-ca-file=/etc/jobreeve/client-ca/{{ $clientCA.key }}
  {{- with $clientCA.names }}
  - --client-names={{ join "," . }}
  {{- end }}
  {{- end }}
  - --tls-min-version={{ $root.Values.tls.minVersion }}
  {{- with $root.Values.tls.ciphers }}
  - --tls-cipher-suites={{ join "," . }}
  {{- end }}
  {{- if $root.Values.policies.enforce }}
  - --policies
  {{- end }}
  {{- with $policyFiles }}
  - --policy-file={{ join "," . }}
  {{- end }}
  {{- if include "jobreeve.policies" $root }}
  - --queues={{ join "," $root.Values.policies.queues }}
  - --trusted-controllers={{ join "," $root.Values.policies.trustedControllers }}
  - --metadata-updates={{ $root.Values.policies.metadataUpdates }}
  {{- end }}
  {{- if $root.Values.assignController.enabled }}
  - --controller-name={{ $root.Values.controller.name }}
  {{- end }}
  - --health-probe-bind-address=:{{ .ports.healthPort }}
  - --metrics-bind-address={{ ternary (printf ":%d" (int .ports.metricsPort)) "0" $root.Values.metrics.enabled }}
  {{- if $root.Values.metrics.secure }}
  - --metrics-secure
  {{- end }}
  - --shutdown-delay-duration={{ $w.shutdownDelay }}
  - --kubernetes-version={{ $root.Values.kubernetesVersion }}
  {{- with include "jobreeve.gates" $w.featureGates }}
  - --feature-gates={{ . }}
  {{- end }}
  {{- include "jobreeve.logArgs" $root | nindent 2 }}
  {{- with $w.extraArgs }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
  {{- with $w.extraEnv }}
  env:
  {{- toYaml . | nindent 2 }}
  {{- end }}
  ports:
  {{- if not $standby }}
  - name: webhook
    containerPort: {{ $w.port }}
    protocol: TCP
  {{- end }}
  - name: {{ $standby }}health
    containerPort: {{ .ports.healthPort }}
    protocol: TCP
  {{- if $root.Values.metrics.enabled }}
  - name: {{ $standby }}metrics
    containerPort: {{ .ports.metricsPort }}
    protocol: TCP
  {{- end }}
  livenessProbe:
    httpGet:
      path: /livez
      port: {{ $standby }}health
    periodSeconds: 10
    timeoutSeconds: 3
    failureThreshold: 6
  readinessProbe:
    httpGet:
      path: /readyz
      port: {{ $standby }}health
    periodSeconds: 5
    timeoutSeconds: 3
    failureThreshold: 2
  {{- with $w.resources }}
  resources:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- if or $files $clientCA.configMap $clientCA.secret $policyFiles $w.extraVolumeMounts }}
  volumeMounts:
  {{- if $files }}
  - name: tls
    mountPath: /etc/jobreeve/tls
    readOnly: true
  {{- end }}
  {{- if or $clientCA.configMap $clientCA.secret }}
  - name: client-ca
    mountPath: /etc/jobreeve/client-ca
    readOnly: true
  {{- end }}
  {{- if $policyFiles }}
  - name: policies
    mountPath: /etc/jobreeve/policies
    readOnly: true
  {{- end }}
  {{- with $w.extraVolumeMounts }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
  {{- end }}
{{- end -}}
