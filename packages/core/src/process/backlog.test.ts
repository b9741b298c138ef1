import { addLook, type BacklogLook, isGrowing, NO_BACKLOG } from './backlog.ts';

const seen = (count: number, oldestSeconds: number, isIdle = true): BacklogLook => ({ count, oldestSeconds, isIdle });
const alarms = (looks: readonly BacklogLook[]) => {
  let backlog = NO_BACKLOG;
  return looks.map((look) => {
    backlog = addLook(backlog, look);
    return isGrowing(backlog);
  });
};

test.each<[string, BacklogLook[], boolean]>([
  ['grows while the process is idle: an alarm', [seen(1, 61), seen(2, 76), seen(3, 91), seen(9, 106)], true],
  ['of one unchecked parcel: an alarm', [seen(1, 61), seen(1, 76), seen(1, 91), seen(1, 106)], true],
  ['grows for three looks only', [seen(1, 61), seen(2, 76), seen(3, 91)], false],
  ['is large, and its oldest is new', [300, 280, 350, 330, 390].map((count) => seen(count, 5)), false],
  ['is worked off, oldest first', [seen(90, 900), seen(80, 800), seen(70, 700), seen(60, 600)], false],
  ['is worked off more slowly than it ages', [seen(90, 61), seen(80, 70), seen(70, 80), seen(60, 90)], false],
  ['grows while every place is taken', [61, 76, 91, 106, 121].map((age) => seen(age, age, false)), false],
  ['grew, and one look found no free place', [seen(1, 61), seen(2, 76), seen(3, 91, false), seen(4, 106)], false],
  ['is empty', [0, 0, 0, 0, 0].map(() => seen(0, 0)), false],
])('a backlog that %s', (_what, looks, isAlarm) => {
  expect(alarms(looks).at(-1)).toBe(isAlarm);
});

test('the alarm ends with the first look at which the oldest was taken', () => {
  const looks = [seen(1, 61), seen(2, 76), seen(3, 91), seen(4, 106), seen(5, 121), seen(5, 90)];
  expect(alarms(looks)).toEqual([false, false, false, true, true, false]);
});
