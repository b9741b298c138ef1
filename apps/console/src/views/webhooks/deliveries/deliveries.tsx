import { Link } from 'wouter';
import { useAddress } from '../../../behaviour/address.ts';
import { moveRow, useHotkeys } from '../../../behaviour/hotkeys.ts';
import { useDeliveries, type Webhook } from '../../../data/webhooks.ts';
import { useFormat } from '../../../i18n/format.ts';
import { useText } from '../../../i18n/language.ts';
import { Button } from '../../../ui/button.tsx';
import { sheet } from '../../../ui/page.tsx';
import { Pill } from '../../../ui/pill.tsx';
import { Skeleton } from '../../../ui/skeleton.tsx';
import { EmptyState, ErrorState } from '../../../ui/states.tsx';
import { Time } from '../../../ui/time.tsx';
import { Said } from '../../../ui/words/said.tsx';
import css from '../webhooks.module.css';
import { AttemptDrawer } from './attempt.tsx';
import { FILTERS, filterOf, filterValue } from './delivery-filter.ts';
import { Filters } from './filters.tsx';
import { RedeliverFailed, RedeliveryBar } from './redeliver-failed.tsx';

/** The log of attempts to one endpoint, newest first. */
export function Deliveries({ webhook }: { webhook: Webhook }) {
  const t = useText().webhooks;
  const format = useFormat();
  const address = useAddress();
  const isFiltered = FILTERS.some((name) => filterValue(address.get, name) !== null);
  const filter = { ...filterOf(address.get), webhook_id: webhook.id };
  const { data, error, isPending, isFetching, refetch, hasNextPage, fetchNextPage } = useDeliveries(filter);
  const attempts = data?.pages.flatMap((page) => page.items) ?? [];
  const attempt = address.get('attempt');
  useHotkeys({ j: () => moveRow(1), k: () => moveRow(-1) });
  const clear = () => address.set(Object.fromEntries(FILTERS.map((name) => [name, null])));

  return (
    <>
      <RedeliveryBar />
      <div className={css.tools}>
        <Filters />
        {isFiltered && (
          <Button look="quiet" onClick={clear}>
            {t.clear}
          </Button>
        )}
        <Button look="quiet" onClick={() => refetch()} busy={isFetching}>
          {t.refresh}
        </Button>
        {filter.event !== 'ping' && <RedeliverFailed filter={filter} />}
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
              <Link href={address.with({ attempt: one.id })} className={css.open} data-row="">
                {one.event}
              </Link>
              <span className={css.error}>{one.error && <Said message={one.error} />}</span>
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
