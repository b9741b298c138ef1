import { connectedProviders } from '@pts/carriers/providers/configured';
import { PROVIDERS } from '@pts/carriers/providers/index';
import { playedProviders } from '@pts/carriers/providers/overrides';
import { tokenStore } from '@pts/db/providers/tokens';
import { freshNumber } from '@pts/testing/factories';
import { query } from '../check/query.ts';
import { sweepDue } from '../schedule/sweep.ts';
import { found, openPollerTest, type PollerTest, scan, scriptedProvider } from '../testing/test-poller.ts';
import { KUAIDI100, startSandbox } from '../testing/test-sandbox.ts';
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

async function watched(provider: string, carrier: string): Promise<string> {
  return poller.watch(await poller.account(['tracking_update']), freshNumber(), { provider, carrier });
}

test('processes that begin together fetch one token and use it together', async () => {
  const processes = Array.from({ length: 4 }, () => connect('ups'));
  const question = { number: 'SBXORDINARY1', carrier: 'ups' };
  const answers = await Promise.all(processes.map((provider) => provider.ask([question])));
  expect(answers.flat()).toMatchObject(Array(4).fill({ kind: 'found' }));
  const counts = (await (await fetch(`${sandbox.url}/calls`)).json()) as Record<string, unknown>;
  expect(counts.ups).toMatchObject({ tokens: 1, calls: 4 });
});

test('wrong credentials pause their provider, which is named with the reason; other providers are queried as before', async () => {
  const wrong = poller.depsFor(connect('ups', { UPS_CLIENT_SECRET: 'wrong' }));
  const fine = poller.depsFor(
    connect('kuaidi100', { KUAIDI100_CUSTOMER: KUAIDI100.customer, KUAIDI100_KEY: KUAIDI100.key }),
  );
  const [lost, found] = [await watched('ups', 'ups'), await watched('kuaidi100', 'yto')];
  await query(wrong, await poller.parcels(lost));
  await query(fine, await poller.parcels(found));
  expect(await poller.tracking(found)).toMatchObject({ subStatus: 'info_received' });
  expect(await poller.tracking(lost)).toMatchObject({ subStatus: 'pending', notice: null });
  await sweepDue(wrong);
  await sweepDue(fine);
  expect([...wrong.memory.pauses]).toEqual([
    ['ups', expect.stringMatching(/^paused until 2031-04-05T06:15:00.000Z: UPS refused the credentials/)],
  ]);
  const metrics = await wrong.metrics.registry.metrics();
  expect(metrics).toMatch(/pts_provider_paused\{provider="ups",[^}]*\} 1/);
  expect(metrics).toMatch(/pts_provider_paused\{provider="kuaidi100",[^}]*\} 0/);
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
