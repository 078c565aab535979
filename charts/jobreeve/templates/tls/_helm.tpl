{{- /* The data of the Secret with tls.type helm, in base64, as JSON: the values of its keys, and renewAfter and names, which are
kept in annotations. What the cluster has is kept; the leaf is made anew, by the same CA, once two thirds of its life are over or it
is for other names. Made once for all templates that ask. */ -}}
{{- define "jobreeve.helmTLS" -}}
{{- if not (hasKey .Values "_helmTLS") -}}
{{- $h := .Values.tls.helm -}}
{{- $names := concat (include "jobreeve.serviceNames" . | fromJsonArray) .Values.tls.extraNames | uniq -}}
{{- $want := join "," $names | sha256sum | trunc 16 -}}
{{- $old := lookup "v1" "Secret" .Release.Namespace (include "jobreeve.tlsSecret" .) | default dict -}}
{{- $data := dig "data" (dict) $old | default dict -}}
{{- $notes := dig "metadata" "annotations" (dict) $old | default dict -}}
{{- $whole := and (hasKey $data "ca.crt") (hasKey $data "ca.key") (hasKey $data "tls.crt") (hasKey $data "tls.key") -}}
{{- $renewAfter := index $notes "jobreeve.dev/renew-after" | default "0" -}}
{{- $result := dict -}}
{{- if and $whole (eq (index $notes "jobreeve.dev/names" | default "") $want) (lt (now | unixEpoch | int64) (int64 $renewAfter)) -}}
{{- $result = dict "ca.crt" (index $data "ca.crt") "ca.key" (index $data "ca.key") "tls.crt" (index $data "tls.crt") "tls.key" (index $data "tls.key") "renewAfter" $renewAfter "names" $want -}}
{{- else -}}
{{- $ca := dict -}}
{{- if $whole -}}
{{- $ca = buildCustomCert (index $data "ca.crt") (index $data "ca.key") -}}
{{- else -}}
{{- $ca = genCA (printf "%s CA" (include "jobreeve.webhook" .)) (int $h.caDays) -}}
{{- end -}}
{{- $dns := list -}}
{{- $ips := list -}}
{{- range $names -}}
{{- if regexMatch "^[0-9.]+$|:" . -}}{{- $ips = append $ips . -}}{{- else -}}{{- $dns = append $dns . -}}{{- end -}}
{{- end -}}
{{- $leaf := genSignedCert (index $names 2) $ips $dns (int $h.certDays) $ca -}}
{{- $after := add (now | unixEpoch | int64) (div (mul (int64 $h.certDays) 86400 2) 3) -}}
{{- $result = dict "ca.crt" (b64enc $ca.Cert) "ca.key" (b64enc $ca.Key) "tls.crt" (b64enc $leaf.Cert) "tls.key" (b64enc $leaf.Key) "renewAfter" (toString $after) "names" $want -}}
{{- end -}}
{{- $_ := set .Values "_helmTLS" ($result | toJson) -}}
{{- end -}}
{{- .Values._helmTLS -}}
{{- end -}}
