import { carriers } from '../registry/registry.ts';
import { tokensInMemory } from '../testing/tokens.ts';
import { PROVIDERS } from './index.ts';
import { isRequired, type ProviderManifest, settingsOf, verifiesCallbacks } from './manifest.ts';

const CODES = new Set(carriers({ sandbox: true }).map(({ code }) => code));
const variables = (manifest: ProviderManifest) => settingsOf(manifest).map(({ env }) => env);

test('no two providers share a name or a variable', () => {
  const names = PROVIDERS.map(({ name }) => name);
  expect(names).toEqual([...new Set(names)]);
  const all = PROVIDERS.flatMap(variables);
  expect(all).toEqual([...new Set(all)]);
});

describe.each(PROVIDERS.map((manifest) => [manifest.name, manifest] as const))('%s', (name, manifest) => {
  test('has a valid queue name and unique variables', () => {
    expect(name).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/);
    // Shell variables must not begin with a digit.
    const prefix = `${name
      .replace(/^(\d+)([a-z]+)/, '$2$1')
      .toUpperCase()
      .replaceAll('-', '_')}_`;
    for (const variable of variables(manifest)) expect(variable.startsWith(prefix)).toBe(true);
  });

  test('has a setting that enables it, and says where to get it', () => {
    const required = Object.values(manifest.settings).filter(isRequired);
    expect(required.length).toBeGreaterThan(0);
    for (const { obtain } of required) expect(obtain).not.toBe('');
  });

  test('serves carriers that we know, and requires fields of those', () => {
    for (const carrier of Object.keys(manifest.carriers)) expect(CODES).toContain(carrier);
    for (const carrier of Object.keys(manifest.requires)) expect(manifest.carriers).toHaveProperty([carrier]);
  });

  test('supports batches exactly if it says so', () => {
    const { batchSize } = manifest.limits;
    expect(manifest.capabilities.includes('batch')).toBe((manifest.maxBatchSize ?? batchSize) > 1);
  });

  test('supports callbacks exactly if it says so', () => {
    const { callbacks, capabilities } = manifest;
    expect(capabilities.includes('push')).toBe(callbacks !== undefined);
    const settings = Object.values(manifest.settings);
    const baseUrl = 'http://127.0.0.1:4010';
    const values = Object.fromEntries(Object.keys(manifest.settings).map((key) => [key, baseUrl]));
    const client = manifest.connect({ baseUrl, ...values }, { tokens: tokensInMemory() });
    expect(client.subscribe !== undefined).toBe(callbacks !== undefined);
    const releases = [capabilities.includes('release'), callbacks?.release !== undefined, client.release !== undefined];
    expect(new Set(releases).size).toBe(1);
    // If a released number can be resumed, the client has a call for it.
    expect((callbacks?.release?.restarts ?? 0) > 0).toBe(client.resume !== undefined);
    if (callbacks === undefined) expect(settings.some(verifiesCallbacks)).toBe(false);
  });

  test('treats an unsigned callback as forged, and an unreadable one as unreadable', () => {
    const { callbacks } = manifest;
    if (callbacks === undefined) return;
    const keys = { salt: 'salt', settings: {} };
    for (const rawBody of ['', '{}', '<html>', 'param=%7B%7D&sign=00', '\0'])
      expect([rawBody, callbacks.verify({ headers: {}, rawBody }, keys)]).toEqual([rawBody, false]);
    for (const rawBody of ['', '<html>', '[]', 'null'])
      expect([rawBody, callbacks.parse(rawBody)]).toEqual([rawBody, null]);
  });

  test('is played by the sandbox carrier with variables of its own, if at all', () => {
    const env = Object.keys(manifest.playedBySandbox?.account ?? {});
    expect(variables(manifest)).toEqual(expect.arrayContaining(env));
  });

  test('answers an unreadable body with a failure for each number', () => {
    const requested = ['A1', 'B2'].map((number) => ({ number, carrier: Object.keys(manifest.carriers)[0] ?? '' }));
    const answers = manifest.parse({ kind: 'response', status: 200, headers: {}, text: '<html>' }, requested);
    expect(answers).toMatchObject(requested.map(() => ({ kind: 'failed', failure: 'unreadable' })));
  });
});
