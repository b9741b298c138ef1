import fc from 'fast-check';
import { type Found, fingerprintOf } from './answer.ts';
import { applyAnswer, type Change, type Snapshot } from './change.ts';
import { milestonesOf, problemOf } from './derive.ts';
import { identity, keyOf } from './match.ts';
import type { Scan } from './scan.ts';
import { type ScanStatus, SUB_STATUSES } from './status.ts';

const STATUSES = SUB_STATUSES.filter((s): s is ScanStatus => s !== 'pending' && s !== 'expired');
const REGISTERED_AT = new Date('2031-05-01T00:00:00Z');
const FIRST_ANSWER = Date.parse('2031-05-20T00:00:00Z');
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const REGISTERED: Snapshot = { scans: [], status: '查询中', subStatus: 'pending', notice: null };

function scan(ms: number, description: string, status: ScanStatus): Scan {
  const time = new Date(ms).toISOString().replace('.000Z', 'Z');
  return { time, timeRaw: time, zoneSource: 'carrier', location: '', description, status };
}
const moved = (one: Scan, ms: number): Scan => scan(Date.parse(one.time) + ms, one.description, one.status);

/** The scans of a journey, a few hours apart; each text is its own, or one of three that carriers repeat. */
const journeys = (beganAt: number, words: string) =>
  fc
    .array(
      fc.record({
        hours: fc.integer({ min: 1, max: 40 }),
        status: fc.constantFrom(...STATUSES),
        text: fc.constantFrom('departed', 'arrived', null),
      }),
      { minLength: 1, maxLength: 8 },
    )
    .map((steps) => {
      let at = beganAt;
      return steps.map(({ hours, status, text }, n) => {
        at += hours * HOUR;
        return scan(at, `${words} ${text ?? `scan ${n}`}`, status);
      });
    });

/** The carrier's changes between two answers. */
type Step =
  | { kind: 'continues'; scans: number }
  | { kind: 'lists the newest only'; scans: number }
  | { kind: 'reclassifies' | 'rewords' | 'withdraws'; at: number; status: ScanStatus }
  | { kind: 'corrects a time'; at: number; minutes: number }
  | { kind: 'moves all times'; hours: number }
  | { kind: 'answers about another parcel' }
  | { kind: 'announces' };

const steps = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('continues' as const), scans: fc.integer({ min: 1, max: 3 }) }),
  },
  fc.record({ kind: fc.constant('lists the newest only' as const), scans: fc.integer({ min: 1, max: 4 }) }),
  fc.record({
    kind: fc.constantFrom('reclassifies' as const, 'rewords' as const, 'withdraws' as const),
    at: fc.nat(7),
    status: fc.constantFrom(...STATUSES),
  }),
  fc.record({
    kind: fc.constant('corrects a time' as const),
    at: fc.nat(7),
    minutes: fc.integer({ min: -59, max: 59 }).filter((minutes) => minutes !== 0),
  }),
  fc.record({
    kind: fc.constant('moves all times' as const),
    hours: fc.constantFrom(-13, -8, -1, 1, 5.5, 8, 12),
  }),
  fc.record({ kind: fc.constant('answers about another parcel' as const) }),
  fc.record({ kind: fc.constant('announces' as const) }),
);

type Life = { truth: Scan[]; old: Scan[]; other: Scan[]; steps: Step[] };
const lives: fc.Arbitrary<Life> = fc.record({
  truth: journeys(Date.parse('2031-05-02T00:00:00Z'), 'ours:'),
  old: fc.oneof(fc.constant<Scan[]>([]), journeys(Date.parse('2030-05-02T00:00:00Z'), 'before:')),
  other: journeys(Date.parse('2031-04-10T00:00:00Z'), 'elsewhere:'),
  steps: fc.array(steps, { minLength: 1, maxLength: 8 }),
});

type Played = { answers: Found[]; isOurs: boolean[]; listed: Scan[]; withdrawn: Set<string> };

/** Simulates a parcel: the answers, which of them are about the parcel, and the scans of a full answer at the end. */
function play({ truth, old, other, steps }: Life): Played {
  let journey = truth;
  let length = 1;
  const played: Played = { answers: [], isOurs: [], listed: [], withdrawn: new Set() };
  const say = (scans: Scan[], isOurs = true) => {
    played.answers.push({ kind: 'found', scans });
    played.isOurs.push(isOurs);
  };
  const change = (at: number, to: (one: Scan) => Scan[]) => {
    const index = at % length;
    const before = journey.length;
    journey = journey.flatMap((one, n) => (n === index ? to(one) : [one]));
    length += journey.length - before;
  };
  const full = () => [...old, ...journey.slice(0, length)];
  say(full());
  for (const step of steps) {
    if (step.kind === 'continues') length = Math.min(journey.length, length + step.scans);
    if (step.kind === 'reclassifies') change(step.at, (one) => [{ ...one, status: step.status }]);
    if (step.kind === 'rewords') change(step.at, (one) => [{ ...one, description: `${one.description}, in full` }]);
    if (step.kind === 'corrects a time') change(step.at, (one) => [moved(one, step.minutes * 60_000)]);
    if (step.kind === 'moves all times') journey = journey.map((one) => moved(one, step.hours * HOUR));
    if (step.kind === 'withdraws' && length > 1) {
      const newest = journey[length - 1];
      if (newest?.status === 'delivered') change(length - 1, () => []);
    }
    if (step.kind === 'lists the newest only') say(journey.slice(Math.max(0, length - step.scans), length));
    else if (step.kind === 'answers about another parcel') say(other, false);
    else if (step.kind === 'announces') say([...full(), scan(FIRST_ANSWER + 40 * DAY, 'ours: due', 'delivered')]);
    else say(full());
  }
  say(full());
  played.listed = journey.slice(0, length);
  return played;
}

const at = (index: number) => new Date(FIRST_ANSWER + index * 300_000);

function replay(answers: readonly Found[], { skipsRepeated = false } = {}): Change[] {
  let snapshot = REGISTERED;
  let stored: string | null = null;
  return answers.map((answer, index) => {
    const digest = fingerprintOf(answer, at(index));
    if (skipsRepeated && digest === stored) return { after: snapshot, emits: [] };
    const change = applyAnswer(snapshot, answer, { now: at(index), registeredAt: REGISTERED_AT, provider: 'any' });
    if (!change.isQuarantined) stored = digest;
    snapshot = change.after;
    return change;
  });
}

const read = (scans: readonly Scan[] = []) => scans.map((one) => `${identity(one)} ${one.status}`).sort();
const MANY = { numRuns: 100 };

describe('of any simulated parcel', () => {
  test('the simulations cover quarantined, recycled, announced, withdrawn and delivered parcels', () => {
    const sample = fc
      .sample(lives, { numRuns: 400, seed: 20310501 })
      .map((life) => ({ life, changes: replay(play(life).answers) }));
    const changes = sample.flatMap((each) => each.changes);
    expect(changes.filter(({ isQuarantined }) => isQuarantined).length).toBeGreaterThan(50);
    expect(changes.filter(({ after }) => after.annotations?.previous).length).toBeGreaterThan(50);
    expect(changes.filter(({ after }) => after.annotations?.expected).length).toBeGreaterThan(50);
    expect(changes.filter(({ after }) => after.annotations?.reason === 'delivery_revoked').length).toBeGreaterThan(5);
    expect(changes.filter(({ emits }) => emits.includes('tracking_delivered')).length).toBeGreaterThan(50);
  });

  test('after a full answer the history equals the carrier’s list: nothing is lost, and nothing is kept twice', () => {
    fc.assert(
      fc.property(lives, (life) => {
        const played = play(life);
        const last = replay(played.answers).at(-1);
        expect(read(last?.after.scans)).toEqual(read(played.listed));
        expect(read(last?.after.annotations?.previous)).toEqual(read(life.old));
      }),
      MANY,
    );
  });

  test('problem and milestones are those of the history as it stands, and every scan has a key of its own', () => {
    fc.assert(
      fc.property(lives, (life) => {
        for (const { after, isQuarantined } of replay(play(life).answers)) {
          if (isQuarantined) continue;
          const { scans, subStatus, annotations } = after;
          expect(annotations?.problem).toBe(problemOf(scans, subStatus));
          expect(annotations?.milestones).toEqual(milestonesOf(scans, subStatus, undefined));
          expect(new Set(scans.map(keyOf)).size).toBe(scans.length);
        }
      }),
      MANY,
    );
  });

  test('a scan leaves the history only with an update', () => {
    fc.assert(
      fc.property(lives, (life) => {
        let before: Snapshot = REGISTERED;
        for (const { after, emits } of replay(play(life).answers)) {
          if (read(before.scans).join() !== read(after.scans).join()) expect(emits).toContain('tracking_update');
          before = after;
        }
      }),
      MANY,
    );
  });

  test('the order of the scans within the answers does not matter', () => {
    fc.assert(
      fc.property(lives, fc.infiniteStream(fc.nat()), (life, numbers) => {
        const { answers } = play(life);
        const shuffled = answers.map((answer) => {
          const keyed = answer.scans.map((one) => ({ one, key: numbers.next().value ?? 0 }));
          return { ...answer, scans: keyed.sort((a, b) => a.key - b.key).map(({ one }) => one) };
        });
        expect(replay(shuffled)).toEqual(replay(answers));
      }),
      MANY,
    );
  });

  test('an answer that is repeated at once changes nothing', () => {
    fc.assert(
      fc.property(lives, (life) => {
        const { answers } = play(life);
        const twice = replay(answers.flatMap((answer) => [answer, answer]));
        for (const [index, change] of twice.entries()) if (index % 2 === 1) expect(change.emits).toEqual([]);
        expect(twice.at(-1)?.after.scans).toEqual(replay(answers).at(-1)?.after.scans);
      }),
      MANY,
    );
  });

  test('answers with the fingerprint of the stored one can be skipped, at any point', () => {
    fc.assert(
      fc.property(lives, fc.nat(9), (life, prefix) => {
        const { answers } = play(life);
        const whole = replay(answers).map(({ emits }) => emits);
        const skipping = replay(answers.slice(0, prefix), { skipsRepeated: true }).map(({ emits }) => emits);
        expect(skipping).toEqual(whole.slice(0, prefix));
      }),
      MANY,
    );
  });

  test('a delivery is announced once, and again only after it was revoked or the parcel was in trouble', () => {
    fc.assert(
      fc.property(lives, (life) => {
        const kinds = replay(play(life).answers).flatMap(({ emits }) => emits.filter((k) => k !== 'tracking_update'));
        for (const [index, kind] of kinds.entries())
          if (kind === 'tracking_delivered') expect(kinds[index - 1]).not.toBe('tracking_delivered');
      }),
      MANY,
    );
  });

  test('another parcel’s scans are never shown', () => {
    fc.assert(
      fc.property(lives, (life) => {
        for (const { after } of replay(play(life).answers))
          expect(after.scans.filter(({ description }) => description.startsWith('elsewhere'))).toEqual([]);
      }),
      MANY,
    );
  });
});
