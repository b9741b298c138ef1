import type { Stats } from '@pts/client/types';
import { Link } from 'wouter';
import { useLastHours } from '../../data/stats.ts';
import { useFormat } from '../../i18n/format.ts';
import { useText } from '../../i18n/language.ts';
import { Section } from '../../ui/page.tsx';
import { StatusPill } from '../../ui/pill.tsx';
import { SUB_STATUSES } from '../shipments/query.ts';
import css from './overview.module.css';
import { SheetOf } from './sheet-of.tsx';

/** How many parcels are in each state, in the order of a parcel's life. */
export function ByStatus({ isWaiting }: { isWaiting: boolean }) {
  const t = useText();
  const format = useFormat();
  const read = useLastHours();
  // Without a parcel, the latest news says so.
  if (!isWaiting && read.data?.parcels.total === 0) return null;
  return (
    <Section title={t.overview.states} more={<Link href="/shipments">{t.overview.all}</Link>}>
      <SheetOf read={read} isWaiting={isWaiting} blank={{ rows: 1, shape: 'lines' }}>
        {({ parcels }) => (
          <ul className={css.states}>
            {inOrder(parcels.sub_statuses).map(({ sub_status, parcels: count }) => (
              <li key={sub_status}>
                <Link href={`/shipments?status=${sub_status}`} className={css.state}>
                  <StatusPill status={sub_status} /> <strong>{format.number(count)}</strong>
                </Link>
              </li>
            ))}
          </ul>
        )}
      </SheetOf>
    </Section>
  );
}

type StateCount = Stats['parcels']['sub_statuses'][number];

/** States that a newer service has come last. */
function inOrder(counts: readonly StateCount[]): StateCount[] {
  const placeOf = ({ sub_status }: StateCount) => SUB_STATUSES.indexOf(sub_status) + 1 || SUB_STATUSES.length + 1;
  return counts.toSorted((a, b) => placeOf(a) - placeOf(b));
}
