import type { Server } from 'node:http';
import type { ConnectedProvider, Question } from '@pts/carriers/provider';
import { playedProviders } from '@pts/carriers/providers/configured';
import { PROVIDERS } from '@pts/carriers/providers/index';
import { isRequired, type ProviderManifest } from '@pts/carriers/providers/manifest';
import { testProvider } from '@pts/carriers/testing/provider';
import { toUtcSeconds } from '@pts/core/time';
import type { CarrierAnswer } from '@pts/core/tracking/answer';
import express from 'express';
import { createSandboxApp } from '../app.ts';
import { rememberInMemory } from '../first-requests.ts';
import { listen, stop, urlOf } from '../http.ts';
import { playWires, WIRES } from './play.ts';
import { createRegistrations } from './wire.ts';

const START = new Date('2026-03-01T15:59:58.000Z');
const KUAIDI100 = { customer: 'sandbox-customer', key: 'sandbox-key' };

let now = START;
let server: Server;
beforeEach(async () => {
  now = START;
  const state = rememberInMemory();
  const app = createSandboxApp({ speed: 1, now: () => now, state, kuaidi100: KUAIDI100, rateLimits: false });
  server = await listen(app, '127.0.0.1', 0);
});
afterEach(() => stop(server, 0));

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

describe('17TRACK', () => {
  const manifest = PLAYED.find(({ name }) => name === '17track') as ProviderManifest;
  const question = { number: 'SBXORDINARY1', carrier: 'usps', remoteId: null };
  const counts = async () =>
    ((await (await fetch(`${urlOf(server)}/calls`)).json()) as Record<string, object>)['17track'];

  test('a released number is resumed once, without being paid for twice', async () => {
    const provider = connect(manifest);
    expect(await provider.release?.([question])).toEqual([{ kind: 'unknown' }]);
    await provider.subscribe?.([question], null);
    expect(await provider.resume?.([question])).toMatchObject([{ kind: 'already' }]);
    expect(await provider.release?.([question])).toEqual([{ kind: 'released' }]);
    expect(await provider.resume?.([question])).toMatchObject([{ kind: 'subscribed' }]);
    expect(await provider.ask([question])).toMatchObject([{ kind: 'found' }]);
    expect(await counts()).toMatchObject({ registered: 1, released: 1, resumed: 1 });
    await provider.release?.([question]);
    expect(await provider.release?.([question])).toEqual([{ kind: 'released' }]);
    expect(await provider.resume?.([question])).toMatchObject([{ kind: 'refused' }]);
  });

  test('trouble of the provider is a failure, and not a release', async () => {
    await connect(manifest).subscribe?.([question], null);
    const stranger = connect(manifest, { TRACK17_KEY: 'wrong' });
    expect(await stranger.release?.([question])).toMatchObject([{ kind: 'failed', failure: 'auth' }]);
    expect(await counts()).toMatchObject({ released: 0 });
    await stop(server, 0);
    server = await listen((_request, response) => response.end('<html>down</html>'), '127.0.0.1', 0);
    expect(await connect(manifest).release?.([question])).toMatchObject([{ kind: 'failed' }]);
  });
});

test('a wire refuses calls beyond its limit, and counts them', async () => {
  const registrations = createRegistrations({ speed: 1, now: () => now, state: rememberInMemory() }, WIRES);
  const ask = async () => [];
  const { router, counts } = playWires(WIRES, { ask, hasLimits: true, nowMs: () => 0, registrations });
  await stop(server, 0);
  server = await listen(express().use(router), '127.0.0.1', 0);
  const call = async () => {
    const headers = { '17token': 'sandbox-key' };
    return (await fetch(`${urlOf(server)}/17track/gettrackinfo`, { method: 'POST', headers, body: '[]' })).status;
  };
  expect([await call(), await call(), await call(), await call(), await call()]).toEqual([200, 200, 200, 429, 429]);
  expect(counts()).toMatchObject({ '17track': { calls: 5, refused: 2, maxPerSecond: 5 } });
});
