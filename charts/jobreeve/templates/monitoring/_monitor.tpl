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
