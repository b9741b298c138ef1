import { storyCards } from '../describe.ts';
import { chineseRowOf, rowOf } from '../testing/merchants-page.ts';
import { STORIES, STORY_NAMES } from './stories.ts';

test.each(storyCards())("the merchants' page describes $story as it is played", (card) => {
  const [, , statuses, endsAs, end] = rowOf(card.story);
  expect(statuses).toBe(card.statuses.join(' → '));
  expect(endsAs).toBe(`\`${card.ends_as}\``);
  expect(end).toBe(card.ends_after_seconds === null ? '–' : `${card.ends_after_seconds} s`);
});

test.each(storyCards())('the Chinese page says the same of $story', (card) => {
  const [, , endsAs, end] = chineseRowOf(card.story);
  expect(endsAs).toBe(`\`${card.ends_as}\``);
  expect(end).toBe(card.ends_after_seconds === null ? '–' : `${card.ends_after_seconds} 秒`);
});

test.each(STORY_NAMES)('the steps of %s are in order of time', (story) => {
  const times = STORIES[story].steps.map((step) => step.at);
  expect(times).toEqual([...new Set(times)].sort((a, b) => a - b));
});
