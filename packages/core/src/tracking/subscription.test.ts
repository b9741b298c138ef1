import { applyAnswer, type Snapshot } from './change.ts';
import type { Scan } from './scan.ts';
import { callbackSalt, callbackToken, isDoubtfulCallback, subscribeAgainAt } from './subscription.ts';

const NOW = new Date('2031-05-10T00:00:00Z');

function scan(hour: number, status: Scan['status'], description: string = status): Scan {
  const time = `2031-05-01T${String(hour).padStart(2, '0')}:00:00Z`;
  return { time, timeRaw: time, zoneSource: 'carrier', location: 'Fennbrook', description, status };
}

const EMPTY: Snapshot = { scans: [], status: '查询中', subStatus: 'pending', notice: null };
const found = (...scans: Scan[]) => ({ kind: 'found' as const, scans });
const after = (before: Snapshot, answer: ReturnType<typeof found>) =>
  applyAnswer(before, answer, { now: NOW, registeredAt: new Date('2031-05-01T00:00:00Z') }).after;
const isDoubtful = (known: Scan[], received: Scan[]) => {
  const before = after(EMPTY, found(...known));
  return isDoubtfulCallback(before, found(...received), after(before, found(...received)));
};

const [COLLECTED, MOVED, DELIVERED] = [scan(1, 'in_transit', 'a'), scan(2, 'in_transit', 'b'), scan(3, 'delivered')];

test('a callback with newer scans is folded in', () => {
  expect(isDoubtful([COLLECTED], [COLLECTED, MOVED])).toBe(false);
  expect(isDoubtful([COLLECTED, MOVED], [COLLECTED, MOVED, DELIVERED])).toBe(false);
  expect(isDoubtful([], [COLLECTED])).toBe(false);
});

test('a repeated callback raises no doubt', () => {
  expect(isDoubtful([COLLECTED, MOVED], [MOVED, COLLECTED])).toBe(false);
});

test('an old callback that arrives late is confirmed first: it would undo the delivery', () => {
  expect(isDoubtful([COLLECTED, MOVED, DELIVERED], [COLLECTED, MOVED])).toBe(true);
  expect(isDoubtful([COLLECTED, MOVED], [COLLECTED])).toBe(true);
});

test('an old callback whose newest scan is the same is confirmed first if it does not contain the delivery', () => {
  expect(isDoubtful([COLLECTED, { ...MOVED, status: 'delivered' }], [COLLECTED, MOVED])).toBe(true);
});

test('a delivery that goes back is folded in: there is a newer scan', () => {
  const back = { ...scan(4, 'exception'), course: 'going_back' as const };
  expect(isDoubtful([COLLECTED, DELIVERED], [COLLECTED, DELIVERED, back])).toBe(false);
});

test('subscribing is retried after five minutes, ten, twenty … a day', () => {
  const seconds = [1, 2, 3, 9, 10, 100].map((n) => (subscribeAgainAt(n, NOW).getTime() - NOW.getTime()) / 1000);
  expect(seconds).toEqual([300, 600, 1200, 76_800, 86_400, 86_400]);
});

const SECRET = 'a secret of the installation, 32+ characters';

test('the token and the salt are derived, and differ by provider and by secret', () => {
  expect(callbackToken(SECRET, 'acme')).toMatch(/^[\w-]{43}$/);
  expect(callbackSalt(SECRET, 'acme')).toMatch(/^[0-9a-f]{32}$/);
  const all = [SECRET, `${SECRET}!`].flatMap((secret) =>
    ['acme', 'other'].flatMap((provider) => [callbackToken(secret, provider), callbackSalt(secret, provider)]),
  );
  expect(new Set(all).size).toBe(all.length);
  expect(callbackToken(SECRET, 'acme')).toBe(callbackToken(SECRET, 'acme'));
});
