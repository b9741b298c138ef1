import { carriers } from '../registry.ts';
import { PROVIDERS } from './index.ts';
import { isRequired, type ProviderManifest, settingsOf } from './manifest.ts';

const CODES = new Set(carriers({ sandbox: true }).map(({ code }) => code));
const variables = (manifest: ProviderManifest) => settingsOf(manifest).map(({ env }) => env);

test('no two providers share a name or a variable', () => {
  const names = PROVIDERS.map(({ name }) => name);
  expect(names).toEqual([...new Set(names)]);
  const all = PROVIDERS.flatMap(variables);
  expect(all).toEqual([...new Set(all)]);
});

describe.each(PROVIDERS.map((manifest) => [manifest.name, manifest] as const))('%s', (name, manifest) => {
  test('has a name for queues and variables of its own', () => {
    expect(name).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/);
    const prefix = `${name.toUpperCase().replaceAll('-', '_')}_`;
    for (const variable of variables(manifest)) expect(variable.startsWith(prefix)).toBe(true);
  });

  test('has something that turns it on, and says where to get it', () => {
    const required = Object.values(manifest.settings).filter(isRequired);
    expect(required.length).toBeGreaterThan(0);
    for (const { obtain } of required) expect(obtain).not.toBe('');
  });

  test('serves carriers that we know, and requires fields of those', () => {
    for (const carrier of Object.keys(manifest.carriers)) expect(CODES).toContain(carrier);
    for (const carrier of Object.keys(manifest.requires)) expect(manifest.carriers).toHaveProperty([carrier]);
  });

  test('batches where it says so, and only there', () => {
    const { batchSize } = manifest.limits;
    expect(manifest.capabilities.includes('batch')).toBe(typeof batchSize !== 'number' || batchSize > 1);
  });

  test('is played by the sandbox carrier with variables of its own, if at all', () => {
    const env = Object.keys(manifest.playedBySandbox?.('http://127.0.0.1:4010') ?? {});
    expect(variables(manifest)).toEqual(expect.arrayContaining(env));
  });

  test('answers an unreadable body with a failure for each number', () => {
    const asked = ['A1', 'B2'].map((number) => ({ number, carrier: Object.keys(manifest.carriers)[0] ?? '' }));
    const answers = manifest.parse({ kind: 'response', status: 200, headers: {}, text: '<html>' }, asked);
    expect(answers).toMatchObject(asked.map(() => ({ kind: 'failed', failure: 'unreadable' })));
  });
});
