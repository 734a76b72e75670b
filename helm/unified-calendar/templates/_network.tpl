{{- /* A rule: (dict "direction" "to" "peers" [] "ports" [] "protocols" ["TCP"]). Without peers: from or to anywhere. */ -}}
{{- define "unified-calendar.networkRule" -}}
- {{- with .peers }}
  {{ $.direction }}:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  ports:
    {{- range $port := .ports }}
    {{- range $.protocols }}
    - { protocol: {{ . }}, port: {{ $port }} }
    {{- end }}
    {{- end }}
{{- end -}}

{{- /*
Out to a service of yours: .Values.networkPolicy.database. Unless it is said where that is, to anywhere but link-local
addresses and those where clouds hand out credentials, as libs/egress knows them.
*/ -}}
{{- define "unified-calendar.serviceEgress" -}}
{{- $anywhere := include "unified-calendar.anywhere" . | fromYamlArray -}}
{{ include "unified-calendar.networkRule" (dict "direction" "to" "peers" (default $anywhere .to) "ports" .ports "protocols" (list "TCP")) }}
{{- end -}}

{{- define "unified-calendar.anywhere" -}}
# What an ipBlock means for pods is left to the network plugin: with some of them it selects none.
- namespaceSelector: {}
- ipBlock:
    cidr: 0.0.0.0/0
    except:
      - 100.100.100.200/32
      - 168.63.129.16/32
      - 169.254.0.0/16
      - 192.0.0.192/32
- ipBlock:
    cidr: ::/0
    except:
      # The same behind a NAT64 (RFC 6052).
      - 64:ff9b::6464:64c8/128
      - 64:ff9b::a83f:8110/128
      - 64:ff9b::a9fe:0/112
      - 64:ff9b::c000:c0/128
      - fd00:ec2::23/128
      - fd00:ec2::254/128
      - fd20:ce::254/128
      - fe80::/10
{{- end -}}

{{- /* Out to where names are resolved and to the database: what every pod needs. */ -}}
{{- define "unified-calendar.basicEgress" -}}
{{- with .Values.networkPolicy -}}
{{ include "unified-calendar.networkRule" (dict "direction" "to" "peers" .dnsTo "ports" (list 53) "protocols" (list "UDP" "TCP")) }}
{{ include "unified-calendar.serviceEgress" .database }}
{{- end }}
{{- end -}}

{{- /* To providers, receivers of webhooks and CalDAV servers: public addresses, as libs/egress knows them. */ -}}
{{- define "unified-calendar.publicEgress" -}}
- to:
    - ipBlock:
        cidr: 0.0.0.0/0
        except:
          - 0.0.0.0/8
          - 10.0.0.0/8
          - 100.64.0.0/10
          - 127.0.0.0/8
          - 168.63.129.16/32
          - 169.254.0.0/16
          - 172.16.0.0/12
          - 192.0.0.0/24
          - 192.0.2.0/24
          - 192.31.196.0/24
          - 192.52.193.0/24
          - 192.88.99.0/24
          - 192.168.0.0/16
          - 192.175.48.0/24
          - 198.18.0.0/15
          - 198.51.100.0/24
          - 203.0.113.0/24
          - 224.0.0.0/4
          - 240.0.0.0/4
    # Global unicast: private, link-local and mapped addresses are outside of it.
    - ipBlock:
        cidr: 2000::/3
        except:
          - 2001::/23
          - 2001:db8::/32
          - 2002::/16
          - 2620:4f:8000::/48
          - 3fff::/20
  ports:
    - { protocol: TCP, port: 1, endPort: 65535 }
{{- end -}}

{{- /* An Ingress to the API: (list $ <name> <hosts> <values>). */ -}}
{{- define "unified-calendar.ingress" -}}
{{- $root := index . 0 -}}
{{- $hosts := index . 2 -}}
{{- $values := index . 3 -}}
{{- $service := printf "%s-api" (include "unified-calendar.name" $root) }}
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata:
  name: {{ index . 1 }}
  namespace: {{ $root.Release.Namespace }}
  labels:
    {{- include "unified-calendar.labels" (list $root "api") | nindent 4 }}
  {{- with $values.annotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
spec:
  {{- with $values.className }}
  ingressClassName: {{ . }}
  {{- end }}
  {{- with $values.tlsSecretName }}
  tls:
    - secretName: {{ . }}
      hosts:
        {{- toYaml $hosts | nindent 8 }}
  {{- end }}
  rules:
    {{- range $hosts }}
    - host: {{ . | quote }}
      http:
        paths:
          - path: /
            pathType: Prefix
            backend:
              service:
                name: {{ $service }}
                port: { name: http }
    {{- end }}
{{- end -}}
