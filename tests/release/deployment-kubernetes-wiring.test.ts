import { PROVIDERS } from '@pts/carriers/providers/index';
import { settingsOf, verifiesCallbacks } from '@pts/carriers/providers/manifest';
import { METADATA_ADDRESSES } from '@pts/core/address/address-policy';
import { DEADLINES } from '@pts/db/connection/deadline';
import { WAITING } from '@pts/db/migrate/migrate';
import manifest from '../../package.json' with { type: 'json' };
import { secretKey } from '../../scripts/provider-files/render.ts';
import { kustomization, render } from '../deployment/kustomize.ts';
import {
  component,
  containers,
  environment,
  type Labels,
  ofKind,
  pods,
  selects,
  settings,
} from '../deployment/manifest.ts';
import { knownVariables, OF_EXPORTER, read } from '../deployment/repository.ts';
import { schemaFaults } from '../deployment/schema.ts';

const KEYS = PROVIDERS.flatMap(settingsOf).filter(({ secret }) => secret);

describe.each(['k8s/overlays/dev', 'k8s/overlays/prod'])('%s', (overlay) => {
  const manifests = render(overlay);
  const policies = ofKind(manifests, 'NetworkPolicy').map(({ spec }) => spec);

  /** The names of the ports of each pod that has these labels. */
  function portsOf(labels: Labels): string[][] {
    const found = pods(manifests).filter(({ metadata }) => selects(labels, metadata.labels));
    return found.map(({ spec }) => spec.containers.flatMap(({ ports }) => ports?.map(({ name }) => name) ?? []));
  }

  test('ports are those that the processes open, and metrics are scraped there', () => {
    for (const { metadata, spec } of pods(manifests)) {
      for (const container of spec.containers) {
        const { PORT, MANAGEMENT_PORT } = environment(manifests, container);
        const ports = (container.ports ?? []).map(({ name, containerPort }) => [name, String(containerPort)]);
        const expected = { http: PORT, management: MANAGEMENT_PORT };
        expect(ports).toEqual(ports.map(([name]) => [name, expected[name as keyof typeof expected]]));
        const scraped = ports.find(([name]) => name === 'management')?.[1];
        expect(metadata.annotations?.['prometheus.io/port']).toBe(scraped);
      }
    }
  });

  test('Deployments select and spread their own pods', () => {
    for (const { spec } of ofKind(manifests, 'Deployment')) {
      const { labels } = spec.template.metadata;
      expect(spec.selector.matchLabels).toEqual(labels);
      expect(portsOf(labels)).toHaveLength(1);
      for (const spread of spec.template.spec.topologySpreadConstraints ?? []) {
        expect(spread.labelSelector.matchLabels).toEqual(labels);
      }
    }
  });

  // kube-score calls the first critical, and warns of the second.
  test('images are pulled once, since their tags are fixed; replicas are spread over nodes without being tied to them', () => {
    for (const { imagePullPolicy } of containers(manifests)) expect(imagePullPolicy).toBeUndefined();
    for (const { spec } of ofKind(manifests, 'Deployment').filter((each) => (each.spec.replicas ?? 2) > 1)) {
      const { topologySpreadConstraints = [], affinity } = spec.template.spec;
      const spread = topologySpreadConstraints.map(({ topologyKey }) => topologyKey);
      expect([spread, affinity]).toEqual([['topology.kubernetes.io/zone', 'kubernetes.io/hostname'], undefined]);
    }
  });

  test('Services lead to one process, at one of its ports', () => {
    for (const { spec } of ofKind(manifests, 'Service')) {
      for (const { targetPort } of spec.ports) {
        expect(portsOf(spec.selector)).toEqual([expect.arrayContaining([targetPort])]);
      }
    }
  });

  test('network policies select pods, at ports these have', () => {
    for (const { podSelector, ingress = [], egress = [] } of policies) {
      const ports = portsOf(podSelector.matchLabels);
      expect(ports).not.toEqual([]);
      for (const { port } of [...ingress, ...egress].flatMap((rule) => rule.ports ?? [])) {
        expect(ports.flat()).toContain(port);
      }
    }
  });

  test('inbound traffic is denied by default: the API is open to all, the rest to the cluster', () => {
    const toAll = policies.filter((policy) =>
      pods(manifests).every(({ metadata }) => selects(policy.podSelector.matchLabels, metadata.labels)),
    );
    expect(toAll).toContainEqual(expect.objectContaining({ policyTypes: ['Ingress', 'Egress'], ingress: [] }));
    const open = policies.filter(({ ingress }) => ingress?.some(({ from }) => from === undefined));
    expect(open.map(({ podSelector, ingress }) => [portsOf(podSelector.matchLabels), ingress])).toEqual([
      [[['http', 'management']], [{ ports: [{ port: 'http', protocol: 'TCP' }] }]],
    ]);
  });

  test('no pod reaches a metadata address that the service itself refuses', () => {
    const blocks = policies.flatMap(({ egress }) => egress ?? []).flatMap(({ to }) => to ?? []);
    const wide = blocks.flatMap(({ ipBlock }) => ipBlock ?? []);
    expect(wide.map(({ cidr }) => cidr)).toEqual(['0.0.0.0/0', '::/0']);
    const refused = METADATA_ADDRESSES.map((address) => `${address}/${address.includes(':') ? 128 : 32}`);
    expect(wide.flatMap(({ except }) => except)).toEqual(refused);
  });

  test('the configuration knows every variable', () => {
    const used = containers(manifests).flatMap((container) => Object.keys(environment(manifests, container)));
    const known = knownVariables().add(OF_EXPORTER);
    expect([...new Set(used)].filter((name) => !known.has(name))).toEqual([]);
  });

  test('a provider’s keys are given to the poller, those that verify callbacks to the API, and each is optional', () => {
    const variables = new Set(KEYS.map(({ env }) => env));
    const holders = containers(manifests).flatMap((container) =>
      (container.env ?? []).flatMap(({ name, valueFrom }) =>
        variables.has(name) ? [[container.name, name, valueFrom?.secretKeyRef]] : [],
      ),
    );
    const reference = (key: string) => ({ name: 'parcel-tracking', key, optional: true });
    const held = (holder: string, keys: typeof KEYS) => keys.map((key) => [holder, key.env, reference(secretKey(key))]);
    expect(holders).toEqual([...held('api', KEYS.filter(verifiesCallbacks)), ...held('carrier-poller', KEYS)]);
    expect(Object.keys(settings(manifests)).filter((name) => variables.has(name))).toEqual([]);
  });

  test('the API and the poller get the same list of providers', () => {
    const on = (settings(manifests).PROVIDERS ?? '').split(',');
    expect(PROVIDERS.map(({ name }) => name)).toEqual(expect.arrayContaining(on));
    const informed = containers(manifests).filter(({ name }) => name === 'api' || name === 'carrier-poller');
    expect(informed.map((container) => environment(manifests, container).PROVIDERS?.split(','))).toEqual([on, on]);
  });

  test('every secret is one that the README lists, or a provider’s', () => {
    const [, command = ''] = read('k8s/README.md').match(/create secret generic (parcel-tracking [\s\S]*?)```/) ?? [];
    const created = Array.from(
      command.matchAll(/--from-literal=([a-z0-9-]+)=/g),
      ([, key]) => `parcel-tracking ${key}`,
    );
    const used = containers(manifests)
      .flatMap(({ env }) => env ?? [])
      .flatMap(({ valueFrom }) => valueFrom?.secretKeyRef ?? []);
    const ofProviders = KEYS.map(secretKey);
    const names = new Set(used.map(({ name, key }) => `${name} ${key}`));
    expect([...names]).toEqual(expect.arrayContaining(created));
    const optionalOnes = [
      'database-replica-url',
      'redis-limits-url',
      'webhook-proxy-url',
      'otel-exporter-otlp-headers',
    ];
    const further = [...ofProviders, ...optionalOnes].map((key) => `parcel-tracking ${key}`);
    expect([...names].filter((name) => !created.includes(name)).sort()).toEqual(
      further.filter((name) => !created.includes(name)).sort(),
    );
    const optional = used.filter((reference) => reference.optional).map(({ key }) => key);
    expect(new Set(optional)).toEqual(
      new Set([...ofProviders, 'migrate-database-url', 'callback-secret', ...optionalOnes]),
    );
  });

  test.each([
    ['the proxy of pushes', 'WEBHOOK_PROXY_URL', ['api', 'webhook-dispatcher']],
    ['the headers for the collector of traces', OF_EXPORTER, ['api', 'carrier-poller', 'webhook-dispatcher']],
  ])('%s may hold a password: a secret of those that use it', (_what, variable, users) => {
    const holders = containers(manifests).filter(({ env }) =>
      env?.some(({ name, valueFrom }) => name === variable && valueFrom?.secretKeyRef),
    );
    expect(holders.map(({ name }) => name).sort()).toEqual(users);
  });

  test('settings come from the existing ConfigMap; addresses in the cluster are those of Services', () => {
    const maps = ofKind(manifests, 'ConfigMap').map(({ metadata }) => metadata.name);
    const requested = containers(manifests).flatMap(({ envFrom }) => envFrom ?? []);
    expect(new Set(requested.map(({ configMapRef }) => configMapRef.name))).toEqual(new Set(maps));
    const { SANDBOX_URL } = settings(manifests);
    const hosts = ofKind(manifests, 'Service').map(({ metadata }) => metadata.name);
    if (SANDBOX_URL !== undefined) expect(hosts).toContain(new URL(SANDBOX_URL).hostname);
  });

  test('a release has its own migration, which can be applied before everything else', () => {
    const [job, ...others] = ofKind(manifests, 'Job');
    const [container] = job?.spec.template.spec.containers ?? [];
    const version = overlay.endsWith('dev') ? 'dev' : manifest.version;
    expect(others).toEqual([]);
    expect(job?.metadata.name).toBe(`parcel-tracking-migrate-${version}`);
    expect(container?.args).toEqual(['migrate']);
    expect(container?.envFrom).toBeUndefined();
    const alone = manifests.filter((one) => component(one) === 'migrate');
    expect(alone.map(({ kind, metadata }) => `${kind} ${metadata.name}`)).toEqual([
      `ServiceAccount ${job?.spec.template.spec.serviceAccountName}`,
      `Job ${job?.metadata.name}`,
    ]);
    // Argo CD applies them in this order, and would create a Job that its TTL has removed again, every day.
    expect(alone.map(({ metadata }) => metadata.annotations?.['argocd.argoproj.io/sync-wave'])).toEqual(['-2', '-1']);
    expect(job?.spec.ttlSecondsAfterFinished).toBeUndefined();
  });

  test('the migration has the time that its longest statement may take, and that it waits for locks', () => {
    const [job] = ofKind(manifests, 'Job');
    expect((job?.spec.activeDeadlineSeconds ?? 0) * 1000).toBeGreaterThan(DEADLINES.migration + WAITING.patienceMs);
  });
});

test('the name of the migration survives digests and registries with a port', () => {
  const layer = kustomization('k8s/overlays/prod');
  const images = layer.images?.map(({ name }) => ({
    name,
    newName: `registry.internal:5000/${name}`,
    digest: `sha256:${'0123456789abcdef'.repeat(4)}`,
  }));
  const manifests = render('k8s/overlays/prod', { ...layer, ...(images && { images }) });
  expect(manifests.flatMap(schemaFaults)).toEqual([]);
  const [job] = ofKind(manifests, 'Job');
  expect(job?.spec.template.spec.containers[0]?.image).toMatch(/^registry\.internal:5000\/.*@sha256:/);
  expect(job?.metadata.name).toBe(`parcel-tracking-migrate-${manifest.version}`);
  // Kubernetes also makes it a label of the Job's pods.
  for (const { metadata } of manifests) expect(metadata.name).toMatch(/^[a-z0-9]([-.a-z0-9]{0,61}[a-z0-9])?$/);
});
