import type { FirstRequests } from './first-requests.ts';
import { journey, type Says } from './journeys/journey.ts';
import { lotOf } from './journeys/seeded.ts';
import { isKnownTo } from './journeys/series.ts';
import { storyOf } from './journeys/stories.ts';
import type { Story } from './journeys/story.ts';
import type { Language } from './journeys/wording.ts';

/** `carrier` in our code or Kuaidi100's; some bare numbers are known to only one carrier. */
export type Question = { number: string; phone?: string; carrier?: string };

/** Waits, at most until `signal` reports that the caller has disconnected. */
export type Wait = (ms: number, signal: AbortSignal) => Promise<void>;

export type CarrierDeps = { speed: number; now(): Date; state: FirstRequests; wait: Wait };

/** Queries numbers in one call. One number that answers late delays the whole call, as with real carriers. */
export type Ask = (questions: readonly Question[], signal: AbortSignal, language?: Language) => Promise<Says[]>;

const PHONE_ENDING = /\d{4}$/;

/** The carrier behind both APIs: the journeys, and how each story changes the answers. */
export function createCarrier({ speed, now, state, wait }: CarrierDeps): Ask {
  /** Flaky numbers whose last query failed. */
  const failedLast = new Set<string>();

  function answer({ number, phone, carrier }: Question, startedAt: Date, language?: Language): Says {
    if (!isKnownTo(number, carrier)) return { kind: 'not_found', isOthers: true };
    const { manner } = storyOf(number);
    if (manner.kind === 'given-a-phone' && !PHONE_ENDING.test(phone ?? '')) {
      return { kind: 'failed', failure: 'needs_input', message: 'The last four digits of a phone number are needed.' };
    }
    if (manner.kind === 'every-other-question' && !failedLast.delete(number)) {
      failedLast.add(number);
      return { kind: 'failed', failure: 'transient', message: 'The carrier failed this time.' };
    }
    const lot = lotOf(number);
    const says = lot
      ? journey(lot.number, lot.startsAt, now(), 1, language)
      : journey(number, startedAt, now(), speed, language);
    return says.kind === 'found' && manner.kind === 'about-another-number'
      ? { ...says, otherNumber: `${number}99` }
      : says;
  }

  return async (questions, signal, language) => {
    const requested = questions.map((question) => question.number);
    const starts = state.startsOf(
      requested.filter((number) => lotOf(number) === null),
      now(),
    );
    const holdMs = Math.max(0, ...requested.map((number) => holdMsOf(storyOf(number), speed)));
    if (holdMs > 0) await wait(holdMs, signal);
    let next = 0;
    return questions.map((question) => {
      const startedAt = lotOf(question.number) ? null : starts[next++];
      return answer(question, startedAt ?? now(), language);
    });
  };
}

function holdMsOf({ manner }: Story, speed: number): number {
  if (manner.kind !== 'after') return 0;
  return (manner.seconds * 1000) / (manner.spedUp ? speed : 1);
}
