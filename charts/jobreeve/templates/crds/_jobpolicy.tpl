{{- /* Parts of JobPolicy's schema. Its fields are those of common/schema/job_policy.c, its bounds those of common/policy. Each rule is one
that the webhook has, too: it may be away. What the webhook alone refuses stands in tests/e2e/t_70_policy_crd.sh. */ -}}

{{- /* The fields of limits: a name, of what kind, the least and the most that the field itself takes, what it takes or how it is written. No most: any int64. */ -}}
{{- define "jobreeve.crd.limited" -}}
- {name: parallelism, kind: int, least: "0", most: "2147483647"}
- {name: completions, kind: int, least: "0", most: "2147483647"}
- {name: activeDeadlineSeconds, kind: int, least: "0", default: true}
- {name: backoffLimit, kind: int, least: "0", most: "2147483647", default: true}
- {name: backoffLimitPerIndex, kind: int, least: "0", most: "2147483647"}
- {name: maxFailedIndexes, kind: int, least: "0", most: "2147483647"}
- {name: ttlSecondsAfterFinished, kind: int, least: "0", most: "2147483647", default: true}
- {name: completionMode, kind: text, values: [Indexed, NonIndexed]}
- {name: podReplacementPolicy, kind: text, values: [Failed, TerminatingOrFailed], default: true}
- {name: managedBy, kind: text, longest: "63", pattern: '^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/[!-~]+$'}
- {name: manualSelector, kind: flag}
- {name: template.activeDeadlineSeconds, kind: int, least: "1", most: "2147483647", default: true}
- {name: template.terminationGracePeriodSeconds, kind: int, least: "0", default: true}
- {name: template.priorityClassName, kind: text, longest: "253", pattern: '^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$', default: true}
{{- end -}}

{{- /* That a field is there, in CEL. Takes (dict "root" self "path" A.B). */ -}}
{{- define "jobreeve.crd.has" -}}
{{- $at := .root -}}
{{- $terms := list -}}
{{- range splitList "." .path -}}
{{- $at = printf "%s.%s" $at . -}}
{{- $terms = append $terms (printf "has(%s)" $at) -}}
{{- end -}}
({{ join " && " $terms }})
{{- end -}}

{{- /* An integer. Takes one of jobreeve.crd.limited. */ -}}
{{- define "jobreeve.crd.int" -}}
type: integer
format: int64
minimum: {{ .least }}
{{- with .most }}
maximum: {{ . }}
{{- end }}
{{- end -}}

{{- /* One of limits. Takes one of jobreeve.crd.limited, and as "says" when `required` says something. */ -}}
{{- define "jobreeve.crd.limit" -}}
{{- if eq .kind "int" -}}
description: The range of {{ .name }}. It needs required, min or max.
type: object
properties:
  required:
    description: Whether the field must be set.
    type: boolean
  min:
    description: The least that is allowed.
    {{- include "jobreeve.crd.int" . | nindent 4 }}
  max:
    description: The most that is allowed.
    {{- include "jobreeve.crd.int" . | nindent 4 }}
x-kubernetes-validations:
- rule: {{ .says }} || has(self.min) || has(self.max)
  message: needs required, min or max
  reason: FieldValueRequired
- rule: "!has(self.min) || !has(self.max) || self.min <= self.max"
  message: max must not be less than min
{{- else if eq .kind "text" -}}
description: What {{ .name }} may be. It needs required or values.
type: object
properties:
  required:
    description: Whether the field must be set.
    type: boolean
  values:
    description: The values that are allowed. Without any, all are.
    type: array
    maxItems: 128
    x-kubernetes-list-type: atomic
    items:
      type: string
      {{- if .values }}
      enum: [{{ join ", " .values }}]
      {{- else }}
      minLength: 1
      maxLength: {{ .longest }}
      pattern: {{ .pattern }}
      {{- end }}
x-kubernetes-validations:
- rule: {{ .says }} || (has(self.values) && size(self.values) > 0)
  message: needs required or values
  reason: FieldValueRequired
{{- else -}}
description: "Forbidden: no Job may set {{ .name }}."
type: string
enum: [Forbidden]
{{- end -}}
{{- end -}}

{{- /* Takes (dict "description" D "excepts" BOOL): an exception may take a requirement back. */ -}}
{{- define "jobreeve.crd.limits" -}}
{{- $fields := include "jobreeve.crd.limited" . | fromYamlArray -}}
{{- $says := dict "says" (ternary "has(self.required)" "(has(self.required) && self.required)" .excepts) -}}
description: {{ .description }}
type: object
minProperties: 1
properties:
  {{- range $fields }}
  {{- if not (hasPrefix "template." .name) }}
  {{ .name }}:
    {{- include "jobreeve.crd.limit" (merge . $says) | nindent 4 }}
  {{- end }}
  {{- end }}
  name:
    {{- include "jobreeve.crd.globs" "The name of the Job or the CronJob." | nindent 4 }}
  suspend:
    description: "Whether a Job must be suspended when it is made, or must not: Required, Forbidden. A CronJob's Jobs are looked at when they are made."
    type: string
    enum: [Forbidden, Required]
  podFailurePolicy:
    description: Whether the Job must have a podFailurePolicy.
    {{- include "jobreeve.crd.presence" $says | nindent 4 }}
  cronJob:
    {{- include "jobreeve.crd.cronJob" $says | nindent 4 }}
  labels:
    {{- include "jobreeve.crd.keys" "Labels of the Job, or of a CronJob's jobTemplate." | nindent 4 }}
  annotations:
    {{- include "jobreeve.crd.keys" "Annotations of the Job, or of a CronJob's jobTemplate." | nindent 4 }}
  fields:
    description: |-
      Constraints on any fields, by their paths from the Job's spec: "template.spec.containers[*].image". [*] is each element of a list or entry of a map, [KEY] one of them. Each is Forbidden, or an object of required, values, excluded, min and max.
    type: object
    minProperties: 1
    maxProperties: 64
    additionalProperties:
      x-kubernetes-preserve-unknown-fields: true
  template:
    description: Limits on the Pod template, its fields, labels, images and resources.
    type: object
    minProperties: 1
    properties:
      labels:
        {{- include "jobreeve.crd.keys" "Labels of the Pod template." | nindent 8 }}
      nodeSelector:
        {{- include "jobreeve.crd.keys" "Labels that the Pods' nodes must have." | nindent 8 }}
      images:
        {{- include "jobreeve.crd.globs" "Images of all containers and volumes, with their registry and tag: nginx is docker.io/library/nginx:latest. A pattern of values begins with a registry and /." | nindent 8 }}
      requests:
        {{- include "jobreeve.crd.amounts" (dict "description" "Requests of each container, by resource. A limit counts where there is no request, and the Pod's own resources where there is neither; 0 is none." "says" $says.says) | nindent 8 }}
      limits:
        {{- include "jobreeve.crd.amounts" (dict "description" "Limits of each container, by resource. The Pod's own count where a container has none." "says" $says.says) | nindent 8 }}
      tolerations:
        description: Taints that Pods must tolerate, by key.
        type: object
        minProperties: 1
        maxProperties: 32
        additionalProperties:
          {{- include "jobreeve.crd.presence" $says | nindent 10 }}
      {{- range $fields }}
      {{- if hasPrefix "template." .name }}
      {{ trimPrefix "template." .name }}:
        {{- include "jobreeve.crd.limit" (merge . $says) | nindent 8 }}
      {{- end }}
      {{- end }}
{{- end -}}

{{- /* That something must be there. Takes as "says" when `required` says something. */ -}}
{{- define "jobreeve.crd.presence" -}}
type: object
properties:
  required:
    description: Whether it must be there.
    type: boolean
x-kubernetes-validations:
- rule: {{ .says }}
  message: needs required
  reason: FieldValueRequired
{{- end -}}

{{- /* Limits on CronJobs themselves. Takes as "says" when `required` says something. */ -}}
{{- define "jobreeve.crd.cronJob" -}}
{{- $says := .says -}}
description: Limits on fields of CronJobs themselves, and on what their schedules come to.
type: object
minProperties: 1
properties:
  concurrencyPolicy:
    {{- include "jobreeve.crd.limit" (dict "name" "concurrencyPolicy" "kind" "text" "values" (list "Allow" "Forbid" "Replace") "says" $says) | nindent 4 }}
  timeZone:
    {{- include "jobreeve.crd.limit" (dict "name" "timeZone" "kind" "text" "longest" "256" "pattern" "^.+$" "says" $says) | nindent 4 }}
  startingDeadlineSeconds:
    {{- include "jobreeve.crd.limit" (dict "name" "startingDeadlineSeconds" "kind" "int" "least" "0" "says" $says) | nindent 4 }}
  {{- range list "successfulJobsHistoryLimit" "failedJobsHistoryLimit" }}
  {{ . }}:
    {{- include "jobreeve.crd.limit" (dict "name" . "kind" "int" "least" "0" "most" "2147483647" "says" $says) | nindent 4 }}
  {{- end }}
  shortestInterval:
    description: The time between two starts of Jobs that is the least, by the schedule and its time zone.
    type: object
    minProperties: 1
    properties:
      min:
        description: The least that is allowed, as 15m.
        {{- include "jobreeve.crd.duration" . | nindent 8 }}
      max:
        description: The most that is allowed.
        {{- include "jobreeve.crd.duration" . | nindent 8 }}
  {{- range $name, $what := dict "jobsPerDay" "The most Jobs that the schedule starts in 24 hours" "jobsAtOnce" "The most Jobs of the CronJob that run at a time" }}
  {{ $name }}:
    description: {{ $what }}.
    type: object
    minProperties: 1
    properties:
      min:
        description: The least that is allowed.
        type: integer
        format: int64
        minimum: 0
      max:
        description: The most that is allowed.
        type: integer
        format: int64
        minimum: 0
  {{- end }}
{{- end -}}

{{- /* What a text may be, and what it may not. Takes a description. */ -}}
{{- define "jobreeve.crd.globs" -}}
description: {{ printf "%s In the patterns * stands for any characters and ? for one." . | quote }}
type: object
properties:
  values:
    {{- include "jobreeve.crd.strings" (dict "description" "What is allowed. Without any, all is." "most" 128 "longest" 256 "pattern" "^.+$") | nindent 4 }}
  excluded:
    {{- include "jobreeve.crd.strings" (dict "description" "What is not allowed." "most" 128 "longest" 256 "pattern" "^.+$") | nindent 4 }}
x-kubernetes-validations:
- rule: (has(self.values) && size(self.values) > 0) || (has(self.excluded) && size(self.excluded) > 0)
  message: needs values or excluded
  reason: FieldValueRequired
{{- end -}}

{{- /* Quantities by resource that are required or bounded. Takes (dict "description" D "says" S). */ -}}
{{- define "jobreeve.crd.amounts" -}}
description: {{ .description | quote }}
type: object
minProperties: 1
maxProperties: 32
additionalProperties:
  type: object
  properties:
    required:
      description: Whether it must be there.
      type: boolean
    min:
      description: The least that is allowed, of each container.
      {{- include "jobreeve.crd.quantity" . | nindent 6 }}
    max:
      description: The most that is allowed, of each container.
      {{- include "jobreeve.crd.quantity" . | nindent 6 }}
  x-kubernetes-validations:
  - rule: {{ .says }} || has(self.min) || has(self.max)
    message: needs required, min or max
    reason: FieldValueRequired
{{- end -}}

{{- /* Labels or annotations that are required or bounded. Takes a description. */ -}}
{{- define "jobreeve.crd.keys" -}}
description: {{ . }}
type: object
minProperties: 1
maxProperties: 32
additionalProperties:
  type: object
  properties:
    required:
      description: Whether it must be there.
      type: boolean
    values:
      description: What it may be, in which * stands for any characters and ? for one. Without any, all is allowed.
      type: array
      maxItems: 128
      x-kubernetes-list-type: atomic
      items:
        type: string
        minLength: 1
        maxLength: 256
  x-kubernetes-validations:
  - rule: has(self.required) || (has(self.values) && size(self.values) > 0)
    message: needs required or values
    reason: FieldValueRequired
{{- end -}}

{{- define "jobreeve.crd.duration" -}}
type: string
minLength: 2
maxLength: 64
pattern: ^\+?(([0-9]+(\.[0-9]*)?|\.[0-9]+)(ns|us|µs|μs|ms|s|m|h))+$
{{- end -}}

{{- define "jobreeve.crd.quantity" -}}
x-kubernetes-int-or-string: true
anyOf:
- type: integer
- type: string
minimum: 0
maxLength: 64
pattern: ^\+?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$
{{- end -}}

{{- /* Takes a description. */ -}}
{{- define "jobreeve.crd.quantities" -}}
description: {{ . }} A key may end with * behind DOMAIN/ or hugepages-, as "nvidia.com/*", and is then the sum of all that begin so.
type: object
minProperties: 1
maxProperties: 32
additionalProperties:
  {{- include "jobreeve.crd.quantity" . | nindent 2 }}
{{- end -}}

{{- /* Takes a description. */ -}}
{{- define "jobreeve.crd.budget" -}}
description: {{ . }}
type: object
minProperties: 1
properties:
  podsAtOnce:
    description: The most Pods that may be active at one time.
    type: integer
    format: int64
    minimum: 0
  podsEver:
    description: The most Pods that may be created, retries included.
    type: integer
    format: int64
    minimum: 0
  runtime:
    description: The longest that Pods may run, as "24h" or "1h30m". It includes their grace period.
    {{- include "jobreeve.crd.duration" . | nindent 4 }}
    x-kubernetes-validations:
    - rule: duration(self) >= duration('1s')
      message: must be at least a second
  requestsAtOnce:
    {{- include "jobreeve.crd.quantities" "The most of each resource that the Job's Pods may request at one time, terminating Pods included." | nindent 4 }}
  resourceHours:
    {{- include "jobreeve.crd.quantities" "The most of each resource that may be requested over the Job's life, in hours of one unit." | nindent 4 }}
  disruptions:
    description: "Whether Pods that are made again for a disruption count. Counted, the default: where podFailurePolicy ignores them, podsEver is unbounded. Ignored: they are left aside."
    type: string
    enum: [Counted, Ignored]
  changes:
    description: "Whether a running Job may be stopped and resized. Allowed, the default: the budget is about each run. Refused: suspend, parallelism and completions of a Job that isn't suspended are changed by queues alone, and so is a Job started; the budget then holds for all that is done to the Job."
    type: string
    enum: [Allowed, Refused]
{{- end -}}

{{- /* Takes a description. */ -}}
{{- define "jobreeve.crd.labels" -}}
description: {{ . }}
type: object
maxProperties: 32
additionalProperties:
  type: string
  maxLength: 63
  pattern: ^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$
x-kubernetes-validations:
- rule: self.all(k, k != 'controller-uid' && k != 'job-name' && !k.startsWith('batch.kubernetes.io/'))
  message: the labels controller-uid, job-name and batch.kubernetes.io/* are the Job controller's
  reason: FieldValueForbidden
{{- end -}}

{{- /* Takes a description. */ -}}
{{- define "jobreeve.crd.selector" -}}
description: {{ . }}
type: object
properties:
  matchLabels:
    description: Labels that must be there with these values.
    type: object
    maxProperties: 64
    additionalProperties:
      type: string
      maxLength: 63
  matchExpressions:
    description: Requirements, all of which must be met.
    type: array
    maxItems: 64
    x-kubernetes-list-type: atomic
    items:
      type: object
      required: [key, operator]
      properties:
        key:
          description: The label's key.
          type: string
          minLength: 1
          maxLength: 317
        operator:
          description: How the label's value relates to values.
          type: string
          enum: [In, NotIn, Exists, DoesNotExist]
        values:
          description: For In and NotIn, at least one value. Otherwise none.
          type: array
          maxItems: 64
          x-kubernetes-list-type: atomic
          items:
            type: string
            maxLength: 63
      x-kubernetes-validations:
      - rule: "(self.operator == 'In' || self.operator == 'NotIn') == (has(self.values) && size(self.values) > 0)"
        message: In and NotIn need values, Exists and DoesNotExist have none
{{- end -}}

{{- /* A list of expressions with names. Takes a description. */ -}}
{{- define "jobreeve.crd.expressions" -}}
description: {{ . }}
type: array
maxItems: 64
x-kubernetes-list-type: map
x-kubernetes-list-map-keys: [name]
items:
  type: object
  required: [name, expression]
  properties:
    name:
      description: Its name, which is unique in the list.
      type: string
      minLength: 1
      maxLength: 317
    expression:
      description: The CEL expression.
      type: string
      minLength: 1
      maxLength: 16384
{{- end -}}

{{- /* Takes (dict "description" D "longest" N "pattern" P). */ -}}
{{- define "jobreeve.crd.strings" -}}
description: {{ .description }}
type: array
maxItems: {{ .most | default 128 }}
x-kubernetes-list-type: atomic
items:
  type: string
  minLength: 1
  maxLength: {{ .longest }}
  {{- with .pattern }}
  pattern: {{ . }}
  {{- end }}
{{- end -}}

{{- define "jobreeve.crd.podSecurity" -}}
description: Pod Security Standards, which Pod Security admission enforces on Pods, on the Pod template.
type: object
required: [level]
properties:
  level:
    description: "baseline, restricted, or Namespace: what the Job's namespace enforces."
    type: string
    enum: [Namespace, baseline, restricted]
  version:
    description: Of the checks, as v1.36. Without it the newest that the webhook knows. Not where level is Namespace.
    type: string
    pattern: ^(latest|v1\.(0|[1-9][0-9]?))$
x-kubernetes-validations:
- rule: self.level != 'Namespace' || !has(self.version)
  message: version is the namespace's own where level is Namespace
{{- end -}}

{{- /* Rules that compare one part of a spec with another. */ -}}
{{- define "jobreeve.crd.rules" -}}
- rule: has(self.defaults) || has(self.limits) || has(self.podSecurity) || has(self.budget) || (has(self.validations) && size(self.validations) > 0)
  message: a policy needs defaults, limits, podSecurity or a budget
  reason: FieldValueRequired
- rule: "!has(self.budget) || has(self.budget.podsAtOnce) || has(self.budget.podsEver) || has(self.budget.runtime) || has(self.budget.requestsAtOnce) || has(self.budget.resourceHours) || (has(self.budget.changes) && self.budget.changes == 'Refused')"
  message: "needs podsAtOnce, podsEver, runtime, requestsAtOnce, resourceHours or changes: Refused"
  reason: FieldValueRequired
  fieldPath: .budget
{{- range include "jobreeve.crd.limited" . | fromYamlArray }}
{{- $field := printf "limits.%s" .name }}
{{- $own := include "jobreeve.crd.has" (dict "root" "self" "path" $field) }}
{{- $other := include "jobreeve.crd.has" (dict "root" "e" "path" $field) }}
{{- if .default }}
{{- $default := printf "defaults.%s" .name }}
{{- $both := printf "!%s || !%s" (include "jobreeve.crd.has" (dict "root" "self" "path" $default)) $own }}
{{- if eq .kind "int" }}
- rule: "{{ $both }} || ((!has(self.{{ $field }}.min) || self.{{ $default }} >= self.{{ $field }}.min) && (!has(self.{{ $field }}.max) || self.{{ $default }} <= self.{{ $field }}.max))"
{{- else }}
- rule: "{{ $both }} || !has(self.{{ $field }}.values) || size(self.{{ $field }}.values) == 0 || self.{{ $default }} in self.{{ $field }}.values"
{{- end }}
  message: the policy's own {{ $field }} don't allow it
  fieldPath: .{{ $default }}
{{- end }}
- rule: "!has(self.exceptions) || {{ $own }} || self.exceptions.all(e, !{{ $other }})"
  message: the policy has no limit on {{ .name }}, so nothing can be excepted from it
  fieldPath: .exceptions
{{- if eq .kind "int" }}
- rule: "!has(self.exceptions) || !{{ $own }} || self.exceptions.all(e, !{{ $other }} || !(has(e.{{ $field }}.min) || has(self.{{ $field }}.min)) || !(has(e.{{ $field }}.max) || has(self.{{ $field }}.max)) || (has(e.{{ $field }}.min) ? e.{{ $field }}.min : self.{{ $field }}.min) <= (has(e.{{ $field }}.max) ? e.{{ $field }}.max : self.{{ $field }}.max))"
  message: with the policy's own limit on {{ .name }} min would be more than max
  fieldPath: .exceptions
{{- end }}
{{- end }}
{{- range list "podsAtOnce" "podsEver" "runtime" }}
{{- $own := include "jobreeve.crd.has" (dict "root" "self" "path" (printf "budget.%s" .)) }}
- rule: "!has(self.exceptions) || {{ $own }} || self.exceptions.all(e, !{{ include "jobreeve.crd.has" (dict "root" "e" "path" (printf "budget.%s" .)) }})"
  message: the policy has no ceiling on {{ . }}, so nothing can be excepted from it
  fieldPath: .exceptions
{{- end }}
{{- range list "requestsAtOnce" "resourceHours" }}
- rule: "!has(self.exceptions) || self.exceptions.all(e, !{{ include "jobreeve.crd.has" (dict "root" "e" "path" (printf "budget.%s" .)) }} || ({{ include "jobreeve.crd.has" (dict "root" "self" "path" (printf "budget.%s" .)) }} && e.budget.{{ . }}.all(k, k in self.budget.{{ . }})))"
  message: the policy has no ceiling on such {{ . }}, so nothing can be excepted from it
  fieldPath: .exceptions
{{- end }}
{{- range list "defaults.labels" "defaults.template.labels" }}
- rule: "!{{ include "jobreeve.crd.has" (dict "root" "self" "path" .) }} || !has(self.match) || !has(self.match.objectSelector) || self.{{ . }}.all(k, !(has(self.match.objectSelector.matchLabels) && k in self.match.objectSelector.matchLabels) && !(has(self.match.objectSelector.matchExpressions) && self.match.objectSelector.matchExpressions.exists(x, x.key == k)))"
  message: the policy selects Jobs by such a label
  reason: FieldValueForbidden
  fieldPath: .{{ . }}
{{- end }}
{{- end -}}
