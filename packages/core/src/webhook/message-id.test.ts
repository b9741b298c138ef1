import { lowestId, newId } from '../id.ts';
import { lowestAttemptOf, messageId, messageIdAfter, messageIdAt } from './message-id.ts';

const AT = new Date('2026-11-28T12:00:00Z');
const later = (seconds: number) => new Date(AT.getTime() + seconds * 1000);
const DATA = '{"id":"65a1b2c3d4e5f60718293a4b","seq":4,"status":"已签收","events":[]}';

test('the same event has the same id when it is stored again minutes later', () => {
  const id = messageId('tracking_delivered', AT, DATA);
  expect(id).toMatch(/^[0-9a-f]{24}$/);
  expect(messageId('tracking_delivered', later(600), DATA)).toBe(id);
});

test.each([
  ['another kind', 'tracking_update', DATA],
  [
    'another sequence number, such as a second delivery after one that was revoked',
    'tracking_delivered',
    DATA.replace('4', '5'),
  ],
  ['another parcel', 'tracking_delivered', DATA.replace('65a1', '65a2')],
  ['more to say', 'tracking_delivered', DATA.replace('[]', '[{}]')],
])('%s has an id of its own', (_what, event, data) => {
  expect(messageId(event, AT, data)).not.toBe(messageId('tracking_delivered', AT, DATA));
});

test('the ids of messages lie between the bounds of their time', () => {
  for (let hour = 0; hour < 48; hour++) {
    const at = later(hour * 3600);
    const id = messageId('tracking_update', at, DATA);
    expect(id >= messageIdAt(at) && id < messageIdAfter(at)).toBe(true);
  }
});

test('ids sort by time, a day apart', () => {
  const ids = Array.from({ length: 100 }, (_, day) => messageId('tracking_update', later(day * 86_400), `${day}`));
  expect(ids.toSorted()).toEqual(ids);
});

describe('the attempts of a message', () => {
  /**
   * An event's id has the period of 18 hours in which it was made, and then nothing but a hash; a ping's has the
   * second.
   */
  const IDS = [newId(AT, new Uint8Array(8)), ...Array.from({ length: 50 }, (_, n) => messageId('e', AT, String(n)))];

  test.each(IDS)('of %s begin an hour before it at the earliest, since clocks differ', (id) => {
    expect(lowestAttemptOf(id) <= lowestId(later(-3600))).toBe(true);
    expect(lowestAttemptOf(id) > lowestId(later(-3600 - 2 ** 16))).toBe(true);
  });

  test('of a text that is not an id may have any', () => {
    expect(lowestAttemptOf('not an id')).toBe('');
  });
});
