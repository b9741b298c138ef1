import { toUtcSeconds } from '@pts/core/time';
import type { RequestHandler } from 'express';
import type { Ask, Question } from './carrier.ts';
import type { Says } from './journeys/journey.ts';
import { untilGone } from './until-gone.ts';

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
function parseQuestions(body: unknown): Question[] | string {
  const numbers = isRecord(body) ? body.numbers : undefined;
  if (!Array.isArray(numbers)) return 'Send JSON: {"numbers":[{"number":"…","carrier":"…"}]}.';
  if (numbers.length < 1 || numbers.length > MAX_NUMBERS) return `Send 1 to ${MAX_NUMBERS} numbers.`;
  const questions: Question[] = [];
  for (const [i, item] of numbers.entries()) {
    const question = parseQuestion(item);
    if (!question) return `numbers[${i}] needs a "number" of 1 to ${MAX_LENGTH} characters; "phone" must be a string.`;
    questions.push(question);
  }
  return questions;
}

function parseQuestion(item: unknown): Question | null {
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

/** What `POST /track` returns for a number. */
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
