import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Version } from '@cyclonedx/cyclonedx-library/Spec';
import { JsonStrictValidator } from '@cyclonedx/cyclonedx-library/Validation';

const ROOT = join(import.meta.dirname, '../..');
const APPS = readdirSync(join(ROOT, 'apps')).filter((app) => existsSync(join(ROOT, 'apps', app, 'dist')));
/** The script is JavaScript. */
const { isPermissive, licenseFault } = (await import(join(ROOT, 'scripts/licenses.mjs'))) as {
  isPermissive(expression: string | undefined): boolean;
  licenseFault(locked: { name: string; version: string; license?: string }): string | null;
};

type Component = {
  name: string;
  group?: string;
  version?: string;
  purl?: string;
  licenses?: { expression?: string; license?: { id?: string; name?: string } }[];
  evidence?: { licenses?: { license?: { text?: { content: string } } }[] };
};
type Sbom = { bomFormat: string; components: Component[] };

const read = (app: string) => readFileSync(join(ROOT, 'apps', app, 'dist/sbom.cdx.json'), 'utf8');
const nameOf = ({ group, name }: Component) => (group ? `${group}/${name}` : name);
const dependencies = (app: string) =>
  (JSON.parse(read(app)) as Sbom).components.filter(
    (each) => each.purl !== undefined && !nameOf(each).startsWith('@pts/'),
  );

test('every app has one, in the schema of CycloneDX', async () => {
  expect(APPS).toEqual(
    expect.arrayContaining(['admin', 'api', 'carrier-poller', 'console', 'portal', 'webhook-dispatcher']),
  );
  for (const app of APPS) {
    expect((JSON.parse(read(app)) as Sbom).bomFormat).toBe('CycloneDX');
    expect(await new JsonStrictValidator(Version.v1dot6).validate(read(app))).toBeNull();
  }
});

test('it lists what is in the bundle with the version that is installed, and no tool', () => {
  for (const [app, name] of [
    ['api', 'express'],
    ['webhook-dispatcher', 'undici'],
    ['console', 'react'],
  ] as const) {
    const { version } = JSON.parse(readFileSync(join(ROOT, 'node_modules', name, 'package.json'), 'utf8'));
    const [found] = dependencies(app).filter((each) => nameOf(each) === name);
    expect([app, found?.version, found?.purl]).toEqual([
      app,
      version,
      expect.stringContaining(`pkg:npm/${name}@${version}`),
    ]);
  }
  for (const app of APPS) expect(dependencies(app).map(nameOf)).not.toContain('esbuild');
});

test.each(APPS)('all that %s contains has a permissive licence, with its text', (app) => {
  const faults = dependencies(app).filter(
    ({ licenses = [] }) =>
      licenses.length === 0 ||
      !licenses.every(({ expression, license }) => isPermissive(expression ?? license?.id ?? license?.name)),
  );
  expect(faults.map(nameOf)).toEqual([]);
  const texts = dependencies(app).filter(({ evidence }) => evidence?.licenses?.some(({ license }) => license?.text));
  expect(texts.length).toBeGreaterThan(0.8 * dependencies(app).length);
});

test.each([
  ['GPL-3.0-only', false],
  ['MIT OR GPL-3.0-only', true],
  ['MIT AND GPL-3.0-only', false],
  ['EPL-2.0', false],
  ['SEE LICENSE IN LICENSE', false],
  [undefined, false],
] as const)('a dependency under %s passes the check: %s', (license, isAllowed) => {
  const fault = licenseFault({ name: 'some-library', version: '1.0.0', ...(license !== undefined && { license }) });
  expect(fault === null).toBe(isAllowed);
});
