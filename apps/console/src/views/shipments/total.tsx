import type { ShipmentPage } from '@pts/client/types';
import { useAddress } from '../../behaviour/address.ts';
import { isSearchable } from '../../behaviour/searchable.ts';
import { useFormat } from '../../i18n/format.ts';
import { useText } from '../../i18n/language.ts';
import css from './shipments.module.css';

type TotalProps = {
  /** The first page, which says how many there are. */
  page: ShipmentPage | undefined;
  isFiltered: boolean;
  /** Whether the page answers an earlier question. */
  isSearching: boolean;
};

/** How many match; the service counts up to a bound. */
export function Total({ page, isFiltered, isSearching }: TotalProps) {
  const t = useText().shipments;
  const format = useFormat();
  const searched = useAddress().get('q')?.trim() ?? '';
  const { total, total_is_lower_bound: isLowerBound } = page ?? {};
  if (searched !== '' && !isSearchable(searched)) return <p className={css.total}>{t.tooShort}</p>;
  if (isSearching) return <p className={`${css.total} ${css.afterWait}`}>{t.searching}</p>;
  if (total === undefined) return <p className={css.total}>&nbsp;</p>;
  const count = isLowerBound ? t.orMore(format.number(total)) : format.number(total);
  return (
    <p className={css.total} role="status">
      {isFiltered ? t.matches(count, total) : t.inAll(count, total)}
    </p>
  );
}
