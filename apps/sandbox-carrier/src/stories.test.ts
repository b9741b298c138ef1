import { storyCards } from './app.ts';
import { createCarrier } from './carrier.ts';
import { rememberInMemory } from './first-requests.ts';
import { lotOf, lotPrefix, STORIES, STORY_NAMES } from './stories.ts';
import { chineseRowOf, rowOf } from './testing/merchants-page.ts';

test.each(storyCards())("the merchants' page says how $story ends", ({ story, ends_as, ends_after_seconds }) => {
  const end = ends_after_seconds === null ? `\`${ends_as}\`:` : `\`${ends_as}\` ${ends_after_seconds}`;
  expect(rowOf(story)).toContain(end);
});

test.each(storyCards())('the Chinese page says the same of $story', ({ story, ends_as, ends_after_seconds }) => {
  expect(chineseRowOf(story)).toContain(`\`${ends_as}\``);
  if (ends_after_seconds !== null) expect(chineseRowOf(story)).toContain(`${ends_after_seconds} 秒`);
});

test.each(STORY_NAMES)('the steps of %s are in order of time', (story) => {
  const times = STORIES[story].steps.map((step) => step.at);
  expect(times).toEqual([...new Set(times)].sort((a, b) => a - b));
});

const START = new Date('2026-03-01T08:00:00.000Z');
const signal = new AbortController().signal;
const numberOf = (everySeconds: number, n: number) =>
  `${lotPrefix({ startsAt: START, everySeconds })}${String(n).padStart(9, '0')}`;

function askAfter(seconds: number, numbers: readonly string[], speed = 1) {
  const now = () => new Date(START.getTime() + seconds * 1000);
  const state = rememberInMemory(10);
  const ask = createCarrier({ speed, now, state, wait: async () => {} });
  return ask(
    numbers.map((number) => ({ number, carrier: 'sandbox' })),
    signal,
  );
}

test('a seeded number contains the start of its journey, independent of the sandbox’s start and speed', async () => {
  const [says] = await askAfter(1000, [numberOf(300, 7)], 50);
  expect(says?.kind === 'found' && says.scans.map(({ time }) => (time.getTime() - START.getTime()) / 1000)).toEqual([
    0, 300, 600, 900,
  ]);
});

test('all parcels of a lot have the same history', async () => {
  const [first, other] = await askAfter(5000, [numberOf(300, 1), numberOf(300, 999_999_999)]);
  expect(first).toEqual(other);
});

test('without a period, nothing is new after the fourth scan', async () => {
  const [day] = await askAfter(86_400, [numberOf(0, 1)]);
  const [month] = await askAfter(30 * 86_400, [numberOf(0, 1)]);
  expect(day?.kind === 'found' && day.scans).toHaveLength(4);
  expect(month).toEqual(day);
});

test('seeded numbers among others do not shift the answers, and use no memory', async () => {
  const [, other] = await askAfter(5000, [numberOf(300, 1), 'SBXNOTFOUND1']);
  expect(other).toEqual({ kind: 'not_found' });
  const state = rememberInMemory(10);
  const seen: string[][] = [];
  const startsOf: typeof state.startsOf = (numbers, now) => {
    seen.push([...numbers]);
    return state.startsOf(numbers, now);
  };
  const ask = createCarrier({ speed: 1, now: () => START, state: { ...state, startsOf }, wait: async () => {} });
  await ask([{ number: numberOf(300, 1) }, { number: 'A12345' }], signal);
  expect(seen).toEqual([['A12345']]);
});

test.each(['SBXSEEDED1', 'SBXORDINARY1', `${numberOf(300, 1)}0`])('%s belongs to no lot', (number) => {
  expect(lotOf(number)).toBeNull();
});
