import { decimal, integer } from '@pts/core/settings/setting';

/** `<PREFIX>_CALLS_PER_SECOND`: accounts differ. */
export function callsPerSecond(prefix: string, fallback: number) {
  return decimal(`${prefix}_CALLS_PER_SECOND`, 'calls per second, over all processes', fallback);
}

/** `<PREFIX>_FLOOR_SECONDS`. */
export function floorSeconds(prefix: string, fallback: number) {
  return integer(`${prefix}_FLOOR_SECONDS`, 'minimum seconds between two queries of a number', fallback);
}
