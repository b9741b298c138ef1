/** The state in which an import or a bulk action has ended. */
export const ENDED_STATES = ['done', 'failed', 'cancelled'] as const;
export type EndedState = (typeof ENDED_STATES)[number];

/** The details of an account notice, by its kind, as they are stored and shown. Times are RFC 3339. */
export type AccountNoticeDetails = {
  webhook_failing: { url: string; percent: number; attempts: number; failed: number };
  webhook_disabled: { url: string; reason: string };
  webhook_recovered: { url: string };
  quota_used: { percent: number; used: number; limit: number; resets_at: string };
  key_expiring: { name: string | null; hint: string; expires_at: string };
  import_ended: { state: EndedState; file_name: string | null; registered: number; rejected: number };
  bulk_action_ended: { state: EndedState; action: string; done: number; skipped: number; failed: number };
  provider_out: { provider: string };
  provider_back: { provider: string };
};

export type AccountNoticeKind = keyof AccountNoticeDetails;

/** The shares of the month's quota that cause a notice, in percent. */
export const QUOTA_PERCENTS = [80, 95, 100] as const;
/** The shares of a webhook's newest attempts that fail and cause a notice, in percent. */
export const FAILING_PERCENTS = [50, 90] as const;
/** How many of the newest attempts of a webhook count for that, and at least how many there must be. */
export const FAILING_ATTEMPTS = { max: 20, min: 5 } as const;
/** A webhook works again once a push was accepted and none has failed for this long, or none of so many attempts. */
export const WORKING_MINUTES = 5;
/** How many days before its end a key causes a notice. One that is made for less than a day causes none. */
export const KEY_DAYS = 7;
/** A provider whose pause is at least this long is out: then another one of the carrier's route takes its place. */
export const OUT_SECONDS = 300;

/** Details that belong to their kind. */
export type NoticeKindAndDetails = {
  [K in AccountNoticeKind]: { kind: K; details: AccountNoticeDetails[K] };
}[AccountNoticeKind];

/** A notice says what a merchant should know about the account itself. */
export type AccountNotice = NoticeKindAndDetails & {
  id: string;
  /** The id of what it is about, such as a webhook; a provider, or a month (`2026-11`). */
  subject: string;
  /** When that began or happened. */
  since: Date;
  /** When a webhook or a provider worked again; null until then, and for what does not last. */
  until: Date | null;
};

type Endpoint = { id: string; enabled: boolean; failingSince: Date | null };

/**
 * Which of the endpoints that subscribe to notices get one: the healthy ones; if there are none, those that fail, whose
 * retries bring it once they work again. No endpoint gets the notice of its own failure.
 */
export function recipientsOf<E extends Endpoint>(
  { kind, subject }: Pick<AccountNotice, 'kind' | 'subject'>,
  endpoints: readonly E[],
): E[] {
  const isOwn = (id: string) => id === subject && kind === 'webhook_failing';
  const enabled = endpoints.filter(({ id, enabled }) => enabled && !isOwn(id));
  const healthy = enabled.filter(({ failingSince }) => failingSince === null);
  return healthy.length > 0 ? healthy : enabled;
}
