import fc from 'fast-check';
import type { CarrierAnswer, Found } from './answer.ts';
import { applyAnswer, type Change, expire, type Snapshot } from './change.ts';
import type { Scan } from './scan.ts';
import { type ScanStatus, SUB_STATUSES, type TrackingEventKind } from './status.ts';

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
const found = (...scans: Scan[]): Found => ({ kind: 'found', scans });
const registeredAt = new Date('2026-02-28T00:00:00Z');
const on = (day: number) => new Date(Date.UTC(2026, 2, day, 12));
const apply = (before: Snapshot, answer: CarrierAnswer, now = on(9), provider?: string): Change =>
  withoutMilestones(
    applyAnswer(before, answer, { now, registeredAt, ...(provider === undefined ? {} : { provider }) }),
  );
/** Which follow from the scans alone (`milestonesOf`). */
function withoutMilestones(change: Change): Change {
  const { milestones: _, ...annotations } = change.after.annotations ?? {};
  const { annotations: _all, ...after } = change.after;
  return { ...change, after: Object.keys(annotations).length === 0 ? after : { ...after, annotations } };
}
const after = (...scans: Scan[]): Snapshot => apply(registered, found(...scans)).after;

const moving = scan(1, 'in_transit');
const leaving = scan(3, 'out_for_delivery');
const handedOver = scan(4, 'delivered');

describe('an answer that reports a status without any scan', () => {
  const delivered: Found = { kind: 'found', scans: [], parcelStatus: 'delivered' };

  test('gives the parcel that status, once', () => {
    const first = apply(registered, delivered);
    expect(first).toMatchObject({ after: { status: '已签收', subStatus: 'delivered', scans: [] } });
    expect(first.emits).toEqual(['tracking_update', 'tracking_delivered']);
    expect(apply(first.after, delivered).emits).toEqual([]);
  });

  test('says less than a history', () => {
    expect(apply(after(moving), delivered).after.subStatus).toBe('in_transit');
    expect(apply(apply(registered, delivered).after, found(moving)).after.subStatus).toBe('in_transit');
  });
});

describe('an answer with scans', () => {
  test('the first one fills the snapshot and is an update', () => {
    expect(apply(registered, found(leaving, moving))).toEqual({
      after: { scans: [moving, leaving], status: '派送中', subStatus: 'out_for_delivery', notice: null },
      emits: ['tracking_update'],
    });
  });

  test('the delivery emits the update, then delivered', () => {
    expect(apply(after(moving), found(moving, handedOver))).toEqual({
      after: { scans: [moving, handedOver], status: '已签收', subStatus: 'delivered', notice: null },
      emits: ['tracking_update', 'tracking_delivered'],
    });
  });

  test('a return after the delivery emits the update, then the exception', () => {
    const change = apply(after(handedOver), found(handedOver, scan(6, 'returned')));
    expect(change.after).toMatchObject({ status: '异常', subStatus: 'returned' });
    expect(change.emits).toEqual(['tracking_update', 'tracking_exception']);
  });

  test('the same answer again changes and emits nothing', () => {
    const before = after(moving, leaving);
    expect(apply(before, found(leaving, moving))).toEqual({ after: before, emits: [] });
  });

  test('a late older scan is an update that leaves the status as it is', () => {
    const change = apply(after(moving, handedOver), found(moving, leaving, handedOver));
    expect(change).toEqual({
      after: { scans: [moving, leaving, handedOver], status: '已签收', subStatus: 'delivered', notice: null },
      emits: ['tracking_update'],
    });
  });

  test('a corrected scan is an update', () => {
    const corrected = { ...leaving, description: 'Out for delivery with courier 7' };
    const change = apply(after(moving, leaving), found(moving, corrected));
    expect(change).toMatchObject({ after: { scans: [moving, corrected] }, emits: ['tracking_update'] });
  });

  test('an answer without any leaves the parcel pending and emits nothing', () => {
    expect(apply(registered, found())).toEqual({ after: registered, emits: [] });
  });

  test('clears the notice that the carrier has no answer, which alone is not an event', () => {
    const before = { ...after(moving), notice: 'The carrier wants the phone number.' };
    expect(apply(before, found(moving))).toEqual({ after: after(moving), emits: [] });
  });
});

describe('an answer without scans', () => {
  test('a number that is not known yet changes only the notice', () => {
    const before = { ...after(moving), notice: 'The carrier wants the phone number.' };
    expect(apply(before, { kind: 'not_found' })).toEqual({ after: after(moving), emits: [] });
  });

  test('a failure that the merchant can fix is shown in the notice, and is not an event', () => {
    const failed = { kind: 'failed', failure: 'needs_input', message: 'The carrier wants the phone number.' } as const;
    expect(apply(after(moving), failed)).toEqual({
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
  ])('that was %s expires and stays %s', (status, overall) => {
    const before = after(scan(1, status));
    expect(expire(before)).toEqual({
      after: { ...before, subStatus: 'expired', status: overall },
      emits: ['tracking_update'],
    });
  });

  test.each<ScanStatus>(['delivered', 'returned'])('that was %s stays so, although its last check failed', (status) => {
    const before = after(scan(1, status));
    expect(expire(before)).toEqual({ after: before, emits: [] });
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
    expect(apply(expired, found(moving))).toEqual({ after: expired, emits: [] });
  });

  test('is revived by news', () => {
    expect(apply(expired, found(moving, leaving))).toEqual({
      after: after(moving, leaving),
      emits: ['tracking_update'],
    });
  });

  test('is revived by a late older scan as well, with the status of its whole history', () => {
    const change = apply(expire(after(leaving)).after, found(moving, leaving));
    expect(change).toEqual({ after: after(moving, leaving), emits: ['tracking_update'] });
  });

  test('that is delivered after all emits delivered', () => {
    expect(apply(expired, found(moving, handedOver)).emits).toEqual(['tracking_update', 'tracking_delivered']);
  });

  test('that had been delivered does not emit delivered twice', () => {
    const corrected = { ...handedOver, description: 'Left with the neighbour' };
    expect(apply(expire(after(handedOver)).after, found(corrected)).emits).toEqual(['tracking_update']);
  });
});

describe('a recycled number', () => {
  const old = (day: number, status: ScanStatus): Scan => ({
    ...scan(day, status, `old ${status}`),
    time: `2025-08-0${day}T08:00:00Z`,
  });
  const history = [old(1, 'in_transit'), old(2, 'delivered')];

  test('another parcel’s old scans affect no status, emit nothing and are kept separately', () => {
    const change = apply(registered, found(...history));
    expect(change).toEqual({ after: { ...registered, annotations: { previous: history } }, emits: [] });
  });

  test('the new parcel’s delivery is announced', () => {
    const before = apply(registered, found(...history)).after;
    const change = apply(before, found(...history, moving, handedOver));
    expect(change.after).toMatchObject({
      scans: [moving, handedOver],
      subStatus: 'delivered',
      annotations: { previous: history },
    });
    expect(change.emits).toEqual(['tracking_update', 'tracking_delivered']);
  });

  test('a scan of a journey that began before the registration counts', () => {
    const early = { ...moving, time: '2025-12-01T08:00:00Z' };
    expect(after(early).scans).toEqual([early]);
  });
});

describe('a scan dated ahead', () => {
  const planned = scan(9, 'delivered', 'Estimated delivery');

  test('by more than a day never affects the status, and is shown as expected', () => {
    const change = apply(after(moving), found(moving, planned), on(7));
    expect(change).toEqual({ after: { ...after(moving), annotations: { expected: [planned] } }, emits: [] });
  });

  test('counts once its time has come', () => {
    const before = apply(after(moving), found(moving, planned), on(7)).after;
    expect(apply(before, found(moving, planned), on(9))).toEqual({
      after: after(moving, planned),
      emits: ['tracking_update', 'tracking_delivered'],
    });
  });

  test('by a few hours counts: zones differ', () => {
    expect(apply(registered, found(handedOver), on(3)).after.subStatus).toBe('delivered');
  });
});

describe('an answer that may be about another parcel', () => {
  const other = [scan(1, 'in_transit', 'Sydney'), scan(2, 'delivered', 'Signed in Perth')];
  const known = after({ ...scan(1, 'in_transit', 'Shenzhen'), time: '2026-03-01T09:30:00Z' }, leaving);
  const hoursLater = (hours: number) => new Date(on(9).getTime() + hours * 3_600_000);

  test('is not folded in when it shares no scan with the known history and is not newer', () => {
    const change = apply(known, found(...other));
    expect(change).toMatchObject({ emits: [], isQuarantined: true });
    expect(change.after).toEqual({
      ...known,
      annotations: { quarantine: { since: on(9).toISOString(), reason: 'other_history', scans: other } },
    });
  });

  test('is not folded in when it shares only the times of its scans', () => {
    const known = after(scan(1, 'in_transit', '【柏州】南门已揽收'), scan(3, 'in_transit', '离开柏州转运中心'));
    const elsewhere = [scan(1, 'in_transit', '海沙码头收寄'), scan(3, 'in_transit', '到港青屿'), scan(4, 'delivered')];
    expect(apply(known, found(...elsewhere))).toMatchObject({ emits: [], isQuarantined: true });
  });

  test('is this parcel when its scans have the same moments and similar words, or the same places', () => {
    const reworded = [
      scan(1, 'in_transit', '【柏州】北门已揽收'),
      scan(3, 'in_transit', '从柏州转运中心离开'),
      handedOver,
    ];
    const known = after(scan(1, 'in_transit', '【柏州】南门已揽收'), scan(3, 'in_transit', '离开柏州转运中心'));
    expect(apply(known, found(...reworded)).after.scans).toMatchObject(reworded);
    const at = (location: string, description: string) => ({ ...moving, location, description });
    expect(apply(after(at('柏州', 'Arrived')), found(at('柏州', '到达'), leaving)).isQuarantined).toBeUndefined();
  });

  test('is not folded in when it names another number', () => {
    const change = apply(registered, { ...found(...other), otherNumber: 'XX1' });
    expect(change).toMatchObject({
      emits: [],
      isQuarantined: true,
      after: { annotations: { quarantine: { reason: 'other_number' } } },
    });
  });

  test('is folded in when it names another number but lists the known scans', () => {
    expect(apply(after(moving), { ...found(moving, leaving), otherNumber: 'XX1' }).emits).toEqual(['tracking_update']);
  });

  test('replaces the history when one an hour later agrees', () => {
    const first = apply(known, found(...other)).after;
    expect(apply(first, found(...other), hoursLater(0.9))).toEqual({ after: first, emits: [], isQuarantined: true });
    const confirmed = apply(first, found(...other), hoursLater(1));
    expect(confirmed).toEqual({ after: after(...other), emits: ['tracking_update', 'tracking_delivered'] });
  });

  test('is quarantined again when the next one differs', () => {
    const first = apply(known, found(...other)).after;
    const third = [scan(2, 'in_transit', 'Oslo')];
    expect(apply(first, found(...third), hoursLater(2)).after.annotations?.quarantine).toEqual({
      since: hoursLater(2).toISOString(),
      reason: 'other_history',
      scans: third,
    });
  });

  test('is dropped when the carrier continues the known history', () => {
    const first = apply(known, found(...other)).after;
    expect(apply(first, found(...known.scans)).after).toEqual(known);
  });

  test('is not another parcel when all of it is newer', () => {
    expect(apply(after(moving), found(leaving, handedOver)).after.scans).toEqual([moving, leaving, handedOver]);
  });
});

describe('a state of the parcel that contradicts its newest scan', () => {
  const billed = scan(4, 'info_received', 'Billing information received');
  const told = { ...billed, parcel: { status: 'delivered' as const } };
  const hoursLater = (hours: number) => new Date(on(9).getTime() + hours * 3_600_000);
  const first = apply(after(moving), found(moving, told));

  test('does not count at first, while the scans do', () => {
    expect(first).toEqual({
      after: {
        ...after(moving, billed),
        annotations: { quarantine: { since: on(9).toISOString(), reason: 'other_state', scans: [told] } },
      },
      emits: ['tracking_update'],
      isStateDoubted: true,
    });
  });

  test('counts when an answer an hour later says so again, and from then on', () => {
    expect(apply(first.after, found(moving, told), hoursLater(0.9))).toMatchObject({ emits: [], isStateDoubted: true });
    const confirmed = apply(first.after, found(moving, told), hoursLater(1));
    expect(confirmed).toMatchObject({
      after: { subStatus: 'delivered' },
      emits: ['tracking_update', 'tracking_delivered'],
    });
    const again = apply(confirmed.after, found(moving, told), hoursLater(2));
    expect(again).toEqual({ after: confirmed.after, emits: [] });
  });

  test('is forgotten when the carrier no longer says so', () => {
    expect(apply(first.after, found(moving, billed), hoursLater(2)).after).toEqual(after(moving, billed));
  });

  test.each<[ScanStatus, ScanStatus]>([
    ['in_transit', 'out_for_delivery'],
    ['in_transit', 'exception'],
    ['out_for_delivery', 'delivered'],
    ['exception', 'delivered'],
    ['delivered', 'returned'],
  ])('counts at once when it follows the scan: %s, %s', (status, state) => {
    const next = { ...scan(4, status), parcel: { status: state } };
    const change = apply(after(moving), found(moving, next));
    expect([change.after.subStatus, change.isStateDoubted]).toEqual([state, undefined]);
  });

  test('counts at once when the carrier dates it after the scan', () => {
    const dated = { ...billed, parcel: { status: 'delivered' as const, isLater: true as const } };
    expect(apply(after(moving), found(moving, dated)).after.subStatus).toBe('delivered');
  });

  test('leaves no course behind', () => {
    const back = { ...billed, course: 'going_back', parcel: { status: 'exception', course: 'going_back' } } as const;
    expect(apply(after(moving), found(moving, back)).after.scans).toEqual([moving, billed]);
  });
});

describe('a delivery that the carrier withdraws', () => {
  const delivered = after(moving, leaving, handedOver);

  test('is revoked, and reported as an exception', () => {
    const change = apply(delivered, found(moving, leaving));
    expect(change.after).toMatchObject({
      status: '派送中',
      subStatus: 'out_for_delivery',
      annotations: { reason: 'delivery_revoked' },
    });
    expect(change.emits).toEqual(['tracking_update', 'tracking_exception']);
  });

  test('is announced again when the parcel is finally delivered', () => {
    const revoked = apply(delivered, found(moving, leaving)).after;
    const change = apply(revoked, found(moving, leaving, scan(6, 'delivered')));
    expect(change.emits).toEqual(['tracking_update', 'tracking_delivered']);
    expect(change.after.annotations).toBeUndefined();
  });

  test('by reclassifying its scan is revoked, too', () => {
    const change = apply(delivered, found(moving, leaving, { ...handedOver, status: 'available_for_pickup' }));
    expect(change.after).toMatchObject({
      subStatus: 'available_for_pickup',
      annotations: { reason: 'delivery_revoked' },
    });
    expect(change.emits).toEqual(['tracking_update', 'tracking_exception']);
  });

  test('stays revoked while nothing changes', () => {
    const revoked = apply(delivered, found(moving, leaving)).after;
    expect(apply(revoked, found(moving, leaving))).toEqual({ after: revoked, emits: [] });
  });
});

describe('a parcel on its way back', () => {
  const back: Scan = { ...scan(4, 'exception', 'Return to sender'), course: 'going_back' };

  test('is returned, never delivered, when it arrives', () => {
    const change = apply(after(moving, back), found(moving, back, scan(6, 'delivered')));
    expect(change.after).toMatchObject({ status: '异常', subStatus: 'returned' });
    expect(change.emits).toEqual(['tracking_update', 'tracking_exception']);
  });
});

describe('a parcel left at a pickup point', () => {
  const left = scan(1, 'available_for_pickup');

  test('that the carrier no longer follows counts as delivered after seven days, and says why', () => {
    const answer: Found = { ...found(left), isWatchEnded: true };
    const before = apply(registered, answer, on(7)).after;
    expect(before.subStatus).toBe('available_for_pickup');
    const change = apply(before, answer, on(8));
    expect(change.after).toMatchObject({
      status: '已签收',
      subStatus: 'delivered',
      annotations: { reason: 'presumed' },
    });
    expect(change.emits).toEqual(['tracking_update', 'tracking_delivered']);
  });

  test('that the carrier still follows waits', () => {
    expect(apply(after(left), found(left), on(20)).after.subStatus).toBe('available_for_pickup');
  });
});

describe('the history of one provider', () => {
  test('is replaced, not merged, when another one answers', () => {
    const before = apply(registered, found(moving, leaving), on(9), 'one').after;
    const other = [
      scan(1, 'in_transit', 'moving, in other words'),
      scan(3, 'out_for_delivery', 'leaving, in other words'),
    ];
    expect(apply(before, found(...other), on(9), 'two').after).toMatchObject({
      scans: other,
      annotations: { provider: 'two' },
    });
  });

  test('replaced by one that knows the delivery as well does not announce it twice', () => {
    const before = apply(registered, found(moving, handedOver), on(9), 'one').after;
    const other = found(scan(4, 'delivered', 'Delivered, in other words'));
    expect(apply(before, other, on(9), 'two').emits).toEqual(['tracking_update']);
  });

  test('stays when another one does not know the delivery yet, but not when it knows of a return', () => {
    const before = apply(registered, found(moving, handedOver), on(9), 'one').after;
    const slower = found(scan(1, 'in_transit', 'moving, in other words'));
    expect(apply(before, slower, on(9), 'two')).toEqual({ after: before, emits: [] });
    const back = found(...slower.scans, { ...scan(5, 'exception', 'back'), course: 'going_back' });
    expect(apply(before, back, on(9), 'two').after).toMatchObject({ subStatus: 'exception', scans: back.scans });
  });
});

test('a shipment of several pieces is delivered when all are', () => {
  const first = apply(registered, { ...found(moving, handedOver), pieces: { total: 2, delivered: 1 } });
  expect(first.after).toMatchObject({
    subStatus: 'out_for_delivery',
    annotations: { pieces: { total: 2, delivered: 1 } },
  });
  const second = apply(first.after, { ...found(moving, handedOver), pieces: { total: 2, delivered: 2 } });
  expect(second.emits).toEqual(['tracking_update', 'tracking_delivered']);
});

describe('of any sequence of answers', () => {
  const statuses = SUB_STATUSES.filter((s): s is ScanStatus => s !== 'pending' && s !== 'expired');
  const anyScan = fc
    .record({
      day: fc.integer({ min: 1, max: 9 }),
      status: fc.constantFrom(...statuses),
      description: fc.constantFrom('a', 'b', 'c'),
      course: fc.constantFrom(undefined, 'refused' as const, 'going_back' as const),
    })
    .map(({ day, status, description, course }) => ({ ...scan(day, status, description), ...(course && { course }) }));
  const answers = fc.array(fc.array(anyScan, { maxLength: 6 }), { maxLength: 6 });
  const day = (index: number) => new Date(on(9).getTime() + index * 86_400_000);
  const replay = (lists: readonly Scan[][]) => {
    let snapshot = registered;
    return lists.map((scans, index) => {
      const change = apply(snapshot, found(...scans), day(index));
      snapshot = change.after;
      return change;
    });
  };

  test('the same answer twice changes nothing more', () => {
    fc.assert(
      fc.property(answers, (lists) => {
        const last = replay(lists).at(-1);
        const again = lists.at(-1);
        fc.pre(last !== undefined && again !== undefined && !last.isQuarantined);
        expect(apply(last?.after ?? registered, found(...(again ?? [])), day(lists.length - 1)).emits).toEqual([]);
      }),
    );
  });

  test('delivered is announced once, unless it was revoked in between', () => {
    fc.assert(
      fc.property(answers, (lists) => {
        const kinds: TrackingEventKind[] = replay(lists).flatMap(({ emits }) =>
          emits.filter((kind) => kind !== 'tracking_update'),
        );
        for (const [index, kind] of kinds.entries())
          if (kind === 'tracking_delivered') expect(kinds[index - 1]).not.toBe('tracking_delivered');
      }),
    );
  });

  test('a parcel that was on its way back is never announced as delivered', () => {
    fc.assert(
      fc.property(answers, fc.array(anyScan, { maxLength: 6 }), (lists, last) => {
        const back: Scan = { ...scan(1, 'exception', 'back'), course: 'going_back' };
        const emits = replay(
          [...lists, last].map((scans) => [back, ...scans.filter((s) => s.time > back.time)]),
        ).flatMap((c) => c.emits);
        expect(emits).not.toContain('tracking_delivered');
      }),
    );
  });
});
