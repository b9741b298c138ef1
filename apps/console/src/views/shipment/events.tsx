import type { TrackingEvents } from '@pts/client/types';
import { Link } from 'wouter';
import { useTrackingEvents } from '../../data/trackings.ts';
import { useWebhooks } from '../../data/webhooks.ts';
import { useFormat } from '../../i18n/format.ts';
import { useText } from '../../i18n/language.ts';
import { Copy } from '../../ui/copy.tsx';
import { Cut } from '../../ui/cut.tsx';
import { Pill, StatusPill, type Tone } from '../../ui/pill.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { EmptyState, ErrorState } from '../../ui/states.tsx';
import { FullTime } from '../../ui/time.tsx';
import { Said } from '../../ui/words/said.tsx';
import css from './shipment.module.css';

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
  if (isPending) return <Skeleton label={t.shipments.loading} rows={6} />;
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
              <span className={css.muted}>
                <FullTime at={event.created_at} />
              </span>
            </p>
            {event.pushes.length === 0 ? (
              <p className={css.muted}>{t.shipment.noPush}</p>
            ) : (
              <ul className={css.pushes}>
                {event.pushes.map((push) => (
                  <PushLine key={push.webhook_id} event={event} push={push} />
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
  const url = useWebhooks().data?.find(({ id }) => id === push.webhook_id)?.url;
  const { last_attempt: last, next_attempt_at: next } = push;
  const log = `/webhooks/${push.webhook_id}?message=${event.id}`;
  return (
    <li className={css.push}>
      <Pill tone={TONES[push.state]}>{t.deliveryStates[push.state]}</Pill>
      <span className={css.address}>
        {url === undefined ? (
          <Cut value={push.webhook_id} />
        ) : (
          <Link href={last ? `${log}&attempt=${last.id}` : log}>{url}</Link>
        )}{' '}
        <Copy value={url ?? push.webhook_id} />
      </span>
      {last && (
        <span className={css.muted}>
          {last.status_code === 0 ? t.noAnswer : last.status_code} · {format.duration(last.duration_ms)} ·{' '}
          {t.attempt(push.attempts)}
        </span>
      )}
      {next && (
        <span className={css.muted}>
          {t.nextAttempt} <FullTime at={next} />
        </span>
      )}
      {last?.error && (
        <span className={css.problem}>
          <Said message={last.error} />
        </span>
      )}
    </li>
  );
}
