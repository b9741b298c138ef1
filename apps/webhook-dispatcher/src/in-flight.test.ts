import type { DueDelivery } from '@pts/db/deliveries/attempts';
import { createInFlight } from './drain.ts';

const delivery = (deliveryId: string, fields: Partial<DueDelivery> = {}) =>
  ({ deliveryId, trackingId: `parcel of ${deliveryId}`, fresh: true, ...fields }) as DueDelivery;

test('deliveries of one parcel are started one after the other, those of other parcels in parallel', () => {
  const inFlight = createInFlight();
  const [first, second, other] = [
    delivery('1', { trackingId: 'a' }),
    delivery('2', { trackingId: 'a' }),
    delivery('3', { trackingId: 'b' }),
  ] as const;
  inFlight.add([first, second, other]);
  expect([inFlight.start(), inFlight.start(), inFlight.start()]).toEqual([first, other, undefined]);
  expect([inFlight.sending(), inFlight.ready()]).toEqual([2, 1]);
  inFlight.answered(first);
  expect(inFlight.start()).toBe(second);
});

test('loading continues after the newest first attempt, compared as a number', () => {
  const inFlight = createInFlight();
  expect(inFlight.position()).toEqual({ after: null, inFlight: [] });
  inFlight.add([delivery('98'), delivery('99')]);
  expect(inFlight.position().after).toBe('99');
  inFlight.add([delivery('101'), delivery('100')]);
  expect(inFlight.position().after).toBe('101');
});

test('late ones are in flight until they are recorded, and do not move the position of first attempts', () => {
  const inFlight = createInFlight();
  const late = delivery('500', { fresh: false });
  inFlight.add([delivery('7'), late]);
  expect(inFlight.position()).toEqual({ after: '7', inFlight: ['500'] });
  inFlight.start();
  inFlight.start();
  inFlight.answered(late);
  expect(inFlight.position().inFlight).toEqual(['500']);
  inFlight.recorded(late);
  expect(inFlight.position().inFlight).toEqual([]);
});

test('what is recorded while a load is under way is not taken from its result, which may still show it as pending', () => {
  const inFlight = createInFlight();
  const first = delivery('7');
  inFlight.add([first]);
  inFlight.start();
  inFlight.position({ fromStart: true });
  inFlight.answered(first);
  inFlight.recorded(first);
  inFlight.add([first, delivery('8')]);
  expect([inFlight.start()?.deliveryId, inFlight.start()]).toEqual(['8', undefined]);
});
