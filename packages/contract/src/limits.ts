import { isPlan, type Plan } from '@pts/core/account';

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
  // Buyers have no account: of each network.
  pages: 10,
} as const;
export type LimitName = keyof typeof LIMITS;

/** A limit that an installation changes: for accounts of a plan, or (null) for all. 0: there is none. */
export type LimitChange = { plan: Plan | null; name: LimitName; points: number };

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
