import { carrierPage } from '@pts/carriers/registry/pages';
import { type Carrier, findCarrier } from '@pts/carriers/registry/registry';
import { type HandOver, handOverIn } from '@pts/carriers/texts/hand-over';
import { writerOf } from '@pts/carriers/texts/writer';
import { type Zones, zonesOf } from '@pts/carriers/time/zones';
import type { Infer } from '@pts/contract/infer';
import type { trackingPage } from '@pts/contract/pages';
import { html } from '@pts/core/html';
import type { Texts } from '@pts/core/languages/table';
import { fill, type Language, languageOfText, TEXTS } from '@pts/core/languages/texts';
import { maskPlace, maskText } from '@pts/core/mask';
import {
  type Day,
  dayIn,
  type Expectation,
  type ProgressStep,
  type Situation,
  type StepState,
  situationOf,
  stepsOf,
  type Tone,
} from '@pts/core/page';
import { toUtcSeconds } from '@pts/core/time';
import { firstCharacters } from '@pts/core/tracking/outside-text';
import { type Scan, toTrackingEvent } from '@pts/core/tracking/scan';
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
  /** The order, if it has several parcels. */
  order: OrderView | null;
  tone: Tone;
  notes: string[];
  nextStep: string | null;
  carriers: ShownCarrier[];
  steps: { step: ProgressStep; text: string; state: StepState }[];
  events: ShownEvent[];
  omitted: number;
  zone: string;
};

/** A parcel among the others of its order, and the token of its page. */
type OrderedParcel = { record: PageRecord; token: string; headline: string; tone: Tone; number: string | null };

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
  const { subStatus, scans } = record;
  const texts = TEXTS[language];
  const dates = datesIn(language, now);
  const zones = zonesOf(record);
  const zone = zones.destination;
  const situation = situationIn(record, zone, now);
  const steps = stepsOf(subStatus, scans).map((each) => ({ ...each, text: texts.page.step[each.step] }));
  return {
    ...{ record, language, texts, dates, now, zone, steps },
    headline: headlineOf(situation, texts, dates, zone),
    order: all.length < 2 ? null : viewOrder(all, deps, { language, dates, now }),
    tone: situation.tone,
    notes: notesOf(record, situation, texts, dates, zone),
    nextStep: situation.nextStep && texts.page.nextStep[situation.nextStep],
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
    const headline = headlineOf(situation, texts, dates, destination);
    return { record, token, headline, tone: situation.tone, number: record.hideCarrier ? null : record.trackingNumber };
  });
  const delivered = records.filter(({ subStatus }) => subStatus === 'delivered').length;
  const state = delivered === 0 ? 'pending' : delivered === records.length ? 'delivered' : 'partly';
  const counts = { delivered: dates.number(delivered), total: dates.number(records.length) };
  return { headline: fill(texts.page.order[state], counts), parcels };
}

/** Whether the headline has the expectation, so that no note repeats it. */
function isInHeadline({ headline }: Situation): boolean {
  return headline === 'expected' || headline === 'arriving_today';
}

function headlineOf(situation: Situation, { page }: Texts, dates: Dates, zone: string): string {
  const { headline, day, expectation } = situation;
  if (expectation !== null && isInHeadline(situation))
    return fill(page.headline[headline], { date: dates.expectation(expectation, zone) });
  return fill(page.headline[headline], { date: day === null ? '' : dates.day(day) });
}

function notesOf(record: PageRecord, situation: Situation, { page }: Texts, dates: Dates, zone: string): string[] {
  const { pieces, reason } = record.annotations ?? {};
  const { expectation } = situation;
  const notes: string[] = [];
  if (expectation !== null && !isInHeadline(situation)) {
    const text = expectation.isLate ? page.wasExpected : page.expected;
    notes.push(fill(text, { date: dates.expectation(expectation, zone) }));
  }
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
  description: string;
  /** The language of the description; null if it is not known. */
  lang: string | null;
};

/** The events of a page, in bytes of their markup: the page stays below 30 KB. */
const MAX_BYTES = 15_000;
/** Bytes that the rest of an event takes. */
const EVENT_BYTES = 170;
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
    const { description, location, lang } = show(scan);
    left -= EVENT_BYTES + Buffer.byteLength(html`${description}${location}`.markup);
    if (left < 0 && events.length > 0) break;
    const [zone, moment] = [zones.of(scan.location), new Date(scan.time)];
    events.push({
      scan,
      day: dayIn(zone, moment),
      zone,
      localTime: localTime(zone, moment),
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
  return (scan: Scan) => {
    const location = hidePlaces ? '' : cut(maskPlace(scan.location, number), LONGEST_LOCATION);
    const own = { description: TEXTS[language].subStatus[scan.status], location, lang: language };
    if (hideCarrier || hidePlaces || scan.description === '') return own;
    const description = cut(maskText(scan.description, { number, location: scan.location }), LONGEST_DESCRIPTION);
    return { description, location, lang: languageOfText(scan.description, writer) };
  };
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
  const { name, nameZh } = carrier;
  return { name: language === 'zh' ? nameZh : name, number, url: carrierPage(carrier, number) };
}

/** Dates and times as a language writes them. */
type Dates = {
  /** `Tue 4 March`, with the year if it is another one. */
  day(day: Day): string;
  /** `today`, `yesterday`, or the day. */
  heading(day: Day, today: Day): string;
  time(zone: string, moment: Date): string;
  number(value: number): string;
  /** When a parcel is or was expected, with where that comes from: `2–5 Mar (estimate)`. */
  expectation(expectation: Expectation, zone: string): string;
};

/** @param now for which years are left out. */
function datesIn(language: Language, now: Date): Dates {
  const { locale, page } = TEXTS[language];
  const day = (text: Day) => format(locale, dayOptions(text, now)).format(middayOf(text));
  const expectation = ({ from, to, source, hours }: Expectation, zone: string) => {
    const { weekday: _, ...options } = dayOptions(to, now);
    const range = format(locale, options);
    const days = from === to ? day(to) : range.formatRange(middayOf(from), middayOf(to));
    const clock = format(locale, { ...CLOCK, timeZone: zone });
    const at = hours && clock.formatRange(new Date(hours.from), new Date(hours.to));
    return fill(page.sourced, { date: at === undefined ? days : `${days}, ${at}`, source: page.source[source] });
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
  const { estimate, pieces } = annotations ?? {};
  return {
    lang: view.language,
    headline: view.headline,
    ...(view.order === null ? {} : { order: orderJson(view.order, texts) }),
    notes: view.notes,
    ...(view.nextStep === null ? {} : { next_step: view.nextStep }),
    status,
    sub_status: subStatus,
    status_text: texts.status[status],
    sub_status_text: texts.subStatus[subStatus],
    ...(estimate === undefined ? {} : { estimated_delivery: estimate }),
    ...(pieces === undefined ? {} : { pieces }),
    carriers: view.carriers.map(({ name, number, url }) => ({ name, tracking_number: number, url })),
    steps: view.steps,
    events: view.events.map(({ scan, location, description, localTime, lang }) => ({
      ...toTrackingEvent({ ...scan, location, description }),
      ...(lang === null ? {} : { lang }),
      local_time: localTime,
    })),
    earlier_events: view.omitted,
    updated_at: toUtcSeconds(record.updatedAt),
    shop: {
      ...(record.shopName === null ? {} : { name: record.shopName }),
      ...(record.shopUrl === null ? {} : { url: record.shopUrl }),
      ...(record.supportUrl === null ? {} : { support_url: record.supportUrl }),
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
