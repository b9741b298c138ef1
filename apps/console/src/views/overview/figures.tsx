import type { Stats } from '@pts/client/types';
import { localDay } from '../../behaviour/local-time.ts';
import { startOfDay } from '../../behaviour/range.ts';
import { useAccount } from '../../data/account.ts';
import { useAttention } from '../../data/shipments.ts';
import { useLastDays, useLastHours } from '../../data/stats.ts';
import { useFormat } from '../../i18n/format.ts';
import { useText } from '../../i18n/language.ts';
import { isActive } from '../shipments/query.ts';
import { Figure, type Week } from './figure.tsx';
import css from './overview.module.css';

/** The service counts the parcels of a reason up to this many. */
const COUNTED = 1000;
/** Fewer pushes in a hundred that are accepted are worth a look. */
const GOOD_SHARE = 0.99;
const DAYS = 7;
/** The present hour and the one before: the last 60 minutes are within. */
const HOURS = 2;

/** Six numbers: parcels on their way, whether pushes arrive in time, and what is left; each with its last seven days. */
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
  const troubled = attention?.reasons.reduce((sum, { count }) => sum + count, 0);
  const isLowerBound = attention?.reasons.some(({ count }) => count >= COUNTED);
  const pushes = stats?.totals.pushes;
  const newest = stats && pushesOf(stats.intervals.slice(-HOURS));
  return (
    <>
      <ul className={css.figures}>
        <Figure
          href="/shipments?status=active"
          label={t.overview.active}
          value={stats && format.number(activeParcels(stats))}
          week={week(({ registered }) => registered, t.overview.weekRegistered)}
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
          href={deliveriesSince(newest?.since)}
          label={newest ? t.overview.pushedSince(format.clock(new Date(newest.since))) : t.overview.pushes}
          value={newest && format.number(newest.accepted)}
          week={
            newest &&
            week(
              ({ pushes }) => pushes.accepted,
              () =>
                newest.share === null ? t.overview.noPushes : t.overview.acceptedShare(format.percent(newest.share)),
            )
          }
          isBad={(newest?.share ?? 1) < GOOD_SHARE}
        />
        <Figure
          href={deliveriesSince(stats?.intervals[0]?.start)}
          label={t.overview.lag}
          value={pushes && (pushes.lag_ms_p95 === null ? '–' : format.duration(pushes.lag_ms_p95))}
          week={
            pushes &&
            week(
              (day) => day.pushes.lag_ms_p95 ?? 0,
              () =>
                pushes.lag_ms_p50 === null ? t.overview.noPushes : t.overview.half(format.duration(pushes.lag_ms_p50)),
            )
          }
        />
        <Figure
          href={`/shipments?sort=-created_at${account ? `&created=${localDay(new Date(account.period_start))}..` : ''}`}
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
      {stats?.up_to_date === false && (
        <p className={css.old} role="status">
          {t.overview.notUpToDate}
        </p>
      )}
    </>
  );
}

type Day = Stats['intervals'][number];

/** The pushes of some hours together. */
function pushesOf(hours: readonly Day[]): { since: string; accepted: number; share: number | null } | undefined {
  const [first] = hours;
  if (!first) return undefined;
  const accepted = hours.reduce((sum, { pushes }) => sum + pushes.accepted, 0);
  const failed = hours.reduce((sum, { pushes }) => sum + pushes.failed, 0);
  return { since: first.start, accepted, share: accepted + failed === 0 ? null : accepted / (accepted + failed) };
}

function deliveriesSince(start = ''): string {
  return `/webhooks?tab=deliveries&since=${start}`;
}

function activeParcels({ parcels: { sub_statuses: states } }: Stats): number {
  return states.reduce((sum, { sub_status, parcels }) => (isActive(sub_status) ? sum + parcels : sum), 0);
}

/** Since midnight at the reader's place, to the hour. */
function deliveredToday({ intervals }: Stats): number {
  const midnight = startOfDay(new Date(), 0);
  return intervals.reduce((sum, { start, delivered }) => (new Date(start) >= midnight ? sum + delivered : sum), 0);
}
