import { CONTRACTS } from '@pts/contract/contracts';
import { connectionBudget } from '@pts/core/process/connection-budget';
import { SETTINGS } from '@pts/runtime/settings/settings';
import { last, lineage, parseDockerfile } from '../deployment/dockerfile.ts';
import { kustomization, render, strays } from '../deployment/kustomize.ts';
import {
  component,
  containers,
  type Deployment,
  environment,
  type Manifest,
  ofKind,
  pods,
  secretsOf,
} from '../deployment/manifest.ts';
import { apps, filesIn, parseYaml, read } from '../deployment/repository.ts';
import { schemaFaults } from '../deployment/schema.ts';

const OVERLAYS = ['k8s/overlays/dev', 'k8s/overlays/prod'];

const EXAMPLES = filesIn('k8s/examples').filter((path) => path.endsWith('.yaml'));

/** The user of the images. From 10000 on, it is no user of the node. */
const USER = Number(last(lineage(parseDockerfile('docker/Dockerfile'), 'runtime'), 'USER')?.split(':')[0]);

const isSandbox = (deployment: Deployment) => component(deployment) === 'sandbox-carrier';

describe.each(['k8s/base', ...OVERLAYS, 'k8s/overlays/prod-keda'])('%s', (folder) => {
  test('uses all of its files, and every file that it names exists', () => {
    expect(strays(folder)).toEqual([]);
  });

  test('is accepted by Kubernetes, field by field', () => {
    expect(render(folder).flatMap(schemaFaults)).toEqual([]);
  });

  test('has no duplicate names', () => {
    const names = render(folder).map(({ kind, metadata }) => `${kind} ${metadata.name}`);
    expect(names).toEqual([...new Set(names)]);
  });

  test('holds no secret', () => {
    for (const path of filesIn(folder)) {
      expect(parseYaml<{ kind: string }>(path).map(({ kind }) => kind)).not.toContain('Secret');
      expect(read(path)).not.toMatch(/secretGenerator|:\/\/[^\s/]*:[^\s/]*@/);
    }
  });
});

test('the schema knows a misspelt field, a wrong type and a missing field', () => {
  const [deployment] = ofKind(render('k8s/base'), 'Deployment');
  const broken = (spec: object) => schemaFaults({ ...deployment, spec: { ...deployment?.spec, ...spec } } as Manifest);
  expect(broken({ replica: 2 })).toEqual([expect.stringContaining('additional properties replica')]);
  expect(broken({ replicas: 'two' })).toEqual([expect.stringContaining('/spec/replicas must be integer')]);
  expect(broken({ selector: undefined })).toEqual([expect.stringContaining("required property 'selector'")]);
});

test.each(['k8s/alerts.yaml', 'k8s/pod-monitors.yaml', ...EXAMPLES])('%s is accepted, field by field', (path) => {
  expect(parseYaml<Manifest>(path).flatMap(schemaFaults)).toEqual([]);
});

test.each<[string, string, (spec: Record<string, unknown>) => object]>([
  ['k8s/pod-monitors.yaml', 'a misspelt field', ({ selector }) => ({ selector, podMetricsEndpoint: [] })],
  ['k8s/alerts.yaml', 'a wrong type', () => ({ groups: [{ name: 'a', rules: [{ alert: 'A', expr: 'up', for: 5 }] }] })],
  ['k8s/overlays/prod-keda/scaled-objects.yaml', 'a missing field', ({ triggers }) => ({ triggers })],
  ['k8s/examples/external-secret.yaml', 'a value that is none', () => ({ target: { creationPolicy: 'Mine' } })],
  ['k8s/examples/gateway.yaml', 'a wrong name', (spec) => ({ ...spec, gatewayClassName: '' })],
])('in %s, the schema finds %s', (path, _what, change) => {
  const [manifest] = parseYaml<Manifest & { spec: Record<string, unknown> }>(path);
  if (manifest === undefined) throw new Error(`${path} is empty`);
  expect(schemaFaults({ ...manifest, spec: change(manifest.spec) } as Manifest)).not.toEqual([]);
});

describe.each(OVERLAYS)('%s', (overlay) => {
  const manifests = render(overlay);
  const deployments = ofKind(manifests, 'Deployment');

  test('runs every process, each from its own image, all at one fixed tag', () => {
    const images = containers(manifests).map(({ image }) => image);
    const names = images.map((image) => image.replace(/^.*\//, '').replace(/:.*$/, ''));
    expect(names.sort()).toEqual(apps().filter((app) => app !== 'sandbox-carrier' || overlay.endsWith('dev')));
    for (const image of images) expect(image).toMatch(/^[^:]+:(?!latest$)[a-z0-9.-]+$/);
    expect(new Set(images.map((image) => image.split(':')[1])).size).toBe(1);
  });

  test('pods run without privileges and hold no token', () => {
    expect(USER).toBeGreaterThanOrEqual(10_000);
    const withoutToken = ofKind(manifests, 'ServiceAccount').filter((account) => !account.automountServiceAccountToken);
    for (const { spec } of pods(manifests)) {
      expect(spec).toMatchObject({
        automountServiceAccountToken: false,
        enableServiceLinks: false,
        securityContext: {
          runAsNonRoot: true,
          runAsUser: USER,
          runAsGroup: USER,
          seccompProfile: { type: 'RuntimeDefault' },
        },
      });
      expect(withoutToken.map(({ metadata }) => metadata.name)).toContain(spec.serviceAccountName);
    }
  });

  test('containers have no privileges, write only to /tmp, and state their requests and limits', () => {
    for (const { securityContext, volumeMounts, resources } of containers(manifests)) {
      expect(securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
      expect(volumeMounts.map(({ mountPath }) => mountPath)).toEqual(['/tmp']);
      const amounts = { cpu: expect.any(String), memory: expect.any(String), 'ephemeral-storage': expect.any(String) };
      expect(resources).toEqual({ requests: amounts, limits: amounts });
    }
  });

  test('every process is probed at one of its ports', () => {
    for (const deployment of deployments) {
      const [port, ready] = isSandbox(deployment) ? ['http', '/healthz'] : ['management', '/readyz'];
      for (const container of deployment.spec.template.spec.containers) {
        expect(container.ports?.map(({ name }) => name)).toContain(port);
        expect(container.startupProbe.httpGet).toEqual({ path: '/healthz', port });
        expect(container.livenessProbe.httpGet).toEqual({ path: '/healthz', port });
        expect(container.readinessProbe.httpGet).toEqual({ path: ready, port });
      }
    }
  });

  test('a rollout loses no pod, and a terminating pod has time to finish', () => {
    for (const { spec } of deployments) {
      expect(spec.strategy.rollingUpdate).toMatchObject({ maxUnavailable: 0, maxSurge: expect.any(Number) });
      const { terminationGracePeriodSeconds = 30 } = spec.template.spec;
      for (const container of spec.template.spec.containers) {
        const hold = container.lifecycle?.preStop.sleep.seconds ?? 0;
        const drain = Number(environment(manifests, container).SHUTDOWN_TIMEOUT_SECONDS ?? 0);
        expect(terminationGracePeriodSeconds).toBeGreaterThan(hold + drain);
        // What the README promises.
        const times = `within ${hold + drain} s (killed after ${terminationGracePeriodSeconds} s)`;
        if (drain > 0) expect(read('k8s/README.md').replace(/\s+/g, ' ')).toContain(times);
      }
    }
  });

  test('every process except the sandbox loses only one pod at a time when nodes are drained', () => {
    const budgets = ofKind(manifests, 'PodDisruptionBudget').map(({ spec }) => spec);
    const pending = deployments.filter((deployment) => !isSandbox(deployment));
    expect(budgets).toEqual(
      pending.map(({ spec }) => expect.objectContaining({ selector: spec.selector, maxUnavailable: 1 })),
    );
  });

  test('the number of API pods has one owner, the autoscaler', () => {
    const [autoscaler, ...others] = ofKind(manifests, 'HorizontalPodAutoscaler').map(({ spec }) => spec);
    expect(others).toEqual([]);
    expect(autoscaler?.scaleTargetRef).toEqual({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      name: 'parcel-tracking-api',
    });
    expect(autoscaler?.minReplicas).toBeLessThan(autoscaler?.maxReplicas ?? 0);
    const unset = deployments.filter(({ spec }) => spec.replicas === undefined);
    expect(unset.map(({ metadata }) => metadata.name)).toEqual(['parcel-tracking-api']);
  });
});

type Scaled = Manifest & {
  spec: {
    scaleTargetRef: { name: string };
    minReplicaCount: number;
    maxReplicaCount: number;
    fallback: { replicas: number; behavior: string };
    triggers: { metricType: string; metadata: { ignoreNullValues: string; query: string } }[];
  };
};

/** The most pods of each process. */
function maxPods(manifests: Manifest[]) {
  const scaled = manifests.filter(({ kind }) => (kind as string) === 'ScaledObject') as Scaled[];
  const max = (app: string) => {
    const name = `parcel-tracking-${app}`;
    const autoscaler = ofKind(manifests, 'HorizontalPodAutoscaler').find(({ metadata }) => metadata.name === name);
    const deployment = ofKind(manifests, 'Deployment').find(({ metadata }) => metadata.name === name);
    const object = scaled.find(({ spec }) => spec.scaleTargetRef.name === name);
    return autoscaler?.spec.maxReplicas ?? object?.spec.maxReplicaCount ?? deployment?.spec.replicas ?? Number.NaN;
  };
  return { apis: max('api'), pollers: max('carrier-poller'), dispatchers: max('webhook-dispatcher') };
}

test('pods request what the guide says that they take', () => {
  const [guide] = /A pod needs .*?a core\./s.exec(read('docs/operations.md')) ?? [''];
  const [, memory] = /to (\d+) MiB/.exec(guide) ?? [];
  for (const { metadata, spec } of ofKind(render('k8s/base'), 'Deployment')) {
    const [container] = spec.template.spec.containers;
    const { cpu, memory: requested } = (container?.resources.requests ?? {}) as { cpu?: string; memory?: string };
    expect([requested, guide]).toEqual([
      `${memory}Mi`,
      expect.stringContaining(`${cpu} for \`${metadata.name.replace('parcel-tracking-', '')}\``),
    ]);
  }
});

test.each([...OVERLAYS, 'k8s/overlays/prod-keda'])('the documented connection budget is that of %s', (overlay) => {
  const fleet = maxPods(render(overlay));
  const connections = connectionBudget(fleet, { poolSize: SETTINGS.databasePoolSize.fallback, hasRedis: true });
  const [name] = overlay.split('/').slice(-1);
  const row = `| \`${name}\` | ${fleet.apis} + ${fleet.pollers} + ${fleet.dispatchers} | ${connections} |`;
  expect(read('docs/operations.md')).toContain(row);
});

describe('k8s/overlays/prod-keda', () => {
  const manifests = render('k8s/overlays/prod-keda');

  test('the number of pods of each process has one owner', () => {
    const scaled = manifests.filter(({ kind }) => (kind as string) === 'ScaledObject') as Scaled[];
    expect(scaled.map(({ spec }) => spec.scaleTargetRef.name)).toEqual([
      ...['parcel-tracking-carrier-poller', 'parcel-tracking-webhook-dispatcher'],
    ]);
    for (const { spec } of ofKind(manifests, 'Deployment')) expect(spec.replicas).toBeUndefined();
  });

  test('without figures, at least as many pods as in prod run, which KEDA can only do for averages that must not be missing', () => {
    const prod = ofKind(render('k8s/overlays/prod'), 'Deployment');
    const scaled = manifests.filter(({ kind }) => (kind as string) === 'ScaledObject') as Scaled[];
    for (const { spec } of scaled) {
      const fixed =
        prod.find(({ metadata }) => metadata.name === spec.scaleTargetRef.name)?.spec.replicas ?? Number.NaN;
      expect(spec.fallback).toMatchObject({ replicas: fixed, behavior: 'currentReplicasIfHigher' });
      expect([spec.minReplicaCount <= fixed, fixed <= spec.maxReplicaCount]).toEqual([true, true]);
      for (const { metricType, metadata } of spec.triggers)
        expect([metricType, metadata.ignoreNullValues]).toEqual(['AverageValue', 'false']);
    }
  });

  test('the work of other installations in the same Prometheus does not count', () => {
    const { namespace } = kustomization('k8s/overlays/prod-keda');
    const scaled = manifests.filter(({ kind }) => (kind as string) === 'ScaledObject') as Scaled[];
    for (const { query } of scaled.flatMap(({ spec }) => spec.triggers).map(({ metadata }) => metadata))
      for (const [, selector = ''] of query.matchAll(/\bpts_[a-z_]+(\{[^}]*\})?/g))
        expect(selector).toContain(`{namespace="${namespace}"`);
  });
});

describe('k8s/examples', () => {
  const text = EXAMPLES.map(read).join('\n');

  test('lead to the Service and fill the Secret that the pods use', () => {
    const base = render('k8s/base');
    const [service] = ofKind(base, 'Service');
    const named = Array.from(text.matchAll(/name: (parcel-tracking-api)\b/g), ([, name]) => name);
    expect(new Set(named)).toEqual(new Set([service?.metadata.name]));
    const [secret] = parseYaml<{ spec: { target: { name: string } } }>('k8s/examples/external-secret.yaml');
    expect(containers(base).flatMap(secretsOf)).toContain(secret?.spec.target.name);
  });

  test('no time limits a stream, a file or its upload', () => {
    const [, { spec } = { spec: { rules: [] } }] = parseYaml<{ spec: { rules: Rule[] } }>('k8s/examples/gateway.yaml');
    const limitOf = (path: string) => {
      const matching = spec.rules.flatMap(({ matches, timeouts }) =>
        matches
          .filter(({ path: { type, value } }) => (type === 'Exact' ? path === value : path.startsWith(value)))
          .map(({ path: { value } }) => ({ length: value.length, limit: timeouts.request })),
      );
      return matching.sort((a, b) => b.length - a.length)[0]?.limit;
    };
    const slow = CONTRACTS.filter(({ contract }) => 'line' in contract || contract.input === 'file');
    expect(slow.length).toBeGreaterThan(4);
    for (const {
      contract: { path },
    } of slow)
      expect([path, limitOf(`/api/v1${path}`)]).toEqual([path, '0s']);
    expect(limitOf('/api/v1/trackings/create')).toBe('30s');
  });
});

type Rule = {
  matches: { path: { type: 'Exact' | 'PathPrefix'; value: string } }[];
  timeouts: { request: string };
};
