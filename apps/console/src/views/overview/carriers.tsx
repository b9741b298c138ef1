import type { CouriersHealth, Stats } from '@pts/client/types';
import { Link } from 'wouter';
import { useCouriersHealth } from '../../data/account.ts';
import { useLastDays } from '../../data/stats.ts';
import { useFormat } from '../../i18n/format.ts';
import { useText } from '../../i18n/language.ts';
import { CarrierName } from '../../ui/carrier-name.tsx';
import { Section } from '../../ui/page.tsx';
import { Pill } from '../../ui/pill.tsx';
import { Time, useNow } from '../../ui/time.tsx';
import css from './overview.module.css';
import { SheetOf } from './sheet-of.tsx';

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
