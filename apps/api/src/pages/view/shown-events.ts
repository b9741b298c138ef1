import { writerOf } from '@pts/carriers/texts/writer';
import { html } from '@pts/core/html';
import { type Language, languageOfText, TEXTS } from '@pts/core/languages/texts';
import { maskPlace, maskText } from '@pts/core/mask';
import { type Day, dayIn } from '@pts/core/page';
import { firstCharacters } from '@pts/core/tracking/outside-text';
import type { Scan } from '@pts/core/tracking/scan';
import type { PageRecord } from '@pts/db/pages';
import type { ApiDeps } from '../../deps.ts';
import { localTime } from './dates.ts';
import type { Zones } from './zones.ts';

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
/** What the rest of an event takes. */
const EVENT_BYTES = 170;
const LONGEST_DESCRIPTION = 240;
const LONGEST_LOCATION = 80;

/** The newest events, newest first, as many as fit, and how many are left out. */
export function eventsOf(
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
