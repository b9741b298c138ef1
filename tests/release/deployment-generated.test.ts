import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import manifest from '../../package.json' with { type: 'json' };
import { renderChart } from '../deployment/helm.ts';
import { kustomization, render } from '../deployment/kustomize.ts';
import { containers, type Manifest, ofKind, pods, secretsOf } from '../deployment/manifest.ts';
import { filesIn, parseYaml, read } from '../deployment/repository.ts';
import { schemaFaults } from '../deployment/schema.ts';

type Resource = { kind: string; spec: object };

const ROOT = join(import.meta.dirname, '../..');
const CHART = 'k8s/chart';

test('the chart, the dashboards and the rule file are what `npm run generate-deployment` writes', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'pts-deployment-'));
  try {
    await promisify(execFile)(process.execPath, [join(ROOT, 'scripts/generate-deployment.mjs'), folder]);
    const made = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) =>
      /\.(yaml|json)$/.test(path),
    );
    const committed = ['chart', 'dashboards', 'prometheus'].flatMap((name) => filesIn(`k8s/${name}`));
    expect(made.map((path) => join('k8s', path)).sort()).toEqual(committed.sort());
    for (const path of made) expect(readFileSync(join(folder, path), 'utf8')).toBe(read(join('k8s', path)));
  } finally {
    rmSync(folder, { recursive: true });
  }
});

/** Apart from what Helm and kustomize do in ways of their own: labels, hooks, and new pods after a changed setting. */
function comparable(manifests: Manifest[]): Record<string, unknown> {
  return Object.fromEntries(
    structuredClone(manifests).map((one) => {
      const { kind, metadata } = one;
      const name = metadata.name.replace(/^(parcel-tracking-migrate)-.*/, '$1');
      for (const template of pods([one])) delete template.metadata.annotations?.['checksum/config'];
      return [`${kind} ${name}`, { ...one, metadata: { name } }];
    }),
  );
}

test('its defaults are k8s/base', () => {
  const images = (kustomization('k8s/overlays/prod').images ?? []).map(({ name }) => ({
    name,
    newTag: manifest.version,
  }));
  const base = render('k8s/base', { ...kustomization('k8s/base'), images });
  expect(comparable(renderChart(CHART))).toEqual(comparable(base));
  expect(renderChart(CHART).flatMap(schemaFaults)).toEqual([]);
});

const DIGEST = `@sha256:${'0123456789abcdef'.repeat(4)}`;
const image = (name: string) => `registry.internal:5000/pts/${name}${DIGEST}`;

describe('with every option on', () => {
  const replicas = { replicas: null };
  const resources = { requests: { cpu: '1' }, limits: { memory: '1Gi' } };
  const manifests = renderChart(CHART, {
    existingSecret: 'ours',
    images: {
      admin: image('admin'),
      api: image('api'),
      carrierPoller: image('carrier-poller'),
      webhookDispatcher: image('webhook-dispatcher'),
    },
    config: { PROVIDERS: 'ups', PUBLIC_BASE_URL: 'https://track.example.com' },
    api: { minReplicas: 4, maxReplicas: 8, resources },
    carrierPoller: { ...replicas, resources },
    webhookDispatcher: { ...replicas, resources },
    labels: { release: 'kube-prometheus-stack' },
    podLabels: { team: 'logistics' },
    podAnnotations: { 'example.com/note': 'ours' },
    podSpec: { priorityClassName: 'high', imagePullSecrets: [{ name: 'registry' }] },
    extraEnv: [{ name: 'TZ', value: 'UTC' }],
    extraVolumes: [{ name: 'more', emptyDir: {} }],
    extraVolumeMounts: [{ name: 'more', mountPath: '/more' }],
    caBundle: 'authority',
    networkPolicies: false,
    monitoring: { podMonitor: true, prometheusRule: true, runbooksUrl: 'https://wiki.example.com/runbooks' },
  });

  test('it is accepted by Kubernetes, field by field', () => {
    expect(manifests.flatMap(schemaFaults)).toEqual([]);
    for (const { metadata } of manifests) expect(metadata.name).toMatch(/^[a-z0-9]([-.a-z0-9]{0,61}[a-z0-9])?$/);
  });

  test('every option reaches every pod', () => {
    for (const { metadata, spec } of pods(manifests)) {
      expect(metadata.labels.team).toBe('logistics');
      expect(metadata.annotations).toMatchObject({ 'example.com/note': 'ours' });
      expect(spec).toMatchObject({ priorityClassName: 'high', imagePullSecrets: [{ name: 'registry' }] });
      expect(spec.volumes.map(({ name }) => name)).toEqual(['tmp', 'ca', 'more']);
    }
    for (const container of containers(manifests)) {
      expect(container.image).toMatch(/^registry\.internal:5000\/pts\/[a-z-]+@sha256:[0-9a-f]{64}$/);
      expect(container.env).toEqual([
        { name: 'NODE_EXTRA_CA_CERTS', value: '/etc/parcel-tracking/ca.crt' },
        { name: 'TZ', value: 'UTC' },
      ]);
      expect(secretsOf(container)[0]).toBe('ours');
      expect(container.volumeMounts.map(({ mountPath }) => mountPath)).toEqual([
        ...['/tmp', '/etc/parcel-tracking', '/more'],
      ]);
    }
    for (const { metadata } of manifests) expect(metadata.labels?.release).toBe('kube-prometheus-stack');
  });

  test('the number of pods has another owner, and the network policies too', () => {
    for (const { spec } of ofKind(manifests, 'Deployment')) expect(spec.replicas).toBeUndefined();
    expect(ofKind(manifests, 'HorizontalPodAutoscaler')[0]?.spec).toMatchObject({ minReplicas: 4, maxReplicas: 8 });
    expect(ofKind(manifests, 'NetworkPolicy')).toEqual([]);
  });
});

test('with an operator of Prometheus, the chart has the pod monitor and the rules, with the runbooks of the values', () => {
  const monitoring = { podMonitor: true, prometheusRule: true, runbooksUrl: 'https://wiki.example.com/runbooks' };
  const manifests = renderChart(CHART, { monitoring }) as Resource[];
  const specOf = (kind: string) => manifests.find((manifest) => manifest.kind === kind)?.spec;
  const own = (path: string) => parseYaml<Resource>(path)[0]?.spec;
  expect(specOf('PodMonitor')).toEqual(own('k8s/pod-monitors.yaml'));
  // Else it would collect every figure twice.
  const annotated = (all: Manifest[]) =>
    pods(all).filter(({ metadata }) => metadata.annotations?.['prometheus.io/scrape']);
  expect([annotated(manifests as Manifest[]), annotated(renderChart(CHART)).length]).toEqual([[], 3]);
  const rules = JSON.stringify(own('k8s/alerts.yaml'));
  expect(specOf('PrometheusRule')).toEqual(
    JSON.parse(rules.replaceAll('https://example.com/parcel-tracking/docs/runbooks.md', monitoring.runbooksUrl)),
  );
});

test('the migration is a hook before everything else, and so is its account', () => {
  const hooks = renderChart(CHART).filter(({ metadata }) => metadata.annotations?.['helm.sh/hook'] !== undefined);
  expect(
    hooks.map(({ kind, metadata }) => [kind, metadata.name, metadata.annotations?.['helm.sh/hook-weight']]),
  ).toEqual([
    ['ServiceAccount', 'parcel-tracking-migrate', '-2'],
    ['Job', 'parcel-tracking-migrate', '-1'],
  ]);
});

test('numbers arrive as they are: no pods at all, and those that Go prints as 1e+06', () => {
  const manifests = renderChart(CHART, {
    webhookDispatcher: { replicas: 0, terminationGracePeriodSeconds: 2_000_000 },
    config: { QUOTA_PRO: 1_000_000, OTEL_TRACES_SAMPLER_ARG: 0.5, STANDBY: false, LOG_LEVEL: 'info' },
  });
  const [dispatcher] = ofKind(manifests, 'Deployment').filter(({ spec }) => spec.replicas === 0);
  expect(dispatcher?.spec.template.spec.terminationGracePeriodSeconds).toBe(2_000_000);
  const config = manifests.find(({ kind }) => (kind as string) === 'ConfigMap') as unknown as { data: object };
  expect(config.data).toMatchObject({
    ...{ QUOTA_PRO: '1000000', OTEL_TRACES_SAMPLER_ARG: '0.5', STANDBY: 'false', LOG_LEVEL: 'info' },
  });
});

test.each<[string, Record<string, unknown>]>([
  ['values must NOT have additional properties', { replicas: 3 }],
  ['values/api must NOT have additional properties', { api: { replicas: 3 } }],
  ['values/carrierPoller/replicas must be integer,null', { carrierPoller: { replicas: '3' } }],
  ['values/api/resources must NOT have additional properties', { api: { resources: { cpu: '1' } } }],
  ['values/monitoring/podMonitor must be boolean', { monitoring: { podMonitor: 'yes' } }],
  ['values/config must match pattern', { config: { logLevel: 'info' } }],
  ['values/extraEnv must be array', { extraEnv: { TZ: 'UTC' } }],
])('Helm refuses what it would not understand: %s', (fault, overrides) => {
  expect(() => renderChart(CHART, overrides)).toThrow(fault);
});
