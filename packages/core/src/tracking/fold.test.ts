import fc from 'fast-check';
import { deriveSubStatus } from './derive.ts';
import { fold as foldWithKeys } from './fold.ts';
import { isPlacedBetter, keyOf } from './match.ts';
import type { Scan } from './scan.ts';
import { type ScanStatus, SUB_STATUSES } from './status.ts';

function scan(time: string, status: ScanStatus, description = status as string, more: Partial<Scan> = {}): Scan {
  return {
    time: `2026-03-${time}:00Z`,
    timeRaw: time,
    zoneSource: 'carrier',
    location: '',
    description,
    status,
    ...more,
  };
}

const label = scan('01T08:00', 'info_received');
const moving = scan('02T08:00', 'in_transit');
const leaving = scan('03T08:00', 'out_for_delivery');
const handedOver = scan('03T12:00', 'delivered');

/** Without the keys, which have their own tests. */
function fold(history: readonly Scan[], incoming: readonly Scan[]) {
  const folded = foldWithKeys(history, incoming);
  return { ...folded, scans: folded.scans.map(({ key: _, ...scan }) => scan) };
}

/** The result of folding: the scans, and whether they differ from before. */
function folded(history: readonly Scan[], incoming: readonly Scan[]) {
  const { scans, isNews } = fold(history, incoming);
  return { scans, isNews };
}

const later = (one: Scan, hours: number): Scan => ({
  ...one,
  time: new Date(Date.parse(one.time) + hours * 3_600_000).toISOString().replace('.000Z', 'Z'),
});

test('a history that another one of 500 scans replaces is compared text by text, not pair by pair', () => {
  let reads = 0;
  const journey = (textOf: (n: number) => string, from: number, step: number) =>
    Array.from({ length: 500 }, (_, n) => {
      const description = () => {
        reads += 1;
        return textOf(n);
      };
      const one = later(scan('01T08:00', 'in_transit'), from + n * step);
      return Object.defineProperty(one, 'description', { get: description, enumerable: true });
    });
  const [arrivals, departures] = [journey((n) => `arrived ${n}`, 0, 1), journey((n) => `departed ${n}`, 0.5, 1)];
  expect(fold(arrivals, departures).scans).toHaveLength(1000);
  const same = () => 'moving';
  expect(fold(journey(same, 0, 0.25), journey(same, -26.25, 0.25)).scans).toHaveLength(605);
  expect(reads).toBeLessThan(60_000);
});

describe('folding an answer into the history', () => {
  test('a first answer becomes the history, oldest first', () => {
    expect(folded([], [handedOver, label, leaving, moving])).toEqual({
      scans: [label, moving, leaving, handedOver],
      isNews: true,
    });
  });

  test('an answer without scans is not news', () => {
    expect(folded([label], [])).toEqual({ scans: [label], isNews: false });
  });

  test('a repeated scan is not news', () => {
    expect(folded([label, moving], [moving, label])).toEqual({ scans: [label, moving], isNews: false });
  });

  test('a scan that an answer lists twice is kept once', () => {
    expect(fold([], [label, label]).scans).toEqual([label]);
  });

  test.each([
    ['', 'Memphis'],
    ['', 'Memphis, TN, US'],
    ['US', 'Memphis, TN, US'],
    ['Memphis', 'MEMPHIS, TN'],
  ])('a scan that an answer lists twice, once with less of its place (%p), is kept once, at %p', (less, place) => {
    const placed = { ...moving, location: place };
    // The town may have another zone than the carrier.
    const unplaced = { ...later(moving, 1), location: less };
    expect(fold([], [unplaced, label, placed]).scans).toEqual([label, placed]);
    const first = fold([], [unplaced]).scans;
    expect(fold(first, [placed, { ...moving, location: less }]).scans).toEqual([placed]);
    // Neither does an answer that leaves out the place take it away.
    expect(folded([placed], [unplaced])).toEqual({ scans: [placed], isNews: false });
  });

  test('scans of one moment at two places are two', () => {
    const scans = ['', 'Memphis', 'York', 'New York'].map((location) => ({ ...moving, location }));
    expect(fold([], scans).scans.map(({ location }) => location)).toEqual(['Memphis', 'New York', 'York']);
  });

  test('of a scan with and without its place, the status that is furthest along counts', () => {
    const placed = { ...moving, location: 'Memphis' };
    expect(fold([], [placed, { ...moving, status: 'exception' }]).scans).toEqual([{ ...placed, status: 'exception' }]);
  });

  test('a late older scan is inserted in time order', () => {
    expect(folded([label, leaving], [label, moving, leaving])).toEqual({
      scans: [label, moving, leaving],
      isNews: true,
    });
  });

  test('a scan that the carrier no longer lists is kept, without an event', () => {
    expect(folded([label, moving, leaving], [label, leaving])).toEqual({
      scans: [label, moving, leaving],
      isNews: false,
    });
  });

  test('another spelling of the same time is not news', () => {
    expect(folded([moving], [{ ...moving, timeRaw: '2 March, 8:00', zoneSource: 'location' }])).toEqual({
      scans: [moving],
      isNews: false,
    });
  });

  test('it counts the known scans that the answer lists, corrected ones included', () => {
    expect(fold([label, moving], [label, { ...moving, description: 'Arrived' }, leaving]).shared).toBe(2);
    expect(fold([label], [leaving]).shared).toBe(0);
  });

  test('neither the history nor the answer is changed', () => {
    const history = Object.freeze([moving]);
    const incoming = Object.freeze([leaving, label]);
    fold(history, incoming);
    expect([history, incoming]).toEqual([[moving], [leaving, label]]);
  });
});

describe('a correction', () => {
  test.each([
    ['description', { description: 'Arrived at Shenzhen' }],
    ['place', { location: 'Shenzhen' }],
  ])('of a %s changes the scan in place, and is news', (_what, correction) => {
    const corrected = { ...moving, ...correction };
    expect(folded([label, moving, leaving], [label, corrected, leaving])).toEqual({
      scans: [label, corrected, leaving],
      isNews: true,
    });
  });

  test('of a status changes the scan in place, and is news', () => {
    const reclassified = scan('03T08:00', 'available_for_pickup', leaving.description);
    expect(folded([moving, leaving], [moving, reclassified])).toEqual({ scans: [moving, reclassified], isNews: true });
  });

  test('of a time changes the scan in place, and is news', () => {
    const corrected = later(leaving, 3);
    expect(folded([label, moving, leaving], [label, moving, corrected])).toEqual({
      scans: [label, moving, corrected],
      isNews: true,
    });
  });

  test('of the only scan’s time changes it in place', () => {
    expect(fold([moving], [later(moving, -8)]).scans).toEqual([later(moving, -8)]);
  });

  test.each([8, -8, 5.5, 1])('of the zone of a whole history, by %s hours, changes every scan in place', (hours) => {
    const history = [label, moving, { ...moving, time: '2026-03-02T09:00:00Z' }, leaving];
    const moved = history.map((one) => later(one, hours));
    expect(folded(history, moved)).toEqual({ scans: moved, isNews: true });
    expect(fold(history, [...moved, later(handedOver, hours)]).scans).toEqual([...moved, later(handedOver, hours)]);
  });

  test.each([13, -13])('of a whole history by %s hours may move one scan to the time and words of another', (hours) => {
    const history = [
      scan('02T01:00', 'in_transit', 'Arrived'),
      scan('02T02:00', 'in_transit', 'Departed'),
      scan('02T03:00', 'in_transit', 'Departed'),
      scan('02T14:00', 'in_transit', 'Arrived'),
      scan('02T15:00', 'in_transit', 'Sorted'),
    ];
    const moved = history.map((one) => later(one, hours));
    expect(folded(history, moved)).toEqual({ scans: moved, isNews: true });
  });

  test('is not assumed when a carrier drops old scans and lists new ones that look like a moved history', () => {
    const [departed, arrived] = ['Departed facility', 'Arrived at facility'];
    const history = [1, 2, 3].flatMap((day) => [
      scan(`0${day}T08:00`, 'in_transit', departed),
      scan(`0${day}T20:00`, 'in_transit', arrived),
    ]);
    const shown = history.map((one) => later(one, 24));
    expect(fold(history, shown).scans).toEqual([...history, ...shown.slice(4)]);
  });

  test('of an answer without the other scans replaces only its own', () => {
    const corrected = { ...moving, description: 'Arrived at Shenzhen' };
    expect(fold([label, moving, leaving], [corrected]).scans).toEqual([label, corrected, leaving]);
  });

  test('is not assumed when a carrier drops old scans and uses the same words again', () => {
    const departed = scan('01T08:00', 'in_transit', 'Departed facility');
    const arrived = scan('01T20:00', 'in_transit', 'Arrived at facility');
    const again = scan('02T08:00', 'in_transit', 'Departed facility');
    expect(fold([departed, arrived], [again]).scans).toEqual([departed, arrived, again]);
  });

  test('is not assumed for a scan with the same words days later', () => {
    expect(fold([label, moving], [label, later(moving, 72)]).scans).toEqual([label, moving, later(moving, 72)]);
  });

  test('is not assumed for a second scan of the same moment while the first is still listed', () => {
    const second = { ...moving, description: 'Left Shenzhen' };
    expect(fold([moving], [moving, second]).scans).toEqual([second, moving]);
  });

  test('of one of two scans of a moment leaves the other', () => {
    const second = { ...moving, description: 'Left Shenzhen' };
    const corrected = { ...moving, description: 'Left Guangzhou' };
    expect(fold([moving, second], [moving, corrected]).scans).toEqual([corrected, moving]);
  });

  test('is not assumed for a scan of the same moment with another status and text', () => {
    const failed = scan('03T08:00', 'exception');
    expect(fold([leaving], [failed]).scans).toEqual([failed, leaving]);
  });
});

describe('the state of the parcel as a whole', () => {
  const signed: Scan = { ...leaving, status: 'delivered', ownStatus: 'out_for_delivery' };

  test('decides while the scan that has it is the newest', () => {
    expect(deriveSubStatus(fold([moving], [moving, signed]).scans)).toBe('delivered');
  });

  test('does not stay on a scan when a newer one arrives', () => {
    const newer = scan('04T08:00', 'in_transit', 'Sorted again');
    expect(fold([moving, signed], [moving, leaving, newer]).scans).toEqual([moving, leaving, newer]);
    // It does not stay either if the answer lists only the newer one.
    expect(fold([moving, signed], [newer]).scans).toEqual([moving, leaving, newer]);
  });

  test('stays on the newest scan when only a plan is dated later', () => {
    const plan = scan('04T08:00', 'info_received', 'Delivery planned');
    expect(deriveSubStatus(fold([moving], [moving, signed, plan]).scans)).toBe('delivered');
  });

  test('that it is returning is kept when a newer scan arrives', () => {
    const back: Scan = { ...moving, status: 'exception', ownStatus: 'in_transit', course: 'going_back' };
    const arrived = scan('04T08:00', 'delivered', 'Signed');
    const history = fold(fold([], [label, back]).scans, [label, moving, arrived]).scans;
    expect(deriveSubStatus(history)).toBe('returned');
  });
});

describe('the state of the parcel beside its newest scan', () => {
  const told: Scan = { ...leaving, parcel: { status: 'delivered' } };

  test('decides, while the scan keeps its own status', () => {
    const { scans } = fold([moving], [moving, told]);
    expect(scans.map(({ status }) => status)).toEqual([moving.status, leaving.status]);
    expect(deriveSubStatus(scans)).toBe('delivered');
  });

  test('is news when it appears and when it is withdrawn, and is not kept then', () => {
    expect(fold([moving, leaving], [moving, told])).toMatchObject({ scans: [moving, told], isNews: true });
    expect(fold([moving, told], [moving, leaving])).toMatchObject({ scans: [moving, leaving], isNews: true });
    expect(folded([moving, told], [moving]).scans).toEqual([moving, leaving]);
  });

  test('ends when a newer scan follows, unless that is only a plan', () => {
    const newer = scan('04T08:00', 'in_transit', 'Sorted again');
    expect(fold([moving, told], [newer]).scans).toEqual([moving, leaving, newer]);
    const plan = scan('04T08:00', 'info_received', 'Delivery planned');
    expect(deriveSubStatus(fold([moving, told], [moving, told, plan]).scans)).toBe('delivered');
  });

  test('that it is returning is kept when a newer scan arrives', () => {
    const back: Scan = { ...moving, course: 'going_back', parcel: { status: 'exception', course: 'going_back' } };
    const arrived = scan('04T08:00', 'delivered', 'Signed');
    expect(deriveSubStatus(fold([], [label, back]).scans)).toBe('exception');
    const history = fold(fold([], [label, back]).scans, [label, moving, arrived]).scans;
    expect(deriveSubStatus(history)).toBe('returned');
  });

  test('never makes a delivery of a return', () => {
    const returned: Scan = { ...moving, status: 'returned', parcel: { status: 'delivered' } };
    expect(deriveSubStatus([label, returned])).toBe('returned');
  });
});

describe('a delivery that the carrier withdraws', () => {
  test('is removed when the answer still lists the others, and that is news', () => {
    expect(folded([label, moving, leaving, handedOver], [label, moving, leaving])).toEqual({
      scans: [label, moving, leaving],
      isNews: true,
    });
  });

  test('is removed when a newer scan follows instead', () => {
    const again = scan('04T08:00', 'out_for_delivery');
    expect(fold([moving, leaving, handedOver], [moving, leaving, again]).scans).toEqual([moving, leaving, again]);
  });

  test('that only the state of the parcel reported is removed, the scan itself stays', () => {
    const signed: Scan = { ...leaving, status: 'delivered', ownStatus: 'out_for_delivery' };
    expect(fold([label, moving, signed], [label, moving]).scans).toEqual([label, moving, leaving]);
  });

  test('stays when the answer omits other scans, too: it is truncated', () => {
    expect(fold([label, moving, leaving, handedOver], [label, moving]).scans).toEqual([
      label,
      moving,
      leaving,
      handedOver,
    ]);
  });

  test('stays when the answer begins after it', () => {
    const after = scan('05T08:00', 'in_transit', 'Filed');
    expect(fold([handedOver, after], [after]).scans).toEqual([handedOver, after]);
  });
});

test('a newest scan that only the parcel’s state makes a paper scan is still the newest', () => {
  const leaving = scan('01T08:00', 'info_received', 'Moving', { ownStatus: 'out_for_delivery' });
  const answer = [
    scan('02T08:00', 'info_received', 'Moving', { location: 'x', ownStatus: 'in_transit' }),
    scan('04T08:00', 'info_received', 'Moving'),
  ];
  const once = fold([leaving], answer).scans;
  expect(once.map(({ status }) => status)).toEqual(['out_for_delivery', 'info_received', 'info_received']);
  expect(folded(once, answer)).toEqual({ scans: once, isNews: false });
});

describe('of any history and any answer', () => {
  const statuses = SUB_STATUSES.filter((s): s is ScanStatus => s !== 'pending' && s !== 'expired');
  const scans = fc.array(
    fc
      .record({
        day: fc.integer({ min: 1, max: 6 }),
        status: fc.constantFrom(...statuses),
        own: fc.constantFrom(undefined, ...statuses),
        parcel: fc.constantFrom(undefined, ...statuses),
        course: fc.constantFrom(undefined, 'refused' as const, 'going_back' as const),
        description: fc.constantFrom('a', 'b', 'c'),
        location: fc.constantFrom('', 'x'),
        timeRaw: fc.constantFrom('p', 'q'),
      })
      .map(({ day, status, own, parcel, course, description, ...more }) => ({
        ...scan(`0${day}T08:00`, status, description, more),
        ...(own === undefined ? {} : { ownStatus: own }),
        ...(parcel === undefined ? {} : { parcel: { status: parcel } }),
        ...(course === undefined ? {} : { course }),
      })),
    { maxLength: 12 },
  );
  const histories = scans.map((some) => fold([], some).scans);
  const place = ({ time, description, location }: Scan) => [time, description, location].join('|');
  const words = ({ description, location }: Scan) => [description, location].join('|');
  const reading = (history: readonly Scan[]) =>
    history.map((one) => `${place(one)}|${one.status}|${one.parcel?.status}`).sort();
  const isFinal = ({ status, ownStatus, parcel }: Scan) =>
    [status, ownStatus, parcel?.status].some((one) => one === 'delivered' || one === 'returned');

  test('folding it a second time changes nothing', () => {
    fc.assert(
      fc.property(histories, scans, (history, answer) => {
        const once = fold(history, answer).scans;
        expect(folded(once, answer)).toEqual({ scans: once, isNews: false });
      }),
    );
  });

  test('the order in which the answer lists its scans does not matter', () => {
    const reordered = scans.chain((answer) =>
      fc.tuple(fc.constant(answer), fc.shuffledSubarray(answer, { minLength: answer.length })),
    );
    fc.assert(
      fc.property(histories, reordered, (history, [answer, again]) => {
        expect(fold(history, again)).toEqual(fold(history, answer));
      }),
    );
  });

  test('every scan that the answer lists is in the history afterwards, oldest first', () => {
    fc.assert(
      fc.property(histories, scans, (history, answer) => {
        const after = fold(history, answer).scans;
        // With as much of its place as is known.
        const isKnown = (listed: Scan) =>
          after.some((one) => place(one) === place(listed) || isPlacedBetter(one, listed));
        expect(answer.filter((listed) => !isKnown(listed))).toEqual([]);
        expect(after.map((one) => one.time)).toEqual(after.map((one) => one.time).sort());
      }),
    );
  });

  test('it is news exactly when the history differs from before', () => {
    fc.assert(
      fc.property(histories, scans, (history, answer) => {
        const { scans: after, isNews } = fold(history, answer);
        expect(isNews).toBe(reading(after).join('\n') !== reading(history).join('\n'));
      }),
    );
  });

  test('no scan is lost except those replaced by a correction, and withdrawn deliveries and returns', () => {
    fc.assert(
      fc.property(histories, scans, (history, answer) => {
        const after = fold(history, answer).scans;
        const kept = new Set(after.map(place));
        const lost = history.filter((one) => !kept.has(place(one)));
        const known = new Set(history.map(place));
        const gained = after.filter((one) => !known.has(place(one)));
        // A removed scan has a replacement: of the same moment, or with the same words.
        const replaced = lost.filter((one) => !isFinal(one));
        for (const one of replaced)
          expect(gained.some((other) => other.time === one.time || words(other) === words(one))).toBe(true);
        expect(after.length).toBeGreaterThanOrEqual(history.length - history.filter((one) => isFinal(one)).length);
      }),
    );
  });

  test('a late scan of movement or trouble, older than the one that decided the status, does not undo it', () => {
    const lateScan = fc.constantFrom(...statuses.filter((s) => s !== 'delivered' && s !== 'returned'));
    const plain = histories.map((some) => some.map(({ course: _course, ...one }) => one));
    fc.assert(
      fc.property(plain, lateScan, fc.integer({ min: 1, max: 6 }), (history, status, day) => {
        const late = scan(`0${day}T07:00`, status, 'late');
        const deciding = history.findLast((one) => one.status !== 'info_received');
        fc.pre(deciding !== undefined && late.time < deciding.time);
        expect(deriveSubStatus(fold(history, [late, ...history]).scans)).toBe(deriveSubStatus(history));
      }),
    );
  });
});

describe('the key of a scan', () => {
  const keysAfter = (...answers: Scan[][]) =>
    answers.reduce<Scan[]>((history, answer) => foldWithKeys(history, answer).scans, []).map(keyOf);
  const plain = [label, moving, leaving].map(keyOf);

  test.each([
    ['is read again', [label, moving, leaving]],
    ['comes in another order', [leaving, label, moving]],
    ['has another status', [label, { ...moving, status: 'exception' as const }, leaving]],
    ['has a corrected time', [label, later(moving, 1), leaving]],
    ['has a corrected text', [label, { ...moving, description: 'In transit, corrected' }, leaving]],
    ['moves with its whole history by a zone', [label, moving, leaving].map((one) => later(one, 8))],
    ['is no longer listed', [label, leaving]],
  ])('stays when it %s', (_what, again) => {
    expect(keysAfter([label, moving, leaving], again)).toEqual(plain);
    expect(keysAfter([label, moving, leaving], again, again)).toEqual(plain);
    expect(keysAfter([label, moving, leaving], again, [label, moving, leaving])).toEqual(plain);
  });

  test('is its own, also of a scan that reads as another one did before its correction', () => {
    const history = [label, moving, leaving];
    const corrected = [label, { ...moving, description: 'In transit, corrected' }, leaving];
    const keys = keysAfter(history, corrected, [...corrected, moving]);
    expect(new Set(keys).size).toBe(4);
    expect(keysAfter(history, corrected, [...corrected, moving], [...corrected, moving])).toEqual(keys);
  });
});
