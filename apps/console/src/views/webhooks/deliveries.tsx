import { useAddress } from '../../behaviour/address.ts';
import { moveRow, useHotkeys } from '../../behaviour/hotkeys.ts';
import { type DeliveryFilter, useDeliveries, type Webhook } from '../../data/webhooks.ts';
import { useFormat } from '../../i18n/format.ts';
import { useText } from '../../i18n/language.ts';
import { Button } from '../../ui/button.tsx';
import { sheet } from '../../ui/page.tsx';
import { Pill } from '../../ui/pill.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { EmptyState, ErrorState } from '../../ui/states.tsx';
import { Time } from '../../ui/time.tsx';
import { AttemptDrawer } from './attempt.tsx';
import { EVENT_KINDS } from './event-choice.tsx';
import css from './webhooks.module.css';

const EVENTS: readonly string[] = [...EVENT_KINDS, 'ping'];

/** The log of attempts to one endpoint, newest first. */
export function Deliveries({ webhook }: { webhook: Webhook }) {
  const t = useText().webhooks;
  const format = useFormat();
  const address = useAddress();
  const event = address.get('event');
  const message = address.get('message');
  const isFiltered = event !== null || message !== null || address.get('failed') !== null;
  const filter: DeliveryFilter = {
    webhook_id: webhook.id,
    ...(event !== null && EVENTS.includes(event) ? { event: event as NonNullable<DeliveryFilter['event']> } : {}),
    ...(message === null ? {} : { message_id: message }),
    ...(address.get('failed') === null ? {} : { failed: true }),
  };
  const { data, error, isPending, isFetching, refetch, hasNextPage, fetchNextPage } = useDeliveries(filter);
  const attempts = data?.pages.flatMap((page) => page.items) ?? [];
  const attempt = address.get('attempt');
  useHotkeys({ j: () => moveRow(1), k: () => moveRow(-1) });
  const clear = () => address.set({ event: null, message: null, failed: null });

  return (
    <>
      <div className={css.tools}>
        <label className={css.filter}>
          <span className={css.muted}>{t.outcome}</span>
          <select
            className={css.select}
            value={address.get('failed') === null ? '' : '1'}
            onChange={({ target }) => address.set({ failed: target.value || null })}
          >
            <option value="">{t.anyOutcome}</option>
            <option value="1">{t.onlyFailed}</option>
          </select>
        </label>
        <label className={css.filter}>
          <span className={css.muted}>{t.event}</span>
          <select
            className={css.select}
            value={event ?? ''}
            onChange={({ target }) => address.set({ event: target.value || null })}
          >
            <option value="">{t.anyEvent}</option>
            {EVENTS.map((kind) => (
              <option key={kind} value={kind}>
                {kind}
              </option>
            ))}
          </select>
        </label>
        {message !== null && (
          <Button look="quiet" onClick={() => address.set({ message: null })}>
            {t.oneMessage}
          </Button>
        )}
        <Button look="quiet" onClick={() => refetch()} busy={isFetching}>
          {t.refresh}
        </Button>
      </div>
      <div className={sheet} aria-busy={isFetching}>
        {isPending && <Skeleton label={t.loading} />}
        {error && !data && <ErrorState error={error} retry={refetch} />}
        {data && attempts.length === 0 && !isFiltered && <EmptyState title={t.noDeliveries} />}
        {data && attempts.length === 0 && isFiltered && (
          <EmptyState title={t.noMatch} action={{ onClick: clear, label: t.clear }} />
        )}
        <ul>
          {attempts.map((one) => (
            <li key={one.id} className={css.attempt}>
              <Pill tone={one.error === null ? 'green' : 'red'}>
                {one.status_code === 0 ? t.noAnswer : String(one.status_code)}
              </Pill>
              <button type="button" className={css.open} data-row="" onClick={() => address.set({ attempt: one.id })}>
                {one.event}
              </button>
              <span className={css.error} lang={one.error ? 'en' : undefined}>
                {one.error ?? ''}
              </span>
              <span className={css.amount}>{t.attempt(one.attempt)}</span>
              <span className={css.amount}>{format.duration(one.duration_ms)}</span>
              <span className={css.when}>
                <Time at={one.ts} />
              </span>
            </li>
          ))}
        </ul>
        {hasNextPage && (
          <p className={css.more}>
            <Button onClick={() => fetchNextPage()} busy={isFetching}>
              {t.older}
            </Button>
          </p>
        )}
      </div>
      {attempt !== null && <AttemptDrawer id={attempt} onClose={() => address.set({ attempt: null })} />}
    </>
  );
}
