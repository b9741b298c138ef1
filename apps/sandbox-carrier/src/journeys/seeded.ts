import type { Step, Story } from './story.ts';

/**
 * Parcels with the same history, which `npm run seed` registers together. The carrier stores nothing about them: the start of
 * the journey is part of their numbers.
 */
export type Lot = {
  startsAt: Date;
  /** Whole seconds between two scans, at any speed of the sandbox; 0: there is nothing new after the first four. */
  everySeconds: number;
};

/** `SBXSEEDED`, the start in Unix seconds, the seconds between two scans, and the number of the parcel in its lot. */
const SEEDED = /^(SBXSEEDED(\d{10})(\d{6}))\d{9}$/;
export const MAX_SECONDS_BETWEEN = 999_999;
export const MAX_IN_A_LOT = 1_000_000_000;

/** The most scans of a lot, so that no history grows without end. */
const MAX_SCANS = 60;
/** The first four, in hours from the start, of lots without anything new. */
const STILL_HOURS = [0, 1, 4, 10];
const ON_THE_ROAD = [
  { where: 'originHub', text: 'departed' },
  { where: 'viaHub', text: 'arrived' },
] as const;

/** The start of the numbers of a lot; nine digits follow. */
export function lotPrefix({ startsAt, everySeconds }: Lot): string {
  const seconds = Math.floor(startsAt.getTime() / 1000);
  return `SBXSEEDED${String(seconds).padStart(10, '0')}${String(everySeconds).padStart(6, '0')}`;
}

/** The lot of a number, and the number that represents the whole lot; null if it was not seeded. */
export function lotOf(number: string): (Lot & { number: string }) | null {
  const [, prefix, start, every] = SEEDED.exec(number) ?? [];
  if (prefix === undefined) return null;
  const startsAt = new Date(Number(start) * 1000);
  return { startsAt, everySeconds: Number(every), number: `${prefix}${'0'.repeat(9)}` };
}

/** The story of a lot: in transit forever. */
export function lotStory({ everySeconds }: Lot): Story {
  const hours = everySeconds === 0 ? STILL_HOURS : Array.from({ length: MAX_SCANS }, (_, n) => n);
  const seconds = everySeconds === 0 ? 3600 : everySeconds;
  const steps = hours.map((hour, n): Step => ({ at: hour * seconds, ...textAt(n) }));
  return { summary: 'On the road since it was seeded.', manner: { kind: 'at-once' }, steps };
}

function textAt(n: number): Pick<Step, 'where' | 'text'> {
  if (n === 0) return { where: 'origin', text: 'label' };
  if (n === 1) return { where: 'origin', text: 'collected' };
  return ON_THE_ROAD[n % 2] ?? ON_THE_ROAD[0];
}
