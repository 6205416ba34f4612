{{- define "podium.labels" -}}
app.kubernetes.io/name: podium
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Values.image.tag | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}

{{- define "podium.selector" -}}
app.kubernetes.io/name: podium
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- end }}

{{/* Pod of one process. Arguments: root, component, command, resources, references, probe. */}}
{{- define "podium.pod" -}}
automountServiceAccountToken: false
enableServiceLinks: false
terminationGracePeriodSeconds: 60
securityContext:
  runAsNonRoot: true
  # The user of the image, by its number: a name is not accepted as one that is not root.
  runAsUser: 10001
  runAsGroup: 10001
  fsGroup: 10001
  seccompProfile: {type: RuntimeDefault}
{{- with .root.Values.image.pullSecrets }}
imagePullSecrets: {{ toJson . }}
{{- end }}
{{- with .root.Values.nodeSelector }}
nodeSelector: {{ toJson . }}
{{- end }}
{{- with .root.Values.tolerations }}
tolerations: {{ toJson . }}
{{- end }}
containers:
  - name: {{ .component }}
    image: {{ printf "%s:%s" .root.Values.image.repository .root.Values.image.tag | quote }}
    imagePullPolicy: {{ .root.Values.image.pullPolicy }}
    command: {{ toJson .command }}
    envFrom:
      - configMapRef: {name: {{ .root.Release.Name }}-settings}
      - secretRef: {name: {{ .root.Values.secrets.platform }}}
      {{- if .references }}
      - secretRef: {name: {{ .root.Values.secrets.references }}}
      {{- end }}
    resources: {{ toJson .resources }}
    securityContext:
      allowPrivilegeEscalation: false
      readOnlyRootFilesystem: true
      capabilities: {drop: [ALL]}
    {{- with .probe }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
    {{- if .port }}
    ports: [{name: http, containerPort: {{ .port }}}]
    {{- end }}
    volumeMounts:
      - {name: data, mountPath: /data}
      - {name: tmp, mountPath: /tmp}
volumes:
  - name: data
    emptyDir: {sizeLimit: {{ .root.Values.scratch.size }}}
  - name: tmp
    emptyDir: {medium: Memory, sizeLimit: 256Mi}
{{- end }}
