import type { DueDelivery } from '@pts/db/deliveries/attempts';
import { createHand } from './in-flight.ts';

const delivery = (deliveryId: string, fields: Partial<DueDelivery> = {}) =>
  ({ deliveryId, trackingId: `parcel of ${deliveryId}`, fresh: true, ...fields }) as DueDelivery;

test('deliveries of one parcel are started one after the other, others beside them', () => {
  const hand = createHand();
  const [first, second, other] = [
    delivery('1', { trackingId: 'a' }),
    delivery('2', { trackingId: 'a' }),
    delivery('3', { trackingId: 'b' }),
  ] as const;
  hand.add([first, second, other]);
  expect([hand.start(), hand.start(), hand.start()]).toEqual([first, other, undefined]);
  expect([hand.underWay(), hand.ready()]).toEqual([2, 1]);
  hand.answered(first);
  expect(hand.start()).toBe(second);
});

test('loading goes on behind the newest first attempt, as a number', () => {
  const hand = createHand();
  expect(hand.position()).toEqual({ after: null, inHand: [] });
  hand.add([delivery('98'), delivery('99')]);
  expect(hand.position().after).toBe('99');
  hand.add([delivery('101'), delivery('100')]);
  expect(hand.position().after).toBe('101');
});

test('late ones are in hand until they are recorded, and say nothing of where first attempts are', () => {
  const hand = createHand();
  const late = delivery('500', { fresh: false });
  hand.add([delivery('7'), late]);
  expect(hand.position()).toEqual({ after: '7', inHand: ['500'] });
  hand.start();
  hand.start();
  hand.answered(late);
  expect(hand.position().inHand).toEqual(['500']);
  hand.recorded(late);
  expect(hand.position().inHand).toEqual([]);
});
