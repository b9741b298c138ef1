import { useWebhooks, type Webhook } from '../../data/webhooks.ts';
import { useText } from '../../i18n/language.ts';
import { Copy } from '../../ui/copy.tsx';
import { PageHead } from '../../ui/page.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { EmptyState, ErrorState } from '../../ui/states.tsx';
import { Tabs, useTab } from '../../ui/tabs.tsx';
import { CheckEndpoint } from './check.tsx';
import { Deliveries } from './deliveries/deliveries.tsx';
import { Health } from './health.tsx';
import { Hours } from './hours.tsx';
import { Replay } from './replay.tsx';
import { Settings } from './settings.tsx';
import css from './webhooks.module.css';

const TABS = ['deliveries', 'test', 'replay', 'settings'] as const;

/** One endpoint: its health, what was sent to it, tests, replays and settings. */
export function Endpoint({ id }: { id: string }) {
  const t = useText();
  const { data, error, isPending, refetch } = useWebhooks();
  const webhook = data?.find((one) => one.id === id);
  return (
    <div className={css.endpoint}>
      <PageHead
        list={{ href: '/webhooks', label: t.nav.webhooks }}
        title={webhook?.url ?? t.webhooks.one}
        beside={webhook && <Copy value={webhook.url} />}
      />
      {isPending && <Skeleton label={t.webhooks.loading} />}
      {error && !data && <ErrorState error={error} retry={refetch} />}
      {data && !webhook && <EmptyState title={t.webhooks.gone} action={{ href: '/webhooks', label: t.nav.webhooks }} />}
      {webhook && <Tabbed webhook={webhook} />}
    </div>
  );
}

function Tabbed({ webhook }: { webhook: Webhook }) {
  const t = useText();
  const tab = useTab(TABS);
  return (
    <>
      <Health webhook={webhook} />
      <Hours webhook={webhook} />
      <Tabs label={webhook.url} tabs={TABS.map((name) => ({ name, label: t.webhooks.tabs[name] }))} />
      {tab === 'deliveries' && <Deliveries webhook={webhook} />}
      {tab === 'test' && <CheckEndpoint webhook={webhook} />}
      {tab === 'replay' && <Replay webhook={webhook} />}
      {tab === 'settings' && <Settings webhook={webhook} />}
    </>
  );
}
