import type { Stats } from '@pts/client/types';
import { startOfDay } from '../../behaviour/range.ts';
import { useAccount } from '../../data/account.ts';
import { useAttention } from '../../data/shipments.ts';
import { useLastDays, useLastHours } from '../../data/stats.ts';
import { useFormat } from '../../i18n/format.ts';
import { useText } from '../../i18n/language.ts';
import { Figure, type Week } from './figure.tsx';
import css from './overview.module.css';

/** The service counts the parcels of a reason up to this many. */
const COUNTED = 1000;
/** Fewer pushes in a hundred that are accepted are worth a look. */
const GOOD_SHARE = 0.99;
const DAYS = 7;

/** Six numbers: where parcels are, whether pushes arrive, and what is left; each with its last seven days. */
export function Figures() {
  const t = useText();
  const format = useFormat();
  const { data: account } = useAccount();
  const { data: attention } = useAttention();
  const { data: stats } = useLastHours();
  const { data: month } = useLastDays();
  const week = (count: (day: Day) => number, words: (sum: string) => string): Week | undefined => {
    const days = month?.intervals.slice(-DAYS).map(count);
    return days && { days, words: words(format.number(days.reduce((sum, one) => sum + one, 0))) };
  };
  const parcelsOf = (name: string) => {
    const found = stats?.parcels.statuses.find(({ status }) => status === name);
    return found && format.number(found.parcels);
  };
  const troubled = attention?.reasons.reduce((sum, { count }) => sum + count, 0);
  const isLowerBound = attention?.reasons.some(({ count }) => count >= COUNTED);
  const pushes = stats?.totals.pushes;
  const lag = pushes && pushes.lag_ms_p95 !== null ? t.overview.lag(format.duration(pushes.lag_ms_p95)) : null;
  return (
    <ul className={css.figures}>
      <Figure
        href="/shipments?status=查询中"
        label={t.status.查询中}
        value={parcelsOf('查询中')}
        week={week(({ registered }) => registered, t.overview.weekRegistered)}
      />
      <Figure
        href="/shipments?status=派送中"
        label={t.status.派送中}
        value={parcelsOf('派送中')}
        week={week(({ events }) => events, t.overview.weekEvents)}
      />
      <Figure
        href="/shipments?status=delivered&updated=1d"
        label={t.overview.deliveredToday}
        value={stats && format.number(deliveredToday(stats))}
        week={week(({ delivered }) => delivered, t.overview.weekDelivered)}
      />
      <Figure
        href="/shipments?needs_attention=true"
        label={t.overview.attention}
        value={troubled === undefined ? undefined : `${format.number(troubled)}${isLowerBound ? '+' : ''}`}
        week={week(({ exceptions }) => exceptions, t.overview.weekExceptions)}
        isBad={(troubled ?? 0) > 0}
      />
      <Figure
        href="/webhooks"
        label={t.overview.pushes}
        value={pushes && (pushes.success_share === null ? t.overview.noPushes : format.percent(pushes.success_share))}
        week={
          stats &&
          week(
            ({ pushes: { lag_ms_p95: ms } }) => ms ?? 0,
            () => lag ?? '',
          )
        }
        isBad={(pushes?.success_share ?? 1) < GOOD_SHARE}
      />
      <Figure
        href="/shipments?sort=-created_at"
        label={t.overview.quotaLeft}
        value={account && format.number(account.quota_remaining)}
        share={
          account && {
            words: t.quota.resets(format.nearDay(new Date(account.resets_at))),
            used: account.quota_used / Math.max(account.quota_limit, 1),
          }
        }
        isBad={account?.quota_remaining === 0}
      />
    </ul>
  );
}

type Day = Stats['intervals'][number];

/** Since midnight at the reader's place, to the hour. */
function deliveredToday({ intervals }: Stats): number {
  const midnight = startOfDay(new Date(), 0);
  return intervals.reduce((sum, { start, delivered }) => (new Date(start) >= midnight ? sum + delivered : sum), 0);
}
