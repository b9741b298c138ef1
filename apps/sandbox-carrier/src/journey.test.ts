import { toUtcSeconds } from '@pts/core/time';
import type { CarrierAnswer } from '@pts/core/tracking/answer';
import { applyAnswer, type Snapshot } from '@pts/core/tracking/change';
import type { Scan } from '@pts/core/tracking/scan';
import type { TrackingEventKind } from '@pts/core/tracking/status';
import fc from 'fast-check';
import { isUsable, storyCards } from './app.ts';
import { changesOf, isKnownTo, type JourneyScan, journey } from './journey.ts';
import { STORIES, STORY_NAMES } from './stories.ts';
import { languageOf } from './story.ts';

const START = new Date('2026-03-01T08:00:00.250Z');
const after = (seconds: number) => new Date(START.getTime() + seconds * 1000);

function scansAt(number: string, seconds: number, speed = 1): JourneyScan[] {
  const says = journey(number, START, after(seconds), speed);
  return says.kind === 'found' ? says.scans : [];
}

function answerAt(number: string, seconds: number): CarrierAnswer | null {
  const says = journey(number, START, after(seconds), 1);
  if (says.kind === 'failed') return null;
  return says.kind === 'found' ? { ...says, scans: says.scans.map(toScan) } : says;
}

function toScan({ time, place, description, status, course }: JourneyScan): Scan {
  const utc = toUtcSeconds(time);
  const scan = { time: utc, timeRaw: utc, zoneSource: 'carrier', location: place.name, description, status } as const;
  return course === undefined ? scan : { ...scan, course };
}

const REGISTERED: Snapshot = { scans: [], status: '查询中', subStatus: 'pending', notice: null };

/** What a merchant sees after every answer up to `seconds`, one per second. */
function watched(number: string, seconds: number) {
  let snapshot = REGISTERED;
  const statuses: string[] = [];
  const emits: TrackingEventKind[] = [];
  for (let s = 0; s <= seconds; s++) {
    const answer = answerAt(number, s);
    const change = answer && applyAnswer(snapshot, answer, { now: after(s), registeredAt: START });
    snapshot = change?.after ?? snapshot;
    emits.push(...(change?.emits ?? []));
    if (statuses.at(-1) !== snapshot.status) statuses.push(snapshot.status);
  }
  const { scans: history, subStatus, annotations } = snapshot;
  return { history, statuses, subStatus, annotations, emits };
}

const anyNumber = fc.oneof(
  fc.constantFrom(...STORY_NAMES).map((story) => `SBX${story}7`),
  fc.stringMatching(/^[A-Z0-9]{5,20}$/),
);
const anySpeed = fc.constantFrom(0.1, 1, 3, 10, 60, 10_000);
const anySecond = fc.integer({ min: 0, max: 90 });

describe('each story', () => {
  const cards = storyCards().filter(({ story }) => isUsable(STORIES[story]));

  test.each(cards)('$story passes through its statuses and ends where its card says', (card) => {
    const { statuses, subStatus } = watched(card.example, 120);
    expect(statuses).toEqual(card.statuses);
    expect(subStatus).toBe(card.ends_as);
  });

  test.each(cards.filter((card) => card.ends_after_seconds !== null))('$story ends in its time, not before', (card) => {
    const end = card.ends_after_seconds ?? 0;
    expect(watched(card.example, end).subStatus).toBe(card.ends_as);
    expect(scansAt(card.example, end).length).toBeGreaterThan(scansAt(card.example, end - 1).length);
    expect(end).toBeLessThanOrEqual(60);
  });

  test.each(STORY_NAMES)('the answer about %s changes only when its callbacks are due', (story) => {
    const answer = (seconds: number) => JSON.stringify(journey(`SBX${story}7`, START, after(seconds), 1));
    const changed = Array.from({ length: 70 }, (_, n) => n + 1).filter(
      (second) => answer(second) !== answer(second - 1),
    );
    expect(changesOf(STORIES[story])).toEqual(expect.arrayContaining(changed));
  });

  test.each([
    ['SBXERROR1', 'transient'],
    ['SBXLIMIT1', 'rate_limited'],
    ['SBXINVALID1', 'invalid_number'],
    ['SBXGARBAGE1', 'unreadable'],
  ])('%s is refused as %s, however often it is queried', (number, failure) => {
    for (const seconds of [0, 60, 3600]) {
      expect(journey(number, START, after(seconds), 1)).toMatchObject({ kind: 'failed', failure });
    }
  });

  test('a number that is queried too often says how long to wait', () => {
    expect(journey('SBXLIMIT1', START, START, 1)).toMatchObject({ retryAfterSeconds: 10 });
  });

  test('a number found late is not found before', () => {
    expect(journey('SBXLATEFOUND1', START, after(14.9), 1)).toEqual({ kind: 'not_found' });
    expect(scansAt('SBXLATEFOUND1', 15)).toHaveLength(1);
  });

  test('a late scan is older than what was listed before it', () => {
    const before = scansAt('SBXLATESCAN1', 37);
    const now = scansAt('SBXLATESCAN1', 38);
    const late = now.filter((scan) => !before.some((known) => known.time.getTime() === scan.time.getTime()));
    expect(before.at(-1)?.status).toBe('out_for_delivery');
    expect(late).toHaveLength(1);
    expect(late[0]?.time).toEqual(scansAt('SBXORDINARY1', 18).at(-1)?.time);
    expect(now.at(-1)?.status).toBe('out_for_delivery');
  });

  test('a corrected scan keeps its time and status and has another text', () => {
    const [before, now] = [scansAt('SBXCORRECTED1', 21), scansAt('SBXCORRECTED1', 22)];
    const changed = now.filter((scan, i) => scan.description !== before[i]?.description);
    expect(now.map(({ time, status }) => [time, status])).toEqual(before.map(({ time, status }) => [time, status]));
    expect(changed).toHaveLength(1);
    expect(watched('SBXCORRECTED1', 60).history).toHaveLength(now.length + 3);
  });

  test('a repeated scan is listed twice and kept once', () => {
    const scans = scansAt('SBXREPEATED1', 60);
    expect(scans).toHaveLength(8);
    expect(watched('SBXREPEATED1', 60).history).toHaveLength(7);
  });
});

describe('a carrier that revises its history', () => {
  test('lists the journey of an earlier parcel separately from that of the new one', () => {
    expect(scansAt('SBXRECYCLED1', 4)).toHaveLength(2);
    const { history, annotations } = watched('SBXRECYCLED1', 60);
    expect(annotations?.previous?.map(({ status }) => status)).toEqual(['in_transit', 'delivered']);
    expect(history).toHaveLength(4);
  });

  test('that answers about another parcel for a while is quarantined for that time', () => {
    expect(watched('SBXFOREIGN1', 19).annotations?.quarantine).toMatchObject({ reason: 'other_history' });
    expect(watched('SBXFOREIGN1', 60).annotations?.quarantine).toBeUndefined();
    expect(watched('SBXMISTAKEN1', 60).annotations?.quarantine).toMatchObject({ reason: 'other_history' });
  });

  test('and withdraws a delivery revokes it', () => {
    expect(watched('SBXWITHDRAWN1', 29).statuses.at(-1)).toBe('已签收');
    expect(watched('SBXWITHDRAWN1', 40).annotations).toMatchObject({ reason: 'delivery_revoked' });
  });

  test('about the times or the kind of a scan lists as many scans as before', () => {
    expect(
      scansAt('SBXSHIFTED1', 22)
        .map(toScan)
        .map(({ time }) => time),
    ).not.toEqual(
      scansAt('SBXSHIFTED1', 21)
        .map(toScan)
        .map(({ time }) => time),
    );
    expect(watched('SBXSHIFTED1', 60).history).toHaveLength(5);
    expect(watched('SBXRECLASSIFIED1', 30).history).toHaveLength(3);
  });

  test('never announces a parcel of several pieces, or one that goes back, before its time', () => {
    expect(watched('SBXPIECES1', 40).emits).not.toContain('tracking_delivered');
    expect(watched('SBXPIECES1', 60).annotations?.pieces).toEqual({ total: 2, delivered: 2 });
    expect(watched('SBXGOINGBACK1', 60).emits).not.toContain('tracking_delivered');
  });
});

describe('any number', () => {
  test.each(['YT0000000000001', '1Z0000000000000000', 'SBXNOSUCHSTORY1', 'SBXEXPRESS', 'sbxexpress1', 'SBX1'])(
    '%s plays the ordinary story',
    (number) => {
      const statuses = (n: string) => [0, 20, 33, 46].map((seconds) => scansAt(n, seconds).map((scan) => scan.status));
      expect(statuses(number)).toEqual(statuses('SBXORDINARY1'));
    },
  );

  test('a journey depends only on its arguments', () => {
    fc.assert(
      fc.property(anyNumber, anySecond, anySpeed, (number, seconds, speed) => {
        const once = journey(number, START, after(seconds), speed);
        expect(journey(number, new Date(START), after(seconds), speed)).toEqual(once);
      }),
    );
  });

  test('listed scans stay unchanged, unless the story changes them', () => {
    const changing = /^SBX(?:CORRECTED|FOREIGN|MISTAKEN|WITHDRAWN|RECLASSIFIED|SHIFTED)/;
    const plainNumber = anyNumber.filter((number) => !changing.test(number));
    fc.assert(
      fc.property(plainNumber, anySecond, anySecond, anySpeed, (number, a, b, speed) => {
        const earlier = scansAt(number, Math.min(a, b), speed);
        const later = scansAt(number, Math.max(a, b), speed);
        expect(later).toEqual(expect.arrayContaining(earlier));
        if (number.startsWith('SBXLATESCAN')) return;
        expect(later.slice(0, earlier.length)).toEqual(earlier);
      }),
    );
  });

  test('scans are in order of time, a second apart, none in the future', () => {
    const plainNumber = anyNumber.filter((number) => !number.startsWith('SBXREPEATED'));
    fc.assert(
      fc.property(plainNumber, anySecond, anySpeed, (number, seconds, speed) => {
        const times = scansAt(number, seconds, speed).map((scan) => scan.time.getTime());
        expect(times.every((time, i) => i === 0 || time - (times[i - 1] ?? 0) >= 1000)).toBe(true);
        expect(times.every((time) => time <= after(seconds).getTime() && time % 1000 === 0)).toBe(true);
      }),
    );
  });

  test('at speed 10 a journey takes a tenth of its time', () => {
    expect(scansAt('SBXORDINARY1', 4.4, 10).at(-1)?.status).toBe('out_for_delivery');
    expect(scansAt('SBXORDINARY1', 4.5, 10).at(-1)?.status).toBe('delivered');
  });

  test('a clock that was set back does not undo the start', () => {
    expect(scansAt('SBXORDINARY1', -30)).toHaveLength(1);
  });

  test('numbers have Chinese or English texts and different routes', () => {
    const numbers = Array.from({ length: 200 }, (_, i) => `SBXORDINARY${i}`);
    const chinese = numbers.filter((number) => languageOf(number) === 'zh').length;
    const ways = new Set(
      numbers.map((number) =>
        scansAt(number, 60)
          .map((scan) => scan.place.city)
          .join(),
      ),
    );
    expect(chinese).toBeGreaterThan(60);
    expect(chinese).toBeLessThan(140);
    expect(ways.size).toBeGreaterThan(100);
  });
});

test('a number of a series is known to its one carrier, in either code', () => {
  const known = (carrier: string) => isKnownTo('770212345678', carrier);
  expect(['yto', 'yuantong', 'sto', 'zhongtong', 'sf-express'].map(known)).toEqual([true, true, false, false, false]);
});

test('a number without a carrier is known to none', () => {
  expect(['sto', 'yto', 'zto'].map((carrier) => isKnownTo('770900000002', carrier))).toEqual([false, false, false]);
});

test('all other numbers are known to every carrier, and so are all numbers if no carrier is given', () => {
  expect(isKnownTo('SBXORDINARY1', 'yto')).toBe(true);
  expect(isKnownTo('7702123456789', 'sto')).toBe(true);
  expect(isKnownTo('770512345678', 'sto')).toBe(true);
  expect(isKnownTo('770212345678', undefined)).toBe(true);
});
