import type { Story } from './story.ts';

/** The seconds of a story's script at which its answer changes, in order. */
export function changesOf({ steps, otherParcel, shifted }: Story): number[] {
  const ofSteps = steps.flatMap(({ at, listedAt = at, listedUntil, corrected, reclassified }) => [
    listedAt,
    listedUntil,
    corrected?.at,
    reclassified?.at,
  ]);
  const all = [...ofSteps, otherParcel?.from, otherParcel?.until, shifted?.until];
  return [...new Set(all.filter((second) => second !== undefined))].sort((a, b) => a - b);
}

/** When the answer about a story's number changes next, in ms since 1970; never, if it does not. */
export function nextChangeAt(story: Story, startedAt: Date, now: Date, speed: number): number {
  const seconds = [...changesOf(story), story.callbackFault?.at ?? 0];
  const times = seconds.map((second) => startedAt.getTime() + (second * 1000) / speed);
  return Math.min(...times.filter((time) => time > now.getTime()), Number.POSITIVE_INFINITY);
}
