import { writerOf } from '@pts/carriers/texts/writer';
import type { Infer } from '@pts/contract/infer';
import type { tracking } from '@pts/contract/schemas/trackings';
import { type Language, languageOfText, TEXTS } from '@pts/core/languages/texts';
import { pageAddress } from '@pts/core/page';
import { toUtcSeconds } from '@pts/core/time';
import type { Annotations } from '@pts/core/tracking/change';
import { toTrackingEvent } from '@pts/core/tracking/scan';
import { candidateCodes } from '@pts/core/tracking/undecided';
import { toWire } from '@pts/db/trackings/inputs';
import type { Previewed } from '@pts/db/trackings/preview';
import type { TrackingRecord } from '@pts/db/trackings/records';
import type { Registered } from '@pts/db/trackings/register';
import type { ServiceContext } from '@pts/service/context';
import { type WatchContext, watchOf } from '@pts/service/trackings/watch';
import type { Caller } from '../../http/operation.ts';

type Tracking = Infer<typeof tracking>;
/** For whom a record is shown: where they reach the API, and the language of the texts that they asked for. */
type Reader = Pick<Caller, 'baseUrl' | 'language'>;
type Context = WatchContext & Pick<ServiceContext, 'pageTokens'>;

/** The response of a registration (spec section 4.2). */
export function viewCreated({ id, trackingNumber, carrier, status, detected, candidates }: Registered) {
  return {
    id,
    tracking_number: trackingNumber,
    carrier,
    status,
    ...viewDetection({ carrier, detected, candidates: codesOf({ detected, candidates }) }),
  };
}

/** The response of a dry run. */
export function viewPreview({ id, status, registration, charged, carrier, detected, candidates }: Previewed) {
  return {
    dry_run: true as const,
    id,
    tracking_number: registration.trackingNumber,
    carrier,
    status,
    ...viewDetection({ carrier, detected, candidates }),
    would_charge: charged ? 1 : 0,
  };
}

/** A tracking as merchants read it (spec section 2.3). Optional inputs appear only if they were sent. */
export function viewTracking(record: TrackingRecord, deps: Context, reader: Reader) {
  const { id, trackingNumber, carrier, status, subStatus, events } = record;
  const { mode, intervalSeconds, nextCheckAt } = watchOf(record, deps);
  return {
    id,
    tracking_number: trackingNumber,
    carrier,
    ...viewDetection({ carrier, detected: record.detected, candidates: codesOf(record) }),
    status,
    sub_status: subStatus,
    ...viewTexts(record, reader.language),
    events: events.map(toTrackingEvent),
    ...viewEventsLang(record, deps, reader.language),
    ...viewAnnotations(record.annotations ?? {}),
    ...given('notice', record.notice),
    created_at: toUtcSeconds(record.createdAt),
    updated_at: toUtcSeconds(record.updatedAt),
    last_checked_at: record.lastCheckedAt && toUtcSeconds(record.lastCheckedAt),
    next_check_at: nextCheckAt && toUtcSeconds(nextCheckAt),
    watch: { mode, interval_seconds: intervalSeconds },
    ...viewPage(record, deps, reader),
    ...toWire(record),
  };
}

/** The statuses in words, if they were asked for. */
export function viewTexts(
  { status, subStatus }: Pick<TrackingRecord, 'status' | 'subStatus'>,
  language: Language | null,
) {
  if (language === null) return {};
  const texts = TEXTS[language];
  return { status_text: texts.status[status], sub_status_text: texts.subStatus[subStatus] };
}

/** The language of the carrier's texts, if it was asked for and is the same for all whose language is known. */
function viewEventsLang(record: TrackingRecord, { providers }: Context, language: Language | null) {
  if (language === null) return {};
  const { carrier, annotations, events } = record;
  const writer = writerOf({ carrier, provider: annotations?.provider ?? record.provider }, providers);
  const [first, ...others] = new Set(events.flatMap(({ description }) => languageOfText(description, writer) ?? []));
  return given('events_lang', others.length > 0 ? null : (first ?? null));
}

/** The address of its buyer's page, of an account that has pages. */
function viewPage({ id, pageGeneration }: TrackingRecord, { pageTokens }: Context, { baseUrl }: Reader) {
  if (pageGeneration === null) return {};
  const token = pageTokens.seal({ trackingId: id, generation: pageGeneration });
  return { tracking_page_url: pageAddress(baseUrl, token) };
}

/** The detected carrier, or, until it is known, the candidates that are checked one after another. */
function viewDetection(found: { carrier: string; detected: boolean; candidates: readonly string[] }) {
  const { carrier, detected, candidates } = found;
  if (candidates.length > 0) return { candidates: [...candidates] };
  return given('detected_carrier', detected ? carrier : null);
}

/** The codes of a tracking's candidates; empty once its carrier is known. */
function codesOf({ detected, candidates }: Pick<TrackingRecord, 'detected' | 'candidates'>): string[] {
  return candidates && detected ? candidateCodes(candidates) : [];
}

/** Optional parts; absent when empty. */
function viewAnnotations({ previous, expected, pieces, estimate, reason }: Annotations) {
  return {
    ...given('reason', reason ?? null),
    ...given('pieces', pieces ?? null),
    ...given('estimated_delivery', estimate ?? null),
    ...given('expected', expected?.map(toTrackingEvent) ?? null),
    ...given('previous_events', previous?.map(toTrackingEvent) ?? null),
  };
}

/** A field that is present only if it has a value: one of those that a tracking may have. */
function given<K extends keyof Tracking>(name: K, value: Tracking[K] | null): Pick<Partial<Tracking>, K> {
  return (value === null ? {} : { [name]: value }) as Pick<Partial<Tracking>, K>;
}
