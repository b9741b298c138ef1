import { readFileSync } from 'node:fs';
import { storyCards } from '../describe.ts';
import { STORIES, STORY_NAMES } from './stories.ts';

const MERCHANTS_PAGE = readFileSync(new URL('../../../../docs/sandbox.md', import.meta.url), 'utf8');

/** The cells of the table row about a story. */
function rowOf(story: string): string[] {
  const line = MERCHANTS_PAGE.split('\n').find((candidate) => candidate.startsWith(`| \`${story}\` |`)) ?? '';
  return line.split('|').map((cell) => cell.trim());
}

test.each(storyCards())("the merchants' page describes $story as it is played", (card) => {
  const [, , statuses, endsAs, end] = rowOf(card.story);
  expect(statuses).toBe(card.statuses.join(' → '));
  expect(endsAs).toBe(`\`${card.ends_as}\``);
  expect(end).toBe(card.ends_after_seconds === null ? '–' : `${card.ends_after_seconds} s`);
});

test.each(STORY_NAMES)('the steps of %s are in order of time', (story) => {
  const times = STORIES[story].steps.map((step) => step.at);
  expect(times).toEqual([...new Set(times)].sort((a, b) => a - b));
});
