import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import { useAddress } from '../../behaviour/address.ts';
import { useAccount, useCouriers } from '../../data/account.ts';
import { feed, forgetChanges } from '../../data/feed.ts';
import { refreshShipments, useShipments } from '../../data/shipments.ts';
import { useFormat } from '../../i18n/format.ts';
import { useText } from '../../i18n/language.ts';
import { useStore } from '../../session/store.ts';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { PageHead } from '../../ui/page.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { EmptyState, ErrorState } from '../../ui/states.tsx';
import { ShipmentDrawer } from '../shipment/shipment-drawer.tsx';
import { Filters, useFilterLabel, useStatusFilter } from './filters.tsx';
import { ShipmentList } from './list.tsx';
import { Samples } from './samples.tsx';
import { SelectionBar } from './selection-bar.tsx';
import css from './shipments.module.css';

/** All shipments of the account: newest change first, narrowed by the filters of the address. */
export function Shipments() {
  const t = useText().shipments;
  const format = useFormat();
  const status = useStatusFilter();
  const address = useAddress();
  const labelOf = useFilterLabel();
  const queries = useQueryClient();
  const { changed } = useStore(feed);
  const { data, error, isPending, isFetching, refetch, hasNextPage, fetchNextPage, isFetchNextPageError } =
    useShipments(status === null ? {} : { status });
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const rows = data?.pages.flatMap((page) => page.shipments) ?? [];
  const open = address.get('open');

  const refresh = async () => {
    forgetChanges();
    await refreshShipments(queries);
  };

  return (
    <>
      <PageHead title={t.title}>
        <ButtonLink href="/shipments/add" look="primary">
          {t.add}
        </ButtonLink>
      </PageHead>
      <div className={css.tools}>
        <Filters />
        <div className={css.news} role="status">
          {changed.size > 0 ? (
            <Button look="quiet" onClick={refresh} busy={isFetching}>
              {t.news(format.number(changed.size))}
            </Button>
          ) : (
            <Button look="quiet" onClick={refresh} busy={isFetching}>
              {t.refresh}
            </Button>
          )}
        </div>
      </div>
      {selected.size > 0 && <SelectionBar selected={selected} onDone={() => setSelected(new Set())} />}
      <div className={css.sheet} aria-busy={isFetching}>
        {isPending && <Skeleton label={t.loading} rows={12} />}
        {error && !data && <ErrorState error={error} retry={refetch} />}
        {data && rows.length === 0 && status === null && <NoParcels />}
        {data && rows.length === 0 && status !== null && (
          <EmptyState
            title={t.noMatch(labelOf(status))}
            action={{ onClick: () => address.set({ status: null }), label: t.clear }}
          />
        )}
        {rows.length > 0 && (
          <ShipmentList
            rows={rows}
            hasMore={hasNextPage}
            loadMore={fetchNextPage}
            hasFailed={isFetchNextPageError}
            selected={selected}
            onSelect={setSelected}
          />
        )}
      </div>
      {open !== null && <ShipmentDrawer id={open} onClose={() => address.set({ open: null, tab: null })} />}
    </>
  );
}

/** One sentence and one action; with the sandbox carrier, parcels to try. */
function NoParcels() {
  const t = useText().shipments;
  const { data: account } = useAccount();
  const { data: couriers } = useCouriers();
  const hasSandbox = couriers?.some((courier) => courier.courier_code === 'sandbox' && courier.trackable);
  return (
    <EmptyState title={account?.quota_used ? t.noneLeft : t.none} action={{ href: '/shipments/add', label: t.add }}>
      <p>
        {t.or} <Link href="/webhooks">{t.orWebhook}</Link>
      </p>
      {hasSandbox && <Samples />}
    </EmptyState>
  );
}
