{{- /* How a component is scraped: dashboards and rules know processes by `component`. */ -}}
{{- define "unified-calendar.endpoint" -}}
- port: metrics
  interval: {{ .Values.metrics.monitors.interval }}
  relabelings:
    - sourceLabels: [__meta_kubernetes_pod_label_app_kubernetes_io_component]
      targetLabel: component
{{- end -}}

{{- /* Head of an object of the operator: (list $ "api" .Values.metrics.monitors). */ -}}
{{- define "unified-calendar.monitorMetadata" -}}
{{- $root := index . 0 -}}
metadata:
  name: {{ include "unified-calendar.name" $root }}-{{ index . 1 }}
  namespace: {{ $root.Release.Namespace }}
  labels:
    {{- mergeOverwrite (include "unified-calendar.labels" (list $root (index . 1)) | fromYaml) (index . 2).labels | toYaml | nindent 4 }}
{{- end -}}
