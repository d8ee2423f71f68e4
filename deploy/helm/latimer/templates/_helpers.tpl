{{/* The operator takes names of at most 45 characters, of which a blue-green deployment needs six for "-green". */}}
{{- define "latimer.name" -}}
{{- $name := .Values.fullnameOverride | default .Release.Name | trunc 39 | trimSuffix "-" -}}
{{- if not (regexMatch "^[a-z]([a-z0-9-]*[a-z0-9])?$" $name) -}}
{{- fail (printf "'%s' cannot name a FlinkDeployment: set fullnameOverride to a letter, then letters, digits and hyphens" $name) -}}
{{- end -}}
{{- $name -}}
{{- end -}}

{{/* A number or text as text: numbers of files are floating point, and a large one would have an exponent. */}}
{{- define "latimer.text" -}}
{{- if and (kindIs "float64" .) (eq (floor .) .) -}}
{{- int64 . -}}
{{- else -}}
{{- . -}}
{{- end -}}
{{- end -}}

{{- define "latimer.serviceAccount" -}}
{{- .Values.serviceAccount.name | default (ternary (include "latimer.name" .) "default" .Values.serviceAccount.create) -}}
{{- end -}}

{{/* Without an account of its own, a task manager has no more than its namespace gives to everyone. */}}
{{- define "latimer.taskManagerAccount" -}}
{{- $account := .Values.taskManager.serviceAccount -}}
{{- $account.name | default (ternary (printf "%s-taskmanager" (include "latimer.name" .)) "default" $account.create) -}}
{{- end -}}

{{- define "latimer.image" -}}
{{- if .Values.image.digest -}}
{{ .Values.image.repository }}@{{ .Values.image.digest }}
{{- else -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default (printf "%s-%s" .Chart.AppVersion .Values.device) }}
{{- end -}}
{{- end -}}

{{- define "latimer.labels" -}}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
app.kubernetes.io/name: latimer
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end -}}

{{- define "latimer.jobFile" -}}
{{- .Values.jobFile | default (.Files.Get (printf "files/job-%s.yaml" .Values.device)) -}}
{{- end -}}

{{- define "latimer.models" -}}
# A model a line: SHA-256, file name, address.
{{ range .Values.models -}}
{{ .sha256 }} {{ .name }} {{ .url }}
{{ end -}}
{{- end -}}

{{/* Selects the pods that Flink starts for the job; a blue-green deployment has two clusters of its own names. */}}
{{- define "latimer.pods" -}}
{{- if .Values.blueGreen.enabled -}}
matchLabels:
  type: flink-native-kubernetes
matchExpressions:
  - key: app
    operator: In
    values: [{{ include "latimer.name" . }}-blue, {{ include "latimer.name" . }}-green]
{{- else -}}
matchLabels:
  app: {{ include "latimer.name" . }}
  type: flink-native-kubernetes
{{- end -}}
{{- end -}}

{{- define "latimer.restricted" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end -}}
