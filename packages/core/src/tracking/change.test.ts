import { applyAnswer, expire, type Snapshot } from './change.ts';
import type { Scan } from './scan.ts';
import type { ScanStatus } from './status.ts';

function scan(day: number, status: ScanStatus, description = status as string): Scan {
  return {
    time: `2026-03-0${day}T08:00:00Z`,
    timeRaw: `${day}`,
    zoneSource: 'carrier',
    location: '',
    description,
    status,
  };
}

const registered: Snapshot = { scans: [], status: '查询中', subStatus: 'pending', notice: null };
const found = (...scans: Scan[]) => ({ kind: 'found', scans }) as const;
const after = (...scans: Scan[]): Snapshot => applyAnswer(registered, found(...scans)).after;

const moving = scan(1, 'in_transit');
const leaving = scan(3, 'out_for_delivery');
const handedOver = scan(4, 'delivered');

describe('an answer with scans', () => {
  test('the first one fills the snapshot and is an update', () => {
    expect(applyAnswer(registered, found(leaving, moving))).toEqual({
      after: { scans: [moving, leaving], status: '派送中', subStatus: 'out_for_delivery', notice: null },
      emits: ['tracking_update'],
    });
  });

  test('the delivery emits the update, then delivered', () => {
    expect(applyAnswer(after(moving), found(moving, handedOver))).toEqual({
      after: { scans: [moving, handedOver], status: '已签收', subStatus: 'delivered', notice: null },
      emits: ['tracking_update', 'tracking_delivered'],
    });
  });

  test('a return after the delivery emits the update, then the exception', () => {
    const change = applyAnswer(after(handedOver), found(handedOver, scan(6, 'returned')));
    expect(change.after).toMatchObject({ status: '异常', subStatus: 'returned' });
    expect(change.emits).toEqual(['tracking_update', 'tracking_exception']);
  });

  test('the same answer again changes and emits nothing', () => {
    const before = after(moving, leaving);
    expect(applyAnswer(before, found(leaving, moving))).toEqual({ after: before, emits: [] });
  });

  test('a late older scan is an update that leaves the status as it is', () => {
    const change = applyAnswer(after(moving, handedOver), found(moving, leaving, handedOver));
    expect(change).toEqual({
      after: { scans: [moving, leaving, handedOver], status: '已签收', subStatus: 'delivered', notice: null },
      emits: ['tracking_update'],
    });
  });

  test('a corrected scan is an update', () => {
    const corrected = { ...leaving, description: 'Out for delivery with courier 7' };
    const change = applyAnswer(after(moving, leaving), found(moving, corrected));
    expect(change).toMatchObject({ after: { scans: [moving, corrected] }, emits: ['tracking_update'] });
  });

  test('an answer without any leaves the parcel pending and emits nothing', () => {
    expect(applyAnswer(registered, found())).toEqual({ after: registered, emits: [] });
  });

  test('it ends what was said of the carrier having no answer, and that alone is no event', () => {
    const before = { ...after(moving), notice: 'The carrier wants the phone number.' };
    expect(applyAnswer(before, found(moving))).toEqual({ after: after(moving), emits: [] });
  });
});

describe('an answer without scans', () => {
  test('a number that is not known yet changes nothing but the notice', () => {
    const before = { ...after(moving), notice: 'The carrier wants the phone number.' };
    expect(applyAnswer(before, { kind: 'not_found' })).toEqual({ after: after(moving), emits: [] });
  });

  test('a failure that the merchant can mend is told in the notice, and is no event', () => {
    const failed = { kind: 'failed', failure: 'needs_input', message: 'The carrier wants the phone number.' } as const;
    expect(applyAnswer(after(moving), failed)).toEqual({
      after: { ...after(moving), notice: 'The carrier wants the phone number.' },
      emits: [],
    });
  });
});

describe('a parcel without news for 30 days', () => {
  test.each<[ScanStatus, string]>([
    ['in_transit', '查询中'],
    ['out_for_delivery', '派送中'],
    ['exception', '异常'],
    ['delivered', '已签收'],
  ])('that was %s expires and stays %s', (status, overall) => {
    const before = after(scan(1, status));
    expect(expire(before)).toEqual({
      after: { ...before, subStatus: 'expired', status: overall },
      emits: ['tracking_update'],
    });
  });

  test('that was never found expires too', () => {
    expect(expire(registered).after).toMatchObject({ subStatus: 'expired', status: '查询中' });
  });

  test('expires once', () => {
    expect(expire(expire(after(moving)).after).emits).toEqual([]);
  });
});

describe('an expired parcel', () => {
  const expired = expire(after(moving)).after;

  test('stays expired while the carrier says what it said before', () => {
    expect(applyAnswer(expired, found(moving))).toEqual({ after: expired, emits: [] });
  });

  test('is revived by news', () => {
    expect(applyAnswer(expired, found(moving, leaving))).toEqual({
      after: after(moving, leaving),
      emits: ['tracking_update'],
    });
  });

  test('is revived by a late older scan as well, with the status that its history amounts to', () => {
    const change = applyAnswer(expire(after(leaving)).after, found(moving, leaving));
    expect(change).toEqual({ after: after(moving, leaving), emits: ['tracking_update'] });
  });

  test('that is delivered after all emits delivered', () => {
    expect(applyAnswer(expired, found(moving, handedOver)).emits).toEqual(['tracking_update', 'tracking_delivered']);
  });

  test('that had been delivered does not emit delivered twice', () => {
    const corrected = { ...handedOver, description: 'Left with the neighbour' };
    expect(applyAnswer(expire(after(handedOver)).after, found(corrected)).emits).toEqual(['tracking_update']);
  });
});
