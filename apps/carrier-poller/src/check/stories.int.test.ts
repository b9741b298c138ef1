import type { ConnectedProvider } from '@pts/carriers/provider';
import { sandboxClient } from '@pts/carriers/providers/sandbox/index';
import { testProvider } from '@pts/carriers/testing/provider';
import { claimChecks } from '@pts/db/checks/schedule';
import { STORY_NAMES, type StoryName } from '@pts/sandbox-carrier/stories';
import { openPollerTest, type PollerTest } from '../testing/test-poller.ts';
import { KUAIDI100, startSandbox } from '../testing/test-sandbox.ts';
import { query } from './query.ts';

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
/** The last step before WITHDRAWN withdraws its delivery. */
const WITHDRAWN_AT = 7;

type Wire = 'sandbox' | 'kuaidi100';
/** `afterSeconds`: how much later the parcel is checked once more. */
type How = { phone?: string; wire?: Wire; afterSeconds?: number };

function clientOf(wire: Wire, timeoutMs: number): ConnectedProvider {
  if (wire === 'kuaidi100') {
    const { customer, key } = KUAIDI100;
    return testProvider('kuaidi100', {
      PROVIDER_URLS: `kuaidi100=${carrier.url}/kuaidi100`,
      KUAIDI100_CUSTOMER: customer,
      KUAIDI100_KEY: key,
    });
  }
  return {
    ...testProvider('sandbox', { SANDBOX_URL: carrier.url }),
    ...sandboxClient({ baseUrl: carrier.url, batchSize: 40, timeoutMs }),
  };
}

/** Checks a number like the poller, until its story has ended and any final check is done. */
async function follow(story: StoryName, { wire = 'sandbox', afterSeconds = 0, ...more }: How) {
  // A provider of its own, because some stories pause their whole provider.
  const name = `${wire}-${story.toLowerCase()}${more.phone ?? ''}${afterSeconds}`;
  const client = clientOf(wire, story === 'TIMEOUT' ? 50 : 60_000);
  // A tick that follows a late check is up to one and a half intervals away: a check is due after a step.
  const seconds = STEP / 1.6;
  const cadence = { monitoredSeconds: seconds, idleSeconds: seconds, floorSeconds: 0 };
  const deps = poller.depsFor({ ...client, name }, { cadence });
  const account = await poller.account(['tracking_update']);
  const number = `SBX${story}${more.phone ?? (wire === 'sandbox' ? '1' : '2')}${afterSeconds}`;
  const id = await poller.watch(account, number, {
    provider: name,
    carrier: wire === 'sandbox' ? 'sandbox' : 'yto',
    ...more,
  });
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
    const [where, nextCheckAt] = [{ trackingId: id }, poller.clock.now()];
    // The withdrawal follows a delivery: a merchant has the parcel checked again.
    if (story === 'WITHDRAWN' && n === WITHDRAWN_AT) await poller.db.check.updateMany({ where, data: { nextCheckAt } });
    poller.clock.pass(STEP);
  }
  if ((await poller.check(id))?.finalLook) {
    poller.clock.pass(DAY);
    await look();
    // A final check without an answer is repeated.
    poller.clock.pass(STEP);
    await look();
  }
  if (afterSeconds > 0) {
    poller.clock.pass(afterSeconds);
    await look();
  }
  const { status, subStatus, notice } = await poller.tracking(id);
  const kinds = { tracking_update: 'u', tracking_delivered: 'd', tracking_exception: 'x' };
  const events = (await poller.emitted(id)).map((event) => kinds[event as keyof typeof kinds]).join('');
  return { status, subStatus, isWatched: (await poller.check(id)) !== null, hasNotice: notice !== null, events };
}

type Ending = Awaited<ReturnType<typeof follow>>;
const ending = (
  status: string,
  subStatus: string,
  watch: 'watched' | 'ended',
  events: string,
  notice = false,
): Ending => ({
  status,
  subStatus,
  isWatched: watch === 'watched',
  hasNotice: notice,
  events,
});
const DELIVERED = ending('已签收', 'delivered', 'ended', 'uuuuuuud');
const UNKNOWN = ending('查询中', 'pending', 'watched', '');

/** The end and the events of each story: u an update, d a delivered, x an exception. */
const ENDINGS: Record<StoryName, Ending> = {
  ORDINARY: DELIVERED,
  EXPRESS: ending('已签收', 'delivered', 'ended', 'uuuud'),
  EXCEPTION: ending('异常', 'exception', 'watched', 'uuuux'),
  RECOVERED: ending('已签收', 'delivered', 'ended', 'uuuuxuuud'),
  UNDELIVERABLE: ending('异常', 'undeliverable', 'watched', 'uuuuux'),
  RETURNED: ending('异常', 'returned', 'ended', 'uuuuuxux'),
  PICKUP: ending('已签收', 'delivered', 'ended', 'uuuuuud'),
  DELIVEREDRETURNED: ending('异常', 'returned', 'ended', 'uuuuudux'),
  LATESCAN: DELIVERED,
  CORRECTED: ending('已签收', 'delivered', 'ended', 'uuuuuuuud'),
  REPEATED: DELIVERED,
  NOTFOUND: UNKNOWN,
  LATEFOUND: DELIVERED,
  PHONE: { ...UNKNOWN, hasNotice: true },
  FLAKY: ending('已签收', 'delivered', 'ended', 'uuuuuud'),
  SLOW: DELIVERED,
  TIMEOUT: UNKNOWN,
  ERROR: UNKNOWN,
  LIMIT: UNKNOWN,
  INVALID: ending('查询中', 'pending', 'ended', '', true),
  MIXEDUP: UNKNOWN,
  GARBAGE: UNKNOWN,
  // On this wire there are no callbacks.
  PUSHLOST: DELIVERED,
  PUSHABORT: DELIVERED,
  PUSHMOVED: DELIVERED,
  RECYCLED: ending('已签收', 'delivered', 'ended', 'uuuud'),
  FOREIGN: ending('已签收', 'delivered', 'ended', 'uuuud'),
  MISTAKEN: ending('查询中', 'in_transit', 'watched', 'uu'),
  WITHDRAWN: ending('已签收', 'delivered', 'ended', 'uuuuduxud'),
  GOINGBACK: ending('异常', 'returned', 'ended', 'uuuuxuux'),
  REFUSED: ending('已签收', 'delivered', 'ended', 'uuuuxuud'),
  LOCKER: ending('已签收', 'delivered', 'ended', 'uuuuud'),
  HANDOVER: ending('已签收', 'delivered', 'ended', 'uuuuud'),
  RECLASSIFIED: ending('已签收', 'delivered', 'ended', 'uuuuud'),
  SHIFTED: ending('已签收', 'delivered', 'ended', 'uuuuuud'),
  PIECES: ending('已签收', 'delivered', 'ended', 'uuuuud'),
};

/** The same where Kuaidi100's wire reports it differently: any outage is an exception. */
const ON_KUAIDI100: Partial<Record<StoryName, Ending>> = {
  UNDELIVERABLE: ending('异常', 'exception', 'watched', 'uuuuux'),
};
/** How the provider's calls go wrong, which the client reports, not the parcel. */
const ONLY_OWN_WIRE: readonly StoryName[] = [
  'PHONE',
  'FLAKY',
  'SLOW',
  'TIMEOUT',
  'ERROR',
  'LIMIT',
  'INVALID',
  'GARBAGE',
];

test.each(STORY_NAMES)('the story %s reaches its end', async (story) => {
  expect(await follow(story, {})).toEqual(ENDINGS[story]);
});

test.each(STORY_NAMES.filter((story) => !ONLY_OWN_WIRE.includes(story)))(
  'the story %s reaches its end in Kuaidi100’s wire',
  async (story) => {
    expect(await follow(story, { wire: 'kuaidi100' })).toEqual(ON_KUAIDI100[story] ?? ENDINGS[story]);
  },
);
