{{- /* Of a pod: nothing of the cluster, nothing of the node. */ -}}
{{- define "unified-calendar.podSecurity" -}}
automountServiceAccountToken: false
enableServiceLinks: false
securityContext:
  runAsNonRoot: true
  runAsUser: 10001
  runAsGroup: 10001
  seccompProfile:
    type: RuntimeDefault
{{- with .Values.image.pullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . }}
  {{- end }}
{{- end }}
{{- end -}}

{{- define "unified-calendar.containerSecurity" -}}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities:
    drop: [ALL]
{{- end -}}

{{- /* Of a container: the authorities of your own, of a ConfigMap that is there before the release. */ -}}
{{- define "unified-calendar.authoritiesMount" -}}
{{- if .Values.caConfigMap -}}
volumeMounts:
  - name: ca
    mountPath: /etc/unified-calendar
    readOnly: true
{{- end -}}
{{- end -}}

{{- define "unified-calendar.authoritiesVolume" -}}
{{- with .Values.caConfigMap -}}
volumes:
  - name: ca
    configMap:
      name: {{ . }}
      items:
        - { key: ca.crt, path: ca.crt }
{{- end -}}
{{- end -}}

{{- /* Which nodes a pod runs on, and before which others: .Values.api. */ -}}
{{- define "unified-calendar.scheduling" -}}
{{- $said := dict -}}
{{- range $field := list "nodeSelector" "tolerations" "affinity" "priorityClassName" -}}
{{- with index $ $field -}}{{- $_ := set $said $field . -}}{{- end -}}
{{- end -}}
{{- with $said -}}{{- toYaml . -}}{{- end -}}
{{- end -}}

{{- /* (list $ .Values.api) */ -}}
{{- define "unified-calendar.probes" -}}
{{- $config := include "unified-calendar.config" . | fromYaml -}}
# MIGRATION_WAIT_MS and a minute.
startupProbe:
  httpGet: { path: /health/startup, port: health }
  periodSeconds: 2
  failureThreshold: {{ divf (add (int64 $config.MIGRATION_WAIT_MS) 60000) 2000 | ceil }}
  timeoutSeconds: 2
# What a database or a queue does is not cured by a new process: this one asks for the process alone.
livenessProbe:
  httpGet: { path: /health/live, port: health }
  periodSeconds: 10
  failureThreshold: 3
  timeoutSeconds: 5
readinessProbe:
  httpGet: { path: /health/ready, port: health }
  periodSeconds: 3
  failureThreshold: 2
  timeoutSeconds: 3
{{- end -}}

{{- /* Template of the pods of a component: (list $ "api" .Values.api <ports> <arguments>). */ -}}
{{- define "unified-calendar.pod" -}}
{{- $root := index . 0 -}}
{{- $name := index . 1 -}}
{{- $component := index . 2 -}}
metadata:
  labels:
    {{- mergeOverwrite (deepCopy $component.podLabels) (include "unified-calendar.labels" (list $root $name) | fromYaml) | toYaml | nindent 4 }}
  {{- with $component.podAnnotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
spec:
  serviceAccountName: {{ include "unified-calendar.serviceAccountName" $root }}
  {{- include "unified-calendar.podSecurity" $root | nindent 2 }}
  terminationGracePeriodSeconds: {{ include "unified-calendar.gracePeriod" (list $root $component) }}
  containers:
    - name: {{ $name }}
      image: {{ include "unified-calendar.image" (list $root $component.image) | quote }}
      imagePullPolicy: {{ $root.Values.image.pullPolicy }}
      {{- include "unified-calendar.containerSecurity" $root | nindent 6 }}
      ports:
        {{- range $port, $number := index . 3 }}
        - name: {{ $port }}
          containerPort: {{ $number }}
        {{- end }}
      env:
        {{- include "unified-calendar.environment" (list $root $component) | nindent 8 }}
      {{- include "unified-calendar.probes" (list $root $component) | nindent 6 }}
      {{- if $component.preStopSeconds }}
      lifecycle:
        preStop:
          sleep:
            seconds: {{ $component.preStopSeconds }}
      {{- end }}
      resources:
        {{- toYaml $component.resources | nindent 8 }}
      {{- with include "unified-calendar.authoritiesMount" $root }}
      {{- . | nindent 6 }}
      {{- end }}
  {{- with include "unified-calendar.authoritiesVolume" $root }}
  {{- . | nindent 2 }}
  {{- end }}
  {{- with $component.topologySpreadConstraints }}
  topologySpreadConstraints:
    {{- range . }}
    - {{- toYaml . | nindent 6 }}
      matchLabelKeys: [pod-template-hash]
      labelSelector:
        matchLabels:
          {{- include "unified-calendar.selector" (list $root $name) | nindent 10 }}
    {{- end }}
  {{- end }}
  {{- with include "unified-calendar.scheduling" $component }}
  {{- . | nindent 2 }}
  {{- end }}
{{- end -}}
