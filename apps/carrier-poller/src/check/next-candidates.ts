import { isSureByForm, prefixOf } from '@pts/carriers/detection/choose-carrier';
import { isWorthAskingSoon, SOON_SECONDS } from '@pts/core/tracking/outage';
import type { ClaimedCheck } from '@pts/core/tracking/schedule';
import { type ChangedAnswer, type SavedBatch, saveAnswersApart } from '@pts/db/checks/answers';
import { findWaitingUndecided } from '@pts/db/checks/schedule';
import { forgetLearned, recordFinds } from '@pts/db/learned-prefixes';
import { isLive } from '@pts/service/accounts';
import { wakePollers } from '@pts/service/trackings/register';
import type { PollerDeps } from '../deps.ts';

/** A longer pause is not waited out if another provider can be queried. */
const LONG_PAUSE_SECONDS = 4 * SOON_SECONDS;
/** Numbers that one sweep moves away from a paused provider. */
const MAX_LEAVING = 200;
const FORGET_EVERY_MS = 86_400_000;

/** Checks the next candidates of undecided numbers at once, and learns from carriers that knew numbers for the first time. */
export async function followUp(
  deps: Pick<PollerDeps, 'db' | 'producer' | 'providers' | 'provider' | 'logger' | 'now'>,
  { moved, firstFinds }: Pick<SavedBatch, 'moved' | 'firstFinds'>,
): Promise<void> {
  const due = moved.filter(({ isDue }) => isDue).map(({ trackingId: id, ...rest }) => ({ id, ...rest }));
  const wake = (accountId: string) => {
    const own = due.filter((each) => each.accountId === accountId);
    return wakePollers(deps, accountId, own);
  };
  await Promise.all([...new Set(due.map(({ accountId }) => accountId))].map(wake));
  if (isLive(deps.provider)) await learn(deps, firstFinds);
}

/** Statistics only: a fault here fails nothing. Numbers whose form decides teach nothing. */
async function learn(
  { db, logger, now }: Pick<PollerDeps, 'db' | 'logger' | 'now'>,
  firstFinds: SavedBatch['firstFinds'],
): Promise<void> {
  const finds = firstFinds
    .filter(({ trackingNumber }) => !isSureByForm(trackingNumber))
    .map(({ trackingNumber, carrier }) => ({ prefix: prefixOf(trackingNumber), carrier }));
  if (finds.length === 0) return;
  try {
    await recordFinds(db, finds, now());
  } catch (err) {
    logger.warn({ err, finds: finds.length }, 'the carriers that answered could not be learned');
  }
}

/**
 * Moves undecided numbers on to another candidate when theirs has failed for too long, or its provider is paused for long. Their
 * checks have been released before: those without another candidate do not change.
 */
export async function tryOtherCandidates(
  deps: PollerDeps,
  checks: readonly ClaimedCheck[],
  pausedUntil: Date | null = null,
): Promise<void> {
  const now = deps.now();
  const isLong = isLongPause(pausedUntil, now);
  const leaving = checks.filter(
    ({ isUndecided, failing }) => isUndecided && (isLong || !isWorthAskingSoon(failing?.sinceMs ?? null, now)),
  );
  if (leaving.length === 0) return;
  const { name } = deps.provider;
  const avoided = pausedUntil === null ? {} : { avoids: name };
  const answers = leaving.map((check) => ({ ...outageOf(check, name), ...avoided }));
  await followUp(deps, await saveAnswersApart(deps.db, answers, deps.cadence, now));
}

/** What has an undecided number go on to its next candidate without an answer. */
function outageOf(check: ClaimedCheck, provider: string): ChangedAnswer {
  const answer = { kind: 'failed', failure: 'transient', message: '' } as const;
  return { ...check, answer, fingerprint: check.fingerprint ?? 'outage', provider };
}

function isLongPause(pausedUntil: Date | null, now: Date): boolean {
  return pausedUntil !== null && pausedUntil.getTime() - now.getTime() > LONG_PAUSE_SECONDS * 1000;
}

/** Moves undecided numbers that wait for a paused provider on to candidates of other providers. */
export async function tryOthersWhilePaused(deps: PollerDeps, pausedUntil: Date): Promise<void> {
  const { db, provider, cadence } = deps;
  const now = deps.now();
  const others = Object.keys(cadence.floors ?? {}).filter((name) => name !== provider.name);
  if (others.length === 0 || !isLongPause(pausedUntil, now)) return;
  const waiting = await findWaitingUndecided(db, { provider: provider.name, others, limit: MAX_LEAVING, now });
  await tryOtherCandidates(deps, waiting, pausedUntil);
}

/**
 * Moves undecided numbers that have been due since `dueBy` at a provider that was removed from the configuration to candidates of
 * the others.
 * @returns whether there may be more.
 */
export async function leaveProvider(deps: PollerDeps, provider: string, dueBy: Date): Promise<boolean> {
  const { db, cadence, now } = deps;
  const others = Object.keys(cadence.floors ?? {});
  const waiting = await findWaitingUndecided(db, { provider, others, limit: MAX_LEAVING, now: dueBy });
  if (waiting.length === 0) return false;
  const answers = waiting.map((check) => outageOf(check, provider));
  const saved = await saveAnswersApart(db, answers, cadence, now());
  await followUp(deps, saved);
  return waiting.length === MAX_LEAVING && saved.unsaved.length === 0;
}

/** A sweep that deletes old learned counts once a day. */
export function createForgetting({ db, now }: Pick<PollerDeps, 'db' | 'now'>): () => Promise<{ more: false }> {
  let lastMs = 0;
  return async () => {
    if (now().getTime() - lastMs >= FORGET_EVERY_MS) {
      await forgetLearned(db, now());
      lastMs = now().getTime();
    }
    return { more: false };
  };
}
