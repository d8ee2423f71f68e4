{{/* The specification of a FlinkDeployment. */}}
{{- define "latimer.deployment" -}}
{{- $name := include "latimer.name" . -}}
{{- range $key, $value := .Values.flinkConfiguration -}}
{{- if hasPrefix "external-resource" $key -}}
{{- fail (printf "flinkConfiguration has %s: GPUs are asked for in the pod template, set device and gpu.count" $key) -}}
{{- end -}}
{{- end -}}
image: {{ include "latimer.image" . | quote }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
flinkVersion: {{ .Values.flinkVersion }}
mode: native
serviceAccount: {{ include "latimer.serviceAccount" . | quote }}
flinkConfiguration:
{{- $settings := dict
  "kubernetes.taskmanager.service-account" (include "latimer.taskManagerAccount" .)
  "execution.checkpointing.dir" (printf "%s/checkpoints" .Values.state.uri)
  "execution.checkpointing.savepoint-dir" (printf "%s/savepoints" .Values.state.uri)
  "execution.checkpointing.num-retained" "3"
  "execution.checkpointing.incremental" "true"
  "execution.checkpointing.externalized-checkpoint-retention" "RETAIN_ON_CANCELLATION"
  "state.backend.type" "rocksdb"
  "high-availability.type" "kubernetes"
  "high-availability.storageDir" (printf "%s/ha" .Values.state.uri)
  "taskmanager.memory.task.off-heap.size" .Values.taskManager.offHeap
  "taskmanager.memory.managed.fraction" "0.1"
  "taskmanager.numberOfTaskSlots" (include "latimer.text" .Values.taskManager.slots)
  "metrics.reporter.prom.factory.class" "org.apache.flink.metrics.prometheus.PrometheusReporterFactory"
  "metrics.reporter.prom.port" "9249"
  "metrics.reporter.prom.filterLabelValueCharacters" "false"
  "web.submit.enable" "false"
  "web.cancel.enable" "false"
  "web.rescale.enable" "false"
  "web.access-control-allow-origin" "http://localhost:8081"
  "kubernetes.operator.savepoint.history.max.count" "7"
  "kubernetes.operator.pod-template.merge-arrays-by-name" "true"
-}}
{{- with .Values.state.savepointInterval -}}
{{- $_ := set $settings "kubernetes.operator.periodic.savepoint.interval" . -}}
{{- end -}}
{{- range $key, $value := .Values.flinkConfiguration -}}
{{- $_ := set $settings $key (include "latimer.text" $value) -}}
{{- end -}}
{{- toYaml $settings | nindent 2 }}
logConfiguration:
  log4j-console.properties: |
    {{- .Files.Get "files/log4j-console.properties" | nindent 4 }}
podTemplate:
  metadata:
    labels:
      # Prometheus' label job, which the alerts look for
      app.kubernetes.io/name: latimer
    annotations:
      # a changed job file or list of models upgrades the job
      latimer.io/files: {{ printf "%s%s" (include "latimer.jobFile" .) (include "latimer.models" .) | sha256sum }}
  spec:
    {{- with .Values.topologyKey }}
    # a lost node takes as few pods along as it can
    topologySpreadConstraints:
      - maxSkew: 1
        topologyKey: {{ quote . }}
        whenUnsatisfiable: ScheduleAnyway
        labelSelector:
          {{- include "latimer.pods" $ | nindent 10 }}
    {{- end }}
    {{- with .Values.image.pullSecrets }}
    imagePullSecrets:
      {{- range . }}
      - name: {{ quote . }}
      {{- end }}
    {{- end }}
    securityContext:
      runAsNonRoot: true
      runAsUser: 9999
      runAsGroup: 9999
      fsGroup: 9999
      seccompProfile:
        type: RuntimeDefault
    initContainers:
      - name: fetch-models
        image: {{ include "latimer.image" . | quote }}
        command: [/usr/local/bin/fetch-models, /opt/flink/model-list/models.txt, /opt/flink/models]
        resources:
          requests: {cpu: 100m, memory: 64Mi}
          limits: {memory: 128Mi}
        securityContext:
          {{- include "latimer.restricted" . | nindent 10 }}
        volumeMounts:
          - {name: model-list, mountPath: /opt/flink/model-list, readOnly: true}
          - {name: models, mountPath: /opt/flink/models}
    containers:
      - name: flink-main-container
        env:
          - {name: XDG_CACHE_HOME, value: /tmp/cache}
          {{- with .Values.kafka.secret }}
          - name: KAFKA_PASSWORD
            valueFrom:
              secretKeyRef: {name: {{ quote . }}, key: password}
          {{- end }}
          {{- with .Values.state.secret }}
          - name: AWS_ACCESS_KEY_ID
            valueFrom:
              secretKeyRef: {name: {{ quote . }}, key: access-key, optional: true}
          - name: AWS_SECRET_ACCESS_KEY
            valueFrom:
              secretKeyRef: {name: {{ quote . }}, key: secret-key, optional: true}
          {{- end }}
        ports:
          - {name: metrics, containerPort: 9249}
        securityContext:
          {{- include "latimer.restricted" . | nindent 10 }}
        volumeMounts:
          - {name: job, mountPath: /opt/flink/job, readOnly: true}
          - {name: models, mountPath: /opt/flink/models, readOnly: true}
          {{- if .Values.kafka.caSecret }}
          - {name: kafka-ca, mountPath: /opt/flink/kafka-ca, readOnly: true}
          {{- end }}
          {{- if .Values.state.volume.enabled }}
          - {name: state, mountPath: /var/lib/latimer}
          {{- end }}
          - {name: tmp, mountPath: /tmp}
    volumes:
      - name: job
        configMap: {name: {{ $name }}-job}
      - name: model-list
        configMap: {name: {{ $name }}-models}
      - name: models
        emptyDir: {sizeLimit: 20Gi}
      - name: tmp
        emptyDir: {sizeLimit: 20Gi}
      {{- with .Values.kafka.caSecret }}
      - name: kafka-ca
        secret: {secretName: {{ quote . }}}
      {{- end }}
      {{- if .Values.state.volume.enabled }}
      - name: state
        persistentVolumeClaim: {claimName: {{ $name }}-state}
      {{- end }}
{{- with .Values.restartNonce }}
restartNonce: {{ int64 . }}
{{- end }}
jobManager:
  replicas: {{ int64 .Values.jobManager.replicas }}
  resource: {cpu: {{ .Values.jobManager.cpu }}, memory: {{ .Values.jobManager.memory }}}
  podTemplate:
    spec:
      containers:
        - name: flink-main-container
          {{- if eq .Values.device "gpu" }}
          env:
            # on a node whose default runtime is NVIDIA's, the image would have all of its GPUs
            - {name: NVIDIA_VISIBLE_DEVICES, value: void}
          {{- end }}
          startupProbe: {httpGet: {path: /config, port: 8081}, periodSeconds: 5, failureThreshold: 36}
          readinessProbe: {httpGet: {path: /config, port: 8081}, periodSeconds: 10, timeoutSeconds: 5}
          livenessProbe: {httpGet: {path: /config, port: 8081}, periodSeconds: 20, timeoutSeconds: 10, failureThreshold: 6}
taskManager:
  resource: {cpu: {{ .Values.taskManager.cpu }}, memory: {{ .Values.taskManager.memory }}}
  {{- $tolerations := .Values.taskManager.tolerations }}
  {{- if eq .Values.device "gpu" }}
  {{- $toleration := dict "key" .Values.gpu.resource "operator" "Exists" "effect" "NoSchedule" }}
  {{- $tolerations = prepend $tolerations $toleration }}
  {{- end }}
  podTemplate:
    spec:
      containers:
        - name: flink-main-container
          {{- if eq .Values.device "gpu" }}
          resources:
            limits: { {{- .Values.gpu.resource }}: {{ int64 .Values.gpu.count }}}
          {{- end }}
          # its RPC; that it also answers, the job manager's heartbeats find out
          startupProbe: {tcpSocket: {port: 6122}, periodSeconds: 5, failureThreshold: 36}
          readinessProbe: {tcpSocket: {port: 6122}, periodSeconds: 10}
          livenessProbe: {tcpSocket: {port: 6122}, periodSeconds: 20, failureThreshold: 6}
      {{- with $tolerations }}
      tolerations:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      {{- with .Values.taskManager.nodeSelector }}
      nodeSelector:
        {{- toYaml . | nindent 8 }}
      {{- end }}
job:
  jarURI: local:///opt/flink/usrlib/latimer.jar
  entryClass: io.latimer.pipelines.flink.TranslationJob
  args: [/opt/flink/job/job.yaml]
  parallelism: {{ int64 .Values.parallelism }}
  upgradeMode: {{ .Values.upgradeMode }}
  {{- with .Values.restore.savepoint }}
  initialSavepointPath: {{ quote . }}
  {{- end }}
  {{- with .Values.restore.nonce }}
  savepointRedeployNonce: {{ int64 . }}
  {{- end }}
  allowNonRestoredState: false
  state: running
{{- end -}}
