import type { Status } from '@pts/core/tracking/status';
import { candidateCodes } from '@pts/core/tracking/undecided';
import { quotaUsed } from '../accounts/accounts.ts';
import type { Db } from '../connection.ts';
import { finderOf, isUndecided, newOnes } from './known.ts';
import { findRegistered, type RegisterInput, type Registration } from './register-statement.ts';

/** The result that a registration would have. */
export type Previewed = {
  /** Of the existing tracking. */
  id: string | null;
  status: Status;
  /** Whether it would be charged: it is new, and the first of its kind in the call. */
  charged: boolean;
  registration: Registration;
  /** The carrier that it has or would get. */
  carrier: string;
  detected: boolean;
  /** The codes of its candidates; empty if the carrier is known. */
  candidates: string[];
};

export type PreviewResult = { kind: 'preview'; trackings: Previewed[] } | { kind: 'quota_exhausted' };

/**
 * What `storeRegistrations` would do now with the same input; nothing is stored or charged.
 * @returns one entry for each registration, in their order.
 */
export async function previewTrackings(db: Db, input: RegisterInput): Promise<PreviewResult> {
  const { accountId, quotaLimit, registrations, now } = input;
  const existing = await findRegistered(db, input);
  const fresh = newOnes(registrations, existing);
  const find = finderOf(existing);
  if (fresh.size > 0 && (await quotaUsed(db, accountId, now)) + fresh.size > quotaLimit)
    return { kind: 'quota_exhausted' };
  return {
    kind: 'preview',
    trackings: registrations.map((registration) => {
      const known = find(registration);
      const { id = null, status = '查询中' } = known ?? {};
      const state = known && registration.detected ? stateOf(known) : stateOfNew(registration);
      return { id, status, charged: fresh.has(registration), registration, ...state };
    }),
  };
}

type Row = Awaited<ReturnType<typeof findRegistered>>[number];

function stateOf(row: Row) {
  const { carrier, detected, candidates } = row;
  return { carrier, detected, candidates: candidates && isUndecided(row) ? candidateCodes(candidates) : [] };
}

function stateOfNew({ carrier, detected, candidates = [] }: Registration) {
  return { carrier, detected, candidates: candidates.map((candidate) => candidate.carrier) };
}
