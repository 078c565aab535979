{{- /* The tlsConfig of a component's endpoints: the Service's name, and the CA of its Secret, unless tls.existingSecret.caBundle says that it isn't there;
over that what the values say. Empty: they are plain HTTP. Takes (dict "root" $ "component" NAME "values" VALUES). */ -}}
{{- define "jobreeve.monitorTLS" -}}
{{- $webhook := eq .component "webhook" }}
{{- if and .root.Values.metrics.secure (or $webhook .root.Values.metrics.controllerSecret) }}
{{- $name := include (printf "jobreeve.%s" .component) .root }}
{{- $secret := ternary (include "jobreeve.tlsSecret" .root) .root.Values.metrics.controllerSecret $webhook }}
{{- $tls := dict "serverName" (printf "%s.%s.svc" $name .root.Release.Namespace) }}
{{- if not (or .values.tlsConfig.insecureSkipVerify (and $webhook .root.Values.tls.existingSecret.caBundle)) }}
{{- $_ := set $tls "ca" (dict "secret" (dict "name" $secret "key" "ca.crt")) }}
{{- end }}
{{- range $key, $value := .values.tlsConfig }}
{{- $_ := set $tls $key $value }}
{{- end }}
{{- toYaml $tls }}
{{- end }}
{{- end -}}

{{- /* ServiceMonitors or PodMonitors, which differ in the name of their endpoints: ports of a Service and of its Pods have the same names. Takes
(dict "root" $ "kind" KIND "endpoints" MEMBER "values" VALUES). */ -}}
{{- define "jobreeve.monitors" -}}
{{- $root := .root }}
{{- $monitor := .values }}
{{- range $component := include "jobreeve.parts" $root | fromJsonArray }}
---
apiVersion: monitoring.coreos.com/v1
kind: {{ $.kind }}
metadata:
  name: {{ include "jobreeve.fullname" $root }}-{{ $component }}
  namespace: {{ $root.Release.Namespace }}
  labels:
    {{- include "jobreeve.labels" (dict "root" $root "component" $component) | nindent 4 }}
    {{- with $monitor.labels }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  {{- with $monitor.annotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
spec:
  selector:
    matchLabels:
      {{- include "jobreeve.selectorLabels" (dict "root" $root "component" $component) | nindent 6 }}
  namespaceSelector:
    matchNames:
    - {{ $root.Release.Namespace }}
  {{ $.endpoints }}:
  {{- range $port := ternary (list "metrics" "standby-metrics") (list "metrics") (and (eq $component "webhook") $root.Values.webhook.standby.enabled) }}
  - port: {{ $port }}
    path: /metrics
    interval: {{ $monitor.interval }}
    scrapeTimeout: {{ $monitor.scrapeTimeout }}
    {{- with include "jobreeve.monitorTLS" (dict "root" $root "component" $component "values" $monitor) }}
    scheme: https
    tlsConfig:
      {{- . | nindent 6 }}
    {{- end }}
    {{- with $monitor.relabelings }}
    relabelings:
    {{- toYaml . | nindent 4 }}
    {{- end }}
    {{- with $monitor.metricRelabelings }}
    metricRelabelings:
    {{- toYaml . | nindent 4 }}
    {{- end }}
  {{- end }}
{{- end }}
{{- end -}}
