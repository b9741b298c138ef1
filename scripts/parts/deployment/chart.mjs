import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments, stringify } from 'yaml';
import { MONITORING_VALUES, monitoringOfChart } from './monitoring.mjs';

const SOURCE = 'k8s/base';
const NOTICE = '# Generated from k8s/base by `npm run generate-deployment`: edit that, and generate it again.\n';
/** The key of each process in values.yaml. */
const VALUES_OF = {
  api: 'api',
  'carrier-poller': 'carrierPoller',
  'webhook-dispatcher': 'webhookDispatcher',
  migrate: 'migrate',
};

/** The files of the Helm chart by their path in it. */
export function chartFiles(root) {
  const read = (path) => readFileSync(join(root, SOURCE, path), 'utf8');
  const [{ resources, configMapGenerator, labels }] = documentsOf(read('kustomization.yaml'));
  const { version, name } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const manifests = Object.fromEntries(resources.map((path) => [path, documentsOf(read(path))]));
  const templates = Object.entries(manifests).map(([path, documents]) => [
    `templates/${path}`,
    NOTICE + switched(path, documents.map((manifest) => templateOf(manifest, labels[0].pairs)).join('---\n')),
  ]);
  const values = valuesOf(Object.values(manifests).flat(), configMapGenerator[0].literals, version);
  return {
    'Chart.yaml': NOTICE + stringify(chartOf(name, version)),
    'values.yaml': NOTICE + valuesText(values),
    'values.schema.json': schemaText(values),
    'templates/config-map.yaml': NOTICE + configMap(configMapGenerator[0].name, labels[0].pairs),
    ...Object.fromEntries(templates),
    ...monitoringOfChart(root),
  };
}

const documentsOf = (text) => parseAllDocuments(text).map((document) => document.toJS());

const chartOf = (name, version) => ({
  apiVersion: 'v2',
  name,
  description: 'Parcel Tracking Service: API, carrier poller and webhook dispatcher',
  type: 'application',
  version,
  appVersion: version,
  kubeVersion: '>=1.30.0-0',
});

/** The defaults of the values, by parts, each with what to know about it. */
function valuesOf(manifests, literals, version) {
  const ofProcesses = manifests.flatMap((manifest) => {
    const pod = manifest.spec?.template?.spec;
    if (pod === undefined) return [];
    const { name, resources } = pod.containers[0];
    const { replicas } = manifest.spec;
    const { terminationGracePeriodSeconds } = pod;
    const grace = terminationGracePeriodSeconds && { terminationGracePeriodSeconds };
    return [[VALUES_OF[name], { ...(replicas !== undefined && { replicas }), ...grace, resources }]];
  });
  const images = Object.fromEntries(
    manifests.flatMap((manifest) =>
      (manifest.spec?.template?.spec?.containers ?? []).map(({ image }) => [imageKey(image), `${image}:${version}`]),
    ),
  );
  const [autoscaler] = manifests.filter(({ kind }) => kind === 'HorizontalPodAutoscaler');
  const { minReplicas, maxReplicas } = autoscaler.spec;
  const processes = Object.fromEntries(ofProcesses);
  processes.api = { minReplicas, maxReplicas, ...processes.api };
  return [
    [
      [
        'The Secret that you create, whose keys are settings: k8s/README.md lists them. Those with the credentials of providers and',
        'the address for migrations have this name with -providers and -migrate. PostgreSQL and Redis are yours.',
      ],
      { existingSecret: 'parcel-tracking' },
    ],
    [['Whole references: with a tag or a digest, from any registry.'], { images }],
    [
      [
        'Every setting of .env.example that is not secret. PUBLIC_BASE_URL and PROVIDERS are the first ones to add.',
        'People sign in to the console with an OpenID Connect provider (docs/authentication.md#for-operators) by the following, and',
        'OIDC_CLIENT_SECRET in the Secret:',
        '  OIDC_ISSUER: https://login.microsoftonline.com/TENANT_ID/v2.0',
        '  OIDC_CLIENT_ID: …',
        '  OIDC_NAME: Microsoft',
      ],
      { config: Object.fromEntries(literals.map((literal) => literal.split(/=(.*)/s).slice(0, 2))) },
    ],
    [
      [
        'Without replicas (null), something else owns the number of pods, such as KEDA. Of the API, its autoscaler does.',
        'A pod is killed after terminationGracePeriodSeconds: raise them with SHUTDOWN_TIMEOUT_SECONDS.',
      ],
      processes,
    ],
    [['Of every resource and of every pod.'], { labels: {}, podLabels: {}, podAnnotations: {} }],
    [
      ['Further parts of every pod: imagePullSecrets, nodeSelector, tolerations, priorityClassName, …'],
      { podSpec: {} },
    ],
    [['Of every container.'], { extraEnv: [], extraVolumes: [], extraVolumeMounts: [] }],
    [['A ConfigMap with ca.crt, an authority that the processes trust besides the public ones.'], { caBundle: '' }],
    [[], { networkPolicies: true }],
    [
      [
        'For the Prometheus Operator, whose resources the cluster must know. kube-prometheus-stack also needs labels: { release: … }.',
        'With podMonitor, pods have no prometheus.io annotations. runbooksUrl is where your operators read docs/runbooks.md.',
      ],
      MONITORING_VALUES,
    ],
  ];
}

function valuesText(parts) {
  return parts
    .map(([about, values]) => `\n${about.map((line) => `# ${line}\n`).join('')}${stringify(values)}`)
    .join('');
}

const mapOf = (...types) => ({ type: 'object', additionalProperties: { type: types } });
const AMOUNTS = mapOf('string', 'number');
/** Schemas that the defaults of values do not tell, by the name of the value. */
const TYPES = {
  config: { ...mapOf('string', 'number', 'boolean'), propertyNames: { pattern: '^[A-Z][A-Z0-9_]*$' } },
  labels: mapOf('string'),
  podLabels: mapOf('string'),
  podAnnotations: mapOf('string'),
  podSpec: { type: 'object' },
  resources: {
    type: 'object',
    properties: { requests: AMOUNTS, limits: AMOUNTS, claims: { type: 'array' } },
    additionalProperties: false,
  },
  replicas: { type: ['integer', 'null'], minimum: 0 },
};

/** values.schema.json, by which Helm refuses a name that is misspelt and a value of another type than its default. */
function schemaText(parts) {
  const { properties, ...root } = typeOf(Object.assign({}, ...parts.map(([, values]) => values)));
  // Helm passes `global` to each chart.
  const schema = { ...root, properties: { global: { type: 'object' }, ...properties } };
  return `${JSON.stringify({ $schema: 'http://json-schema.org/draft-07/schema#', ...schema }, null, 2)}\n`;
}

function typeOf(value) {
  if (Array.isArray(value)) return { type: 'array', items: { type: 'object' } };
  if (typeof value === 'number') return { type: 'integer', minimum: 1 };
  if (typeof value !== 'object') return { type: typeof value };
  const properties = Object.entries(value).map(([name, each]) => [name, TYPES[name] ?? typeOf(each)]);
  return { type: 'object', additionalProperties: false, properties: Object.fromEntries(properties) };
}

const imageKey = (image) => VALUES_OF[image.replace(/^.*\//, '')] ?? 'admin';

/** A part of the chart that can be turned off. */
function switched(path, text) {
  return path === 'network-policies.yaml' ? `{{- if .Values.networkPolicies }}\n${text}{{- end }}\n` : text;
}

function configMap(name, pairs) {
  return `apiVersion: v1
kind: ConfigMap
metadata:
  name: ${name}
  labels:
${Object.entries(pairs)
  .map(([key, value]) => `    ${key}: ${value}\n`)
  .join('')}    {{- with .Values.labels }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
data:
  {{- range $name, $value := .Values.config }}
  {{ $name }}: {{ kindIs "string" $value | ternary $value (toJson $value) | quote }}
  {{- end }}
`;
}

/** A list item, an entry or a value of the YAML document that is replaced by a template once the document is text. */
const PLACE = /^( *)(?:- )?(?:(\S+): )?TEMPLATE(\d+)(?:: "")?$/gm;

function templateOf(manifest, pairs) {
  const templates = [];
  const place = (template) => `TEMPLATE${templates.push(template) - 1}`;
  const text = stringify(withPlaces(structuredClone(manifest), pairs, place), { lineWidth: 0 });
  return text.replace(PLACE, (_line, indent, key, index) => templates[index](indent, key));
}

/** `key: {{ value }}`, on one line. */
const value = (expression) => (indent, key) => `${indent}${key}: {{ ${expression} }}`;
/** Go prints numbers from 1,000,000 on as 1e+06, which Kubernetes takes for no whole number. */
const number = (path) => value(`toJson .Values.${path}`);
/** An object below a key. */
const object = (path) => (indent, key) =>
  `${indent}${key}: {{- toYaml .Values.${path} | nindent ${indent.length + 2} }}`;
/** Items or entries, if there are any. */
const more = (path) => (indent) =>
  block(indent, `with .Values.${path}`, [`{{- toYaml . | nindent ${indent.length} }}`]);
/** Lines, if a value is set. */
const lines = (path, text) => (indent) => block(indent, `with .Values.${path}`, text);
/** No pods (0) is a number, too: only null leaves it to another owner. */
const replicas = (path) => (indent) =>
  block(indent, `if not (kindIs "invalid" .Values.${path})`, [`replicas: {{ toJson .Values.${path} }}`]);
/** Annotations of a pod that has none of its own. */
const annotations = (indent) =>
  block(indent, 'with .Values.podAnnotations', ['annotations:', `  {{- toYaml . | nindent ${indent.length + 2} }}`]);
/** Only without a pod monitor, beside which each figure would be collected twice. */
const scraped = (given) => (indent) =>
  block(indent, 'if not .Values.monitoring.podMonitor', stringify(given).trimEnd().split('\n'));
/** Variables of a container, if there are any. */
const variables = (indent) =>
  block(indent, 'if or .Values.caBundle .Values.extraEnv', [
    'env:',
    '  {{- if .Values.caBundle }}',
    '  - name: NODE_EXTRA_CA_CERTS',
    '    value: /etc/parcel-tracking/ca.crt',
    '  {{- end }}',
    '  {{- with .Values.extraEnv }}',
    `  {{- toYaml . | nindent ${indent.length + 2} }}`,
    '  {{- end }}',
  ]);
const block = (indent, condition, text) =>
  [`{{- ${condition} }}`, ...text, '{{- end }}'].map((line) => indent + line).join('\n');

function withPlaces(manifest, pairs, place) {
  const { metadata, spec } = manifest;
  metadata.labels = { ...pairs, ...metadata.labels, [place(more('labels'))]: '' };
  // Argo CD understands Helm's hooks, too.
  delete metadata.annotations;
  const component = metadata.labels['app.kubernetes.io/component'];
  if (component === 'migrate') {
    metadata.annotations = {
      'helm.sh/hook': 'pre-install,pre-upgrade',
      'helm.sh/hook-weight': manifest.kind === 'Job' ? '-1' : '-2',
      'helm.sh/hook-delete-policy': 'before-hook-creation',
    };
    metadata.name = 'parcel-tracking-migrate';
  }
  if (manifest.kind === 'HorizontalPodAutoscaler') {
    spec.minReplicas = place(number('api.minReplicas'));
    spec.maxReplicas = place(number('api.maxReplicas'));
  }
  if (spec?.replicas !== undefined) {
    const path = `${VALUES_OF[component]}.replicas`;
    const given = Object.entries(spec).filter(([key]) => key !== 'replicas');
    manifest.spec = { [place(replicas(path))]: '', ...Object.fromEntries(given) };
  }
  if (spec?.template) podPlaces(spec.template, place);
  return manifest;
}

function podPlaces({ metadata, spec: pod }, place) {
  const [container] = pod.containers;
  metadata.labels[place(more('podLabels'))] = '';
  if (metadata.annotations === undefined) metadata[place(annotations)] = '';
  else
    metadata.annotations = {
      [place(scraped(metadata.annotations))]: '',
      ...(container.envFrom.some(({ configMapRef }) => configMapRef) && {
        'checksum/config': place(value('toYaml .Values.config | sha256sum')),
      }),
      [place(more('podAnnotations'))]: '',
    };
  pod[place(more('podSpec'))] = '';
  container.image = place(value(`.Values.images.${imageKey(container.image)}`));
  if (pod.terminationGracePeriodSeconds !== undefined)
    pod.terminationGracePeriodSeconds = place(number(`${VALUES_OF[container.name]}.terminationGracePeriodSeconds`));
  container.resources = place(object(`${VALUES_OF[container.name]}.resources`));
  for (const { secretRef } of container.envFrom) {
    const suffix = secretRef?.name.replace('parcel-tracking', '');
    if (secretRef) secretRef.name = place((indent, key) => `${value('.Values.existingSecret')(indent, key)}${suffix}`);
  }
  container[place(variables)] = '';
  const ca = (...text) => place(lines('caBundle', text));
  container.volumeMounts.push(
    ca('- name: ca', '  mountPath: /etc/parcel-tracking', '  readOnly: true'),
    place(more('extraVolumeMounts')),
  );
  pod.volumes.push(ca('- name: ca', '  configMap: { name: {{ . }} }'), place(more('extraVolumes')));
}
