import type { Texts } from '@pts/core/languages/table';
import { fill, type Language, TEXTS } from '@pts/core/languages/texts';
import { type Situation, type Step, type StepState, situationOf, stepsOf, type Tone } from '@pts/core/page';
import type { PageRecord } from '@pts/db/pages';
import type { ApiDeps } from '../../deps.ts';
import { carriersOf, type ShownCarrier } from './carriers.ts';
import { type Dates, datesIn } from './dates.ts';
import { eventsOf, type ShownEvent } from './shown-events.ts';
import { zonesOf } from './zones.ts';

/** What a page says, in the language of its reader. */
export type PageView = {
  record: PageRecord;
  language: Language;
  texts: Texts;
  dates: Dates;
  now: Date;
  headline: string;
  tone: Tone;
  notes: string[];
  nextStep: string | null;
  carriers: ShownCarrier[];
  steps: { step: Step; text: string; state: StepState }[];
  events: ShownEvent[];
  omitted: number;
  zone: string;
};

/** Everything that a page says. It costs no statement and no call. */
export function viewPage(
  record: PageRecord,
  deps: Pick<ApiDeps, 'providers'>,
  language: Language,
  now: Date,
): PageView {
  const { subStatus, scans, annotations, createdAt } = record;
  const texts = TEXTS[language];
  const dates = datesIn(language, now);
  const zones = zonesOf(record);
  const zone = zones.destination;
  const situation = situationOf({ subStatus, scans, estimate: annotations?.estimate, createdAt, zone, now });
  const steps = stepsOf(subStatus, scans).map((each) => ({ ...each, text: texts.page.step[each.step] }));
  return {
    ...{ record, language, texts, dates, now, zone, steps },
    headline: headlineOf(situation, texts, dates, zone),
    tone: situation.tone,
    notes: notesOf(record, situation, texts, dates, zone),
    nextStep: situation.nextStep && texts.page.nextStep[situation.nextStep],
    carriers: carriersOf(record, language),
    ...eventsOf(record, deps, zones, language),
  };
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
