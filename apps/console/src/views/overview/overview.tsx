import { useCouriersHealth } from '../../data/account.ts';
import { useAttention, useLatest } from '../../data/shipments.ts';
import { useLastDays, useLastHours } from '../../data/stats.ts';
import { useWebhooks } from '../../data/webhooks.ts';
import { useText } from '../../i18n/language.ts';
import { ButtonLink } from '../../ui/button.tsx';
import { PageHead } from '../../ui/page.tsx';
import { Activity } from './activity.tsx';
import { Attention } from './attention.tsx';
import { ByStatus } from './by-status.tsx';
import { Carriers } from './carriers.tsx';
import { Endpoints } from './endpoints.tsx';
import { Figures } from './figures.tsx';
import { Latest } from './latest.tsx';
import css from './overview.module.css';

/** Is everything all right, and if not, where? Each figure leads to what it counts. */
export function Overview() {
  const t = useText();
  const isWaiting = useIsWaiting();
  return (
    <>
      <PageHead title={t.nav.overview}>
        <ButtonLink href="/shipments/add" look="primary">
          {t.shipments.add}
        </ButtonLink>
      </PageHead>
      <Figures />
      <div className={css.columns}>
        <div className={css.column}>
          <Attention isWaiting={isWaiting} />
          <Latest isWaiting={isWaiting} />
        </div>
        <div className={css.column}>
          <ByStatus isWaiting={isWaiting} />
          <Activity isWaiting={isWaiting} />
          <Endpoints isWaiting={isWaiting} />
          <Carriers isWaiting={isWaiting} />
        </div>
      </div>
    </>
  );
}

/** Whether a part is read for the first time: all parts appear together, so that none moves another. One that fails holds up none. */
function useIsWaiting(): boolean {
  const reads = [useAttention(), useLatest(), useLastHours(), useLastDays(), useWebhooks(), useCouriersHealth()];
  return reads.some(({ isPending, failureCount }) => isPending && failureCount === 0);
}
