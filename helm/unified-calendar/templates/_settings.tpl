{{- /* A setting as the environment has it: YAML makes floating point numbers of large integers. */ -}}
{{- define "unified-calendar.settingText" -}}
{{- if kindIs "float64" . -}}{{ int64 . }}{{- else -}}{{ . }}{{- end -}}
{{- end -}}

{{- /*
What the common settings and those of one component come to, as YAML: (list $ .Values.api). Behind an Ingress or a Gateway
of the chart there is one proxy, unless they say how many.
*/ -}}
{{- define "unified-calendar.config" -}}
{{- $root := index . 0 -}}
{{- $own := dict -}}
{{- if or $root.Values.ingress.enabled $root.Values.httpRoute.enabled -}}
{{- $_ := set $own "TRUST_PROXY" 1 -}}
{{- end -}}
{{- toYaml (mergeOverwrite $own (deepCopy $root.Values.config) (index . 1).config) -}}
{{- end -}}

{{- /* One secret setting: (list $ "DATABASE_URL"). What the service cannot do without must be there. */ -}}
{{- define "unified-calendar.secretSetting" -}}
{{- $name := index . 1 -}}
- name: {{ $name }}
  valueFrom:
    secretKeyRef:
      name: {{ (index . 0).Values.existingSecret }}
      key: {{ $name }}
      {{- if not (has $name (list "DATABASE_URL" "ENCRYPTION_KEYS")) }}
      optional: true
      {{- end }}
{{- end -}}

{{- /* Where a process finds the authorities that volumeMounts puts there. */ -}}
{{- define "unified-calendar.authoritiesEnvironment" -}}
{{- if .Values.caConfigMap -}}
- name: NODE_EXTRA_CA_CERTS
  value: /etc/unified-calendar/ca.crt
{{- end -}}
{{- end -}}

{{- /* Environment of a component: (list $ .Values.api). What is said twice is refused, or worse, taken. */ -}}
{{- define "unified-calendar.environment" -}}
{{- include "unified-calendar.withExtraEnv" (list (include "unified-calendar.ownEnvironment" .) (index . 1).extraEnv) -}}
{{- end -}}

{{- /* (list <environment as YAML> .Values.api.extraEnv) */ -}}
{{- define "unified-calendar.withExtraEnv" -}}
{{- $taken := list "PORT" "WORKER_HEALTH_PORT" "DATA_DIR" -}}
{{- range index . 0 | fromYamlArray }}{{ $taken = append $taken .name }}{{ end -}}
{{- range index . 1 -}}
{{- if has .name $taken -}}
{{- fail (printf "extraEnv: %s is there already, or the chart's own; settings belong into config, secrets into the Secret" .name) -}}
{{- end -}}
{{- $taken = append $taken .name -}}
{{- end -}}
{{- index . 0 -}}
{{- with index . 1 }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- /* What a migration needs, and nothing else. */ -}}
{{- define "unified-calendar.migrationEnvironment" -}}
{{- include "unified-calendar.secretSetting" (list . "DATABASE_URL") }}
{{- with include "unified-calendar.authoritiesEnvironment" . }}
{{ . }}
{{- end }}
{{- end -}}

{{- define "unified-calendar.ownEnvironment" -}}
{{- $root := index . 0 -}}
- name: NODE_ENV
  value: production
- name: METRICS_PORT
  value: "9464"
{{- with include "unified-calendar.authoritiesEnvironment" $root }}
{{ . }}
{{- end }}
{{- range $name, $value := include "unified-calendar.config" . | fromYaml }}
- name: {{ $name }}
  value: {{ include "unified-calendar.settingText" $value | quote }}
{{- end }}
{{- range $root.Files.Lines "secret-settings.txt" }}
{{- if . }}
{{ include "unified-calendar.secretSetting" (list $root .) }}
{{- end }}
{{- end }}
{{- end -}}

{{- /* What settings and grace period say that does not go together ends the rendering. */ -}}
{{- define "unified-calendar.gracePeriod" -}}
{{- $component := index . 1 -}}
{{- $config := include "unified-calendar.config" . | fromYaml -}}
{{- $delay := int64 $config.SHUTDOWN_DELAY_MS -}}
{{- $timeout := int64 $config.SHUTDOWN_TIMEOUT_MS -}}
{{- if lt $timeout (add $delay (int64 $config.REQUEST_TIMEOUT_MS)) -}}
{{- fail (printf "SHUTDOWN_TIMEOUT_MS (%d) must be at least SHUTDOWN_DELAY_MS + REQUEST_TIMEOUT_MS (%d): requests would be cut off" $timeout (add $delay (int64 $config.REQUEST_TIMEOUT_MS))) -}}
{{- end -}}
{{- $needed := add (int64 $component.preStopSeconds) (divf $timeout 1000 | ceil | int64) 5 -}}
{{- if not $component.terminationGracePeriodSeconds -}}
{{- $needed -}}
{{- else if lt (int64 $component.terminationGracePeriodSeconds) $needed -}}
{{- fail (printf "terminationGracePeriodSeconds (%d) must be at least %d: preStopSeconds, SHUTDOWN_TIMEOUT_MS and 5 seconds more" (int64 $component.terminationGracePeriodSeconds) $needed) -}}
{{- else -}}
{{- int64 $component.terminationGracePeriodSeconds -}}
{{- end -}}
{{- end -}}
