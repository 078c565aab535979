{{- /* The namespaces whose Jobs the webhook never sees, sorted, as a list in JSON. */ -}}
{{- define "jobreeve.exemptNamespaces" -}}
{{- append .Values.webhook.excludedNamespaces .Release.Namespace | uniq | sortAlpha | toJson -}}
{{- end -}}

{{- /* Which namespaces are asked about. Takes (dict "root" $ "selector" FURTHER). */ -}}
{{- define "jobreeve.namespaceSelector" -}}
{{- with .selector.matchLabels }}
matchLabels:
  {{- toYaml . | nindent 2 }}
{{- end }}
matchExpressions:
- key: kubernetes.io/metadata.name
  operator: NotIn
  values:
  {{- range include "jobreeve.exemptNamespaces" .root | fromJsonArray }}
  - {{ . }}
  {{- end }}
{{- with .selector.matchExpressions }}
{{ toYaml . }}
{{- end }}
{{- end -}}
