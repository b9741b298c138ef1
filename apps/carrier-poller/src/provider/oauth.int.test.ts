import { connectedProviders, playedProviders } from '@pts/carriers/providers/configured';
import { PROVIDERS } from '@pts/carriers/providers/index';
import { tokenStore } from '@pts/db/providers';
import { freshNumber } from '@pts/testing/factories';
import { query } from '../check/query.ts';
import { found, openPollerTest, type PollerTest, scan, scriptedProvider } from '../testing/test-poller.ts';
import { startSandbox } from '../testing/test-sandbox.ts';
import { createCalls } from './calls.ts';

let poller: PollerTest;
let sandbox: Awaited<ReturnType<typeof startSandbox>>;
beforeAll(async () => {
  poller = await openPollerTest();
  sandbox = await startSandbox(poller.clock);
});
afterAll(async () => {
  await sandbox.close();
  await poller.close();
});

/** A provider, connected as by a separate process: with its own memory, and the tokens of the database. */
function connect(name: string, changed: Record<string, string> = {}) {
  const manifests = PROVIDERS.filter((each) => each.name === name);
  const env = { ...playedProviders(manifests, sandbox.url), ...changed, PROVIDERS: name };
  const [provider] = connectedProviders(env, { tokens: tokenStore(poller.db) });
  if (!provider) throw new Error(`${name} is not connected`);
  return provider;
}

test('processes that begin together fetch one token and use it together', async () => {
  const processes = Array.from({ length: 4 }, () => connect('ups'));
  const question = { number: 'SBXORDINARY1', carrier: 'ups' };
  const answers = await Promise.all(processes.map((provider) => provider.ask([question])));
  expect(answers.flat()).toMatchObject(Array(4).fill({ kind: 'found' }));
  const counts = (await (await fetch(`${sandbox.url}/calls`)).json()) as Record<string, unknown>;
  expect(counts.ups).toMatchObject({ tokens: 1, calls: 4 });
});

test('a call gets what it needs before its permit: calls that waited together do not leave together', async () => {
  const steps: string[] = [];
  const provider = {
    ...scriptedProvider(() => found(scan(1, 'in_transit')), { name: 'preparing' }),
    prepare: async () => void steps.push('prepare'),
  };
  const id = await poller.watch(await poller.account(), freshNumber(), { provider: 'preparing' });
  const pace = { permit: async () => steps.push('permit') - 2, isFar: () => false, calls: createCalls() };
  await query(poller.depsFor(provider, { pace }), await poller.parcels(id));
  expect(steps).toEqual(['prepare', 'permit']);
  expect(provider.calls).toHaveLength(1);
});
