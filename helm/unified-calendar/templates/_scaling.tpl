{{- /* Head of an object that scales a component: (list $ "api"). */ -}}
{{- define "unified-calendar.scaledMetadata" -}}
metadata:
  name: {{ include "unified-calendar.name" (index . 0) }}-{{ index . 1 }}
  namespace: {{ (index . 0).Release.Namespace }}
  labels:
    {{- include "unified-calendar.labels" . | nindent 4 }}
{{- end -}}

{{- define "unified-calendar.scaleTarget" -}}
{{- $component := index . 1 -}}
{{- $autoscaling := (index (index . 0).Values $component).autoscaling -}}
{{- if lt (int64 $autoscaling.maxReplicas) (int64 $autoscaling.minReplicas) -}}
{{- fail (printf "%s.autoscaling.maxReplicas (%d) must be at least minReplicas (%d)" $component (int64 $autoscaling.maxReplicas) (int64 $autoscaling.minReplicas)) -}}
{{- end -}}
scaleTargetRef:
  apiVersion: apps/v1
  kind: Deployment
  name: {{ include "unified-calendar.name" (index . 0) }}-{{ $component }}
{{- end -}}

{{- /* Of .Values.api.autoscaling. */ -}}
{{- define "unified-calendar.scalingBehavior" -}}
{{- with .behavior -}}
behavior:
  {{- toYaml . | nindent 2 }}
{{- end -}}
{{- end -}}

{{- /* What KEDA asks of Prometheus: (list .Values.worker.autoscaling "max(…)" 500). */ -}}
{{- define "unified-calendar.prometheusTrigger" -}}
{{- $keda := (index . 0).keda -}}
- type: prometheus
  metricType: AverageValue
  metadata:
    serverAddress: {{ $keda.serverAddress | quote }}
    query: {{ index . 1 | quote }}
    threshold: {{ index . 2 | quote }}
    # Without a series nothing is known: the fallback decides, not a zero.
    ignoreNullValues: "false"
    {{- if $keda.authenticationRef }}
    authModes: {{ $keda.authModes | quote }}
    {{- end }}
  {{- with $keda.authenticationRef }}
  authenticationRef:
    name: {{ . }}
  {{- end }}
{{- end -}}
