import { Link } from 'wouter';
import { useAddress } from '../../behaviour/address.ts';
import { moveRow, useHotkeys } from '../../behaviour/hotkeys.ts';
import { useRegisterWebhook, useWebhooks } from '../../data/webhooks.ts';
import { useText } from '../../i18n/language.ts';
import { Button } from '../../ui/button.tsx';
import { Copy } from '../../ui/copy.tsx';
import { PageHead, sheet } from '../../ui/page.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { EmptyState, ErrorState } from '../../ui/states.tsx';
import { Tabs, useTab } from '../../ui/tabs.tsx';
import { Added, AddWebhook } from './add-webhook.tsx';
import { Deliveries } from './deliveries/deliveries.tsx';
import { Health } from './health.tsx';
import { Hours } from './hours.tsx';
import css from './webhooks.module.css';

const TABS = ['endpoints', 'deliveries'] as const;

/** The endpoints that receive pushes, and what was sent to all of them. */
export function Webhooks() {
  const t = useText().webhooks;
  const address = useAddress();
  const tab = useTab(TABS);
  // Not in the form: a secret is shown also if the form was closed before it was there.
  const register = useRegisterWebhook();
  const close = () => {
    register.forget();
    address.close({ add: null });
  };
  const add = () => address.open({ add: '1' });
  return (
    <div className={css.endpoint}>
      <PageHead title={t.title}>
        <Button look="primary" onClick={add}>
          {t.add}
        </Button>
      </PageHead>
      <Tabs label={t.title} tabs={TABS.map((name) => ({ name, label: t.tabs[name] }))} />
      {tab === 'endpoints' ? <Endpoints onAdd={add} /> : <Deliveries />}
      {register.data && <Added webhook={register.data} onClose={close} />}
      {address.get('add') !== null && !register.data && <AddWebhook register={register} onClose={close} />}
    </div>
  );
}

function Endpoints({ onAdd }: { onAdd(): void }) {
  const t = useText().webhooks;
  const { data, error, isPending, isFetching, refetch } = useWebhooks();
  useHotkeys({ j: () => moveRow(1), k: () => moveRow(-1) });
  return (
    <div className={sheet} aria-busy={isFetching}>
      {isPending && <Skeleton label={t.loading} rows={3} />}
      {error && !data && <ErrorState error={error} retry={refetch} />}
      {data?.length === 0 && (
        <EmptyState title={t.none} action={{ onClick: onAdd, label: t.add }}>
          <p>{t.what}</p>
        </EmptyState>
      )}
      <ul>
        {data?.map((webhook) => (
          <li key={webhook.id} className={css.row}>
            <span>
              <Link href={`/webhooks/${webhook.id}`} className={css.link} data-row="">
                {webhook.url}
              </Link>{' '}
              <span className={css.over}>
                <Copy value={webhook.url} />
              </span>
            </span>
            <Health webhook={webhook} />
            <Hours webhook={webhook} />
            <span className={css.muted}>{webhook.events.map((event) => t.events[event]).join(' · ')}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}
