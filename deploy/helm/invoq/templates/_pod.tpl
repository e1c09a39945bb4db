{{/* The environment of an app: what it reads, and nothing else. Input: root, name, app. */}}
{{- define "invoq.env" -}}
{{- $name := include "invoq.name" .root -}}
- { name: APP, value: {{ .name }} }
- { name: NODE_ENV, value: production }
- { name: HOST, value: 0.0.0.0 }
- { name: FILES_DIR, value: /app/files }
{{- if eq .name "gateway" }}
- { name: PORT, value: '3000' }
- { name: METRICS_PORT, value: '9464' }
{{- else }}
- { name: HEALTH_PORT, value: '3000' }
{{- end }}
{{- if eq .name "agent-worker" }}
- { name: INVOQ_URL, value: 'http://{{ $name }}-gateway:{{ .root.Values.gateway.service.port }}' }
{{- end }}
{{- $settings := mergeOverwrite (deepCopy .root.Values.settings) .app.values.settings }}
{{- range .app.settings }}
{{- $value := index $settings . }}
{{- /* Helm reads every number as a fraction, and would write large ones as 2e+09. */ -}}
{{- if and (kindIs "float64" $value) (eq $value (floor $value)) }}{{ $value = int64 $value }}{{ end }}
{{- $text := include "invoq.text" $value }}
{{- if $text }}
- name: {{ . }}
  value: {{ $text | quote }}
{{- end }}
{{- end }}
{{- $secret := printf "%s-%s" $name .name }}
{{- range .app.required }}
- name: {{ . }}
  valueFrom: { secretKeyRef: { name: {{ $secret }}, key: {{ . }} } }
{{- end }}
{{- range .app.secrets }}
- name: {{ . }}
  valueFrom: { secretKeyRef: { name: {{ $secret }}, key: {{ . }}, optional: true } }
{{- end }}
{{- end -}}

{{/* What every pod keeps to: the profile "restricted" of Kubernetes, without a token of the cluster. */}}
{{- define "invoq.podSecurity" -}}
serviceAccountName: {{ .Values.serviceAccountName }}
automountServiceAccountToken: false
enableServiceLinks: false
securityContext:
  runAsNonRoot: true
  # The user node of the image.
  runAsUser: 1000
  runAsGroup: 1000
  fsGroup: 1000
  seccompProfile: { type: RuntimeDefault }
{{- with .Values.image.pullSecrets }}
imagePullSecrets: {{ toJson . }}
{{- end }}
{{- with .Values.nodeSelector }}
nodeSelector: {{ toJson . }}
{{- end }}
{{- with .Values.tolerations }}
tolerations: {{ toJson . }}
{{- end }}
{{- end -}}

{{- define "invoq.containerSecurity" -}}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: { drop: [ALL] }
{{- end -}}

{{/* Seconds until a process is killed: the notice, the drain, the 5 s that an app needs to close, and 5 s to spare. Input: root, app. */}}
{{- define "invoq.graceSeconds" -}}
{{- $settings := mergeOverwrite (deepCopy .root.Values.settings) .app.values.settings -}}
{{- $drain := required "settings.DRAIN_MS is needed: the grace of the pods follows from it" (include "invoq.text" $settings.DRAIN_MS) | float64 -}}
{{- $notice := required "settings.NOTICE_MS is needed: the grace of the pods follows from it" (include "invoq.text" $settings.NOTICE_MS) | float64 -}}
{{- add (ceil (divf (addf $drain $notice) 1000)) 10 -}}
{{- end -}}

{{/* The pods of an app. Input: root, name, app. */}}
{{- define "invoq.pod" -}}
metadata:
  labels: {{- include "invoq.labels" . | nindent 4 }}
  {{- with .root.Values.podAnnotations }}
  annotations: {{ toJson . }}
  {{- end }}
spec:
  {{- include "invoq.podSecurity" .root | nindent 2 }}
  # No preStop: after SIGTERM a gateway itself serves for NOTICE_MS, and tells clients to leave, which a sleep could not.
  terminationGracePeriodSeconds: {{ include "invoq.graceSeconds" . }}
  topologySpreadConstraints:
    {{- range list "topology.kubernetes.io/zone" "kubernetes.io/hostname" }}
    - topologyKey: {{ . }}
      maxSkew: 1
      whenUnsatisfiable: ScheduleAnyway
      labelSelector:
        matchLabels: {{- include "invoq.selector" $ | nindent 10 }}
    {{- end }}
  containers:
    - name: app
      image: {{ include "invoq.image" .root }}
      imagePullPolicy: {{ .root.Values.image.pullPolicy }}
      {{- include "invoq.containerSecurity" . | nindent 6 }}
      env: {{- include "invoq.env" . | nindent 8 }}
      ports:
        - { name: http, containerPort: 3000 }
        {{- if eq .name "gateway" }}
        - { name: metrics, containerPort: 9464 }
        {{- end }}
      # Alive does not depend on the stores: nobody is restarted because Redis is away. Ready does.
      startupProbe: { httpGet: { path: /healthz, port: http }, periodSeconds: 2, timeoutSeconds: 3, failureThreshold: 60 }
      livenessProbe: { httpGet: { path: /healthz, port: http }, periodSeconds: 10, timeoutSeconds: 5, failureThreshold: 6 }
      readinessProbe: { httpGet: { path: /readyz, port: http }, periodSeconds: 5, timeoutSeconds: 3, failureThreshold: 3 }
      resources: {{ toJson .app.values.resources }}
      volumeMounts:
        - { name: tmp, mountPath: /tmp }
        {{- if .root.Values.files.claim }}
        - { name: files, mountPath: /app/files }
        {{- if .root.Values.files.bodiesClaim }}
        - { name: bodies, mountPath: /app/files/calls }
        {{- end }}
        {{- end }}
        {{- range .app.values.volumeMounts }}
        - {{ toJson . }}
        {{- end }}
  volumes:
    # In memory, and part of its limit.
    - { name: tmp, emptyDir: { medium: Memory, sizeLimit: 512Mi } }
    {{- with .root.Values.files.claim }}
    - { name: files, persistentVolumeClaim: { claimName: {{ . }} } }
    {{- with $.root.Values.files.bodiesClaim }}
    - { name: bodies, persistentVolumeClaim: { claimName: {{ . }} } }
    {{- end }}
    {{- end }}
    {{- range .app.values.volumes }}
    - {{ toJson . }}
    {{- end }}
{{- end -}}
