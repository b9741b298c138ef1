import type { Tracking, TrackingEvent, TrackingEvents } from '@pts/client/types';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { useExplanation, useTrackingEvents } from '../../data/trackings.ts';
import { useWebhooks } from '../../data/webhooks.ts';
import { useFormat } from '../../i18n/format.ts';
import { useText } from '../../i18n/language.ts';
import { CarrierName } from '../../ui/carrier.tsx';
import { Copy, Cut } from '../../ui/copy.tsx';
import { Pill, StatusPill, type Tone } from '../../ui/pill.tsx';
import { EmptyState, ErrorState, Skeleton } from '../../ui/states.tsx';
import { FullTime } from '../../ui/time.tsx';
import { CarrierText, Reason } from '../../ui/words.tsx';
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
        {scan.problem && <span className={css.late}>{t.problems[scan.problem]}</span>}
        {(scan.location || there) && (
          <span className="muted" title={scan.carrier_code}>
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

type Event = TrackingEvents['events'][number];
type Push = Event['pushes'][number];

const TONES: Readonly<Record<Push['state'], Tone>> = {
  owed: 'amber',
  delivered: 'green',
  exhausted: 'red',
  cancelled: 'grey',
  superseded: 'grey',
};

/** The events of a parcel, newest first, and what became of each push. */
export function Events({ id }: { id: string }) {
  const t = useText();
  const { data, error, isPending, refetch } = useTrackingEvents(id);
  if (isPending) return <Skeleton rows={6} />;
  if (!data) return <ErrorState error={error} retry={refetch} />;
  if (data.events.length === 0) return <EmptyState title={t.shipment.noEvents} />;
  return (
    <>
      <p>
        <Link href={`/webhooks?tab=deliveries&parcel=${id}`}>{t.shipment.everyAttempt}</Link>
      </p>
      <ol className={css.events}>
        {data.events.map((event) => (
          <li key={event.id} className={css.event}>
            <p className={css.eventHead}>
              <code>{event.event}</code>
              <StatusPill status={event.sub_status} />
              {event.attention && (
                <Reason attention={{ reason: event.attention.reason, message: event.attention.details }} />
              )}
              <span className="muted">
                <FullTime at={event.created_at} />
              </span>
            </p>
            {event.pushes.length === 0 && !event.filtered_out ? (
              <p className="muted">{t.shipment.noPush}</p>
            ) : (
              <ul className={css.pushes}>
                {event.pushes.map((push) => (
                  <PushLine key={push.webhook_id} event={event} push={push} />
                ))}
                {event.filtered_out?.map((webhookId) => (
                  <li key={webhookId} className={css.push}>
                    <Pill tone="grey">{t.webhooks.options.filteredOut}</Pill>
                    <Address webhookId={webhookId} href={`/webhooks/${webhookId}?tab=settings`} />
                  </li>
                ))}
              </ul>
            )}
          </li>
        ))}
      </ol>
    </>
  );
}

/** One push: to which webhook, its state, and how the last attempt ended. */
function PushLine({ event, push }: { event: Event; push: Push }) {
  const t = useText().webhooks;
  const format = useFormat();
  const { last_attempt: last, next_attempt_at: next } = push;
  const log = `/webhooks/${push.webhook_id}?message=${event.id}`;
  return (
    <li className={css.push}>
      <Pill tone={TONES[push.state]}>{t.deliveryStates[push.state]}</Pill>
      <Address webhookId={push.webhook_id} href={last ? `${log}&attempt=${last.id}` : log} />
      {last && (
        <span className="muted">
          {last.status_code === 0 ? t.noAnswer : last.status_code} · {format.duration(last.duration_ms)} ·{' '}
          {t.attempt(push.attempts)}
        </span>
      )}
      {next && (
        <span className="muted">
          {t.nextAttempt} <FullTime at={next} />
        </span>
      )}
      {last?.error && <span className={css.problem}>{last.error}</span>}
    </li>
  );
}

/** The address of a webhook, which leads somewhere; its id if it was removed. */
function Address({ webhookId, href }: { webhookId: string; href: string }) {
  const url = useWebhooks().data?.find(({ id }) => id === webhookId)?.url;
  return (
    <span className={css.address}>
      {url === undefined ? <Cut value={webhookId} /> : <Link href={href}>{url}</Link>} <Copy value={url ?? webhookId} />
    </span>
  );
}

/** Why this carrier, how it is watched, what the carrier said last, and what delays the next check. */
export function Explain({ id }: { id: string }) {
  const t = useText();
  const format = useFormat();
  const { data, error, isPending, refetch } = useExplanation(id);
  if (isPending) return <Skeleton rows={6} />;
  if (!data) return <ErrorState error={error} retry={refetch} />;
  const inButtons: Partial<Record<string, string>> = t.explain.inButtons;
  const failures: Partial<Record<string, string>> = t.explain.failures;
  const { carrier, watch, cadence, callbacks, last_answer: answer, failing, quarantine, notice } = data;
  return (
    <div className={css.explain}>
      {notice && <Part title={t.explain.notice}>{notice}</Part>}
      {failing && (
        <Part title={t.explain.failing}>
          {failing.message} <FullTime at={failing.since} />
        </Part>
      )}
      {quarantine && <Part title={t.explain.quarantine}>{quarantine.message}</Part>}
      {data.held_back_by.length > 0 && (
        <Part title={t.explain.delayed}>
          <ul>
            {data.held_back_by.map((hold) => (
              <li key={hold.kind}>
                {inButtons[hold.kind] ?? hold.message}
                {hold.until && <FullTime at={hold.until} />}
              </li>
            ))}
          </ul>
        </Part>
      )}
      <Part title={t.explain.carrier}>
        <p>{(!carrier.asked_in_turn && inButtons[carrier.chosen_by]) || carrier.message}</p>
        {carrier.candidates.length > 0 && (
          <ul>
            {carrier.candidates.map(({ courier_code, confidence, reason }) => (
              <li key={courier_code}>
                <CarrierName code={courier_code} />{' '}
                <span className="muted">
                  {t.shipment.confidence(format.number(confidence))} · {reason}
                </span>
              </li>
            ))}
          </ul>
        )}
      </Part>
      <Part title={t.explain.watch}>
        <p>{inButtons[watch.reason] ?? watch.message}</p>
        <p>{cadence.message}</p>
        {callbacks && <p>{callbacks.message}</p>}
        {watch.expires_at && (
          <p className="muted">
            {t.explain.until} <FullTime at={watch.expires_at} />
          </p>
        )}
      </Part>
      <Part title={t.explain.answer}>
        {answer ? (
          <p>
            {t.explain.answers[answer.kind]}
            {answer.failure && (
              <>
                {' · '}
                {failures[answer.failure] ?? answer.failure}
              </>
            )}
            , {t.explain.scans(answer.scans)}
            {answer.latency_ms !== null && ` · ${format.duration(answer.latency_ms)}`} · <FullTime at={answer.at} />
          </p>
        ) : (
          <p>{t.explain.noAnswer}</p>
        )}
      </Part>
      <Part title={t.explain.provider}>{data.route.join(' → ') || data.provider}</Part>
    </div>
  );
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section>
      <h2>{title}</h2>
      <div>{children}</div>
    </section>
  );
}
