import type { Server } from 'node:http';
import type { ConnectedProvider, Question } from '@pts/carriers/provider';
import { PROVIDERS } from '@pts/carriers/providers/index';
import { isRequired, type ProviderManifest } from '@pts/carriers/providers/manifest';
import { playedProviders } from '@pts/carriers/providers/overrides';
import { testProvider } from '@pts/carriers/testing/provider';
import { toUtcSeconds } from '@pts/core/time';
import type { CarrierAnswer } from '@pts/core/tracking/answer';
import { createSandboxApp } from '../app.ts';
import { rememberInMemory } from '../first-requests.ts';
import { listen, stop, urlOf } from '../server.ts';
import { WIRES } from './index.ts';

const START = new Date('2026-03-01T15:59:58.000Z');
const KUAIDI100 = { customer: 'sandbox-customer', key: 'sandbox-key' };

let now = START;
let server: Server;
beforeEach(async () => {
  now = START;
  server = await startSandbox(false);
});
afterEach(() => stop(server, 0));

function startSandbox(rateLimits: boolean): Promise<Server> {
  const state = rememberInMemory();
  return listen(
    createSandboxApp({ speed: 1, now: () => now, state, kuaidi100: KUAIDI100, rateLimits }),
    '127.0.0.1',
    0,
  );
}

const played = (manifest: ProviderManifest) => playedProviders([manifest], urlOf(server));
const connect = (manifest: ProviderManifest, changed: Record<string, string> = {}): ConnectedProvider =>
  testProvider(manifest.name, { ...played(manifest), ...changed });

const questionsFor = (manifest: ProviderManifest, ...numbers: string[]): Question[] => {
  // One from abroad if it has any: its times are local, too.
  const carrier = Object.keys(manifest.carriers).at(-1) ?? '';
  return numbers.map((number) => ({ number, carrier, phone: '1234', postalCode: '10115', destinationCountry: 'DE' }));
};

/** Queries numbers, registered first if a provider answers only about registered ones. */
async function ask(manifest: ProviderManifest, numbers: readonly string[], signal?: AbortSignal) {
  const client = connect(manifest);
  const questions = questionsFor(manifest, ...numbers);
  if (manifest.callbacks?.subscribe === 'before-reading')
    for (const question of questions) await client.subscribe?.([question], null);
  return client.ask(questions, signal);
}

async function askOne(manifest: ProviderManifest, number: string, signal?: AbortSignal) {
  const [answer] = await ask(manifest, [number], signal);
  if (!answer) throw new Error('each query has an answer');
  return answer;
}

const scansOf = (answer: CarrierAnswer) => (answer.kind === 'found' ? answer.scans.toSorted(byTime) : []);
const byTime = (a: { time: string }, b: { time: string }) => a.time.localeCompare(b.time);
const after = (seconds: number) => toUtcSeconds(new Date(START.getTime() + seconds * 1000));

const PLAYED = PROVIDERS.filter(({ playedBySandbox }) => playedBySandbox !== undefined);

test('every wire plays a provider', () => {
  const names = PLAYED.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(WIRES.map(({ name }) => name)));
});

describe.each(PLAYED.map((manifest) => [manifest.name, manifest] as const))('%s', (name, manifest) => {
  test('reads the whole journey: every scan, its time and its status', async () => {
    await askOne(manifest, 'SBXORDINARY1');
    now = new Date(START.getTime() + 45_000);
    const scans = scansOf(await askOne(manifest, 'SBXORDINARY1'));
    expect(scans.map(({ time }) => time)).toEqual([0, 4, 10, 18, 26, 32, 45].map(after));
    expect(scans[0]).toMatchObject({ status: 'info_received' });
    expect(scans.slice(1, 5).map(({ status }) => status)).toEqual(Array(4).fill('in_transit'));
    expect(scans.slice(5).map(({ status }) => status)).toEqual(['out_for_delivery', 'delivered']);
    for (const { description, location } of scans) expect([description, location]).not.toContain('');
  });

  test.each([
    ['SBXEXCEPTION1', 'exception'],
    ['SBXPICKUP1', 'available_for_pickup'],
  ])('%s is %s', async (number, status) => {
    await askOne(manifest, number);
    now = new Date(START.getTime() + 30_000);
    expect(scansOf(await askOne(manifest, number)).at(-1)).toMatchObject({ status });
  });

  test('a number that it does not know is not found', async () => {
    expect(await askOne(manifest, 'SBXNOTFOUND1')).toEqual({ kind: 'not_found' });
  });

  test('wrong credentials are the failure auth', async () => {
    const keys = Object.values(manifest.settings).filter((setting) => isRequired(setting) && setting.secret);
    const wrong = Object.fromEntries(keys.map(({ env }) => [env, 'wrong']));
    const answers = await connect(manifest, wrong).ask(questionsFor(manifest, 'SBXORDINARY1'));
    expect(answers).toMatchObject([{ kind: 'failed', failure: 'auth' }]);
  });

  test.each([
    ['too many calls', 'SBXLIMIT1', 'rate_limited'],
    ['trouble of the server', 'SBXERROR1', 'transient'],
    ['garbage', 'SBXGARBAGE1', 'unreadable'],
  ])('%s is reported as such', async (_what, number, failure) => {
    expect(await askOne(manifest, number)).toMatchObject({ kind: 'failed', failure });
  });

  test('a call that hangs ends with the abort', async () => {
    const controller = new AbortController();
    const answer = askOne(manifest, 'SBXTIMEOUT1', controller.signal);
    setImmediate(() => controller.abort());
    expect(await answer).toMatchObject({ kind: 'failed', failure: 'transient' });
  });

  test('an answer about another number fails that number, and no other', async () => {
    const [mixedUp, ordinary] = await ask(manifest, ['SBXMIXEDUP1', 'SBXORDINARY1']);
    expect(mixedUp).toMatchObject(mixedUp?.kind === 'found' ? { otherNumber: 'SBXMIXEDUP199' } : { kind: 'failed' });
    expect(ordinary).toMatchObject({ kind: 'found' });
    expect(ordinary).not.toHaveProperty('otherNumber');
  });

  test('only a number that cannot exist fails', async () => {
    const [invalid, ordinary] = await ask(manifest, ['SBXINVALID1', 'SBXORDINARY1']);
    expect(['invalid_number', 'unreadable', 'not_found']).toContain(
      invalid?.kind === 'failed' ? invalid.failure : invalid?.kind,
    );
    expect(ordinary).toMatchObject({ kind: 'found' });
  });

  test('calls no more often than the wire documents', () => {
    const limit = WIRES.find((wire) => wire.name === name)?.limit;
    const { callsPerSecond: rate } = manifest.limits;
    expect(rate).toBeLessThanOrEqual(limit ? limit.calls / limit.seconds : rate);
  });
});

test('a wire refuses calls beyond its limit, and counts them', async () => {
  await stop(server, 0);
  server = await startSandbox(true);
  const manifest = PLAYED.find((each) => WIRES.some((wire) => wire.name === each.name && wire.limit.calls === 1));
  if (!manifest) throw new Error('a provider takes one call at a time');
  const answers = await connect(manifest).ask(questionsFor(manifest, 'SBXORDINARY1', 'SBXORDINARY2', 'SBXORDINARY3'));
  expect(answers.filter((answer) => answer.kind === 'found')).toHaveLength(1);
  const refused = { kind: 'failed', failure: 'rate_limited' };
  expect(answers.filter((answer) => answer.kind === 'failed')).toMatchObject([refused, refused]);
  const counts = await (await fetch(`${urlOf(server)}/calls`)).json();
  expect(counts).toMatchObject({ [manifest.name]: { calls: 3, refused: 2, maxPerSecond: 3 } });
});
