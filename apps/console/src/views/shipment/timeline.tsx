import type { Tracking, TrackingEvent } from '@pts/client/types';
import { useFormat } from '../../i18n/format.ts';
import { useText } from '../../i18n/language.ts';
import { CarrierText } from '../../ui/carrier-text.tsx';
import { StatusPill } from '../../ui/pill.tsx';
import { EmptyState } from '../../ui/states.tsx';
import css from './shipment.module.css';

/** The history by day, newest first, in the time zone of the reader. */
export function Timeline({ tracking }: { tracking: Tracking }) {
  const t = useText().shipment;
  const { events, expected, previous_events: previous } = tracking;
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  return (
    <div className={css.timeline}>
      {expected && (
        <>
          <h2>{t.announced}</h2>
          <Days events={expected} />
        </>
      )}
      {events.length === 0 ? <EmptyState title={t.noScan} /> : <Days events={events} />}
      {previous && (
        <details>
          <summary>{t.previous(previous.length)}</summary>
          <Days events={previous} />
        </details>
      )}
      <p className={css.zone}>{t.zone(zone)}</p>
    </div>
  );
}

function Days({ events }: { events: readonly TrackingEvent[] }) {
  const format = useFormat();
  const days = groupByDay(events.toReversed(), format.day);
  return [...days].map(([day, scans]) => (
    <section key={day} className={css.day}>
      <h2 className={css.date}>{day}</h2>
      <ol>
        {scans.map((scan) => (
          <Scan key={`${scan.time} ${scan.description} ${scan.location}`} scan={scan} />
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

function Scan({ scan }: { scan: TrackingEvent }) {
  const format = useFormat();
  const at = new Date(scan.time);
  return (
    <li className={css.scan}>
      <time dateTime={scan.time} title={`${format.full(at)} = ${format.utc(at)}`}>
        {format.clock(at)}
      </time>
      <div className={css.what}>
        <CarrierText>{scan.description}</CarrierText>
        {scan.location && (
          <span className={css.muted}>
            <CarrierText>{scan.location}</CarrierText>
          </span>
        )}
      </div>
      <StatusPill status={scan.status} />
    </li>
  );
}
