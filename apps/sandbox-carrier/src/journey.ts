import type { Pieces } from '@pts/core/tracking/derive';
import type { Course, PickupPoint } from '@pts/core/tracking/scan';
import type { ScanStatus } from '@pts/core/tracking/status';
import { storyOf } from './stories.ts';
import {
  languageOf,
  nearestText,
  routeOf,
  type SandboxFailure,
  type ScanPlace,
  type Story,
  type StoryLanguage,
  type StoryRoute,
  type StoryStep,
  type StoryText,
  type TextName,
  textOf,
} from './story.ts';

const HOUR_MS = 3_600_000;

/** A scan as the carrier stores it; each wire formats it in its own way. */
export type JourneyScan = {
  /** To the second. */
  time: Date;
  place: ScanPlace;
  description: string;
  /** The kind of the scan: wires have a code of their carrier for each. */
  text: TextName;
  status: ScanStatus;
  course?: Course;
  kuaidi100: { code: string; name: string };
};

export type Refusal = { kind: 'failed'; failure: SandboxFailure; message: string; retryAfterSeconds?: number };

/**
 * The carrier's report about a number. Scans are oldest first; `otherNumber` is the one it names instead of the
 * requested one. `isOthers`: it is another carrier's.
 */
export type Says =
  | { kind: 'found'; scans: JourneyScan[]; otherNumber?: string; pieces?: Pieces; pickupPoint?: PickupPoint }
  | { kind: 'not_found'; isOthers?: true }
  | Refusal;

/**
 * The carrier's answer at `now` for a number first queried at `startedAt`. Nothing else affects it, so a journey
 * is never revised unless its story says so: a scan keeps its time, place and text in every answer that lists it.
 * @param speed how many seconds of the script pass in one second
 */
export function journey(
  number: string,
  startedAt: Date,
  now: Date,
  speed: number,
  language: StoryLanguage = languageOf(number),
): Says {
  const story = storyOf(number);
  const { manner } = story;
  if (manner.kind === 'never') {
    const { failure, message, retryAfterSeconds } = manner;
    return { kind: 'failed', failure, message, ...(retryAfterSeconds !== undefined && { retryAfterSeconds }) };
  }
  const seconds = (Math.max(0, now.getTime() - startedAt.getTime()) * speed) / 1000;
  const { from = Number.POSITIVE_INFINITY, until = Number.POSITIVE_INFINITY } = story.otherParcel ?? {};
  if (seconds >= from && seconds < until) return otherParcel(number, startedAt, language);
  const route = routeOf(number, language);
  const wrongHours = story.shifted !== undefined && seconds < story.shifted.until ? story.shifted.hours : 0;
  const scans = timed(story.steps, startedAt, speed)
    .filter(({ step: { at, listedAt = at, listedUntil = Number.POSITIVE_INFINITY } }) => {
      return seconds >= listedAt && seconds < listedUntil;
    })
    .flatMap(({ step, time }) => {
      const isCorrected = step.corrected !== undefined && seconds >= step.corrected.at;
      const written = new Date(time.getTime() + wrongHours * HOUR_MS);
      const scan = scanOf(isCorrected ? { ...step, ...step.corrected } : step, written, route, language);
      const { at: reclassifiedAt, as } = step.reclassified ?? { at: Number.POSITIVE_INFINITY, as: step.text };
      const reclassified = { ...scan, text: nearestText(as), ...classOf(as) };
      return copies(seconds >= reclassifiedAt ? reclassified : scan, step.copies);
    });
  if (scans.length === 0) return { kind: 'not_found' };
  const delivered = scans.filter(({ status }) => status === 'delivered').length;
  return {
    kind: 'found',
    scans,
    ...(story.pieces !== undefined && { pieces: { total: story.pieces, delivered } }),
    ...(story.hasPickupPoint && { pickupPoint: lockerIn(route.at('destination').city, language) }),
  };
}

function lockerIn(city: string, language: StoryLanguage): PickupPoint {
  return language === 'zh'
    ? { name: `${city}自提柜 01`, address: `${city}车站路 1 号`, openingHours: '00:00–24:00' }
    : { name: `${city} locker 01`, address: `1 Station Road, ${city}`, openingHours: '24/7' };
}

/** The carrier's answer when it confuses the number with that of a parcel three days older. */
function otherParcel(number: string, startedAt: Date, language: StoryLanguage): Says {
  const route = routeOf(`${number}-OTHER`, language);
  const began = new Date(Math.floor(startedAt.getTime() / 1000) * 1000 - 72 * HOUR_MS);
  const steps = [
    { where: 'origin', text: 'collected' },
    { where: 'viaHub', text: 'arrived' },
  ] as const;
  const scans = steps.map((step, n) => scanOf(step, new Date(began.getTime() + n * HOUR_MS), route, language));
  return { kind: 'found', scans };
}

/**
 * When each scan was made. Times are whole seconds, so at high speed several would share one and their order would be
 * lost: then the earlier ones are backdated, by a second each. No scan is ever in the future.
 */
function timed(steps: readonly StoryStep[], startedAt: Date, speed: number): { step: StoryStep; time: Date }[] {
  let following = Number.POSITIVE_INFINITY;
  return steps
    .toReversed()
    .map((step) => {
      const second = Math.floor((startedAt.getTime() + (step.at * 1000) / speed) / 1000);
      following = Math.min(second - (step.daysBefore ?? 0) * 86_400, following - 1);
      return { step, time: new Date(following * 1000) };
    })
    .toReversed();
}

function scanOf(
  step: Pick<StoryStep, 'where' | 'text'>,
  time: Date,
  route: StoryRoute,
  language: StoryLanguage,
): JourneyScan {
  const place = route.at(step.where);
  const mentions = { here: place.name, next: route.after(step.where).name, courier: route.courier };
  const description = textOf(step.text)[language](mentions);
  return { time, place, description, text: nearestText(step.text), ...classOf(step.text) };
}

function classOf(text: StoryText): Pick<JourneyScan, 'status' | 'course' | 'kuaidi100'> {
  const { status, course, kuaidi100 } = textOf(text);
  return { status, ...(course !== undefined && { course }), kuaidi100 };
}

function copies(scan: JourneyScan, count = 1): JourneyScan[] {
  return Array.from({ length: count }, () => scan);
}

/** The seconds of a story's script at which its answer changes, in order. */
export function changesOf({ steps, otherParcel, shifted }: Story): number[] {
  const ofSteps = steps.flatMap(({ at, listedAt = at, listedUntil, corrected, reclassified }) => [
    listedAt,
    listedUntil,
    corrected?.at,
    reclassified?.at,
  ]);
  const all = [...ofSteps, otherParcel?.from, otherParcel?.until, shifted?.until];
  return [...new Set(all.filter((second) => second !== undefined))].sort((a, b) => a - b);
}

/** When the answer about a story's number changes next, in ms since 1970; never, if it does not. */
export function nextChangeAt(story: Story, startedAt: Date, now: Date, speed: number): number {
  const seconds = [...changesOf(story), story.callbackFault?.at ?? 0];
  const times = seconds.map((second) => startedAt.getTime() + (second * 1000) / speed);
  return Math.min(...times.filter((time) => time > now.getTime()), Number.POSITIVE_INFINITY);
}

/** Bare numbers that only one carrier knows: their first digits, our code of the carrier, and Kuaidi100's. */
const SERIES: readonly (readonly [start: string, ...carriers: string[]])[] = [
  ['7701', 'sto', 'shentong'],
  ['7702', 'yto', 'yuantong'],
  ['7703', 'zto', 'zhongtong'],
  // No carrier knows these.
  ['7709'],
];
const BARE_NUMBER = /^\d{12}$/;

/** Whether a carrier knows a number. Numbers outside the series, and queries without a carrier, are known to all. */
export function isKnownTo(number: string, carrier: string | undefined): boolean {
  if (carrier === undefined || !BARE_NUMBER.test(number)) return true;
  const series = SERIES.find(([start]) => number.startsWith(start));
  return series === undefined || series.slice(1).includes(carrier);
}
