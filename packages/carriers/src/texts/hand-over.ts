import { carriers, SANDBOX } from '../registry/registry.ts';
import { handOverOf } from './chinese.ts';

/** A carrier that a parcel was handed over to, and its number there, if given. */
export type HandOver = { carrier: string; number: string | null };

const ENGLISH =
  /\b(?:handed over|transferred|tendered|passed on) to (?:the )?(?:(?:local|final|last[- ]mile) )?(?:delivery )?(?:(?:carrier|courier|partner|provider) )?(?<name>[\p{L}&. ]{2,40})(?:[,:;(] ?(?:(?:tracking )?number[:.]? ?)?(?<number>[A-Z]{0,4}\d{8,22}[A-Z]{0,2}))?/iu;

/** Short names that no other carrier has. */
const SHORT_NAMES: Readonly<Record<string, string>> = { ems: 'china-ems', dhl: 'dhl', hermes: 'evri' };

/** The carrier that a parcel was handed over to according to a text in Chinese or English; null if it does not say. */
export function handOverIn(text: string): HandOver | null {
  const chinese = /\p{Script=Han}/u.test(text) ? handOverOf(text) : null;
  if (chinese !== null) return chinese;
  const { name = '', number } = ENGLISH.exec(text)?.groups ?? {};
  const carrier = name === '' ? undefined : carrierNamed(name.trim().toLowerCase());
  return carrier === undefined ? null : { carrier, number: number?.toUpperCase() ?? null };
}

/** The carrier with the longest name that a text begins with. */
function carrierNamed(text: string): string | undefined {
  const [named] = carriers({ sandbox: false })
    .filter(({ code, name }) => code !== SANDBOX && startsWithWord(text, name.toLowerCase()))
    .sort((a, b) => b.name.length - a.name.length);
  return named?.code ?? SHORT_NAMES[text.split(' ')[0] ?? ''];
}

function startsWithWord(text: string, name: string): boolean {
  return text.startsWith(name) && !/\p{L}/u.test(text[name.length] ?? '');
}
