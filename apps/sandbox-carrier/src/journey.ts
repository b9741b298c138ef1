import type { ScanStatus } from '@pts/core/tracking/status';
import { languageOf, type Place, type Route, routeOf } from './route.ts';
import { type SandboxFailure, type Step, storyOf } from './stories.ts';
import { type Language, type TextName, textOf } from './wording.ts';

/** A scan as the carrier knows it; each wire writes it down its own way. */
export type JourneyScan = {
  /** To the second. */
  time: Date;
  place: Place;
  description: string;
  /** The kind of the scan: wires have a code of their carrier for each. */
  text: TextName;
  status: ScanStatus;
  kuaidi100: { code: string; name: string };
};

export type Refusal = { kind: 'failed'; failure: SandboxFailure; message: string; retryAfterSeconds?: number };

/** What the carrier says of a number. Scans are oldest first; `otherNumber` is the one it names in place of the one asked. */
export type Says = { kind: 'found'; scans: JourneyScan[]; otherNumber?: string } | { kind: 'not_found' } | Refusal;

/**
 * The carrier's answer at `now` for a number first queried at `startedAt`. Nothing else affects it, so a journey
 * never changes its mind: a scan keeps its time, place and text in every answer that lists it.
 * @param speed how many seconds of the script pass in one second
 */
export function journey(
  number: string,
  startedAt: Date,
  now: Date,
  speed: number,
  language: Language = languageOf(number),
): Says {
  const { manner, steps } = storyOf(number);
  if (manner.kind === 'never') {
    const { failure, message, retryAfterSeconds } = manner;
    return { kind: 'failed', failure, message, ...(retryAfterSeconds !== undefined && { retryAfterSeconds }) };
  }
  const route = routeOf(number, language);
  const elapsedMs = Math.max(0, now.getTime() - startedAt.getTime()) * speed;
  const scans = timed(steps, startedAt, speed)
    .filter(({ step }) => elapsedMs >= (step.listedAt ?? step.at) * 1000)
    .flatMap(({ step, time }) => {
      const isCorrected = step.corrected !== undefined && elapsedMs >= step.corrected.at * 1000;
      return copies(scanOf(isCorrected ? { ...step, ...step.corrected } : step, time, route, language), step.copies);
    });
  return scans.length > 0 ? { kind: 'found', scans } : { kind: 'not_found' };
}

/**
 * When each scan was made. Times are whole seconds, so at high speed several would share one and their order would be
 * lost: then the earlier ones are dated back, a second each. No scan ever lies in the future.
 */
function timed(steps: readonly Step[], startedAt: Date, speed: number): { step: Step; time: Date }[] {
  let following = Number.POSITIVE_INFINITY;
  return steps
    .toReversed()
    .map((step) => {
      const second = Math.floor((startedAt.getTime() + (step.at * 1000) / speed) / 1000);
      following = Math.min(second, following - 1);
      return { step, time: new Date(following * 1000) };
    })
    .toReversed();
}

function scanOf(step: Pick<Step, 'where' | 'text'>, time: Date, route: Route, language: Language): JourneyScan {
  const text = textOf(step.text);
  const place = route.at(step.where);
  const mentions = { here: place.name, next: route.after(step.where).name, courier: route.courier };
  return {
    time,
    place,
    description: text[language](mentions),
    text: step.text,
    status: text.status,
    kuaidi100: text.kuaidi100,
  };
}

function copies(scan: JourneyScan, count = 1): JourneyScan[] {
  return Array.from({ length: count }, () => scan);
}
