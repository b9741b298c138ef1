import { sandboxClient } from '@pts/carriers/providers/sandbox/client';
import { testProvider } from '@pts/carriers/testing/provider';
import { JITTER } from '@pts/core/tracking/schedule';
import { claimChecks } from '@pts/db/checks/schedule';
import { STORY_NAMES, type StoryName } from '@pts/sandbox-carrier/stories';
import { query } from './query.ts';
import { openPollerTest, type PollerTest } from './test-poller.ts';
import { startSandbox } from './test-sandbox.ts';

let poller: PollerTest;
let carrier: Awaited<ReturnType<typeof startSandbox>>;
beforeAll(async () => {
  poller = await openPollerTest();
  carrier = await startSandbox(poller.clock);
});
afterAll(async () => {
  await carrier.close();
  await poller.close();
});

/** Seconds between two checks; every story has ended after twenty of them. */
const STEP = 4;
const STEPS = 20;
const DAY = 86_400;

/** Follows a number the way the poller does, until its story has ended and any last look is over. */
async function follow(story: StoryName, more: { phone?: string }) {
  // A provider of its own, because some stories bring all of their provider into trouble.
  const name = `sandbox-${story.toLowerCase()}${more.phone ?? ''}`;
  const timeoutMs = story === 'TIMEOUT' ? 50 : 10_000;
  const client = {
    ...testProvider('sandbox', { SANDBOX_URL: carrier.url }),
    ...sandboxClient({ baseUrl: carrier.url, batchSize: 40, timeoutMs }),
  };
  // With the longest jitter a check is due after a step.
  const seconds = STEP / (1 + JITTER);
  const cadence = { monitoredSeconds: seconds, idleSeconds: seconds, floorSeconds: 0 };
  const deps = poller.depsFor({ ...client, name }, { cadence });
  const account = await poller.account(['tracking_update']);
  const number = `SBX${story}${more.phone ?? '1'}`;
  const id = await poller.watch(account, number, { provider: name, carrier: 'sandbox', ...more });
  const look = async () => {
    const claimed = await claimChecks(poller.db, {
      provider: name,
      limit: 1,
      cadence: deps.cadence,
      now: poller.clock.now(),
      isProbe: true,
    });
    if (claimed.length > 0) await query(deps, { claimed });
  };
  for (let n = 0; n < STEPS; n++) {
    await look();
    poller.clock.pass(STEP);
  }
  if ((await poller.check(id))?.finalCheck) {
    poller.clock.pass(DAY);
    await look();
    // A last look without an answer is made again.
    poller.clock.pass(STEP);
    await look();
  }
  const { status, subStatus, notice } = await poller.tracking(id);
  const kinds = { tracking_update: 'u', tracking_delivered: 'd', tracking_exception: 'x' };
  const events = (await poller.emitted(id)).map((event) => kinds[event as keyof typeof kinds]).join('');
  return { status, subStatus, isWatched: (await poller.check(id)) !== null, hasNotice: notice !== null, events };
}

type Told = Awaited<ReturnType<typeof follow>>;
const told = (status: string, subStatus: string, watch: 'watched' | 'ended', events: string, notice = false): Told => ({
  status,
  subStatus,
  isWatched: watch === 'watched',
  hasNotice: notice,
  events,
});
const DELIVERED = told('已签收', 'delivered', 'ended', 'uuuuuuud');
const UNKNOWN = told('查询中', 'pending', 'watched', '');

/** What each story comes to: u an update, d a delivered, x an exception. */
const ENDINGS: Record<StoryName, Told> = {
  ORDINARY: DELIVERED,
  EXPRESS: told('已签收', 'delivered', 'ended', 'uuuud'),
  EXCEPTION: told('异常', 'exception', 'watched', 'uuuux'),
  RECOVERED: told('已签收', 'delivered', 'ended', 'uuuuxuuud'),
  UNDELIVERABLE: told('异常', 'undeliverable', 'watched', 'uuuuux'),
  RETURNED: told('异常', 'returned', 'ended', 'uuuuuxux'),
  PICKUP: told('已签收', 'delivered', 'ended', 'uuuuuud'),
  DELIVEREDRETURNED: told('异常', 'returned', 'ended', 'uuuuudux'),
  LATESCAN: DELIVERED,
  CORRECTED: told('已签收', 'delivered', 'ended', 'uuuuuuuud'),
  REPEATED: DELIVERED,
  NOTFOUND: UNKNOWN,
  LATEFOUND: DELIVERED,
  PHONE: { ...UNKNOWN, hasNotice: true },
  FLAKY: told('已签收', 'delivered', 'ended', 'uuuuuud'),
  SLOW: DELIVERED,
  TIMEOUT: UNKNOWN,
  ERROR: UNKNOWN,
  LIMIT: UNKNOWN,
  INVALID: told('查询中', 'pending', 'ended', '', true),
  MIXEDUP: UNKNOWN,
  GARBAGE: UNKNOWN,
  // On this wire there are no pushes.
  PUSHLOST: DELIVERED,
  PUSHABORT: DELIVERED,
  PUSHMOVED: DELIVERED,
};

test.each(STORY_NAMES)('the story %s comes to its end', async (story) => {
  expect(await follow(story, {})).toEqual(ENDINGS[story]);
});

test('the story PHONE is the ordinary one for who gives a phone', async () => {
  expect(await follow('PHONE', { phone: '5678' })).toEqual(DELIVERED);
});
