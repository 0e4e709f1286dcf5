{{- define "stakegraph.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 40 | trimSuffix "-" -}}
{{- end -}}

{{- define "stakegraph.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 40 | trimSuffix "-" -}}
{{- else if contains (include "stakegraph.name" .) .Release.Name -}}
{{- .Release.Name | trunc 40 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name (include "stakegraph.name" .) | trunc 40 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{/* Labels that select the pods of a component. Input: a list of the root and the component. */}}
{{- define "stakegraph.selector" -}}
{{- $root := index . 0 -}}
app.kubernetes.io/name: {{ include "stakegraph.name" $root }}
app.kubernetes.io/instance: {{ $root.Release.Name }}
app.kubernetes.io/component: {{ index . 1 }}
{{- end -}}

{{- define "stakegraph.labels" -}}
{{- $root := index . 0 -}}
{{ include "stakegraph.selector" . }}
app.kubernetes.io/version: {{ $root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ $root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" $root.Chart.Name $root.Chart.Version | replace "+" "_" }}
{{- end -}}

{{- define "stakegraph.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end -}}

{{/* The keys of the secret, in JSON. */}}
{{- define "stakegraph.keys" -}}
{{- if .Values.secret.existing -}}{{- toJson .Values.secret.keys -}}{{- else -}}{{- keys .Values.secret.values | sortAlpha | toJson -}}{{- end -}}
{{- end -}}

{{- define "stakegraph.checkSecret" -}}
{{- $keys := include "stakegraph.keys" . | fromJsonArray -}}
{{- if not (has "DATABASE_URL" $keys) -}}
{{- fail "The database is missing: set secret.values.DATABASE_URL, or secret.existing to the name of a Secret with the key DATABASE_URL and list the key in secret.keys." -}}
{{- end -}}
{{- if and .Values.index.enabled (not (has "BEACON_URL" $keys)) -}}
{{- fail "index.enabled needs the key BEACON_URL in the secret, with the URLs of beacon nodes." -}}
{{- end -}}
{{- if and .Values.mirror.enabled (not (has "UPSTREAM_TOKEN" $keys)) -}}
{{- fail "mirror.enabled needs the key UPSTREAM_TOKEN in the secret, with the token of the other service." -}}
{{- end -}}
{{- end -}}

{{/* Those of the given keys that the secret has, in JSON. Input: a list of the root and the keys. */}}
{{- define "stakegraph.keysOf" -}}
{{- $root := index . 0 -}}
{{- $all := include "stakegraph.keys" $root | fromJsonArray -}}
{{- $found := list -}}
{{- range index . 1 -}}{{- if has . $all -}}{{- $found = append $found . -}}{{- end -}}{{- end -}}
{{- toJson $found -}}
{{- end -}}

{{/*
The pod of a process. Input: root, component (also the name of its values), args, keys of the secret, env, and optionally
secretName, probes, ports, tmpSize, claim, settings, restartPolicy, graceSeconds, resources. The claim is for /backups.
*/}}
{{- define "stakegraph.pod" -}}
{{- $root := .root -}}
{{- $keys := include "stakegraph.keysOf" (list $root .keys) | fromJsonArray -}}
{{- $all := include "stakegraph.keys" $root | fromJsonArray -}}
{{- $ownDatabase := printf "%s_DATABASE_URL" (upper .component) -}}
serviceAccountName: {{ $root.Values.serviceAccountName }}
automountServiceAccountToken: false
enableServiceLinks: false
{{- with $root.Values.imagePullSecrets }}
imagePullSecrets: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .restartPolicy }}
restartPolicy: {{ . }}
{{- end }}
{{- $placed := index $root.Values .component }}
{{- with $placed.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- with $placed.nodeSelector }}
nodeSelector: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $placed.tolerations }}
tolerations: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $placed.affinity }}
affinity: {{- toYaml . | nindent 2 }}
{{- end }}
terminationGracePeriodSeconds: {{ .graceSeconds | default 40 }}
securityContext: {{- toYaml $root.Values.podSecurityContext | nindent 2 }}
containers:
  - name: {{ .component }}
    image: {{ include "stakegraph.image" $root | quote }}
    imagePullPolicy: {{ $root.Values.image.pullPolicy }}
    args: {{- toYaml (concat (list "node" "dist/main.js") .args) | nindent 6 }}
    securityContext:
      allowPrivilegeEscalation: false
      readOnlyRootFilesystem: true
      capabilities: { drop: [ALL] }
    {{- if .settings }}
    envFrom:
      - configMapRef: { name: {{ include "stakegraph.fullname" $root }} }
    {{- end }}
    env:
      {{- range $keys }}
      - { name: {{ . }}_FILE, value: /run/secrets/stakegraph/{{ . }} }
      {{- end }}
      {{- range $name, $value := .env }}
      - { name: {{ $name }}, value: {{ $value | quote }} }
      {{- end }}
      {{- with $root.Values.extraEnv }}{{- toYaml . | nindent 6 }}{{- end }}
    {{- with .ports }}
    ports: {{- toYaml . | nindent 6 }}
    {{- end }}
    {{- with .probes }}{{- toYaml . | nindent 4 }}{{- end }}
    resources: {{- toYaml .resources | nindent 6 }}
    volumeMounts:
      - { name: secret, mountPath: /run/secrets/stakegraph, readOnly: true }
      {{- if .tmpSize }}
      - { name: tmp, mountPath: /tmp }
      {{- end }}
      {{- if .claim }}
      - { name: backups, mountPath: /backups }
      {{- end }}
      {{- with $root.Values.extraVolumeMounts }}{{- toYaml . | nindent 6 }}{{- end }}
volumes:
  - name: secret
    secret:
      secretName: {{ $root.Values.secret.existing | default .secretName | default (include "stakegraph.fullname" $root) }}
      defaultMode: 0440
      items:
        {{- range $keys }}
        - { key: {{ ternary $ownDatabase . (and (eq . "DATABASE_URL") (has $ownDatabase $all)) }}, path: {{ . }} }
        {{- end }}
  {{- with .tmpSize }}
  - name: tmp
    emptyDir: { sizeLimit: {{ . }} }
  {{- end }}
  {{- with .claim }}
  - name: backups
    persistentVolumeClaim: { claimName: {{ . }} }
  {{- end }}
  {{- with $root.Values.extraVolumes }}{{- toYaml . | nindent 2 }}{{- end }}
{{- end -}}
