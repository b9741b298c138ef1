import { decimal, integer } from '@pts/core/settings/setting';

/** `<PREFIX>_CALLS_PER_SECOND`: accounts differ. */
export function callsPerSecond(prefix: string, fallback: number) {
  return decimal(`${prefix}_CALLS_PER_SECOND`, 'calls per second, over all processes', fallback, MAX_CALLS_PER_SECOND);
}

/** `<PREFIX>_FLOOR_SECONDS`. */
export function floorSeconds(prefix: string, fallback: number) {
  return integer(
    `${prefix}_FLOOR_SECONDS`,
    'minimum seconds between two queries of a number',
    fallback,
    0,
    MAX_FLOOR_SECONDS,
  );
}

export const MAX_CALLS_PER_SECOND = 10_000;
/** Thirty days. */
export const MAX_FLOOR_SECONDS = 2_592_000;
export const MAX_DAILY_BUDGET = 1_000_000_000;
