import type { CallbackState } from '@pts/contract/explain';
import { toUtcSeconds } from '@pts/core/time';
import type { Explained } from '@pts/db/trackings/explain';
import type { WatchContext } from './watch.ts';

/** Whether callbacks bring the news of a parcel, and if not, why. */
export type CallbackExplanation = {
  state: CallbackState;
  subscribedAt: Date | null;
  pushedAt: Date | null;
  awaitedSince: Date | null;
  retryAt: Date | null;
  message: string;
};

/** The state of a parcel's subscription to its provider's callbacks; null if there is no subscription to its number. */
export function explainCallbacks(tracking: Explained, ctx: WatchContext): CallbackExplanation | null {
  const { subscription, check } = tracking;
  const callbacks = ctx.providers.find(({ name }) => name === tracking.provider)?.callbacks;
  if (!subscription || !callbacks || !check || ctx.safetyNetSeconds === null) return null;
  const { subscribedAt, pushedAt, awaitedSince, retryAt } = subscription;
  const state = stateOf(subscription);
  const message = messageOf(state, subscription, callbacks.title, ctx.safetyNetSeconds);
  return { state, subscribedAt, pushedAt, awaitedSince, retryAt, message };
}

type Subscription = NonNullable<Explained['subscription']>;

function stateOf({ state, awaitedSince }: Subscription): CallbackState {
  // Released because no parcel watched the number; one does again.
  if (state === 'releasing' || state === 'released') return 'wanted';
  if (state !== 'active') return state;
  return awaitedSince === null ? 'pushing' : 'awaited';
}

function messageOf(
  state: CallbackState,
  { pushedAt, awaitedSince, retryAt, reason }: Subscription,
  title: string,
  safetyNetSeconds: number,
): string {
  const because = reason === null ? '' : ` (${reason})`;
  switch (state) {
    case 'pushing':
      return `Pushed by ${title}; safety-net check every ${duration(safetyNetSeconds)}; last push ${timeOf(pushedAt)}.`;
    case 'awaited':
      return pushedAt !== null
        ? `Subscribed at ${title}, but a check found news at ${timeOf(awaitedSince)} that was not pushed: it is checked regularly until a push arrives.`
        : `Subscribed at ${title} at ${timeOf(awaitedSince)}: it is checked regularly until the first push arrives.`;
    case 'wanted':
      return `It is being subscribed to at ${title}${because}, at ${timeOf(retryAt)}; until then it is checked regularly.`;
    case 'ended':
      return `${title} has finished pushing${because}: it is checked regularly.`;
    case 'refused':
      return `${title} does not push the news of this number${because}: it is checked regularly.`;
    default:
      return state satisfies never;
  }
}

/** Readable: whole hours or minutes if possible. */
export function duration(seconds: number): string {
  if (seconds % 3600 === 0) return `${seconds / 3600} h`;
  return seconds % 60 === 0 ? `${seconds / 60} min` : `${seconds} s`;
}

function timeOf(time: Date | null): string {
  return time === null ? 'never' : toUtcSeconds(time);
}
