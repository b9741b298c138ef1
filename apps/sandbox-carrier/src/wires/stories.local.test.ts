import type { Server } from 'node:http';
import type { Question } from '@pts/carriers/provider';
import { playedProviders } from '@pts/carriers/providers/configured';
import { PROVIDERS } from '@pts/carriers/providers/index';
import type { ProviderManifest } from '@pts/carriers/providers/manifest';
import { testProvider } from '@pts/carriers/testing/provider';
import { applyAnswer, type Snapshot } from '@pts/core/tracking/change';
import { createSandboxApp, storyCards } from '../app.ts';
import type { Wait } from '../carrier.ts';
import { rememberInMemory } from '../first-requests.ts';
import { listen, stop, urlOf } from '../http.ts';
import { changesOf } from '../journey.ts';
import { STORIES, type StoryName } from '../stories.ts';
import { deviationOf } from '../testing/merchants-page.ts';

const START = new Date('2026-03-01T15:59:58.000Z');
/** Longer than any client waits. */
const TOO_LONG_MS = 30_000;
const TELLERS = PROVIDERS.filter(({ name, playedBySandbox }) => name === 'sandbox' || playedBySandbox !== undefined);
const settingsOf = (manifest: ProviderManifest) => ({
  ...playedProviders([manifest], urlOf(server)),
  SANDBOX_URL: urlOf(server),
});

let now: Date;
let server: Server;
/** Ends the call that is running, as the timeout of its client does. */
let giveUp = () => {};
beforeAll(async () => {
  const kuaidi100 = { customer: 'sandbox-customer', key: 'sandbox-key' };
  const state = rememberInMemory();
  const wait: Wait = async (ms) => {
    if (ms > TOO_LONG_MS) giveUp();
  };
  const app = createSandboxApp({ speed: 1, now: () => now, state, kuaidi100, rateLimits: false, wait });
  server = await listen(app, '127.0.0.1', 0);
});
afterAll(() => stop(server, 0));

/** What a merchant sees of a story that a provider tells: the statuses, and the last state. */
async function seen(manifest: ProviderManifest, story: StoryName): Promise<[statuses: string, endsAs: string]> {
  const client = testProvider(manifest.name, settingsOf(manifest));
  const [carrier = ''] = Object.keys(manifest.carriers);
  const address = { phone: '1234', postalCode: '10115', destinationCountry: 'DE' };
  const question: Question = { number: `SBX${story}1`, carrier, ...address };
  const ask = () => {
    const controller = new AbortController();
    giveUp = () => controller.abort();
    return client.ask([question], controller.signal);
  };
  now = START;
  if (manifest.callbacks?.subscribe === 'before-reading') await client.subscribe?.([question], null);
  let snapshot: Snapshot = { scans: [], status: '查询中', subStatus: 'pending', notice: null };
  const statuses: string[] = [snapshot.status];
  for (const second of new Set([0, ...changesOf(STORIES[story])])) {
    now = new Date(START.getTime() + second * 1000);
    const answers = await ask();
    // Flaky numbers fail every other time.
    if (STORIES[story].manner.kind === 'every-other-question') answers.push(...(await ask()));
    for (const answer of answers) {
      snapshot = applyAnswer(snapshot, answer, { now, registeredAt: START, provider: manifest.name }).after;
      if (snapshot.status !== statuses.at(-1)) statuses.push(snapshot.status);
    }
  }
  return [statuses.join(' → '), `\`${snapshot.subStatus}\``];
}

describe.each(TELLERS.map((manifest) => [manifest.name, manifest] as const))('%s', (name, manifest) => {
  test.each(storyCards())('$story is seen as it is described', async ({ story, statuses, ends_as }) => {
    const [, , ...described] = deviationOf(story, name) ?? [];
    const [seenStatuses = statuses.join(' → '), endsAs = `\`${ends_as}\``] = described;
    expect(await seen(manifest, story)).toEqual([seenStatuses, endsAs]);
  });
});
