import fc from 'fast-check';
import { deriveSubStatus, fold } from './fold.ts';
import type { Scan } from './scan.ts';
import { type ScanStatus, SUB_STATUSES, type SubStatus } from './status.ts';

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

describe('folding an answer into the history', () => {
  test('a first answer becomes the history, oldest first', () => {
    expect(fold([], [handedOver, label, leaving, moving])).toEqual({
      scans: [label, moving, leaving, handedOver],
      isNews: true,
    });
  });

  test('an answer without scans is no news', () => {
    expect(fold([label], [])).toEqual({ scans: [label], isNews: false });
  });

  test('a repeated scan is no news', () => {
    expect(fold([label, moving], [moving, label])).toEqual({ scans: [label, moving], isNews: false });
  });

  test('a scan that an answer lists twice is kept once', () => {
    expect(fold([], [label, label]).scans).toEqual([label]);
  });

  test('a late older scan takes its place in time', () => {
    expect(fold([label, leaving], [label, moving, leaving])).toEqual({ scans: [label, moving, leaving], isNews: true });
  });

  test('a scan that the carrier no longer lists is kept, and that is no news', () => {
    expect(fold([label, moving, leaving], [label, leaving])).toEqual({
      scans: [label, moving, leaving],
      isNews: false,
    });
  });

  test.each([
    ['description', { description: 'Arrived at Shenzhen' }],
    ['place', { location: 'Shenzhen' }],
  ])('a scan with a corrected %s is replaced in place, and is news', (_what, correction) => {
    const corrected = { ...moving, ...correction };
    expect(fold([label, moving, leaving], [label, corrected, leaving])).toEqual({
      scans: [label, corrected, leaving],
      isNews: true,
    });
  });

  test('a correction of an answer without the other scans replaces only its own', () => {
    const corrected = { ...moving, description: 'Arrived at Shenzhen' };
    expect(fold([label, moving, leaving], [corrected]).scans).toEqual([label, corrected, leaving]);
  });

  test('a second scan of the same moment and code is added while the first is still listed', () => {
    const second = { ...moving, description: 'Left Shenzhen' };
    expect(fold([moving], [moving, second]).scans).toEqual([second, moving]);
  });

  test('one of two scans of a moment is corrected: the other stays', () => {
    const second = { ...moving, description: 'Left Shenzhen' };
    const corrected = { ...moving, description: 'Left Guangzhou' };
    expect(fold([moving, second], [moving, corrected]).scans).toEqual([corrected, moving]);
  });

  test('a scan of the same moment with another code is no correction', () => {
    const failed = scan('03T08:00', 'exception');
    expect(fold([leaving], [failed]).scans).toEqual([failed, leaving]);
  });

  test('another spelling of the same time is no news', () => {
    expect(fold([moving], [{ ...moving, timeRaw: '2 March, 8:00', zoneSource: 'location' }])).toEqual({
      scans: [moving],
      isNews: false,
    });
  });

  test('neither the history nor the answer is changed', () => {
    const history = Object.freeze([moving]);
    const incoming = Object.freeze([leaving, label]);
    fold(history, incoming);
    expect([history, incoming]).toEqual([[moving], [leaving, label]]);
  });
});

describe('the state that a history amounts to', () => {
  const stateOf = (...statuses: ScanStatus[]) =>
    deriveSubStatus(statuses.map((status, index) => scan(`${10 + index}T08:00`, status)));
  const reported = SUB_STATUSES.filter((s): s is ScanStatus => s !== 'pending' && s !== 'expired');

  test('is pending without scans', () => {
    expect(stateOf()).toBe('pending');
  });

  test.each(reported)('is %s after that scan alone', (status) => {
    expect(stateOf(status)).toBe(status);
  });

  // biome-ignore format: one history per line reads as the table it is
  test.each<[ScanStatus[], SubStatus]>([
    [['info_received', 'in_transit', 'out_for_delivery', 'delivered'], 'delivered'],
    [['out_for_delivery', 'in_transit'], 'in_transit'],
    [['out_for_delivery', 'exception', 'in_transit'], 'in_transit'],
    [['exception', 'out_for_delivery'], 'out_for_delivery'],
    [['out_for_delivery', 'undeliverable', 'available_for_pickup'], 'available_for_pickup'],
    [['in_transit', 'info_received'], 'in_transit'],
    [['exception', 'info_received'], 'exception'],
    [['info_received', 'info_received'], 'info_received'],
    [['delivered', 'in_transit'], 'delivered'],
    [['delivered', 'exception'], 'delivered'],
    [['delivered', 'info_received'], 'delivered'],
    [['delivered', 'out_for_delivery', 'returned'], 'returned'],
    [['delivered', 'returned'], 'returned'],
    [['returned', 'in_transit'], 'returned'],
  ])('after %j it is %s', (statuses, state) => {
    expect(stateOf(...statuses)).toBe(state);
  });

  test('a later delivery outweighs a return, so that a return that is listed late does not undo delivered', () => {
    expect(stateOf('exception', 'returned', 'delivered')).toBe('delivered');
  });

  test('of two scans of one second the one further along decides, whatever order they came in', () => {
    const arrived = scan('03T08:00', 'in_transit');
    for (const answer of [
      [arrived, leaving],
      [leaving, arrived],
    ])
      expect(deriveSubStatus(fold([], answer).scans)).toBe('out_for_delivery');
  });
});

describe('of any history and any answer', () => {
  const statuses = SUB_STATUSES.filter((s): s is ScanStatus => s !== 'pending' && s !== 'expired');
  const scans = fc.array(
    fc
      .record({
        day: fc.integer({ min: 1, max: 6 }),
        status: fc.constantFrom(...statuses),
        description: fc.constantFrom('a', 'b', 'c'),
        location: fc.constantFrom('', 'x'),
        timeRaw: fc.constantFrom('p', 'q'),
      })
      .map(({ day, status, description, ...more }) => scan(`0${day}T08:00`, status, description, more)),
    { maxLength: 12 },
  );
  const histories = scans.map((some) => fold([], some).scans);
  const seen = ({ time, status, description, location }: Scan) => [time, status, description, location].join('|');
  const slot = ({ time, status }: Scan) => `${time}|${status}`;

  test('folding it a second time changes nothing', () => {
    fc.assert(
      fc.property(histories, scans, (history, answer) => {
        const once = fold(history, answer).scans;
        expect(fold(once, answer)).toEqual({ scans: once, isNews: false });
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

  test('folding two answers equals folding both at once, where no scan corrects another', () => {
    const distinct = scans.map((all) => [...new Map(all.map((one) => [slot(one), one])).values()]);
    // What both answers list is the same scan.
    const answers = distinct.chain((all) => fc.record({ a: fc.subarray(all), b: fc.subarray(all) }));
    fc.assert(
      fc.property(answers, ({ a, b }) => {
        const both = fold([], [...a, ...b]).scans;
        expect(fold(fold([], a).scans, b).scans).toEqual(both);
        expect(fold(fold([], b).scans, a).scans).toEqual(both);
      }),
    );
  });

  test('every scan that the answer lists is in the history afterwards, oldest first', () => {
    fc.assert(
      fc.property(histories, scans, (history, answer) => {
        const after = fold(history, answer).scans;
        expect(after.map(seen)).toEqual(expect.arrayContaining(answer.map(seen)));
        expect(after.map((one) => one.time)).toEqual(after.map((one) => one.time).sort());
      }),
    );
  });

  test('it is news exactly when the history reads otherwise than before', () => {
    fc.assert(
      fc.property(histories, scans, (history, answer) => {
        const { scans: after, isNews } = fold(history, answer);
        expect(isNews).toBe(JSON.stringify(after.map(seen)) !== JSON.stringify(history.map(seen)));
      }),
    );
  });

  test('no scan is lost but the one that a correction stands for', () => {
    fc.assert(
      fc.property(histories, scans, (history, answer) => {
        const after = fold(history, answer).scans;
        for (const key of new Set(history.map(slot)))
          expect(after.filter((one) => slot(one) === key).length).toBeGreaterThanOrEqual(
            history.filter((one) => slot(one) === key).length,
          );
      }),
    );
  });

  test('a late scan of movement or trouble, older than the one that decided the status, does not undo it', () => {
    const lateScan = fc.constantFrom(...statuses.filter((s) => s !== 'delivered' && s !== 'returned'));
    fc.assert(
      fc.property(histories, lateScan, fc.integer({ min: 1, max: 6 }), (history, status, day) => {
        const late = scan(`0${day}T07:00`, status, 'late');
        const deciding = history.findLast((one) => one.status !== 'info_received');
        fc.pre(deciding !== undefined && late.time < deciding.time);
        expect(deriveSubStatus(fold(history, [late]).scans)).toBe(deriveSubStatus(history));
      }),
    );
  });

  test('once delivered, only a return changes the status', () => {
    fc.assert(
      fc.property(histories, scans, (history, answer) => {
        fc.pre(deriveSubStatus(history) === 'delivered');
        expect(['delivered', 'returned']).toContain(deriveSubStatus(fold(history, answer).scans));
        const withoutReturns = answer.filter(({ status }) => status !== 'returned');
        expect(deriveSubStatus(fold(history, withoutReturns).scans)).toBe('delivered');
      }),
    );
  });
});
