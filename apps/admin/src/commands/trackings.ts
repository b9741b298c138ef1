import { CommandError } from '@pts/client/cli/kit';
import { readMessage } from '@pts/core/languages/message';
import { columns, counted } from '@pts/core/terminal';
import { toUtcSeconds } from '@pts/core/time';
import { normaliseNumber } from '@pts/core/tracking/number';
import type { Scan } from '@pts/core/tracking/scan';
import { type Account, findAccount } from '@pts/db/accounts/accounts';
import { messagesOfTracking, type TrackingMessage } from '@pts/db/deliveries/log';
import { locateTrackings } from '@pts/db/trackings/records';
import { modesOf } from '@pts/service/accounts';
import { type Explanation, explainTracking } from '@pts/service/trackings/explain';
import { type Command, table } from '../command.ts';
import { type DatabaseDeps, databaseCommand, serviceSettings } from '../installation.ts';

/** A number may be registered by many accounts. */
const MAX_SHOWN = 20;

const trackingsShow = databaseCommand({
  name: 'trackings show',
  audited: 'unseen',
  personal: ['idOrNumber'],
  takes: ['idOrNumber'],
  options: {},
  about:
    'Show everything that is known about a tracking, or about all trackings with a number, such as its checks, events and pushes.',
  async run(deps, { idOrNumber }, { env }) {
    const found = await findKnown(deps, idOrNumber, env);
    if (found.length === 0) throw new CommandError(`No tracking has the id or number ${idOrNumber}.`);
    return {
      lines: found.flatMap((known, n) => [...(n === 0 ? [] : ['', '']), ...knownLines(known)]),
      json: { trackings: found.map(viewKnown) },
      accountIds: [...new Set(found.map(({ account }) => account.id))],
    };
  },
});

async function findKnown(deps: DatabaseDeps, given: string, env: NodeJS.ProcessEnv): Promise<Known[]> {
  const { db } = deps;
  const depsOf = modesOf({ ...deps, ...serviceSettings(env) });
  const located = await locateTrackings(db, { id: given, number: normaliseNumber(given), limit: MAX_SHOWN });
  const found: Known[] = [];
  for (const { id, accountId } of located) {
    const account = await findAccount(db, accountId);
    if (!account) continue;
    const explained = await explainTracking(depsOf(account), { account, id });
    found.push({ account, explained, messages: await messagesOfTracking(db, { accountId, id }) });
  }
  return found;
}

/** Everything that is known of a tracking. */
type Known = { account: Account; explained: Explanation; messages: readonly TrackingMessage[] };

/** Everything that is known of a tracking, as JSON. */
function viewKnown({ account, explained, messages }: Known) {
  const { tracking, carrier, route, watch, callbacks, failing, quarantine, holds } = explained;
  const { check } = tracking;
  return {
    id: tracking.id,
    account: {
      id: account.id,
      name: account.name,
      test: account.testOf !== null,
      disabled: account.disabledAt !== null,
    },
    tracking_number: tracking.trackingNumber,
    status: tracking.status,
    sub_status: tracking.subStatus,
    notice: tracking.notice,
    created_at: toUtcSeconds(tracking.createdAt),
    updated_at: toUtcSeconds(tracking.updatedAt),
    carrier: {
      code: carrier.code,
      chosen_by: carrier.chosenBy,
      message: carrier.message,
      asked_in_turn: carrier.askedInTurn,
    },
    provider: { name: tracking.provider, route, pause: viewPause(tracking.pause) },
    check: check && {
      next_check_at: toUtcSeconds(check.nextCheckAt),
      claimed_at: timeOf(check.claimedAt),
      final: check.finalLook,
      expires_at: toUtcSeconds(check.expiresAt),
      fingerprint: check.fingerprint,
    },
    watch: { mode: watch.mode, reason: watch.reason, message: watch.message, interval_seconds: watch.intervalSeconds },
    callbacks: callbacks && {
      state: callbacks.state,
      last_callback_at: timeOf(callbacks.pushedAt),
      message: callbacks.message,
    },
    last_answer: tracking.lastAnswer,
    failing: failing && { failure: failing.failure, since: toUtcSeconds(failing.since), message: failing.message },
    quarantine: quarantine && {
      reason: quarantine.reason,
      since: toUtcSeconds(quarantine.since),
      message: quarantine.message,
      events: quarantine.scans.map(viewScan),
    },
    held_back_by: holds.map(({ kind, until, message }) => ({ kind, until: timeOf(until), message })),
    events: tracking.events.map(viewScan),
    pushes: messages.flatMap(viewPushes),
  };
}

function viewPause(pause: Explanation['tracking']['pause']) {
  return pause && { paused_until: timeOf(pause.pausedUntil), failure: pause.failure };
}

/** A push of an event to a webhook, or an event that went nowhere: `webhook_id` and what follows are null. */
type PushView = {
  message_id: string;
  event: string;
  seq: number | null;
  created_at: string;
  sub_status: string;
  webhook_id: string | null;
  state: string | null;
  attempts: number;
  round: number;
  next_attempt_at: string | null;
  last_attempt: { at: string; status_code: number; error: string | null } | null;
};

const NOWHERE = { webhook_id: null, state: null, attempts: 0, round: 0, next_attempt_at: null, last_attempt: null };

function viewPushes({ id, event, seq, createdAt, subStatus, deliveries }: TrackingMessage): PushView[] {
  const emitted = { message_id: id, event, seq, created_at: toUtcSeconds(createdAt), sub_status: subStatus };
  if (deliveries.length === 0) return [{ ...emitted, ...NOWHERE }];
  return deliveries.map(({ webhookId, state, attempts, round, nextAttemptAt, last }) => ({
    ...emitted,
    webhook_id: webhookId,
    state,
    attempts,
    round,
    next_attempt_at: nextAttemptAt && toUtcSeconds(new Date(nextAttemptAt)),
    last_attempt: last && {
      at: toUtcSeconds(new Date(last.startedAt)),
      status_code: last.statusCode,
      error: last.error && `${readMessage(last.error)}`,
    },
  }));
}

/** Everything that is known of a tracking, as lines of text. */
function knownLines(known: Known): string[] {
  const view = viewKnown(known);
  const { account, carrier, provider, check, watch, failing, quarantine, last_answer: last } = view;
  const facts: [string, string | null | undefined][] = [
    ['Tracking', `${view.id} (${view.tracking_number})`],
    [
      'Account',
      `${account.name} (${account.id})${account.disabled ? ', disabled' : ''}${account.test ? ', test mode' : ''}`,
    ],
    ['Status', `${view.status}, ${view.sub_status}, since ${view.updated_at}`],
    ['Notice', view.notice],
    ['Carrier', `${carrier.code}. ${carrier.message}`],
    ['Provider', `${provider.name} (route: ${provider.route.join(', ') || 'none'})`],
    ['Paused', provider.pause?.paused_until && `until ${provider.pause.paused_until} (${provider.pause.failure})`],
    ['Watch', `${watch.message}`],
    ['Check', check ? `next ${check.next_check_at}, last claimed ${check.claimed_at ?? 'never'}` : 'none'],
    ['Callbacks', view.callbacks?.message.toString()],
    [
      'Last response',
      last &&
        `${last.kind}${last.failure ? ` (${last.failure})` : ''} at ${last.at}, ${counted(last.scans, 'event')}${last.untimed ? `, and ${last.untimed} without a time` : ''}`,
    ],
    ['Failing', failing && `since ${failing.since}: ${failing.message}`],
    ['Quarantine', quarantine && `since ${quarantine.since}: ${quarantine.message}`],
    ...view.held_back_by.map(({ message }): [string, string] => ['Held back', `${message}`]),
  ];
  const rows = facts.filter((fact): fact is [string, string] => Boolean(fact[1]));
  return [...columns(rows), '', ...eventLines(view), '', ...pushLines(view)];
}

type View = ReturnType<typeof viewKnown>;

function eventLines({ events }: View): string[] {
  const rows = events.map(({ time, status, location, description }) => [time, status, location, description]);
  return table(['TIME', 'STATUS', 'PLACE', 'EVENT'], rows, 'No events.');
}

function pushLines({ pushes }: View): string[] {
  const rows = pushes.map((push) => [
    push.created_at,
    push.event,
    push.webhook_id ?? '-',
    push.state ?? 'no webhook',
    String(push.attempts),
    push.last_attempt ? answerOf(push.last_attempt) : '-',
    push.next_attempt_at ?? '-',
  ]);
  const heading = ['EMITTED', 'EVENT', 'WEBHOOK', 'STATE', 'ATTEMPTS', 'LAST ANSWER', 'NEXT'];
  return table(heading, rows, 'There are no events, or they have all expired.');
}

function answerOf({ status_code, error }: NonNullable<PushView['last_attempt']>): string {
  return error === null ? String(status_code) : `${status_code} ${error}`;
}

function timeOf(time: Date | null): string | null {
  return time && toUtcSeconds(time);
}

/** A scan with all details of its time. */
export function viewScan({ time, location, description, status, timeRaw, zoneSource }: Scan) {
  return { time, location, description, status, raw_time: timeRaw, zone_source: zoneSource };
}

/** In the order of the help text. */
export const trackings: readonly Command[] = [trackingsShow];
