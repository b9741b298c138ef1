import type { CouriersHealth, Stats } from '@pts/client/types';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { localDay, startOfDay } from '../../behaviour/dates.ts';
import { useAccount, useCouriersHealth } from '../../data/account.ts';
import { useAttention } from '../../data/shipments.ts';
import { useLastDays, useLastHours } from '../../data/stats.ts';
import { useFormat } from '../../i18n/format.ts';
import { useText } from '../../i18n/language.ts';
import { CarrierName } from '../../ui/carrier.tsx';
import { Section, sheet } from '../../ui/page.tsx';
import { Pill } from '../../ui/pill.tsx';
import { ErrorState, Skeleton, type SkeletonProps } from '../../ui/states.tsx';
import { Time, useNow } from '../../ui/time.tsx';
import { isActive } from '../shipments/query.ts';
import css from './overview.module.css';

/** The service counts the parcels of a reason up to this many. */
const COUNTED = 1000;
/** Fewer pushes in a hundred that are accepted are worth a look. */
const GOOD_SHARE = 0.99;
const DAYS = 7;
/** The present hour and the one before: the last 60 minutes are within. */
const HOURS = 2;

/**
 * Six numbers: parcels on their way, whether pushes arrive in time, and what is left; each with its last seven days.
 */
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

const BAR = 16;

/** The events of each of the last days, in words and as a small drawing. */
type Week = { words: string; days: readonly number[] };

/** How much of something is used, from 0 to 1. */
type Share = { words: string; used: number };

type FigureProps = {
  href: string;
  label: string;
  value: string | undefined;
  /** The week that is drawn below; undefined while it is read: its place is kept. */
  week?: Week | undefined;
  share?: Share | undefined;
  isBad?: boolean;
};

/** A number that matters, its week or its share, and the way to what it counts. */
function Figure({ href, label, value, week, share, isBad = false }: FigureProps) {
  return (
    <li>
      <Link href={href} className={css.figure}>
        <span className={css.label}>{label}</span>
        <span className={`${css.value} ${isBad ? css.bad : ''} ${value === undefined ? css.blank : ''}`}>
          {value ?? '\u00a0'}
        </span>
        <span className={css.week}>
          {share ? <Used share={share} /> : <Sparkline days={week?.days ?? []} />}
          <span className={`${css.label} ${css.words}`}>{(week ?? share)?.words || '\u00a0'}</span>
        </span>
      </Link>
    </li>
  );
}

function Used({ share: { used } }: { share: Share }) {
  const width = Math.min(used, 1) * 100;
  return (
    <svg viewBox={`0 0 100 ${HEIGHT}`} preserveAspectRatio="none" className={css.spark} aria-hidden="true">
      <rect y={HEIGHT - BAR} width="100" height={BAR} className={css.rest} />
      <rect y={HEIGHT - BAR} width={width} height={BAR} />
    </svg>
  );
}

/** A bar per day, without an axis: the words beside it say what is drawn. */
function Sparkline({ days }: { days: readonly number[] }) {
  const highest = Math.max(...days, 0);
  return (
    <svg
      viewBox={`0 0 ${Math.max(days.length, 1) * STEP} ${HEIGHT}`}
      preserveAspectRatio="none"
      className={css.spark}
      aria-hidden="true"
    >
      {days.map((value, at) => {
        const height = heightOf(value, highest);
        // biome-ignore lint/suspicious/noArrayIndexKey: a day is its place
        return <rect key={at} x={at * STEP} y={HEIGHT - height} width={STEP - 2} height={height} />;
      })}
    </svg>
  );
}

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

type BarsProps = {
  /** Says what is counted, and how many in all. */
  title: string;
  tone: 'blue' | 'green';
  bars: readonly { start: string; value: number }[];
};

const GAP = 2;

/** A bar per hour. Its number is its tooltip; the highest one is said in words. */
function Bars({ title, tone, bars }: BarsProps) {
  const t = useText().overview;
  const format = useFormat();
  const highest = bars.reduce((most, bar) => (bar.value > most.value ? bar : most), { start: '', value: 0 });
  const [first, last] = [bars.at(0), bars.at(-1)];
  const words = highest.value > 0 ? t.most(format.number(highest.value), format.clock(new Date(highest.start))) : '';
  return (
    <figure className={css.chart}>
      <figcaption className={css.caption}>
        <strong>{title}</strong> <span className={css.label}>{words}</span>
      </figcaption>
      <svg
        viewBox={`0 0 ${bars.length * STEP} ${HEIGHT}`}
        preserveAspectRatio="none"
        className={`${css.bars} ${css[tone]}`}
        role="img"
        aria-label={`${title} ${words}`}
      >
        {bars.map(({ start, value }, at) => {
          const height = heightOf(value, highest.value);
          return (
            <rect
              key={start}
              x={at * STEP}
              y={HEIGHT - height}
              width={STEP - GAP}
              height={height}
              className={value === 0 ? css.nothing : undefined}
            >
              <title>{`${format.clock(new Date(start))}: ${format.number(value)}`}</title>
            </rect>
          );
        })}
      </svg>
      <p className={css.axis} aria-hidden="true">
        <span>{first && format.clock(new Date(first.start))}</span>
        <span>{last && format.clock(new Date(last.start))}</span>
      </p>
    </figure>
  );
}

const SHOWN = 10;
const HOURS_OF_A_DAY = 24;

type CourierHealth = CouriersHealth['couriers'][number];
type Transit = Stats['transit']['carriers'][number];

/** The carriers with most parcels: how long nine of ten of their parcels took, and how many came in time. */
export function Carriers({ isWaiting }: { isWaiting: boolean }) {
  const t = useText();
  return (
    <Section title={t.overview.carriers} more={<span className={css.label}>{t.overview.days}</span>}>
      <SheetOf read={useLastDays()} isWaiting={isWaiting} blank={{ rows: 6 }}>
        {(stats) =>
          stats.parcels.carriers.length === 0 ? (
            <p className={css.empty}>{t.overview.quiet}</p>
          ) : (
            <div className={css.scroll}>
              <Table stats={stats} />
            </div>
          )
        }
      </SheetOf>
    </Section>
  );
}

function Table({ stats: { parcels, transit } }: { stats: Stats }) {
  const t = useText().overview;
  const format = useFormat();
  const shown = parcels.carriers.slice(0, SHOWN);
  const { data: health } = useCouriersHealth();
  const checkedAt = (carrier: string) => {
    const at = health?.get(carrier)?.checked_at;
    return at ? <Time at={at} /> : '–';
  };
  const transitOf = new Map(transit.carriers.map((one) => [one.carrier, one]));
  const longest = Math.max(1, ...shown.map(({ carrier }) => transitOf.get(carrier)?.hours_p90 ?? 0));
  return (
    <table className={css.table}>
      <thead>
        <tr>
          <th scope="col">{t.carrier}</th>
          <th scope="col" className={css.amount}>
            {t.parcels}
          </th>
          <th scope="col">{t.checks}</th>
          <th scope="col" className={css.checkedAt}>
            {t.checked}
          </th>
          <th scope="col">{t.transit}</th>
          <th scope="col" className={css.amount}>
            {t.inTime}
          </th>
        </tr>
      </thead>
      <tbody>
        {shown.map(({ carrier, parcels: count }) => {
          const found = transitOf.get(carrier);
          return (
            <tr key={carrier}>
              <th scope="row" className={css.carrier}>
                <Link href={`/shipments?carrier=${carrier}`}>
                  <CarrierName code={carrier} />
                </Link>
              </th>
              <td className={css.amount}>{format.number(count)}</td>
              <td className={css.checks}>
                <Checks health={health?.get(carrier)} />
              </td>
              <td className={`${css.checks} ${css.checkedAt}`}>{checkedAt(carrier)}</td>
              <td>
                {found ? <Span transit={found} longest={longest} /> : <span className={css.label}>{t.unknown}</span>}
              </td>
              <td className={css.amount}>{shareOf(found, format.percent)}</td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

/** Whether its parcels are checked in time, in words. */
function Checks({ health }: { health: CourierHealth | undefined }) {
  const t = useText().overview;
  const format = useFormat();
  const now = useNow();
  if (health === undefined) return null;
  const { state, late_seconds: late, paused_until: until } = health;
  switch (state) {
    case 'on_time':
      return <span className={css.label}>{t.onTime}</span>;
    case 'late':
      return <Pill tone="amber">{t.lateBy(format.lasting(late * 1000))}</Pill>;
    case 'paused':
      return <Pill tone="red">{t.pausedUntil(until === null ? '' : format.brief(new Date(until), now))}</Pill>;
    case 'unserved':
      return <Pill tone="grey">{t.unserved}</Pill>;
    default:
      return state satisfies never;
  }
}

/** The time that half of the parcels took, within the time of nine of ten. */
function Span({ transit: { hours_p50, hours_p90 }, longest }: { transit: Transit; longest: number }) {
  const t = useText().overview;
  const format = useFormat();
  // Short times are rounded up to 6 hours, so they are no fraction of a day.
  const time = (hours: number) =>
    hours < HOURS_OF_A_DAY ? t.hoursAtMost(format.number(hours)) : format.decimal(hours / HOURS_OF_A_DAY);
  return (
    <div className={css.span}>
      <svg viewBox="0 0 100 8" preserveAspectRatio="none" className={css.track} aria-hidden="true">
        <rect width={(hours_p90 / longest) * 100} height="8" className={css.most} />
        <rect width={(hours_p50 / longest) * 100} height="8" className={css.half} />
      </svg>
      <span>{t.span(time(hours_p50), time(hours_p90))}</span>
    </div>
  );
}

/** The share that came by the carrier's own first estimate, or by ours if the carrier gives none. */
function shareOf(transit: Transit | undefined, percent: (share: number) => string): string {
  const share = transit?.in_time.carrier.share ?? transit?.in_time.history.share ?? null;
  return share === null ? '–' : percent(share);
}

/** In units of a drawing: a bar with the gap after it, and the highest bar. */
const STEP = 10;
const HEIGHT = 48;

/** The height of a bar. What is not zero can be seen. */
function heightOf(value: number, highest: number): number {
  return value === 0 ? 1 : Math.max(3, (value / highest) * HEIGHT);
}

type SheetOfProps<T> = {
  read: UseQueryResult<T>;
  /** While other parts are being read for the first time, this one is not shown either. */
  isWaiting: boolean;
  blank: Omit<SkeletonProps, 'label'>;
  children(data: T): ReactNode;
};

/** A sheet with what was read; until then a placeholder, or why it could not be read. */
export function SheetOf<T>({ read, isWaiting, blank, children }: SheetOfProps<T>) {
  const t = useText();
  const { data, error, isPending, refetch } = read;
  const shown = () => {
    if (isWaiting || isPending) return <Skeleton label={t.shipments.loading} {...blank} />;
    if (data !== undefined) return children(data);
    return error && <ErrorState error={error} retry={refetch} />;
  };
  return <div className={sheet}>{shown()}</div>;
}
