{{- /* Settings that don't go together, each refused in words, by the names of the values. What is wrong by itself is refused by
values.schema.json. */ -}}
{{- define "jobreeve.validate" -}}
{{- include "jobreeve.validate.renamed" . -}}
{{- include "jobreeve.validate.names" . -}}
{{- include "jobreeve.validate.image" . -}}
{{- include "jobreeve.validate.parts" . -}}
{{- include "jobreeve.validate.pods" . -}}
{{- include "jobreeve.validate.accounts" . -}}
{{- if .Values.webhook.enabled -}}
{{- include "jobreeve.validate.webhook" . -}}
{{- end -}}
{{- include "jobreeve.validate.policies" . -}}
{{- include "jobreeve.validate.tls" . -}}
{{- include "jobreeve.validate.controller" . -}}
{{- include "jobreeve.validate.metrics" . -}}
{{- range include "jobreeve.parts" . | fromJsonArray -}}
{{- include "jobreeve.validate.budget" (dict "name" . "values" (index $.Values .)) -}}
{{- end -}}
{{- include "jobreeve.validate.quota" . -}}
{{- end -}}

{{- /* An upgrade that keeps the values of the release brings old names, which would mean nothing. null takes one back. */ -}}
{{- define "jobreeve.validate.renamed" -}}
{{- range .Files.Get "files/renamed.yaml" | fromYamlArray -}}
{{- $at := $.Values -}}
{{- $there := true -}}
{{- range splitList "." .from -}}
{{- if and (kindIs "map" $at) (hasKey $at .) -}}
{{- $at = index $at . -}}
{{- else -}}
{{- $there = false -}}
{{- end -}}
{{- end -}}
{{- if and $there (not (kindIs "invalid" $at)) -}}
{{- fail (printf "%s: renamed %s in %s. Set that one; where the values of the release are kept, also --set %s=null" .from .to .in .from) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- /* Nodes would pull a name without a registry from the public one, where it isn't ours. */ -}}
{{- define "jobreeve.validate.image" -}}
{{- if not .Values.image.repository -}}
{{- fail "image.repository is empty: expected the name under which your nodes can pull the image that ./dev image makes, as registry.example.com/jobreeve" -}}
{{- end -}}
{{- $registry := include "jobreeve.registry" . -}}
{{- if and $registry (regexMatch "^([^/]*[.:][^/]*|localhost)/" .Values.image.repository) -}}
{{- $name := ternary "global.imageRegistry" "image.registry" (not (not (.Values.global | default dict).imageRegistry)) -}}
{{- fail (printf "%s (%s) comes before image.repository (%s), which has a registry already: leave it out there" $name $registry .Values.image.repository) -}}
{{- end -}}
{{- end -}}

{{- define "jobreeve.validate.pods" -}}
{{- if and (eq .Values.dnsPolicy "None") (not .Values.dnsConfig.nameservers) -}}
{{- fail "dnsPolicy None needs dnsConfig.nameservers" -}}
{{- end -}}
{{- range $part := include "jobreeve.deployments" . | fromJsonArray -}}
{{- $values := index $.Values $part -}}
{{- if and $.Values.preDelete.enabled $.Values.preDelete.requiredAnnotation (hasKey $values.deploymentAnnotations $.Values.preDelete.requiredAnnotation) -}}
{{- fail (printf "%s.deploymentAnnotations: %s is what preDelete.requiredAnnotation asks for. Rendered here, it would not tell what was installed from what was only applied" $part $.Values.preDelete.requiredAnnotation) -}}
{{- end -}}
{{- $volumes := list -}}
{{- range $values.extraVolumes -}}
{{- if has .name (list "tls" "client-ca" "policies") -}}
{{- fail (printf "%s.extraVolumes: %s is the name of a volume of the chart's own" $part .name) -}}
{{- end -}}
{{- if has .name $volumes -}}
{{- fail (printf "%s.extraVolumes: %s is there twice" $part .name) -}}
{{- end -}}
{{- $volumes = append $volumes .name -}}
{{- end -}}
{{- $paths := list -}}
{{- range $values.extraVolumeMounts -}}
{{- $path := clean .mountPath -}}
{{- if not (has .name $volumes) -}}
{{- fail (printf "%s.extraVolumeMounts: %s.extraVolumes has no volume %s" $part $part .name) -}}
{{- end -}}
{{- if regexMatch "^/etc/jobreeve/(tls|client-ca|policies)(/|$)" $path -}}
{{- fail (printf "%s.extraVolumeMounts: %s is a place of the chart's own volumes" $part .mountPath) -}}
{{- end -}}
{{- if has $path $paths -}}
{{- fail (printf "%s.extraVolumeMounts: %s is there twice" $part .mountPath) -}}
{{- end -}}
{{- $paths = append $paths $path -}}
{{- end -}}
{{- with $values.service -}}
{{- if and (eq .ipFamilyPolicy "SingleStack") (gt (len .ipFamilies) 1) -}}
{{- fail (printf "%s.service.ipFamilyPolicy SingleStack: %s.service.ipFamilies can have one, not %s" $part $part (join " and " .ipFamilies)) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- /* Each part has its rights alone, and the keeper's are over the webhook. */ -}}
{{- define "jobreeve.validate.accounts" -}}
{{- $of := dict (include "jobreeve.preDelete" .) "the pre-delete hook" (include "jobreeve.test" .) "helm test" -}}
{{- range $part := include "jobreeve.deployments" . | fromJsonArray -}}
{{- $account := (index $.Values $part).serviceAccount -}}
{{- if and (not $account.create) (not $account.name) -}}
{{- fail (printf "%s.serviceAccount.create is false: %s.serviceAccount.name has to be the account that is there" $part $part) -}}
{{- end -}}
{{- if and (not $account.create) $account.annotations -}}
{{- fail (printf "%s.serviceAccount.annotations: with %s.serviceAccount.create false the chart makes no account" $part $part) -}}
{{- end -}}
{{- $name := include "jobreeve.account" (dict "root" $ "component" $part) -}}
{{- if eq $name "default" -}}
{{- fail (printf "%s.serviceAccount.name: default is the account of all Pods of the namespace that name none, and they would have its rights" $part) -}}
{{- end -}}
{{- if hasKey $of $name -}}
{{- fail (printf "%s.serviceAccount.name: %s is the account of %s, too; each needs its own" $part $name (index $of $name)) -}}
{{- end -}}
{{- $_ := set $of $name (printf "%s.serviceAccount.name" $part) -}}
{{- end -}}
{{- end -}}

{{- define "jobreeve.validate.parts" -}}
{{- if and .Values.webhook.enabled (not .Values.keeper.enabled) (include "jobreeve.keepsCABundle" .) -}}
{{- fail (printf "keeper.enabled is false, but with tls.type %s caBundle is the keeper's to write" .Values.tls.type) -}}
{{- end -}}
{{- $w := .Values.webhook -}}
{{- if not (or $w.enabled .Values.controller.enabled) -}}
{{- fail "webhook.enabled and controller.enabled are both false: there is nothing to install" -}}
{{- end -}}
{{- if and $w.enabled (not (or $w.mutating.enabled $w.validating.enabled .Values.assignController.enabled)) -}}
{{- fail "webhook.mutating.enabled and webhook.validating.enabled are both false, and so is assignController.enabled: nobody would ask the webhook. Set webhook.enabled to false to install the controller alone" -}}
{{- end -}}
{{- if and .Values.assignController.enabled (not $w.enabled) -}}
{{- fail "assignController.enabled: with webhook.enabled false nobody would hand Jobs over" -}}
{{- end -}}
{{- end -}}

{{- define "jobreeve.validate.policies" -}}
{{- include "jobreeve.validate.library" . -}}
{{- range $name := list "enforce" "files" -}}
{{- if index $.Values.policies $name -}}
{{- if not (and $.Values.webhook.enabled $.Values.webhook.validating.enabled) -}}
{{- fail (printf "policies.%s: with %s false nobody would enforce a policy" $name (ternary "webhook.validating.enabled" "webhook.enabled" $.Values.webhook.enabled)) -}}
{{- end -}}
{{- range $arg := $.Values.webhook.extraArgs -}}
{{- if regexMatch "^--(policies|policy-file|queues|trusted-controllers|metadata-updates)(=|$)" $arg -}}
{{- fail (printf "webhook.extraArgs: %s is set by policies.%s" $arg $name) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "jobreeve.validate.library" -}}
{{- $p := .Values.policies -}}
{{- $actions := dict "policies.actions" $p.actions -}}
{{- range $name, $settings := $p.settings -}}
{{- $_ := set $actions (printf "policies.settings.%s.actions" $name) $settings.actions -}}
{{- if has $name $p.enabled -}}
{{- if and (ne $name "retry-safe") (not $p.enforce) -}}
{{- fail (printf "policies.enabled: with policies.enforce false nobody would enforce the JobPolicy %s" $name) -}}
{{- else if and (eq $name "image-registries") (not $settings.registries) -}}
{{- fail "policies.settings.image-registries.registries is empty: expected the registries that images may come from, as registry.example.com" -}}
{{- else if and (eq $name "gpu-budget") (not $settings.requestsAtOnce) (not $settings.resourceHours) -}}
{{- fail "policies.settings.gpu-budget: requestsAtOnce and resourceHours are both empty: there is nothing to enforce" -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- range $where, $list := $actions -}}
{{- if and (has "Deny" $list) (has "Warn" $list) -}}
{{- fail (printf "%s: Deny or Warn, not both: what is denied warns of nothing" $where) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "jobreeve.validate.quota" -}}
{{- $need := include "jobreeve.criticalPods" . | int -}}
{{- if and .Values.resourceQuota.enabled (lt (int .Values.resourceQuota.pods) $need) -}}
{{- fail (printf "resourceQuota.pods (%d): all replicas of a critical class, while they are replaced, and the Pods of hooks are %d" (int .Values.resourceQuota.pods) $need) -}}
{{- end -}}
{{- end -}}

{{- define "jobreeve.validate.names" -}}
{{- if has .Release.Namespace (list "kube-system" "kube-public" "kube-node-lease") -}}
{{- fail (printf "the release's namespace can't be %s: its own namespace is exempt from the webhooks, and who may write there could switch them off. Take one of its own: --namespace jobreeve-system --create-namespace" .Release.Namespace) -}}
{{- end -}}
{{- if not (regexMatch "^[a-z]([-a-z0-9]*[a-z0-9])?$" (include "jobreeve.fullname" .)) -}}
{{- fail (printf "the name %q can't be that of a Service: it has to begin with a letter, with lower case letters, digits and dashes after it. Set fullnameOverride" (include "jobreeve.fullname" .)) -}}
{{- end -}}
{{- range $where, $labels := dict "commonLabels" .Values.commonLabels "webhook.podLabels" .Values.webhook.podLabels "keeper.podLabels" .Values.keeper.podLabels "controller.podLabels" .Values.controller.podLabels -}}
{{- range $key, $_ := $labels -}}
{{- if or (hasPrefix "app.kubernetes.io/" $key) (eq "helm.sh/chart" $key) -}}
{{- fail (printf "%s: %s is set by the chart" $where $key) -}}
{{- end -}}
{{- if and (ne $where "commonLabels") (hasKey $.Values.commonLabels $key) -}}
{{- fail (printf "%s: %s is in commonLabels, too" $where $key) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "jobreeve.validate.webhook" -}}
{{- $w := .Values.webhook -}}
{{- if and $w.hostNetwork (eq (int $w.port) 10250) -}}
{{- fail "webhook.hostNetwork: the kubelet listens on port 10250 of each node; set webhook.port to another one" -}}
{{- end -}}
{{- $ports := list (int $w.port) (int $w.healthPort) (int $w.metricsPort) -}}
{{- if lt (len (uniq $ports)) 3 -}}
{{- fail (printf "webhook.port, webhook.healthPort and webhook.metricsPort have to differ, not %d, %d and %d" (index $ports 0) (index $ports 1) (index $ports 2)) -}}
{{- end -}}
{{- range $name := ternary (list "healthPort" "metricsPort") list $w.standby.enabled -}}
{{- $port := index $w.standby $name | int -}}
{{- if has $port $ports -}}
{{- fail (printf "webhook.standby.%s: %d is taken by another port of the same Pod" $name $port) -}}
{{- end -}}
{{- $ports = append $ports $port -}}
{{- end -}}
{{- if ge (include "jobreeve.milliseconds" $w.shutdownDelay | int) (mul 1000 (int $w.terminationGracePeriodSeconds)) -}}
{{- fail (printf "webhook.terminationGracePeriodSeconds (%d) has to be more than webhook.shutdownDelay (%s)" (int $w.terminationGracePeriodSeconds) $w.shutdownDelay) -}}
{{- end -}}
{{- if and .Values.helmTest.enabled (not (include "jobreeve.testNamespace" .)) -}}
{{- fail "helmTest.namespace: default and kube-public are both exempt from the webhooks: name one that isn't, or set helmTest.enabled to false" -}}
{{- end -}}
{{- if .Values.helmTest.enabled -}}
{{- $wanted := keys ($w.objectSelector.matchLabels | default dict) -}}
{{- range $w.objectSelector.matchExpressions -}}
{{- if has .operator (list "In" "Exists") -}}
{{- $wanted = append $wanted .key -}}
{{- end -}}
{{- end -}}
{{- with $wanted -}}
{{- fail (printf "webhook.objectSelector: the Job that helm test tries has no label %s, so the webhook would not be asked; set helmTest.enabled to false" (first .)) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "jobreeve.validate.tls" -}}
{{- $t := .Values.tls -}}
{{- if and (eq $t.type "existingSecret") (not $t.existingSecret.name) -}}
{{- fail "tls.type existingSecret needs tls.existingSecret.name" -}}
{{- end -}}
{{- if and (ne $t.type "existingSecret") (or $t.existingSecret.name $t.existingSecret.caBundle) -}}
{{- fail (printf "tls.existingSecret is set, but tls.type is %s" $t.type) -}}
{{- end -}}
{{- if and (ne $t.type "certManager") $t.certManager.issuerRef -}}
{{- fail (printf "tls.certManager.issuerRef is set, but tls.type is %s" $t.type) -}}
{{- end -}}
{{- if and $t.certManager.issuerRef (not $t.certManager.issuerRef.name) -}}
{{- fail "tls.certManager.issuerRef needs a name" -}}
{{- end -}}
{{- if and .Values.metrics.prometheusRule.enabled (eq $t.type "self") (le (int $t.self.certDays) (mul 3 (int .Values.metrics.prometheusRule.certificateDays))) -}}
{{- fail (printf "metrics.prometheusRule.certificateDays (%d): a certificate of %d days (tls.self.certDays) is renewed when a third of them is left, so the alert would fire before" (int .Values.metrics.prometheusRule.certificateDays) (int $t.self.certDays)) -}}
{{- end -}}
{{- if and (eq $t.type "existingSecret") $t.extraNames -}}
{{- fail "tls.extraNames: what an existing Secret's certificate is for isn't up to the chart" -}}
{{- end -}}
{{- if gt (mul 3 (int $t.self.certDays)) (int $t.self.caDays) -}}
{{- fail (printf "tls.self.certDays (%d) can be at most a third of tls.self.caDays (%d)" (int $t.self.certDays) (int $t.self.caDays)) -}}
{{- end -}}
{{- if ge (int $t.helm.certDays) (int $t.helm.caDays) -}}
{{- fail (printf "tls.helm.certDays (%d) has to be less than tls.helm.caDays (%d)" (int $t.helm.certDays) (int $t.helm.caDays)) -}}
{{- end -}}
{{- if and $t.clientCA.configMap $t.clientCA.secret -}}
{{- fail "tls.clientCA: configMap or secret, not both" -}}
{{- end -}}
{{- if and $t.clientCA.names (not (or $t.clientCA.configMap $t.clientCA.secret)) -}}
{{- fail "tls.clientCA.names needs tls.clientCA.configMap or tls.clientCA.secret" -}}
{{- end -}}
{{- end -}}

{{- define "jobreeve.validate.controller" -}}
{{- $c := .Values.controller -}}
{{- if and .Values.assignController.enabled (not $c.enabled) -}}
{{- fail "assignController.enabled: with controller.enabled false, Jobs would be handed to a controller that isn't there" -}}
{{- end -}}
{{- if and .Values.assignController.enabled (eq $c.mode "replaceBuiltin") -}}
{{- fail "assignController.enabled: with controller.mode replaceBuiltin our controller leaves Jobs alone that have spec.managedBy" -}}
{{- end -}}
{{- if $c.enabled -}}
{{- if and (eq $c.mode "replaceBuiltin") (ne $c.name "jobreeve.dev/controller") -}}
{{- fail "controller.name: with controller.mode replaceBuiltin there is no name, Jobs without spec.managedBy are ours" -}}
{{- end -}}
{{- if and (eq $c.mode "managedBy") (eq $c.name "kubernetes.io/job-controller") -}}
{{- fail "controller.name: kubernetes.io/job-controller is the built-in controller's own; set controller.mode to replaceBuiltin to take its place" -}}
{{- end -}}
{{- if eq (int $c.healthPort) (int $c.metricsPort) -}}
{{- fail (printf "controller.healthPort and controller.metricsPort have to differ, both are %d" (int $c.healthPort)) -}}
{{- end -}}
{{- if and $c.featureGates.WorkloadWithJob (not $c.featureGates.GenericWorkload) -}}
{{- fail "controller.featureGates: WorkloadWithJob needs GenericWorkload" -}}
{{- end -}}
{{- $e := $c.leaderElection -}}
{{- if le (include "jobreeve.milliseconds" $e.leaseDuration | int) (include "jobreeve.milliseconds" $e.renewDeadline | int) -}}
{{- fail (printf "controller.leaderElection: leaseDuration (%s) has to be more than renewDeadline (%s)" $e.leaseDuration $e.renewDeadline) -}}
{{- end -}}
{{- if le (include "jobreeve.milliseconds" $e.renewDeadline | int) (include "jobreeve.milliseconds" $e.retryPeriod | int) -}}
{{- fail (printf "controller.leaderElection: renewDeadline (%s) has to be more than retryPeriod (%s)" $e.renewDeadline $e.retryPeriod) -}}
{{- end -}}
{{- if and (int $c.kubeApiBurst) (not (float64 $c.kubeApiQps)) -}}
{{- fail "controller.kubeApiBurst needs controller.kubeApiQps" -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "jobreeve.validate.metrics" -}}
{{- $m := .Values.metrics -}}
{{- if and (not $m.enabled) (or $m.serviceMonitor.enabled $m.podMonitor.enabled $m.prometheusRule.enabled $m.dashboard.enabled) -}}
{{- fail "metrics.serviceMonitor, metrics.podMonitor, metrics.prometheusRule and metrics.dashboard need metrics.enabled" -}}
{{- end -}}
{{- if and $m.secure (not $m.enabled) -}}
{{- fail "metrics.secure needs metrics.enabled" -}}
{{- end -}}
{{- if and $m.controllerSecret (not $m.secure) -}}
{{- fail "metrics.controllerSecret needs metrics.secure" -}}
{{- end -}}
{{- if and $m.serviceMonitor.enabled $m.podMonitor.enabled -}}
{{- fail "metrics.serviceMonitor.enabled and metrics.podMonitor.enabled are both true: everything would be scraped twice" -}}
{{- end -}}
{{- if $m.prometheusRule.enabled -}}
{{- $names := list -}}
{{- range .Files.Get "files/alerts.yaml" | fromYamlArray -}}
{{- $names = append $names .alert -}}
{{- end -}}
{{- range $m.prometheusRule.disabled -}}
{{- if not (has . $names) -}}
{{- fail (printf "metrics.prometheusRule.disabled: there is no alert %s" .) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- /* A time as flags have it, like 1m30s, in thousandths. */ -}}
{{- define "jobreeve.milliseconds" -}}
{{- $units := dict "ms" 1 "s" 1000 "m" 60000 "h" 3600000 -}}
{{- $sum := 0.0 -}}
{{- range regexFindAll "[0-9.]+(ms|s|m|h)" . -1 -}}
{{- $sum = addf $sum (mulf (regexFind "^[0-9.]+" . | float64) (index $units (regexFind "[a-z]+$" .))) -}}
{{- end -}}
{{- int $sum -}}
{{- end -}}

{{- /* A budget that allows no Pod to go keeps nodes from being drained. */ -}}
{{- define "jobreeve.validate.budget" -}}
{{- $b := .values.podDisruptionBudget -}}
{{- $min := $b.minAvailable | toString -}}
{{- $max := $b.maxUnavailable | toString -}}
{{- if $b.enabled -}}
{{- if and (ne $min "") (ne $max "") -}}
{{- fail (printf "%s.podDisruptionBudget: minAvailable or maxUnavailable, not both; set the other one to \"\"" .name) -}}
{{- end -}}
{{- if and (eq $min "") (eq $max "") -}}
{{- fail (printf "%s.podDisruptionBudget: minAvailable or maxUnavailable has to be set" .name) -}}
{{- end -}}
{{- if or (eq $max "0") (eq $max "0%") (eq $min "100%") (and (regexMatch "^[0-9]+$" $min) (ge (int $min) (int .values.replicas))) -}}
{{- fail (printf "%s.podDisruptionBudget: with %d replicas this allows no Pod to be evicted, so no node with one could be drained" .name (int .values.replicas)) -}}
{{- end -}}
{{- end -}}
{{- $zero := list "0" "0%" -}}
{{- if and (has (.values.rollingUpdate.maxUnavailable | toString) $zero) (has (.values.rollingUpdate.maxSurge | toString) $zero) -}}
{{- fail (printf "%s.rollingUpdate: maxUnavailable and maxSurge can't both be 0" .name) -}}
{{- end -}}
{{- end -}}

{{- /* Where helm test tries a Job; empty where nothing is left. */ -}}
{{- define "jobreeve.testNamespace" -}}
{{- $exempt := include "jobreeve.exemptNamespaces" . | fromJsonArray -}}
{{- $ns := .Values.helmTest.namespace -}}
{{- if $ns -}}
{{- if has $ns $exempt -}}
{{- fail (printf "helmTest.namespace: %s is exempt from the webhooks, so a Job that is tried there shows nothing" $ns) -}}
{{- end -}}
{{- $ns -}}
{{- else -}}
{{- range list "kube-public" "default" -}}
{{- if not (has . $exempt) -}}
{{- $ns = . -}}
{{- end -}}
{{- end -}}
{{- $ns -}}
{{- end -}}
{{- end -}}
