import { toUtcSeconds } from '@pts/core/time';
import type { RequestHandler } from 'express';
import type { FirstRequests } from './first-requests.ts';
import { untilGone } from './http.ts';
import { isKnownTo, journey, type Says } from './journey.ts';
import { lotOf, storyOf } from './stories.ts';
import type { Story, StoryLanguage } from './story.ts';

/** `carrier` in our code or Kuaidi100's; some bare numbers are known to only one carrier. */
export type CarrierQuestion = { number: string; phone?: string; carrier?: string };

/** Waits, at most until `signal` reports that the caller has disconnected. */
export type Wait = (ms: number, signal: AbortSignal) => Promise<void>;

type CarrierDeps = { speed: number; now(): Date; state: FirstRequests; wait: Wait };

/** Queries numbers in one call. One number that answers late delays the whole call, as with real carriers. */
export type Ask = (
  questions: readonly CarrierQuestion[],
  signal: AbortSignal,
  language?: StoryLanguage,
) => Promise<Says[]>;

const PHONE_ENDING = /\d{4}$/;

/** The carrier behind both APIs: the journeys, and how each story changes the answers. */
export function createCarrier({ speed, now, state, wait }: CarrierDeps): Ask {
  /** Flaky numbers whose last query failed. */
  const failedLast = new Set<string>();

  function answer({ number, phone, carrier }: CarrierQuestion, startedAt: Date, language?: StoryLanguage): Says {
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

const MAX_NUMBERS = 40;
const MAX_LENGTH = 100;

/** `POST /track`: the sandbox's own wire, 1 to 40 numbers per call. */
export function track(ask: Ask): RequestHandler {
  return async (req, res) => {
    const questions = parseQuestions(req.body);
    if (typeof questions === 'string') {
      res.status(400).json({ error: { code: 'bad_request', message: questions } });
      return;
    }
    const answers = await ask(questions, untilGone(res));
    res.json({ results: answers.map((says, i) => toResult(questions[i]?.number ?? '', says)) });
  };
}

/** The queries of a body, or its fault. */
function parseQuestions(body: unknown): CarrierQuestion[] | string {
  const numbers = isRecord(body) ? body.numbers : undefined;
  if (!Array.isArray(numbers)) return 'Send JSON: {"numbers":[{"number":"…","carrier":"…"}]}.';
  if (numbers.length < 1 || numbers.length > MAX_NUMBERS) return `Send 1 to ${MAX_NUMBERS} numbers.`;
  const questions: CarrierQuestion[] = [];
  for (const [i, item] of numbers.entries()) {
    const question = parseQuestion(item);
    if (!question) return `numbers[${i}] needs a "number" of 1 to ${MAX_LENGTH} characters; "phone" must be a string.`;
    questions.push(question);
  }
  return questions;
}

function parseQuestion(item: unknown): CarrierQuestion | null {
  if (!isRecord(item) || !isNumber(item.number)) return null;
  const { number, phone, carrier } = item;
  const question = { number, ...(typeof carrier === 'string' && { carrier }) };
  if (phone === undefined || phone === null) return question;
  return typeof phone === 'string' ? { ...question, phone } : null;
}

/** Whether a value can be a tracking number here: the sandbox accepts any carrier's format. */
export function isNumber(value: unknown): value is string {
  return typeof value === 'string' && value.length >= 1 && value.length <= MAX_LENGTH;
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

/** The result that `POST /track` returns for a number. */
export function toResult(number: string, says: Says) {
  switch (says.kind) {
    case 'found':
      return {
        number: says.otherNumber ?? number,
        found: true,
        scans: says.scans.map(({ time, place, description, status, course }) => ({
          time: toUtcSeconds(time),
          location: place.name,
          description,
          status,
          course,
        })),
        pieces: says.pieces,
        pickup_point: says.pickupPoint && {
          name: says.pickupPoint.name,
          address: says.pickupPoint.address,
          opening_hours: says.pickupPoint.openingHours,
        },
      };
    case 'not_found':
      return { number, found: false };
    case 'failed':
      return {
        number,
        error: { code: says.failure, message: says.message, retry_after_seconds: says.retryAfterSeconds },
      };
    default:
      return says satisfies never;
  }
}
