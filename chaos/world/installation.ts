/** Where the queue of an installation is. */
export const WORLD_STORES = ['redis', 'redis-sentinel', 'redis-cluster', 'postgres'] as const;
export type WorldStore = (typeof WORLD_STORES)[number];

/** What a negative control does without: the run must not balance. */
export const GUARDS = ['sweeps', 'sentinels', 'synchronous-commits'] as const;
export type Guard = (typeof GUARDS)[number];
