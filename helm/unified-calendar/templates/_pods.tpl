{{- /* Of a pod: nothing of the cluster, nothing of the node. */ -}}
{{- define "unified-calendar.podSecurity" -}}
automountServiceAccountToken: false
enableServiceLinks: false
{{- with .Values.podSecurityContext }}
securityContext:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.image.pullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . }}
  {{- end }}
{{- end }}
{{- end -}}

{{- define "unified-calendar.containerSecurity" -}}
{{- with .Values.containerSecurityContext -}}
securityContext:
  {{- toYaml . | nindent 2 }}
{{- end -}}
{{- end -}}

{{- /* Of a container: (list $ .Values.api). The authorities of a ConfigMap that is there before the release, and your own. */ -}}
{{- define "unified-calendar.volumeMounts" -}}
{{- $authorities := ternary (list (dict "name" "ca" "mountPath" "/etc/unified-calendar" "readOnly" true)) list (ne "" (index . 0).Values.caConfigMap) -}}
{{- with concat $authorities (index . 1).extraVolumeMounts -}}
volumeMounts:
  {{- toYaml . | nindent 2 }}
{{- end -}}
{{- end -}}

{{- define "unified-calendar.volumes" -}}
{{- $name := (index . 0).Values.caConfigMap -}}
{{- $authorities := dict "name" "ca" "configMap" (dict "name" $name "items" (list (dict "key" "ca.crt" "path" "ca.crt"))) -}}
{{- with concat (ternary (list $authorities) list (ne "" $name)) (index . 1).extraVolumes -}}
volumes:
  {{- toYaml . | nindent 2 }}
{{- end -}}
{{- end -}}

{{- define "unified-calendar.envFrom" -}}
{{- with .envFrom -}}
envFrom:
  {{- toYaml . | nindent 2 }}
{{- end -}}
{{- end -}}

{{- /* What a pod takes as Kubernetes writes it: .Values.api. */ -}}
{{- define "unified-calendar.podFields" -}}
{{- $said := dict -}}
{{- range $field := list "initContainers" "nodeSelector" "tolerations" "affinity" "priorityClassName" -}}
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
      {{- with include "unified-calendar.envFrom" $component }}
      {{- . | nindent 6 }}
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
      {{- with include "unified-calendar.volumeMounts" (list $root $component) }}
      {{- . | nindent 6 }}
      {{- end }}
    {{- with $component.extraContainers }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  {{- with include "unified-calendar.volumes" (list $root $component) }}
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
  {{- with include "unified-calendar.podFields" $component }}
  {{- . | nindent 2 }}
  {{- end }}
{{- end -}}
