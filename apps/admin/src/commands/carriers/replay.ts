import { readFileSync } from 'node:fs';
import { type CarrierAnswer, type Found, fingerprintOf } from '@pts/core/tracking/answer';
import { type Annotations, applyAnswer, type Change, isUnconfirmed, type Snapshot } from '@pts/core/tracking/change';
import { watchOf } from '@pts/core/tracking/status';
import { messageOf } from '@pts/db/connection/message';
import { ANSWER_OPTIONS, errorOf, numberIn, read, readTime, viewScan } from '../../carriers/answers.ts';
import { command } from '../../command-line/command.ts';
import { Problem, UsageError } from '../../command-line/problem.ts';

const REGISTERED: Snapshot = { scans: [], status: '查询中', subStatus: 'pending', notice: null };
const EVERY_SECONDS = 300;

export const carriersReplay = command({
  name: 'carriers replay',
  takes: [],
  more: 'file',
  options: {
    ...ANSWER_OPTIONS,
    registered: { value: 'TIME', about: 'when the number was registered (default: at the first scan)' },
    now: { value: 'TIME', about: 'when the last answer arrived, ISO 8601 (default: now)' },
    every: { value: 'SECONDS', about: `time between the answers (default: ${EVERY_SECONDS})` },
  },
  about:
    'Process raw provider answers, one file each, in order, as the service would. Prints a JSON line for each. Needs no database.',
  async run(context, { provider, number, registered, now: at, every, more: files }) {
    const now = readTime('now', at, context.now());
    const texts = files.map(readText);
    const requested = number ?? firstNumber(texts);
    const answers = texts.map((text) => read(provider, text, requested).answer);
    const registeredAt = readTime('registered', registered, firstScan(answers) ?? now);
    const stepMs = readSeconds(every) * 1000;
    let snapshot = REGISTERED;
    let stored: string | null = null;
    for (const [index, answer] of answers.entries()) {
      const cameAt = new Date(now.getTime() - (answers.length - 1 - index) * stepMs);
      const digest = fingerprintOf(answer, cameAt);
      // Like the poller: an answer without a digest, or with the last stored one, changes nothing.
      const change: Change =
        digest === null || digest === stored
          ? { after: snapshot, emits: [] }
          : applyAnswer(snapshot, answer, { now: cameAt, registeredAt, provider });
      if (!isUnconfirmed(change)) stored = digest ?? stored;
      snapshot = change.after;
      context.line(JSON.stringify(view(change, answer)));
    }
    return { lines: [], json: undefined };
  },
});

function view({ after, emits }: Change, answer: CarrierAnswer) {
  const error = errorOf(answer);
  return {
    status: after.status,
    sub_status: after.subStatus,
    watched: watchOf(after.subStatus) === 'regularly',
    events: after.scans.map(viewScan),
    emitted: emits,
    ...viewAnnotations(after.annotations ?? {}),
    ...(error === null ? {} : { error }),
  };
}

function viewAnnotations({ previous, expected, pieces, estimate, reason, quarantine }: Annotations) {
  return {
    ...(reason === undefined ? {} : { reason }),
    ...(pieces === undefined ? {} : { pieces }),
    ...(estimate === undefined ? {} : { estimated_delivery: estimate }),
    ...(expected === undefined ? {} : { expected: expected.map(viewScan) }),
    ...(previous === undefined ? {} : { previous_events: previous.map(viewScan) }),
    ...(quarantine === undefined
      ? {}
      : { quarantine: { since: quarantine.since, reason: quarantine.reason, events: quarantine.scans.map(viewScan) } }),
  };
}

/** The number that the first answer with one names: the others are compared with it. */
function firstNumber(texts: readonly string[]): string | undefined {
  return texts.map(numberIn).find((number) => number !== '');
}

/** The oldest scan of the first answer that has any. */
function firstScan(answers: readonly CarrierAnswer[]): Date | null {
  const found = answers.find((answer): answer is Found => answer.kind === 'found' && answer.scans.length > 0);
  const [oldest] = found?.scans.map(({ time }) => time).sort() ?? [];
  return oldest === undefined ? null : new Date(oldest);
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new Problem(`${file} cannot be read: ${messageOf(error)}`);
  }
}

function readSeconds(text: string | undefined): number {
  const seconds = text === undefined ? EVERY_SECONDS : Number(text);
  if (!Number.isFinite(seconds) || seconds < 0)
    throw new UsageError(`--every must be a number of seconds such as 300, not "${text}".`);
  return seconds;
}
