{{/* What this installation runs: a map of app to its facts of apps.yaml and its values. */}}
{{- define "invoq.apps" -}}
{{- $facts := .Files.Get "apps.yaml" | fromYaml -}}
{{- $root := . -}}
{{- $served := list -}}
{{- range splitList "," (include "invoq.text" .Values.settings.DOMAINS) }}{{ with trim . }}{{ $served = append $served . }}{{ end }}{{ end -}}
{{- range $domain, $_ := .Values.workers }}{{ if not (hasKey $facts.workers $domain) }}{{ fail (printf "workers.%s: there is no such domain; there are %s" $domain (keys $facts.workers | sortAlpha | join ", ")) }}{{ end }}{{ end -}}
{{- range without $served "none" }}{{ if not (hasKey $facts.workers .) }}{{ fail (printf "settings.DOMAINS: there is no domain %s; there are %s" . (keys $facts.workers | sortAlpha | join ", ")) }}{{ end }}{{ end -}}
{{- $apps := dict "gateway" (merge (dict "values" .Values.gateway) $facts.gateway) -}}
{{- range $domain, $own := $facts.workers }}
{{- if or (empty $served) (has $domain $served) }}
{{- $values := mergeOverwrite (deepCopy $root.Values.worker) (index $root.Values.workers $domain | default dict) }}
{{- $_ := set $apps (printf "%s-worker" $domain) (merge (dict "domain" $domain "values" $values) $own) }}
{{- end }}
{{- end }}
{{- $known := $facts.common.settings }}
{{- range prepend (values $facts.workers) $facts.gateway }}{{ $known = concat $known .settings }}{{ end }}
{{- range $name, $_ := .Values.settings }}{{ if not (has $name $known) }}{{ fail (printf "settings.%s: no app has such a setting" $name) }}{{ end }}{{ end -}}
{{- range $name, $app := $apps }}
{{- $_ := set $app "settings" (concat $facts.common.settings $app.settings) }}
{{- $_ := set $app "secrets" (concat $facts.common.secrets $app.secrets) }}
{{- $_ := set $app "required" $facts.common.required }}
{{- range $setting, $_ := $app.values.settings }}{{ if not (has $setting $app.settings) }}{{ fail (printf "settings.%s: %s has no such setting" $setting $name) }}{{ end }}{{ end }}
{{- end }}
{{- $apps | toYaml -}}
{{- end -}}

{{/* A setting as text: nothing where it is null, which `toString` would call <nil>. */}}
{{- define "invoq.text" -}}
{{ if not (kindIs "invalid" .) }}{{ toString . }}{{ end }}
{{- end -}}

{{- define "invoq.name" -}}
{{ .Release.Name | trunc 40 | trimSuffix "-" }}
{{- end -}}

{{/* Labels that select the pods of an app. Input: root, name. */}}
{{- define "invoq.selector" -}}
app.kubernetes.io/name: invoq
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .name }}
{{- end -}}

{{- define "invoq.labels" -}}
{{ include "invoq.selector" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ .root.Chart.Name }}-{{ .root.Chart.Version }}
{{- end -}}

{{- define "invoq.image" -}}
{{ .Values.image.repository }}{{ if .Values.image.digest }}@{{ .Values.image.digest }}{{ else }}:{{ .Values.image.tag | default .Chart.AppVersion }}{{ end }}
{{- end -}}
