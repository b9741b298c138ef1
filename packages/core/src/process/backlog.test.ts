import { addLook, alarmOf, type BacklogFinding, type BacklogLook, NO_BACKLOG } from './backlog.ts';

const seen = (oldestSeconds: number | null, more: Partial<BacklogLook> = {}): BacklogLook => ({
  oldestSeconds,
  isFailing: false,
  isHeldBack: false,
  ...more,
});
const ages = (...seconds: (number | null)[]) => seconds.map((each) => seen(each));
const failing = (oldestSeconds: number | null) => seen(oldestSeconds, { isFailing: true });
const heldBack = (oldestSeconds: number) => seen(oldestSeconds, { isHeldBack: true });
const alarms = (looks: readonly BacklogLook[]) => {
  let backlog = NO_BACKLOG;
  return looks.map((look) => {
    backlog = addLook(backlog, look);
    return alarmOf(backlog);
  });
};

test.each<[string, BacklogLook[], BacklogFinding | null]>([
  ['is older at each of four looks', ages(61, 76, 91, 106), 'growing'],
  ['is older at each of three looks', ages(61, 76, 91), null],
  ['shrinks more slowly than it ages', ages(61, 70, 80, 90), 'growing'],
  ['shrinks, oldest first', ages(900, 800, 700, 600, 500), null],
  ['is large, and its oldest is new', ages(5, 5, 5, 5, 5), null],
  ['is older, and has been held back', [61, 76, 91, 106, 121].map(heldBack), null],
  ['is older, and was held back at one look', [seen(61), seen(76), heldBack(91), seen(106)], null],
  ['cannot be read for four looks', ages(null, null, null, null), 'unknown'],
  ['cannot be read for three looks', ages(null, null, null, 0), null],
  ['cannot be read now and then', ages(null, 3, null, 4, null, 2, null), null],
  ['is late, and then cannot be read', ages(61, 76, null, null), 'unknown'],
  ['is older after it could not be read', ages(61, null, null, 106), 'growing'],
  ['cannot be taken for four looks', [failing(0), failing(1), failing(16), failing(31)], 'failing'],
  ['can neither be taken nor read', [null, null, null, null].map(failing), 'failing'],
  ['could not be taken for three looks', [failing(1), failing(16), failing(31), seen(2)], null],
  ['is empty', ages(0, 0, 0, 0, 0), null],
])('a backlog that %s', (_what, looks, alarm) => {
  expect(alarms(looks).at(-1)).toBe(alarm);
});

test.each<[string, BacklogLook[]]>([
  ['the oldest work was taken', ages(61, 76, 91, 106, 121, 90)],
  ['it can be taken again', [failing(1), failing(1), failing(1), failing(1), failing(1), seen(1)]],
  ['it can be read again', ages(null, null, null, null, null, 3)],
])('the alarm ends with the first look at which %s', (_what, looks) => {
  expect(alarms(looks).map((alarm) => alarm !== null)).toEqual([false, false, false, true, true, false]);
});
