import { carrierPage } from '@pts/carriers/registry/pages';
import { type Carrier, findCarrier } from '@pts/carriers/registry/registry';
import { type HandOver, handOverIn } from '@pts/carriers/texts/hand-over';
import { languagesOf } from '@pts/carriers/texts/languages';
import { plainLetters } from '@pts/carriers/texts/reader';
import { writerOf } from '@pts/carriers/texts/writer';
import { type Zones, zonesOf } from '@pts/carriers/time/zones';
import type { trackingPage } from '@pts/contract/pages';
import type { Infer } from '@pts/contract/schema';
import { html } from '@pts/core/html';
import type { Texts } from '@pts/core/languages/table';
import { fill, type Language, languageOfText, TEXTS } from '@pts/core/languages/texts';
import { MASK, maskPlace, maskText } from '@pts/core/mask';
import {
  type Day,
  dayIn,
  type Expectation,
  type Headline,
  type NextStep,
  type ProgressStep,
  type Situation,
  type StepState,
  situationOf,
  stepsOf,
  type Tone,
} from '@pts/core/page';
import { toUtcSeconds } from '@pts/core/time';
import { pickUpIn, TROUBLED } from '@pts/core/tracking/derive';
import { viewPickupPoint } from '@pts/core/tracking/fields';
import { firstCharacters } from '@pts/core/tracking/outside-text';
import { type ParcelProblem, type PickupPoint, type Scan, toTrackingEvent } from '@pts/core/tracking/scan';
import type { PageRecord } from '@pts/db/pages';
import type { ApiDeps } from '../deps.ts';

/** The content of a page, in the language of its reader. */
export type PageView = {
  record: PageRecord;
  language: Language;
  texts: Texts;
  dates: Dates;
  now: Date;
  headline: string;
  /** The date in the headline; '' if it has none. */
  date: string;
  /** The status in words, where the headline has a day in its place. */
  status: string | null;
  /** The order, if it has several parcels. */
  order: OrderView | null;
  tone: Tone;
  notes: string[];
  problem: ParcelProblem | null;
  /** The problem in words, unless the headline has it. */
  problemText: string | null;
  nextStep: NextStep | null;
  product: string | null;
  orderNumber: string | null;
  delivered: { to: string | null; signedBy: string | null } | null;
  pickupPoint: { point: PickupPoint; mapUrl: string | null } | null;
  carriers: ShownCarrier[];
  steps: { step: ProgressStep; text: string; state: StepState }[];
  events: ShownEvent[];
  omitted: number;
  zone: string;
};

/** A parcel among the others of its order, and the token of its page. */
type OrderedParcel = Pick<PageView, 'record' | 'headline' | 'tone' | 'product'> & {
  token: string;
  number: string | null;
};

/** An order of several parcels. */
export type OrderView = { headline: string; parcels: OrderedParcel[] };

/**
 * Everything that a page says. It costs no statement and no call.
 * @param all parcels of the order, this one among them.
 */
export function viewPage(
  record: PageRecord,
  deps: Pick<ApiDeps, 'providers' | 'pageTokens'>,
  language: Language,
  now: Date,
  all: readonly PageRecord[] = [record],
): PageView {
  const { subStatus, scans, hideOrder } = record;
  const texts = TEXTS[language];
  const dates = datesIn(language, now);
  const zones = zonesOf(record);
  const zone = zones.destination;
  const situation = situationIn(record, zone, now);
  const steps = stepsOf(subStatus, scans).map((each) => ({ ...each, text: texts.page.step[each.step] }));
  return {
    ...{ record, language, texts, dates, now, zone, steps },
    ...headlineOf(situation, texts, dates, zone),
    order: all.length < 2 ? null : viewOrder(all, deps, { language, dates, now }),
    status: TIMED.includes(situation.headline) && !TROUBLED.includes(subStatus) ? texts.subStatus[subStatus] : null,
    tone: situation.tone,
    notes: notesOf(record, situation, texts, dates, zone),
    problem: situation.problem,
    problemText: problemTextOf(situation, texts),
    nextStep: situation.nextStep,
    product: productOf(record),
    orderNumber: hideOrder ? null : record.orderId?.trim() || null,
    delivered: deliveredIn(record, texts),
    pickupPoint: pickupPointOf(record),
    carriers: carriersOf(record, language),
    ...eventsOf(record, deps, zones, language),
  };
}

function situationIn({ subStatus, scans, annotations, createdAt }: PageRecord, zone: string, now: Date): Situation {
  return situationOf({ subStatus, scans, estimate: annotations?.estimate, createdAt, zone, now });
}

function viewOrder(
  records: readonly PageRecord[],
  { pageTokens }: Pick<ApiDeps, 'pageTokens'>,
  { language, dates, now }: Pick<PageView, 'language' | 'dates' | 'now'>,
): OrderView {
  const texts = TEXTS[language];
  const parcels = records.map((record) => {
    const { destination } = zonesOf(record);
    const situation = situationIn(record, destination, now);
    const token = pageTokens.seal({ trackingId: record.id, generation: record.generation });
    const { headline } = headlineOf(situation, texts, dates, destination);
    const { hideCarrier, trackingNumber } = record;
    const number = hideCarrier ? null : trackingNumber;
    return { record, token, headline, tone: situation.tone, product: productOf(record), number };
  });
  const delivered = records.filter(({ subStatus }) => subStatus === 'delivered').length;
  const state = delivered === 0 ? 'pending' : delivered === records.length ? 'delivered' : 'partly';
  const counts = { delivered: dates.number(delivered), total: dates.number(records.length) };
  return { headline: fill(texts.page.order[state], counts), parcels };
}

function productOf({ hideOrder, title }: PageRecord): string | null {
  return hideOrder ? null : title?.trim() || null;
}

/** To whom a parcel was delivered. A name is masked, as everywhere on the page. */
function deliveredIn({ annotations }: PageRecord, { page }: Texts): PageView['delivered'] {
  const { to = 'other', signedBy } = annotations?.proof ?? {};
  if (to === 'other' && signedBy === undefined) return null;
  return { to: to === 'other' ? null : page.handedTo[to], signedBy: signedBy === undefined ? null : MASK };
}

const MAP = 'https://www.openstreetmap.org';

/** The pick-up point that the carrier states. It is a place. */
function pickupPointOf({ annotations, hidePlaces }: PageRecord): PageView['pickupPoint'] {
  const point = hidePlaces ? undefined : annotations?.pickupPoint;
  if (point === undefined) return null;
  const { latitude, longitude, address } = point;
  const mapUrl =
    latitude !== undefined && longitude !== undefined
      ? `${MAP}/?mlat=${latitude}&mlon=${longitude}#map=17/${latitude}/${longitude}`
      : address !== undefined
        ? `${MAP}/search?query=${encodeURIComponent(address)}`
        : null;
  return { point, mapUrl };
}

/** The problem, where the advice is about it and the headline says something else. */
function problemTextOf({ headline, problem, nextStep }: Situation, texts: Texts): string | null {
  return problem !== null && nextStep === problem && headline !== problem ? texts.problem[problem] : null;
}

/** The headlines that say when, not what the status is. */
const TIMED: readonly (Headline | ParcelProblem)[] = ['expected', 'arriving_today', 'late'];

/** Whether the headline has the expectation, so that no note repeats it. */
function isInHeadline({ headline }: Situation): boolean {
  return headline === 'expected' || headline === 'arriving_today';
}

function headlineOf(situation: Situation, { page, problem }: Texts, dates: Dates, zone: string) {
  const { headline, day, expectation } = situation;
  const isExpected = expectation !== null && isInHeadline(situation);
  const date = isExpected ? dates.expectation(expectation, zone) : day === null ? '' : dates.day(day);
  return { headline: fill({ ...problem, ...page.headline }[headline], { date }), date };
}

function notesOf(record: PageRecord, situation: Situation, { page }: Texts, dates: Dates, zone: string): string[] {
  const { pieces, reason } = record.annotations ?? {};
  const { expectation } = situation;
  const notes: string[] = [];
  if (expectation !== null && !isInHeadline(situation)) {
    const text = expectation.isLate ? page.wasExpected : page.expected;
    notes.push(fill(text, { date: dates.expectation(expectation, zone) }));
  }
  if (expectation !== null && !expectation.isLate) notes.push(page.source[expectation.source]);
  if (pieces !== undefined && pieces.total > 1) {
    const { delivered, total } = pieces;
    notes.push(fill(page.pieces, { delivered: dates.number(delivered), total: dates.number(total) }));
  }
  if (reason === 'presumed') notes.push(page.presumed);
  return notes;
}

/** A scan as the page shows it. */
export type ShownEvent = {
  scan: Scan;
  day: Day;
  zone: string;
  localTime: string;
  location: string;
  /** The event in the language of the page. */
  text: string;
  /** The carrier's own words. */
  description: string;
  /** The language of the description; null if it is not known. */
  lang: string | null;
};

/** The events of a page, in bytes of their markup: the page stays below 40 KB. */
const MAX_BYTES = 15_000;
/** Bytes that the rest of an event takes. */
const EVENT_BYTES = 220;
const LONGEST_DESCRIPTION = 240;
const LONGEST_LOCATION = 80;

/** The newest events, newest first, as many as fit, and how many are left out. */
function eventsOf(
  record: PageRecord,
  { providers }: Pick<ApiDeps, 'providers'>,
  zones: Zones,
  language: Language,
): { events: ShownEvent[]; omitted: number } {
  const events: ShownEvent[] = [];
  const show = shower(record, providers, language);
  let left = MAX_BYTES;
  for (const scan of record.scans.toReversed()) {
    const { text, description, location, lang } = show(scan);
    const original = description === text ? '' : description;
    left -= EVENT_BYTES + Buffer.byteLength(html`${text}${original}${location}`.markup);
    if (left < 0 && events.length > 0) break;
    const [zone, moment] = [zones.of(scan.location), new Date(scan.time)];
    events.push({
      scan,
      day: dayIn(zone, moment),
      zone,
      localTime: localTime(zone, moment),
      text,
      description,
      location,
      lang,
    });
  }
  return { events, omitted: record.scans.length - events.length };
}

/** Where the shop hides carriers or places, our words replace those of the carrier, which may name them. */
function shower(record: PageRecord, providers: ApiDeps['providers'], language: Language) {
  const { carrier, trackingNumber: number, hideCarrier, hidePlaces } = record;
  const writer = writerOf({ carrier, provider: record.annotations?.provider ?? record.provider }, providers);
  const pickUp = pickUpIn(record.scans);
  const texts = TEXTS[language];
  return (scan: Scan) => {
    const location = hidePlaces ? '' : cut(maskPlace(scan.location, number), LONGEST_LOCATION);
    const handOver = hideCarrier ? null : handOverIn(scan.description);
    const next = handOver && findCarrier(handOver.carrier, { sandbox: false });
    const meant = next
      ? `${texts.page.handedOverTo} ${nameIn(next, language)}`
      : scan === pickUp && scan.status === 'in_transit' && scan.problem === undefined
        ? texts.page.withCarrier
        : meaningIn(scan, texts);
    if (hideCarrier || hidePlaces || scan.description === '')
      return { text: meant, description: meant, location, lang: language };
    const description = cut(maskText(scan.description, { number, location: scan.location }), LONGEST_DESCRIPTION);
    const lang = languageOfText(scan.description, writer);
    return { text: isWrittenIn(language, scan.description, lang) ? description : meant, description, location, lang };
  };
}

/** A scan in words of ours, by what its carrier's code and text mean. */
function meaningIn({ status, ownStatus, course, problem }: Scan, { subStatus, problem: problems }: Texts): string {
  if (course !== undefined && status === 'exception') return problems[course === 'refused' ? 'refused' : 'returning'];
  if (problem !== undefined) return problems[problem];
  const own = ownStatus ?? status;
  return own === 'exception' ? problems.other : subStatus[own];
}

/** Whether readers of a language need no translation of a text. Of an unknown language, its words decide. */
function isWrittenIn(language: Language, text: string, lang: string | null): boolean {
  if (lang !== null) return lang === language;
  if (!/^[\p{Script=Latin}\P{L}]*$/u.test(text)) return false;
  return languagesOf(plainLetters(text), text)[0] === language;
}

function cut(text: string, max: number): string {
  return text.length <= max ? text : `${firstCharacters(text, max)}…`;
}

/** A carrier of a parcel: its name, the number there if it is known, and its own page. */
export type ShownCarrier = { name: string; number: string | null; url: string };

/** The carrier, and after a hand-over the next one. None while it is not known, or if the shop does not show it. */
function carriersOf(record: PageRecord, language: Language): ShownCarrier[] {
  const { carrier, trackingNumber, isUndecided, hideCarrier, scans } = record;
  const own = findCarrier(carrier, { sandbox: true });
  if (hideCarrier || isUndecided || own === undefined) return [];
  const first = shown(own, trackingNumber, language);
  const handOver = scans.reduce<HandOver | null>((found, { description }) => handOverIn(description) ?? found, null);
  const next = handOver === null ? undefined : findCarrier(handOver.carrier, { sandbox: false });
  if (handOver === null || next === undefined || next.code === carrier) return [first];
  return [first, shown(next, handOver.number, language)];
}

function shown(carrier: Carrier, number: string | null, language: Language): ShownCarrier {
  return { name: nameIn(carrier, language), number, url: carrierPage(carrier, number) };
}

function nameIn({ name, nameZh }: Carrier, language: Language): string {
  return language === 'zh' ? nameZh : name;
}

/** Dates and times as a language writes them. */
type Dates = {
  /** `Tue 4 March`, with the year if it is another one. */
  day(day: Day): string;
  /** `today`, `yesterday`, or the day. */
  heading(day: Day, today: Day): string;
  time(zone: string, moment: Date): string;
  number(value: number): string;
  /** When a parcel is or was expected: `2–5 Mar`. */
  expectation(expectation: Expectation, zone: string): string;
};

/** @param now for which years are left out. */
function datesIn(language: Language, now: Date): Dates {
  const { locale } = TEXTS[language];
  const day = (text: Day) => format(locale, dayOptions(text, now)).format(middayOf(text));
  const expectation = ({ from, to, hours }: Expectation, zone: string) => {
    const { weekday: _, ...options } = dayOptions(to, now);
    const range = format(locale, options);
    const days = from === to ? day(to) : range.formatRange(middayOf(from), middayOf(to));
    const clock = format(locale, { ...CLOCK, timeZone: zone });
    const at = hours && clock.formatRange(new Date(hours.from), new Date(hours.to));
    return at === undefined ? days : `${days}, ${at}`;
  };
  return {
    day,
    expectation,
    heading: (text, today) => {
      const ago = Math.round((middayOf(text).getTime() - middayOf(today).getTime()) / 86_400_000);
      if (ago > 0 || ago < -1) return day(text);
      const named = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' }).format(ago, 'day');
      return named.replace(/^\p{Ll}/u, (letter) => letter.toLocaleUpperCase(locale));
    },
    time: (zone, moment) => format(locale, { ...CLOCK, timeZone: zone }).format(moment),
    number: (value) => new Intl.NumberFormat(locale).format(value),
  };
}

/** A clock of 24 hours in every language: short, and the same for all readers. */
const CLOCK = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;

/** The local time of a moment, as `2031-03-04T08:14:00`. */
function localTime(zone: string, moment: Date): string {
  return `${dayIn(zone, moment)}T${format('en-GB', { ...CLOCK, second: '2-digit', timeZone: zone }).format(moment)}`;
}

function dayOptions(day: Day, now: Date): Intl.DateTimeFormatOptions {
  const isThisYear = day.slice(0, 4) === String(now.getUTCFullYear());
  const shown = { weekday: 'short', day: 'numeric', month: 'long', timeZone: 'UTC' } as const;
  return isThisYear ? shown : { ...shown, year: 'numeric' };
}

function middayOf(day: Day): Date {
  return new Date(`${day}T12:00:00Z`);
}

/** Making a format costs more than everything else here. There are few: ten languages, and the zones of the world. */
const FORMATS = new Map<string, Intl.DateTimeFormat>();

function format(locale: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = JSON.stringify([locale, options]);
  const known = FORMATS.get(key) ?? new Intl.DateTimeFormat(locale, options);
  FORMATS.set(key, known);
  return known;
}

/** A page as data. */
export function pageJson(view: PageView, token: string): Infer<typeof trackingPage> {
  const { record, texts } = view;
  const { status, subStatus, annotations } = record;
  const { estimate, pieces, proof } = annotations ?? {};
  const { point = null, mapUrl = null } = view.pickupPoint ?? {};
  return {
    lang: view.language,
    headline: view.headline,
    ...(view.order === null ? {} : { order: orderJson(view.order, texts) }),
    notes: view.notes,
    ...(view.problem === null ? {} : { problem: view.problem, problem_text: texts.problem[view.problem] }),
    ...(view.nextStep === null ? {} : { next_step: texts.page.nextStep[view.nextStep] }),
    ...(view.product === null ? {} : { title: view.product }),
    ...(view.orderNumber === null ? {} : { order_id: view.orderNumber }),
    status,
    sub_status: subStatus,
    status_text: texts.status[status],
    sub_status_text: texts.subStatus[subStatus],
    ...(estimate === undefined ? {} : { estimated_delivery: estimate }),
    ...(pieces === undefined ? {} : { pieces }),
    ...(proof?.to === undefined ? {} : { delivered_to: proof.to }),
    ...(view.delivered?.to ? { delivered_to_text: view.delivered.to } : {}),
    ...(view.delivered?.signedBy ? { signed_by: view.delivered.signedBy } : {}),
    ...(point === null
      ? {}
      : { pickup_point: { ...viewPickupPoint(point), ...(mapUrl === null ? {} : { map_url: mapUrl }) } }),
    carriers: view.carriers.map(({ name, number, url }) => ({ name, tracking_number: number, url })),
    steps: view.steps,
    events: view.events.map(({ scan, location, text, description, localTime, lang }) => ({
      ...toTrackingEvent({ ...scan, location, description }),
      text,
      ...(lang === null ? {} : { lang }),
      local_time: localTime,
    })),
    earlier_events: view.omitted,
    updated_at: toUtcSeconds(record.updatedAt),
    shop: {
      ...(record.shopName === null ? {} : { name: record.shopName }),
      ...(record.shopUrl === null ? {} : { url: record.shopUrl }),
      ...(record.supportUrl === null ? {} : { support_url: record.supportUrl }),
      ...(record.notifyUrl === null ? {} : { notify_url: record.notifyUrl }),
      ...(record.logoWidth === null ? {} : { logo_url: `${token}/logo` }),
    },
  };
}

function orderJson({ headline, parcels }: OrderView, texts: Texts) {
  return {
    headline,
    parcels: parcels.map(({ record, token, headline: own, number }) => ({
      headline: own,
      status: record.status,
      sub_status: record.subStatus,
      sub_status_text: texts.subStatus[record.subStatus],
      tracking_number: number,
      url: token,
    })),
  };
}
