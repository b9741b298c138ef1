import type { Tuning } from '@pts/runtime/settings/settings';

/** Changed constants for processes under test; a busy machine must not look like a database in trouble. */
export function tuning(changed: Partial<Tuning> = {}): { NODE_ENV: string; TUNING: string } {
  const entries = Object.entries({ databaseRequestTimeoutMs: 8000, ...changed });
  return { NODE_ENV: 'test', TUNING: entries.map(([name, value]) => `${name}=${value}`).join(',') };
}
