{{- /* Of Services, too: no dot, and a letter first, which a release may have otherwise. */ -}}
{{- define "unified-calendar.name" -}}
{{- $name := include "unified-calendar.wantedName" . | trunc 50 | trimSuffix "-" -}}
{{- if not (regexMatch "^[a-z]([-a-z0-9]*[a-z0-9])?$" $name) -}}
{{- fail (printf "%s is no name of a Service: say another as fullnameOverride" $name) -}}
{{- end -}}
{{- $name -}}
{{- end -}}

{{- define "unified-calendar.wantedName" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride -}}
{{- else if contains .Chart.Name .Release.Name -}}
{{- .Release.Name -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name .Chart.Name -}}
{{- end -}}
{{- end -}}

{{- define "unified-calendar.serviceAccountName" -}}
{{- if .Values.serviceAccount.create -}}
{{- default (include "unified-calendar.name" .) .Values.serviceAccount.name -}}
{{- else -}}
{{- default "default" .Values.serviceAccount.name -}}
{{- end -}}
{{- end -}}

{{- /* Labels that never change: (list $ "api"). */ -}}
{{- define "unified-calendar.selector" -}}
{{- $root := index . 0 -}}
app.kubernetes.io/name: {{ $root.Chart.Name }}
app.kubernetes.io/instance: {{ $root.Release.Name }}
app.kubernetes.io/component: {{ index . 1 }}
{{- end -}}

{{- /* Labels of an object: (list $ "api"). */ -}}
{{- define "unified-calendar.labels" -}}
{{- $root := index . 0 -}}
{{ include "unified-calendar.selector" . }}
app.kubernetes.io/part-of: {{ $root.Chart.Name }}
app.kubernetes.io/managed-by: {{ $root.Release.Service }}
app.kubernetes.io/version: {{ $root.Chart.AppVersion | quote }}
helm.sh/chart: {{ printf "%s-%s" $root.Chart.Name $root.Chart.Version | replace "+" "_" }}
{{- with $root.Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- /* Reference of an image: (list $ .Values.api.image). */ -}}
{{- define "unified-calendar.image" -}}
{{- $root := index . 0 -}}
{{- $image := index . 1 -}}
{{- with $root.Values.image.registry }}{{ trimSuffix "/" . }}/{{ end -}}
{{- $image.name -}}
{{- if $image.digest }}@{{ $image.digest }}{{ else }}:{{ default $root.Chart.AppVersion $root.Values.image.tag }}{{ end -}}
{{- end -}}

{{- /* Host of the dashboard, where it has one of its own. */ -}}
{{- define "unified-calendar.operatorHost" -}}
{{- $url := toString (get .Values.config "OPERATOR_URL" | default "off") -}}
{{- if eq $url "off" -}}
{{- fail "ingress.operator.enabled needs config.OPERATOR_URL, whose host it leads to the API" -}}
{{- end -}}
{{- (urlParse $url).hostname -}}
{{- end -}}

{{- /* Hosts of the Ingress, as YAML. Sign-ins and webhooks go to PUBLIC_URL, so its host is one of them. */ -}}
{{- define "unified-calendar.hosts" -}}
{{- $public := (urlParse .Values.config.PUBLIC_URL).hostname -}}
{{- $hosts := concat (list (default $public .Values.ingress.host)) .Values.ingress.extraHosts | uniq -}}
{{- if not (has $public $hosts) -}}
{{- fail (printf "ingress.host is %s, but PUBLIC_URL names %s: users would not reach the service there" .Values.ingress.host $public) -}}
{{- end -}}
{{- toYaml $hosts -}}
{{- end -}}
