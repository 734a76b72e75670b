{{- /* Head of an object that scales a component: (list $ "api"). */ -}}
{{- define "unified-calendar.scaledMetadata" -}}
metadata:
  name: {{ include "unified-calendar.name" (index . 0) }}-{{ index . 1 }}
  namespace: {{ (index . 0).Release.Namespace }}
  labels:
    {{- include "unified-calendar.labels" . | nindent 4 }}
{{- end -}}

{{- define "unified-calendar.scaleTarget" -}}
scaleTargetRef:
  apiVersion: apps/v1
  kind: Deployment
  name: {{ include "unified-calendar.name" (index . 0) }}-{{ index . 1 }}
{{- end -}}

{{- /* More at once, fewer one by one: what is taken away is missed at the next peak. */ -}}
{{- define "unified-calendar.scalingBehavior" -}}
behavior:
  scaleDown:
    stabilizationWindowSeconds: 300
    policies:
      - { type: Pods, value: 1, periodSeconds: 60 }
{{- end -}}
