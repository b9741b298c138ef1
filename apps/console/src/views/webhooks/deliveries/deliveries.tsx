import { Link } from 'wouter';
import { OPENED, useAddress } from '../../../behaviour/address.ts';
import { moveRow, useHotkeys } from '../../../behaviour/hotkeys.ts';
import {
  type Delivery,
  type DeliveryFilter,
  useDeliveries,
  useWebhooks,
  type Webhook,
} from '../../../data/webhooks.ts';
import { useFormat } from '../../../i18n/format.ts';
import { useText } from '../../../i18n/language.ts';
import { Button, ButtonLink } from '../../../ui/button.tsx';
import { Copy } from '../../../ui/copy.tsx';
import line from '../../../ui/filters/filters.module.css';
import { sheet } from '../../../ui/page.tsx';
import { Pill } from '../../../ui/pill.tsx';
import { Skeleton } from '../../../ui/skeleton.tsx';
import { EmptyState, ErrorState } from '../../../ui/states.tsx';
import { Time } from '../../../ui/time.tsx';
import { CarrierText } from '../../../ui/words/carrier-text.tsx';
import { Said } from '../../../ui/words/said.tsx';
import { BulkBar } from '../../bulk.tsx';
import css from '../webhooks.module.css';
import { AttemptDrawer } from './attempt.tsx';
import { FILTERS, FROM_TOP, filterOf, filterValue, fromOf } from './delivery-filter.ts';
import { Filters } from './filters.tsx';
import { RedeliverMatching } from './redeliver-matching.tsx';

/** The log of attempts, newest first: to one endpoint, or to all of the account. */
export function Deliveries({ webhook }: { webhook?: Webhook }) {
  const { webhooks: t, shipments } = useText();
  const format = useFormat();
  const address = useAddress();
  const from = fromOf(address.get);
  const isFiltered = from !== null || FILTERS.some((name) => filterValue(address.get, name) !== null);
  const chosen = filterOf(address.get);
  const filter = webhook ? { ...chosen, webhook_id: webhook.id } : chosen;
  const { data, error, isPending, isFetching, refetch, hasNextPage, fetchNextPage } = useDeliveries(filter, from);
  const attempts = data?.pages.flatMap((page) => page.items) ?? [];
  const lastPage = data?.pages.at(-2)?.next_before ?? null;
  const attempt = address.get('attempt');
  useHotkeys({ j: () => moveRow(1), k: () => moveRow(-1) });
  const clear = () => address.set({ ...Object.fromEntries(FILTERS.map((name) => [name, null])), ...FROM_TOP });

  return (
    <>
      <BulkBar kind="messages" className={css.tools} />
      <div className={`${css.tools} ${line.grid}`}>
        <Filters ofAll={!webhook} />
      </div>
      <div className={`${css.actions} ${css.log}`}>
        {isFiltered && (
          <Button look="quiet" onClick={clear}>
            {t.clear}
          </Button>
        )}
        {from !== null && <Link href={address.with(FROM_TOP)}>{shipments.fromTop}</Link>}
        <span className={css.rest} />
        {!webhook && filter.webhook_id && (
          <ButtonLink look="quiet" href={replayOf(filter.webhook_id, filter)}>
            {t.tabs.replay}
          </ButtonLink>
        )}
        {filter.event !== 'ping' && <RedeliverMatching key={JSON.stringify(filter)} filter={filter} />}
        <Button look="quiet" onClick={() => refetch()} busy={isFetching}>
          {t.refresh}
        </Button>
      </div>
      <div className={sheet} aria-busy={isFetching}>
        {isPending && <Skeleton label={t.loading} />}
        {error && !data && <ErrorState error={error} retry={refetch} />}
        {data && attempts.length === 0 && !isFiltered && <EmptyState title={t.noDeliveries} />}
        {data && attempts.length === 0 && isFiltered && !hasNextPage && (
          <EmptyState title={t.noMatch} action={{ onClick: clear, label: t.clear }} />
        )}
        <ul>
          {attempts.map((one) => (
            <li key={one.id} className={css.attempt}>
              <span className={css.result}>
                <Pill tone={one.error === null ? 'green' : 'red'}>
                  {one.status_code === 0 ? t.noAnswer : String(one.status_code)}
                </Pill>
              </span>
              <Link
                href={address.with({ attempt: one.id })}
                state={OPENED}
                className={`${css.open} ${css.kind}`}
                data-row=""
              >
                {one.event}
              </Link>
              {!webhook && <To id={one.webhook_id} />}
              <span className={css.error}>
                <Why attempt={one} />
              </span>
              <span className={`${css.amount} ${css.nth}`}>{t.attempt(one.attempt)}</span>
              <span className={`${css.amount} ${css.took}`}>{format.duration(one.duration_ms)}</span>
              <span className={css.when}>
                <Time at={one.ts} />
              </span>
            </li>
          ))}
        </ul>
        {(hasNextPage || lastPage !== null) && (
          <p className={`${css.actions} ${css.more}`}>
            {hasNextPage && (
              <Button onClick={() => fetchNextPage()} busy={isFetching}>
                {t.older}
              </Button>
            )}
            {lastPage !== null && <Link href={address.with({ from: lastPage })}>{shipments.fromFurther}</Link>}
          </p>
        )}
      </div>
      {attempt !== null && <AttemptDrawer id={attempt} onClose={() => address.close({ attempt: null })} />}
    </>
  );
}

/** The endpoint of an attempt, in the log of all. */
function To({ id }: { id: string }) {
  const t = useText().webhooks;
  const { data: webhooks } = useWebhooks();
  const url = webhooks?.find((one) => one.id === id)?.url;
  return (
    <span className={css.to}>
      <span className={css.url}>{url ?? (webhooks ? t.removedOne : '')}</span>
      {url !== undefined && (
        <span className={css.over}>
          <Copy value={url} />
        </span>
      )}
    </span>
  );
}

/** Why it failed. Where the service can only repeat the status, the first line of the server's own answer says more. */
function Why({ attempt: { error, status_code, response_excerpt } }: { attempt: Delivery }) {
  if (error === null) return null;
  const answer = response_excerpt?.trim().split('\n', 1)[0];
  const isStatus = status_code >= 400 && error.startsWith(`the receiver answered ${status_code}`);
  return isStatus && answer ? <CarrierText>{answer}</CarrierText> : <Said message={error} />;
}

/** Where the events of the same time are sent again, those that the endpoint has never received, too. */
function replayOf(webhookId: string, { since, until }: DeliveryFilter): string {
  const range = Object.entries({ since, until }).filter(([, value]) => value !== undefined);
  return `/webhooks/${webhookId}?${new URLSearchParams([['tab', 'replay'], ...(range as [string, string][])])}`;
}
