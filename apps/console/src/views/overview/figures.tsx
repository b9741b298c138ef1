import type { CouriersHealth, Stats } from '@pts/client/types';
import { Link } from 'wouter';
import { useAddress } from '../../behaviour/address.ts';
import { startOfDay } from '../../behaviour/dates.ts';
import { useCouriersHealth } from '../../data/account.ts';
import { useAttention } from '../../data/shipments.ts';
import { STATS_PERIODS, type StatsPeriod, useStats } from '../../data/stats.ts';
import { type Format, useFormat } from '../../i18n/format.ts';
import { useText } from '../../i18n/language.ts';
import { CarrierName } from '../../ui/carrier.tsx';
import { Choice } from '../../ui/choice.tsx';
import { Section } from '../../ui/page.tsx';
import { Pill } from '../../ui/pill.tsx';
import { SheetOf } from '../../ui/states.tsx';
import { Time, useNow } from '../../ui/time.tsx';
import { isActive } from '../shipments/query.ts';
import css from './overview.module.css';

/** The service counts the parcels of a reason up to this many. */
const COUNTED = 1000;
/** Fewer pushes in a hundred that are accepted are worth a look. */
const GOOD_SHARE = 0.99;

/** Four numbers: parcels on their way, those in trouble, those delivered, and whether pushes arrive. */
export function Figures() {
  const t = useText().overview;
  const format = useFormat();
  const { data: attention } = useAttention();
  const { data: stats } = useStats('24h');
  const { data: month } = useStats('30d');
  const troubled = attention?.reasons.reduce((sum, { count }) => sum + count, 0);
  const isLowerBound = attention?.reasons.some(({ count }) => count >= COUNTED);
  const pushes = stats?.totals.pushes;
  const share = pushes?.success_share ?? null;
  return (
    <>
      <ul className={css.figures}>
        <Figure
          href="/shipments?status=active"
          label={t.active}
          value={stats && format.number(activeParcels(stats))}
          note={month && t.monthRegistered(format.number(month.totals.registered))}
        />
        <Figure
          href="/shipments?needs_attention=true"
          label={t.attention}
          value={troubled === undefined ? undefined : `${format.number(troubled)}${isLowerBound ? '+' : ''}`}
          note={month && t.monthExceptions(format.number(month.totals.exceptions))}
          isBad={(troubled ?? 0) > 0}
        />
        <Figure
          href="/shipments?status=delivered&updated=1d"
          label={t.deliveredToday}
          value={stats && format.number(deliveredToday(stats))}
          note={month && t.monthDelivered(format.number(month.totals.delivered))}
        />
        <Figure
          href={`/webhooks?tab=deliveries&since=${stats?.intervals[0]?.start ?? ''}`}
          label={t.pushesAccepted}
          value={stats && (share === null ? '–' : format.percent(share))}
          note={pushes && pushNote(pushes, t, format)}
          isBad={(share ?? 1) < GOOD_SHARE}
        />
      </ul>
      {stats?.up_to_date === false && (
        <p className={css.old} role="status">
          {t.notUpToDate}
        </p>
      )}
    </>
  );
}

function pushNote(
  { accepted, failed, lag_ms_p95: lag }: Stats['totals']['pushes'],
  t: ReturnType<typeof useText>['overview'],
  format: Format,
): string {
  if (accepted + failed === 0) return t.noPushes;
  return lag === null ? t.noneAccepted : t.lag(format.duration(lag));
}

function activeParcels({ parcels: { sub_statuses: states } }: Stats): number {
  return states.reduce((sum, { sub_status, parcels }) => (isActive(sub_status) ? sum + parcels : sum), 0);
}

/** Since midnight at the reader's place, to the hour. */
function deliveredToday({ intervals }: Stats): number {
  const midnight = startOfDay(new Date(), 0);
  return intervals.reduce((sum, { start, delivered }) => (new Date(start) >= midnight ? sum + delivered : sum), 0);
}

type FigureProps = {
  href: string;
  label: string;
  /** Undefined while it is read: its place is kept. So is that of the note. */
  value: string | undefined;
  note: string | undefined;
  isBad?: boolean;
};

/** A number that matters, what it is part of, and the way to what it counts. */
function Figure({ href, label, value, note, isBad = false }: FigureProps) {
  return (
    <li>
      <Link href={href} className={css.figure}>
        <span className={css.label}>{label}</span>
        <span className={`${css.value} ${isBad ? css.bad : ''} ${value === undefined ? css.blank : ''}`}>
          {value ?? '\u00a0'}
        </span>
        <span className={`${css.label} ${css.words}`}>{note ?? '\u00a0'}</span>
      </Link>
    </li>
  );
}

/** The counts that are drawn of each interval, the largest first: a smaller area lies before a larger one. */
const SERIES = ['registered', 'delivered', 'exceptions'] as const;
type Interval = Stats['intervals'][number];

/** The fate of parcels over a period that the reader chooses. */
export function Shipments({ isWaiting }: { isWaiting: boolean }) {
  const t = useText().overview;
  const address = useAddress();
  const period = STATS_PERIODS.find((one) => one === address.get('period')) ?? '30d';
  const choose = (chosen: string) => address.set({ period: chosen === '30d' ? null : chosen }, { replace: true });
  return (
    <Section
      title={t.shipments}
      more={
        <Choice
          label={t.period}
          isLabelUnseen
          options={STATS_PERIODS.map((value) => ({ value, label: t.periods[value] }))}
          value={period}
          onChange={choose}
        />
      }
    >
      <SheetOf read={useStats(period)} isWaiting={isWaiting} blank={{ rows: 2, shape: 'charts' }}>
        {(stats) => <AreaChart stats={stats} period={period} />}
      </SheetOf>
    </Section>
  );
}

/** An area of each series, with a table of the same numbers behind it. */
function AreaChart({ stats: { intervals, totals }, period }: { stats: Stats; period: StatsPeriod }) {
  const t = useText().overview;
  const format = useFormat();
  const highest = Math.max(1, ...intervals.flatMap((interval) => SERIES.map((series) => interval[series])));
  const nameOf = ({ start }: Interval) =>
    period === '24h' ? format.clock(new Date(start)) : format.nearDay(new Date(start));
  const width = Math.max(intervals.length - 1, 1) * STEP;
  const line = (series: (typeof SERIES)[number]) =>
    intervals.map((interval, at) => `${at * STEP},${HEIGHT - (interval[series] / highest) * HEIGHT}`).join(' ');
  const [first, middle, last] = [intervals[0], intervals[intervals.length >> 1], intervals.at(-1)];
  const rows = intervals.toReversed();
  return (
    <figure className={css.chart}>
      <figcaption className={css.legend}>
        {SERIES.map((series) => (
          <span key={series} className={`${css.series} ${css[series]}`}>
            {t.series[series]} <strong>{format.number(totals[series])}</strong>
          </span>
        ))}
      </figcaption>
      <div className={css.plot}>
        <span className={css.highest} aria-hidden="true">
          {format.number(highest)}
        </span>
        <svg viewBox={`0 0 ${width} ${HEIGHT}`} preserveAspectRatio="none" className={css.areas} aria-hidden="true">
          {SERIES.map((series) => (
            <g key={series} className={css[series]}>
              <polygon points={`0,${HEIGHT} ${line(series)} ${width},${HEIGHT}`} />
              <polyline points={line(series)} />
            </g>
          ))}
          {intervals.map((interval, at) => (
            <rect key={interval.start} x={at * STEP - STEP / 2} width={STEP} height={HEIGHT} className={css.column}>
              <title>
                {[
                  nameOf(interval),
                  ...SERIES.map((series) => `${t.series[series]} ${format.number(interval[series])}`),
                ].join('\n')}
              </title>
            </rect>
          ))}
        </svg>
      </div>
      <p className={css.axis} aria-hidden="true">
        <span>{first && nameOf(first)}</span>
        <span>{middle && nameOf(middle)}</span>
        <span>{last && nameOf(last)}</span>
      </p>
      <details>
        <summary className={css.label}>{t.asTable}</summary>
        <div className={css.tall}>
          <table className={css.table}>
            <thead>
              <tr>
                <th scope="col">{period === '24h' ? t.hour : t.day}</th>
                {SERIES.map((series) => (
                  <th key={series} scope="col" className={css.amount}>
                    {t.series[series]}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {rows.map((interval) => (
                <tr key={interval.start}>
                  <th scope="row">{nameOf(interval)}</th>
                  {SERIES.map((series) => (
                    <td key={series} className={css.amount}>
                      {format.number(interval[series])}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </details>
    </figure>
  );
}

/** In units of the drawing: from one interval to the next, and the highest value. */
const STEP = 10;
const HEIGHT = 100;

const SHOWN = 10;
const HOURS_OF_A_DAY = 24;

type CourierHealth = CouriersHealth['couriers'][number];
type Transit = Stats['transit']['carriers'][number];

/** The carriers with most parcels: how long nine of ten of their parcels took, and how many came in time. */
export function Carriers({ isWaiting }: { isWaiting: boolean }) {
  const t = useText();
  return (
    <Section title={t.overview.carriers} more={<span className={css.label}>{t.overview.days}</span>}>
      <SheetOf read={useStats('30d')} isWaiting={isWaiting} blank={{ rows: 6 }}>
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
