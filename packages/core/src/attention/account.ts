/** Why an account itself needs attention: none of its parcels can be registered, or it misses pushes. */
export const ACCOUNT_REASONS = ['quota_exhausted', 'endpoint_disabled'] as const;
export type AccountReason = (typeof ACCOUNT_REASONS)[number];

export type AccountAttention = {
  reason: AccountReason;
  /** The reason in words. */
  message: string;
  /** Of a disabled endpoint. */
  webhookId?: string;
};

/** An endpoint; `disabledReason` is null unless the service itself disabled it. */
type Endpoint = { id: string; url: string; enabled: boolean; disabledReason: string | null };

/**
 * What about an account needs attention. An endpoint that the account has disabled itself does not.
 * @param quota in units; `resetsAt` is the start of the next month.
 */
export function accountAttention(
  quota: { remaining: number; limit: number; resetsAt: Date },
  endpoints: readonly Endpoint[],
): AccountAttention[] {
  const exhausted: AccountAttention[] =
    quota.remaining > 0
      ? []
      : [
          {
            reason: 'quota_exhausted',
            message: `The quota of ${quota.limit} units is used up until ${quota.resetsAt.toISOString().slice(0, 10)}; new numbers are refused.`,
          },
        ];
  const disabled = endpoints.flatMap(({ id, url, enabled, disabledReason }): AccountAttention[] =>
    enabled || disabledReason === null
      ? []
      : [{ reason: 'endpoint_disabled', message: `${url} gets no pushes: ${disabledReason}`, webhookId: id }],
  );
  return [...exhausted, ...disabled];
}
