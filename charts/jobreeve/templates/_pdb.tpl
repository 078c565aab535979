{{- /* Takes (dict "root" $ "component" NAME "name" OBJECT "values" VALUES). */ -}}
{{- define "jobreeve.podDisruptionBudget" -}}
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  name: {{ .name }}
  namespace: {{ .root.Release.Namespace }}
  labels:
    {{- include "jobreeve.labels" . | nindent 4 }}
spec:
  {{- if ne (toString .values.podDisruptionBudget.minAvailable) "" }}
  minAvailable: {{ .values.podDisruptionBudget.minAvailable }}
  {{- else }}
  maxUnavailable: {{ .values.podDisruptionBudget.maxUnavailable }}
  {{- end }}
  # A Pod that isn't ready helps nobody, and must not keep a node from being drained.
  unhealthyPodEvictionPolicy: AlwaysAllow
  selector:
    matchLabels:
      {{- include "jobreeve.selectorLabels" . | nindent 6 }}
{{- end -}}
