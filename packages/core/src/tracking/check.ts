/** Inputs that some carriers require besides the number. */
export type Hints = { phone?: string; postalCode?: string; destinationCountry?: string };

/** A parcel and its account: statements about the parcel name both. */
export type ParcelKey = { trackingId: string; accountId: string };

/** The ids of parcels. */
export function idsOf(parcels: readonly Pick<ParcelKey, 'trackingId'>[]): string[] {
  return parcels.map(({ trackingId }) => trackingId);
}

/**
 * The accounts of parcels, one for each, as `idsOf`: given fewer accounts than ids, PostgreSQL might expect fewer rows of the accounts
 * than of the ids, and read all parcels of a large account.
 */
export function accountsOf(parcels: readonly ParcelKey[]): string[] {
  return parcels.map(({ accountId }) => accountId);
}

/** A check that was claimed: enough to query the provider and to detect that nothing changed. */
export type ClaimedCheck = ParcelKey & {
  trackingNumber: string;
  /** Our carrier code. */
  carrier: string;
  /** Digest of the last stored answer; null before the first. */
  fingerprint: string | null;
  /** Whether this is the last check of an arrived parcel. */
  finalLook: boolean;
  hints: Hints | null;
  /** Why its last checks failed, and since when (ms since 1970); null while they do not. */
  failing?: { failure: string; sinceMs: number } | null | undefined;
  /** Whether its news is pushed; null until a subscription was considered. */
  pushed?: boolean | null | undefined;
  /** Whether the carrier is one of several candidates: every answer then determines the next candidate. */
  isUndecided?: boolean | undefined;
  /** When it became due, in ms since 1970. */
  dueAtMs?: number | undefined;
  /** The request that registered the parcel, until it is answered. */
  requestId?: string | null | undefined;
  /** The trace of that request, if it is sampled. */
  traceparent?: string | null | undefined;
};
