import { isPlan, type Plan } from '@pts/core/account';
import { MAX_FILE_BYTES } from '@pts/core/imports';

/** Requests per second, per account and operation (spec section 8 for the first three). */
export const LIMITS = {
  'trackings.create': 3,
  'trackings.get': 2,
  'trackings.batch': 10,
  'trackings.retrack': 3,
  'trackings.one': 5,
  shipments: 5,
  'shipments.csv': 1,
  'track.async': 10,
  'track.batch-stream': 1,
  detect: 10,
  couriers: 2,
  webhooks: 2,
  'webhooks.redeliver': 5,
  'webhooks.replay': 1,
  account: 5,
  keys: 2,
  imports: 5,
  'imports.create': 1,
  bulk: 5,
  events: 5,
  'events.stream': 1,
  stats: 5,
  mcp: 10,
  // Platforms have no account: of each operator's key.
  operator: 10,
  // Buyers have no account, and people who sign in have none yet: of each network.
  pages: 10,
  session: 10,
} as const;
export type LimitName = keyof typeof LIMITS;

/** A limit that an installation changes: for accounts of a plan, or (null) for all. 0: there is none. */
type LimitChange = { plan: Plan | null; name: LimitName; points: number };

/** Reads `endpoint=number` or `plan:endpoint=number` (RATE_LIMITS). @returns null if it is neither. */
export function parseLimitChange(change: string): LimitChange | null {
  const [, plan = null, name = '', points = ''] = /^(?:(\w+):)?([\w.-]+)=(\d+)$/.exec(change) ?? [];
  if (!Object.hasOwn(LIMITS, name) || (plan !== null && !isPlan(plan))) return null;
  return { plan, name: name as LimitName, points: Number(points) };
}

/** Maximum tracking numbers per call (spec section 8). */
export const MAX_NUMBERS = 40;
/** Maximum tracking numbers per stream. */
export const MAX_STREAMED = 10_000;
/** Maximum invalid lines of a stream, after which its input counts as wrong. */
export const MAX_UNREADABLE = 1000;

const KIB = 1024;

/**
 * Maximum body sizes in bytes, after decompression. Each is slightly more than its operation needs, to bound the cost
 * of a body.
 */
export const BODY_BYTES = {
  /** A tracking number with few other fields. */
  number: 4 * KIB,
  /** One object with all optional fields: 13.4 KiB if every character takes four bytes. */
  single: 16 * KIB,
  /** A logo of 64 KiB in base64, and the other settings of pages with everything at its maximum. */
  logo: 128 * KIB,
  /** Up to 40 of them. */
  bulk: 256 * KIB,
  /** A JSON list of 10,000 numbers with 50 characters, quotes, a comma and an indented line each. */
  streamJson: 640 * KIB,
  /** A line of a stream: one object. */
  streamLine: 16 * KIB,
  /** All lines of a stream: 10,000 of 1.6 KiB. */
  stream: 16 * KIB * KIB,
  /** A file of an import, which is stored as it arrives. */
  file: MAX_FILE_BYTES,
} as const;

/** `16 KiB`, `16 MiB`. */
export function sizeText(bytes: number): string {
  return bytes % (KIB * KIB) === 0 ? `${bytes / (KIB * KIB)} MiB` : `${bytes / KIB} KiB`;
}
