/** What can be done to everything that a filter matches. */
export const BULK_ACTIONS = ['retrack', 'stop', 'delete', 'redeliver'] as const;
export type BulkActionName = (typeof BULK_ACTIONS)[number];

/** Bulk actions of an account that are kept; beyond this, the oldest is forgotten. */
export const MAX_BULK_ACTIONS = 20;
/** Days for which a bulk action is kept after its end. */
export const BULK_ACTION_DAYS = 30;
