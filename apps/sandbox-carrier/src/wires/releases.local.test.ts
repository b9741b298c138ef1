import type { Server } from 'node:http';
import { PROVIDERS } from '@pts/carriers/providers/index';
import { playedProviders } from '@pts/carriers/providers/overrides';
import { testProvider } from '@pts/carriers/testing/provider';
import { createSandboxApp } from '../app.ts';
import { rememberInMemory } from '../first-requests.ts';
import { listen, stop, urlOf } from '../server.ts';

const NUMBER = 'SBXORDINARY1';
const CARRIER = 'usps';
const RELEASING = PROVIDERS.filter(({ capabilities }) => capabilities.includes('release'));

let server: Server;
beforeEach(async () => {
  const kuaidi100 = { customer: 'sandbox-customer', key: 'sandbox-key' };
  const state = rememberInMemory();
  server = await listen(
    createSandboxApp({ speed: 1, now: () => new Date('2026-03-01T16:00:00Z'), state, kuaidi100, rateLimits: false }),
    '127.0.0.1',
    0,
  );
});
afterEach(() => stop(server, 0));

describe.each(RELEASING.map((manifest) => [manifest.name, manifest] as const))('%s', (name, manifest) => {
  const connect = (changed: Record<string, string> = {}) =>
    testProvider(name, { ...playedProviders([manifest], urlOf(server)), ...changed });
  const counts = async () => {
    const all = (await (await fetch(`${urlOf(server)}/calls`)).json()) as Record<string, object>;
    return all[name];
  };

  /** A registered number, as it is released. */
  async function registered(provider = connect()) {
    const [outcome] = (await provider.subscribe?.([{ number: NUMBER, carrier: CARRIER }], null)) ?? [];
    const remoteId = outcome?.kind === 'subscribed' ? (outcome.remoteId ?? null) : null;
    return { number: NUMBER, carrier: CARRIER, remoteId };
  }

  test('a released number is resumed without being paid for twice, if the manifest says so', async () => {
    const provider = connect();
    const question = await registered(provider);
    expect(await provider.release?.([question])).toEqual([{ kind: 'released' }]);
    expect(await counts()).toMatchObject({ registered: 1, released: 1 });
    const isResumable = (provider.callbacks?.release?.restarts ?? 0) > 0;
    if (isResumable) expect(await provider.resume?.([question])).toMatchObject([{ kind: 'subscribed' }]);
    else expect(await registered(provider)).toEqual(question);
    expect(await counts()).toMatchObject(isResumable ? { registered: 1, resumed: 1 } : { registered: 2, resumed: 0 });
    const [answer] = await provider.ask([question]);
    expect(answer).toMatchObject({ kind: 'found' });
  });

  test('a repeated release does no harm', async () => {
    const provider = connect();
    const question = await registered(provider);
    await provider.release?.([question]);
    const [again] = (await provider.release?.([question])) ?? [];
    expect(['released', 'unknown']).toContain(again?.kind);
  });

  test('an unregistered number is unknown', async () => {
    const question = { number: 'SBXOTHER1', carrier: CARRIER, remoteId: 'no-such-id' };
    const provider = connect();
    expect(await provider.release?.([question])).toEqual([{ kind: 'unknown' }]);
    if (provider.resume) expect(await provider.resume([question])).toEqual([{ kind: 'unknown' }]);
  });

  test('wrong credentials are a failure of the call, and release nothing', async () => {
    const question = await registered();
    const keys = Object.values(manifest.settings).filter(({ env }) => env.endsWith('_KEY'));
    const stranger = connect(Object.fromEntries(keys.map(({ env }) => [env, 'wrong'])));
    expect(await stranger.release?.([question])).toMatchObject([{ kind: 'failed', failure: 'auth' }]);
    expect(await counts()).toMatchObject({ released: 0 });
  });

  test('trouble of the provider is a failure, and not a release', async () => {
    const question = await registered();
    const provider = connect();
    await stop(server, 0);
    const [outcome] = (await provider.release?.([question])) ?? [];
    expect(outcome).toMatchObject({ kind: 'failed', failure: 'transient' });
    server = await listen((_request, response) => response.end('<html>down</html>'), '127.0.0.1', 0);
    const [unreadable] = (await connect().release?.([question])) ?? [];
    expect(unreadable).toMatchObject({ kind: 'failed' });
  });
});

test('17TRACK tracks a number again only once', async () => {
  const manifests = RELEASING.filter(({ name }) => name === '17track');
  const provider = testProvider('17track', playedProviders(manifests, urlOf(server)));
  const question = { number: NUMBER, carrier: CARRIER, remoteId: null };
  await provider.subscribe?.([question], null);
  expect(await provider.resume?.([question])).toMatchObject([{ kind: 'already' }]);
  await provider.release?.([question]);
  await provider.resume?.([question]);
  await provider.release?.([question]);
  expect(await provider.resume?.([question])).toMatchObject([{ kind: 'refused' }]);
});
