{{- /* The webhook's flags about its certificate, by tls.type. */ -}}
{{- define "jobreeve.webhookTLSArgs" -}}
{{- if eq .Values.tls.type "self" -}}
- --tls-secret={{ include "jobreeve.tlsSecret" . }}
- --tls-secret-namespace={{ .Release.Namespace }}
{{- else -}}
- --tls-cert-file=/etc/jobreeve/tls/tls.crt
- --tls-private-key-file=/etc/jobreeve/tls/tls.key
{{- end -}}
{{- end -}}

{{- /* What is rendered as caBundle, in base64: nothing where the keeper or cert-manager writes it. */ -}}
{{- define "jobreeve.caBundle" -}}
{{- if eq .Values.tls.type "helm" -}}
{{- index (include "jobreeve.helmTLS" . | fromJson) "ca.crt" -}}
{{- else if eq .Values.tls.type "existingSecret" -}}
{{- with .Values.tls.existingSecret.caBundle -}}
{{- b64enc . -}}
{{- end -}}
{{- end -}}
{{- end -}}
