import type { Tracking, TrackingEvent } from '@pts/client/types';
import { useExplanation } from '../../data/trackings.ts';
import { useFormat } from '../../i18n/format.ts';
import { useText } from '../../i18n/language.ts';
import { StatusPill } from '../../ui/pill.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { CarrierText } from '../../ui/words/carrier-text.tsx';
import css from './shipment.module.css';

/** The history by day, newest first, in the time zone of the reader. */
export function Timeline({ tracking }: { tracking: Tracking }) {
  const t = useText().shipment;
  const { events, expected, previous_events: previous, events_lang: lang } = tracking;
  const { data: explanation } = useExplanation(tracking.id);
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const localTimes = new Map(explanation?.scan_times.map(({ time, local_time }) => [time, local_time]));
  return (
    <div className={css.timeline}>
      {expected && (
        <>
          <h2>{t.announced}</h2>
          <Days events={expected} lang={lang} />
        </>
      )}
      {events.length === 0 ? (
        <EmptyState title={t.noScan} />
      ) : (
        <Days events={events} lang={lang} localTimes={localTimes} />
      )}
      {previous && (
        <details>
          <summary>{t.previous(previous.length)}</summary>
          <Days events={previous} lang={lang} />
        </details>
      )}
      <p className={css.zone}>{t.zone(zone)}</p>
    </div>
  );
}

type DaysProps = {
  events: readonly TrackingEvent[];
  /** The language in which the carrier writes, if it is known. */
  lang: string | undefined;
  /** By the time of the event: the same moment where the carrier scanned it, with its offset. */
  localTimes?: ReadonlyMap<string, string | null>;
};

function Days({ events, lang, localTimes }: DaysProps) {
  const format = useFormat();
  const days = groupByDay(events.toReversed(), format.day);
  return [...days].map(([day, scans]) => (
    <section key={day} className={css.day}>
      <h2 className={css.date}>{day}</h2>
      <ol>
        {scans.map((scan) => (
          <Scan
            key={`${scan.time} ${scan.description} ${scan.location}`}
            scan={scan}
            lang={lang}
            localTime={localTimes?.get(scan.time) ?? null}
          />
        ))}
      </ol>
    </section>
  ));
}

function groupByDay(events: readonly TrackingEvent[], dayOf: (at: Date) => string): Map<string, TrackingEvent[]> {
  const days = new Map<string, TrackingEvent[]>();
  for (const event of events) {
    const day = dayOf(new Date(event.time));
    days.set(day, [...(days.get(day) ?? []), event]);
  }
  return days;
}

function Scan({ scan, lang, localTime }: { scan: TrackingEvent; lang: string | undefined; localTime: string | null }) {
  const t = useText().shipment;
  const format = useFormat();
  const at = new Date(scan.time);
  const there = localTime && format.there(localTime);
  return (
    <li className={css.scan}>
      <time dateTime={scan.time} title={`${format.full(at)} = ${format.utc(at)}`}>
        {format.clock(at)}
      </time>
      <div className={css.what}>
        <CarrierText lang={lang}>{scan.description}</CarrierText>
        {(scan.location || there) && (
          <span className={css.muted}>
            {scan.location && <CarrierText lang={lang}>{scan.location}</CarrierText>}
            {scan.location && there && ' · '}
            {there && t.there(there.time, there.zone)}
          </span>
        )}
      </div>
      <StatusPill status={scan.status} />
    </li>
  );
}
