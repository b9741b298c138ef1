import type { Stats } from '@pts/client/types';
import { Link } from 'wouter';
import { useLastHours } from '../../data/stats.ts';
import { useFormat } from '../../i18n/format.ts';
import { useText } from '../../i18n/language.ts';
import { Section } from '../../ui/page.tsx';
import { Bars } from './hour-bars.tsx';
import css from './overview.module.css';
import { SheetOf } from './sheet-of.tsx';

/** The last 24 hours: what happened to parcels, and what was pushed. */
export function Activity({ isWaiting }: { isWaiting: boolean }) {
  const t = useText();
  return (
    <Section title={t.overview.hours} more={<Link href="/shipments?updated=1d">{t.overview.all}</Link>}>
      <SheetOf read={useLastHours()} isWaiting={isWaiting} blank={{ rows: 2, shape: 'charts' }}>
        {(stats) => <Charts stats={stats} />}
      </SheetOf>
    </Section>
  );
}

function Charts({ stats: { intervals, totals } }: { stats: Stats }) {
  const t = useText().overview;
  const format = useFormat();
  const { pushes } = totals;
  return (
    <div className={css.charts}>
      <Bars
        title={t.events(totals.events)}
        tone="blue"
        bars={intervals.map(({ start, events }) => ({ start, value: events }))}
      />
      <Bars
        title={t.pushed(pushes.accepted)}
        tone="green"
        bars={intervals.map(({ start, pushes: { accepted } }) => ({ start, value: accepted }))}
      />
      <p className={css.chartNote}>
        {pushes.failed > 0 ? (
          <Link href={`/webhooks?tab=deliveries&outcome=failed&since=${intervals[0]?.start ?? ''}`}>
            {t.failed(pushes.failed)}
          </Link>
        ) : (
          <span>{t.noneFailed}</span>
        )}
        {pushes.lag_ms_p50 !== null && pushes.lag_ms_p95 !== null && (
          <span>{t.lags(format.duration(pushes.lag_ms_p50), format.duration(pushes.lag_ms_p95))}</span>
        )}
      </p>
    </div>
  );
}
