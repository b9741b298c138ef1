import { PROVIDERS } from '@pts/carriers/providers/index';
import { settingsOf, verifiesCallbacks } from '@pts/carriers/providers/manifest';
import { METADATA_ADDRESSES } from '@pts/core/url-policy';
import { WAITING } from '@pts/db/migrate';
import { DEADLINES } from '@pts/db/pool';
import { SETTINGS } from '@pts/runtime/settings/settings';
import manifest from '../../package.json' with { type: 'json' };
import { kustomization, render } from '../deployment/kustomize.ts';
import {
  component,
  containers,
  environment,
  type Labels,
  ofKind,
  pods,
  secretsOf,
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

  test('every process gets its settings as a whole; only the poller has the credentials of providers, only the migration the owner', () => {
    const own = ofKind(manifests, 'ConfigMap').map(({ metadata }) => metadata.name);
    const given = containers(manifests).map((container) => [
      container.name,
      container.envFrom?.flatMap(({ configMapRef }) => configMapRef?.name ?? []),
      secretsOf(container),
    ]);
    expect(Object.fromEntries(given.map(([name, ...rest]) => [name, rest]))).toMatchObject({
      migrate: [[], ['parcel-tracking', 'parcel-tracking-migrate?']],
      api: [own, ['parcel-tracking']],
      'carrier-poller': [own, ['parcel-tracking', 'parcel-tracking-providers?']],
      'webhook-dispatcher': [own, ['parcel-tracking']],
    });
  });

  test('the API and the poller get the same list of providers', () => {
    const on = (settings(manifests).PROVIDERS ?? '').split(',');
    expect(PROVIDERS.map(({ name }) => name)).toEqual(expect.arrayContaining(on));
    const informed = containers(manifests).filter(({ name }) => name === 'api' || name === 'carrier-poller');
    expect(informed.map((container) => environment(manifests, container).PROVIDERS?.split(','))).toEqual([on, on]);
  });

  test('the entries of the Secrets in the README are secret settings, each where it is read', () => {
    const created = Array.from(
      read('k8s/README.md').matchAll(/create secret generic (parcel-tracking\S*) [\s\S]*?(?=\nkubectl|```)/g),
      ([command, name = '']) =>
        [name, Array.from(command.matchAll(/--from-literal=([A-Z0-9_]+)=/g), ([, key]) => key ?? '')] as const,
    );
    const secret = Object.values(SETTINGS).filter((setting) => 'secret' in setting);
    const ofProviders = KEYS.map(({ env }) => env);
    expect(Object.fromEntries(created)).toEqual({
      'parcel-tracking': expect.arrayContaining(['DATABASE_URL', 'REDIS_URL', 'ENCRYPTION_KEY']),
      'parcel-tracking-providers': ['KUAIDI100_CUSTOMER', 'KUAIDI100_KEY'],
      'parcel-tracking-migrate': ['MIGRATE_DATABASE_URL'],
    });
    const known = [...secret.map(({ env }) => env), ...ofProviders, OF_EXPORTER];
    for (const [, keys] of created) expect(known).toEqual(expect.arrayContaining(keys));
    const listed = read('k8s/README.md');
    for (const { env } of KEYS.filter(verifiesCallbacks)) expect(listed).toContain(`\`${env}\``);
  });

  test('settings come from the existing ConfigMap; addresses in the cluster are those of Services', () => {
    const maps = ofKind(manifests, 'ConfigMap').map(({ metadata }) => metadata.name);
    const requested = containers(manifests).flatMap(({ envFrom }) => envFrom ?? []);
    expect(new Set(requested.flatMap(({ configMapRef }) => configMapRef?.name ?? []))).toEqual(new Set(maps));
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
