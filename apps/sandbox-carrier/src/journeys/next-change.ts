import type { Story } from './story.ts';

/** When the answer about a story's number changes next, in ms since 1970; never, if it does not. */
export function nextChangeAt({ steps, pushFault }: Story, startedAt: Date, now: Date, speed: number): number {
  const seconds = steps.flatMap(({ at, listedAt = at, corrected }) => [listedAt, corrected?.at ?? listedAt]);
  const times = [...seconds, pushFault?.at ?? 0].map((second) => startedAt.getTime() + (second * 1000) / speed);
  return Math.min(...times.filter((time) => time > now.getTime()), Number.POSITIVE_INFINITY);
}
