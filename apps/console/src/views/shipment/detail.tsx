import { isApiError } from '@pts/client/errors';
import { useExplanation, useTracking } from '../../data/trackings.ts';
import { useText } from '../../i18n/language.ts';
import { Skeleton } from '../../ui/skeleton.tsx';
import { EmptyState, ErrorState } from '../../ui/states.tsx';
import { Tabs, useTab } from '../../ui/tabs.tsx';
import { Actions } from './actions.tsx';
import { BuyersPage } from './buyers-page.tsx';
import { Events } from './events.tsx';
import { Explain } from './explain.tsx';
import { Facts } from './facts.tsx';
import { Raw } from './raw.tsx';
import css from './shipment.module.css';
import { Timeline } from './timeline.tsx';

const TABS = ['history', 'events', 'explain', 'raw'] as const;

type DetailProps = {
  id: string;
  /** Where to go once the parcel is no longer tracked; null: `onGone` handles it. */
  after: string | null;
  onGone?(): void;
};

/** All about a parcel: where it is, in a sentence; what has happened; how it is watched; what can be done. */
export function Detail({ id, after, onGone }: DetailProps) {
  const t = useText();
  const tab = useTab(TABS);
  const { data: tracking, error, isPending, refetch } = useTracking(id);
  const explanation = useExplanation(id);
  // Together with the explanation, so that no line grows while it is read; one that fails holds nothing up.
  const isWaiting = explanation.isPending && explanation.failureCount === 0;
  if (isPending || (tracking && isWaiting)) return <Skeleton label={t.shipments.loading} shape="timeline" />;
  if (isApiError(error, 'not_found', 'not_registered', 'invalid_id'))
    return <EmptyState title={t.shipment.gone} action={{ href: '/shipments', label: t.nav.shipments }} />;
  if (!tracking) return <ErrorState error={error} retry={refetch} />;
  return (
    <div className={css.detail}>
      <div className={css.main}>
        <Facts tracking={tracking} />
        <Actions tracking={tracking} after={after} onGone={onGone} />
      </div>
      <div className={css.more}>
        <Tabs label={t.shipment.title} tabs={TABS.map((name) => ({ name, label: t.shipment.tabs[name] }))} />
        {tab === 'history' && <Timeline tracking={tracking} />}
        {tab === 'events' && <Events id={id} />}
        {tab === 'explain' && <Explain id={id} />}
        {tab === 'raw' && <Raw tracking={tracking} />}
      </div>
      <BuyersPage tracking={tracking} />
    </div>
  );
}
