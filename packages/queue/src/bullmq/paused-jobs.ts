import type { JobType } from 'bullmq';

/**
 * BullMQ 6.7: its PostgreSQL store counts the waiting jobs of a paused queue as `paused`, a state that its types do not
 * have; its Redis store counts them as `waiting`.
 */
export const PAUSED = 'paused' as JobType;
