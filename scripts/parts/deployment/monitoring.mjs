import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';

const notice = (source) =>
  `# Generated from ${source} by \`npm run generate-deployment\`: edit that, and generate it again.\n`;
const ALERTS = 'k8s/alerts.yaml';
const MONITORS = 'k8s/pod-monitors.yaml';
/** Where the runbooks are, as long as nobody says where operators read them. */
const RUNBOOKS = 'https://example.com/parcel-tracking/docs/runbooks.md';

const read = (root, path) => parse(readFileSync(join(root, path), 'utf8'));

/** The rules as a file for a Prometheus without its operator. */
export function ruleFiles(root) {
  const { spec } = read(root, ALERTS);
  return { 'rules.yaml': notice(ALERTS) + stringify(spec, { lineWidth: 0 }) };
}

/**
 * Files that the chart adds for the Prometheus Operator. The rules are a file of their own, because they have templates
 * of Prometheus.
 */
export function monitoringOfChart(root) {
  return {
    ...ruleFiles(root),
    'templates/pod-monitor.yaml': resource(MONITORS, read(root, MONITORS), 'podMonitor', (spec) =>
      stringify({ spec }, { lineWidth: 0 }),
    ),
    'templates/prometheus-rule.yaml': resource(
      ALERTS,
      read(root, ALERTS),
      'prometheusRule',
      () => `spec:
  {{- .Files.Get "rules.yaml" | replace "${RUNBOOKS}" .Values.monitoring.runbooksUrl | nindent 2 }}
`,
    ),
  };
}

/** The values that turn it on. */
export const MONITORING_VALUES = { monitoring: { podMonitor: false, prometheusRule: false, runbooksUrl: RUNBOOKS } };

/** The label `release` of these files is one of a cluster: a value of the chart. */
function resource(source, { apiVersion, kind, metadata, spec }, option, textOf) {
  return `${notice(source)}{{- if .Values.monitoring.${option} }}
apiVersion: ${apiVersion}
kind: ${kind}
metadata:
  name: ${metadata.name}
  labels:
    app.kubernetes.io/name: ${metadata.labels['app.kubernetes.io/name']}
    {{- with .Values.labels }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
${textOf(spec)}{{- end }}
`;
}
