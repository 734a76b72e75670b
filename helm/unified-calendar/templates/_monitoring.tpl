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

{{- /* Matchers as Alertmanager writes them, e.g. `alertname=~"A|B"`, in the form of the operator. */ -}}
{{- define "unified-calendar.alertMatchers" -}}
{{- range . }}
- name: {{ regexFind "^[a-z]+" . }}
  matchType: {{ regexFind "=~?" . | quote }}
  value: {{ regexFind "\".*\"" . }}
{{- end }}
{{- end -}}

{{- /*
An expression with the operator's limits: (list $ <rule>). A threshold is the number before `# threshold`, a budget the one
that a speed is multiplied by.
*/ -}}
{{- define "unified-calendar.alertExpression" -}}
{{- $rules := (index . 0).Values.metrics.rules -}}
{{- $rule := index . 1 -}}
{{- $expression := $rule.expr -}}
{{- $labels := get $rule "labels" | default dict -}}
{{- $threshold := get $rules.thresholds $rule.alert -}}
{{- if kindIs "map" $threshold }}{{ $threshold = get $threshold (get $labels "severity") }}{{ end -}}
{{- if not (kindIs "string" $threshold) -}}
{{- $expression = regexReplaceAll "[0-9.]+ # threshold" $expression (printf "%v # threshold" $threshold) -}}
{{- end -}}
{{- $promise := get $rules.objectives (get $labels "slo") -}}
{{- if not (kindIs "string" $promise) -}}
{{- $budget := round (divf (subf 100 $promise) 100) 7 -}}
{{- $expression = regexReplaceAll " \\* 0[.][0-9]+" $expression (printf " * %v" $budget) -}}
{{- end -}}
{{- $expression -}}
{{- end -}}
