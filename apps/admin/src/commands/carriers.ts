import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { chooseCarrier } from '@pts/carriers/detection/choose-carrier';
import { carriersWithoutForm } from '@pts/carriers/detection/detect';
import { callbackAddress } from '@pts/carriers/providers/configured';
import { PROVIDERS } from '@pts/carriers/providers/index';
import { CommandError, UsageError } from '@pts/client/cli/kit';
import { textIn } from '@pts/core/settings';
import { columns } from '@pts/core/terminal';
import { boundAnswer, type CarrierAnswer, type Found, fingerprintOf } from '@pts/core/tracking/answer';
import { type Annotations, applyAnswer, type Change, isUnconfirmed, type Snapshot } from '@pts/core/tracking/change';
import { normaliseNumber } from '@pts/core/tracking/number';
import { watchOf } from '@pts/core/tracking/status';
import { messageOf } from '@pts/db/errors';
import { readDelivered } from '@pts/db/lanes';
import { type Accuracy, backtest } from '@pts/service/estimates';
import { type Command, type Context, command } from '../command.ts';
import { databaseCommand } from '../installation.ts';
import { readTime } from '../values.ts';
import { manifestOf } from './providers.ts';
import { viewScan } from './trackings.ts';

const INVALID = 'a tracking number has 5 to 50 letters and digits';

const carriersDetect = command({
  name: 'carriers detect',
  takes: ['number...?'],
  options: {
    destination: {
      value: 'COUNTRY',
      about: 'the destination country of the numbers, as a two-letter code (ISO 3166-1)',
    },
  },
  about:
    'List the possible carriers of tracking numbers, best first. Without a number, list the carriers whose number format is unknown. Fails if a number is invalid. Needs no database.',
  async run(_context, { number: numbers, destination }) {
    if (numbers.length === 0) return formless();
    const countries = destination === undefined ? [] : [readCountry(destination)];
    const found = numbers.map((given) => {
      const number = normaliseNumber(given);
      if (number === null) return { number: given, candidates: [], error: INVALID };
      const { candidates } = chooseCarrier(number, { sandbox: false, countries });
      return {
        number,
        candidates: candidates.map(({ carrier, confidence }) => ({ courier_code: carrier, confidence })),
      };
    });
    const rows = found.flatMap(({ number, candidates, error }) => {
      if (error !== undefined) return [[number, `invalid: ${error}`, '']];
      return candidates.length === 0
        ? [[number, 'unknown', '']]
        : candidates.map(({ courier_code, confidence }, i) => [
            i === 0 ? number : '',
            courier_code,
            String(confidence),
          ]);
    });
    const failed = found.some(({ error }) => error !== undefined);
    return { lines: columns([['NUMBER', 'CARRIER', 'CONFIDENCE'], ...rows]), json: found, failed };
  },
});

/** The carriers that only a `courier_code` finds. */
function formless() {
  const found = carriersWithoutForm();
  const rows = found.map(({ code, name, country }) => [code, name, country]);
  const json = found.map(({ code, name, country }) => ({
    courier_code: code,
    courier_name: name,
    courier_country_iso2: country,
  }));
  return { lines: columns([['CARRIER', 'NAME', 'COUNTRY'], ...rows]), json };
}

function readCountry(text: string): string {
  if (!/^[A-Za-z]{2}$/.test(text))
    throw new UsageError(`--destination must be a country code such as KR, not "${text}".`);
  return text.toUpperCase();
}

const REGISTERED: Snapshot = { scans: [], status: '查询中', subStatus: 'pending', notice: null };
const EVERY_SECONDS = 300;
const ANSWER_OPTIONS = {
  number: { value: 'NUMBER', about: 'the tracking number (default: the one in the response)' },
  registered: { value: 'TIME', about: 'when the number was registered (default: at its first scan)' },
  now: { value: 'TIME', about: 'when the last response arrived, ISO 8601 (default: now)' },
} as const;

const carriersParse = command({
  name: 'carriers parse',
  takes: ['provider', 'file'],
  options: ANSWER_OPTIONS,
  about:
    'Parse a raw provider response from a file or stdin (-) as the service would, and print the status and events. Fails if it cannot be parsed. Needs no database.',
  async run(context, { provider, file, number: named, registered, now: at }) {
    const now = readTime('now', at, context.now());
    const text = await readText(context, file);
    const number = named ?? numberIn(text);
    const answer = read(provider, text, number);
    const registeredAt = readTime('registered', registered, firstScan([answer]) ?? now);
    const change = applyAnswer(REGISTERED, answer, { now, registeredAt, provider });
    const json = { number, found: answer.kind === 'found', ...view(change, answer) };
    const failed = answer.kind === 'failed' && answer.failure === 'unreadable';
    return { lines: inWords(json), json, failed };
  },
});

function inWords({ number, found, status, sub_status, events, error }: ReturnType<typeof view> & Named): string[] {
  if (error) return [`${number || 'No number'}: ${error.code}: ${error.message}`];
  const rows = events.map(({ time, status: state, location, description, raw_time, zone_source }) => [
    ...[time, state, `${raw_time} (zone: ${zone_source})`, location, description],
  ]);
  return [
    `${number || 'No number'}: ${found ? `${sub_status}, ${status}` : 'not found'}`,
    ...columns(rows.length === 0 ? [] : [['TIME', 'STATUS', 'AS WRITTEN', 'PLACE', 'TEXT'], ...rows]),
  ];
}

type Named = { number: string; found: boolean };

const carriersReplay = command({
  name: 'carriers replay',
  takes: ['provider', 'file...'],
  options: {
    ...ANSWER_OPTIONS,
    every: { value: 'SECONDS', about: `seconds between the responses (default: ${EVERY_SECONDS})` },
  },
  about:
    'Process raw provider responses, one per file, in order, as the service would. Prints a line of JSON for each. Needs no database.',
  async run(context, { provider, number, registered, now: at, every, file: files }) {
    const now = readTime('now', at, context.now());
    const texts = await Promise.all(files.map((file) => readText(context, file)));
    const requested = number ?? firstNumber(texts);
    const answers = texts.map((text) => read(provider, text, requested ?? numberIn(text)));
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

async function readText({ root, input }: Context, file: string): Promise<string> {
  if (file === '-') return input();
  try {
    return readFileSync(resolve(root, file), 'utf8');
  } catch (error) {
    throw new CommandError(`Cannot read ${file}: ${messageOf(error)}`);
  }
}

function readSeconds(text: string | undefined): number {
  const seconds = text === undefined ? EVERY_SECONDS : Number(text);
  if (!Number.isFinite(seconds) || seconds < 0)
    throw new UsageError(`--every must be a number of seconds such as 300, not "${text}".`);
  return seconds;
}

/** Parses a raw answer, as received over HTTP with status 200. @throws UsageError for an unknown provider. */
function read(name: string, text: string, number: string): CarrierAnswer {
  const manifest = manifestOf(name);
  // The answer itself names the company; without one, scans are in Chinese time.
  const [parsed] = manifest.parse({ kind: 'response', status: 200, headers: {}, text }, [{ number, carrier: '' }]);
  if (parsed === undefined) throw new Error(`${name} parsed nothing`);
  const answer = boundAnswer(parsed);
  if (answer.kind !== 'failed' || answer.failure !== 'unreadable') return answer;
  const form = `An answer of ${manifest.title} is ${manifest.answers}, with --number if it names none or several.`;
  return { ...answer, message: `${answer.message}. ${form}` };
}

/** The number that an answer names; '' if none. */
function numberIn(text: string): string {
  try {
    return numberUnder(JSON.parse(text), MAX_LEVELS) ?? '';
  } catch {
    return '';
  }
}

const MAX_LEVELS = 6;
const NUMBER = /^(?:nu|number|tracking_?(?:number|code))$/i;

/** The first text under a name for numbers: those of an object itself before those deeper in it. */
function numberUnder(value: unknown, levels: number): string | undefined {
  if (typeof value !== 'object' || value === null || levels === 0) return undefined;
  const named = Object.entries(value).find(
    ([name, text]) => NUMBER.test(name) && typeof text === 'string' && text !== '',
  );
  if (named) return String(named[1]);
  for (const part of Object.values(value)) {
    const number = numberUnder(part, levels - 1);
    if (number !== undefined) return number;
  }
  return undefined;
}

function errorOf(answer: CarrierAnswer): { code: string; message: string } | null {
  return answer.kind === 'failed' ? { code: answer.failure, message: answer.message } : null;
}

const carriersBacktest = databaseCommand({
  name: 'carriers backtest',
  takes: [],
  options: {},
  about:
    'Measure how good delivery estimates are, by estimating every delivered parcel from those delivered before it. The goal is 80 % within the window.',
  async run({ db }) {
    const accuracies = backtest(await readDelivered(db));
    const [all] = accuracies;
    return {
      lines: all?.parcels
        ? columns([['CARRIER', 'DELIVERED', 'ESTIMATED', 'MAE (HOURS)', 'WITHIN WINDOW'], ...accuracies.map(rowOf)])
        : ['There are no delivered parcels yet.'],
      json: { carriers: accuracies.map(viewAccuracy) },
    };
  },
});

function rowOf({ carrier, parcels, estimated, maeHours, coverage }: Accuracy): string[] {
  const percent = coverage === null ? '-' : `${Math.round(coverage * 100)} %`;
  return [carrier, String(parcels), String(estimated), maeHours?.toFixed(1) ?? '-', percent];
}

function viewAccuracy({ carrier, parcels, estimated, maeHours, coverage }: Accuracy) {
  return { courier_code: carrier, delivered: parcels, estimated, mae_hours: maeHours, coverage };
}

const carriersCallbackAddresses = command({
  name: 'carriers callback-addresses',
  takes: [],
  options: {},
  about: 'Print the callback addresses of the providers whose address is set in their account. Needs no database.',
  async run({ env }) {
    const [baseUrl, secret] = ['CALLBACK_BASE_URL', 'CALLBACK_SECRET'].map((name) => textIn(env, name));
    if (!baseUrl || !secret)
      throw new CommandError('Set CALLBACK_BASE_URL and CALLBACK_SECRET to the values of the API and the poller.');
    const addresses = PROVIDERS.filter(({ callbacks }) => callbacks !== undefined).map(({ name }) => ({
      provider: name,
      url: callbackAddress(name, { baseUrl, secret }).url,
    }));
    const rows = addresses.map(({ provider, url }) => [provider, url]);
    return { lines: columns([['PROVIDER', 'ADDRESS'], ...rows]), json: addresses };
  },
});

/** In the order of the help text. */
export const carriers: readonly Command[] = [
  carriersDetect,
  carriersParse,
  carriersReplay,
  carriersBacktest,
  carriersCallbackAddresses,
];
