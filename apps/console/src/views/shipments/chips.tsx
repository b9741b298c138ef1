import { useAddress } from '../../behaviour/address.ts';
import { daysOf, isPeriod } from '../../behaviour/range.ts';
import { useFormat } from '../../i18n/format.ts';
import { useText } from '../../i18n/language.ts';
import { Button } from '../../ui/button.tsx';
import { useCarrierName } from '../../ui/carrier-name.tsx';
import { FILTERS, type FilterName, FROM_TOP, filterValue, type Reason } from './query.ts';
import css from './shipments.module.css';

/** The filters of the address in words, in their order. */
export function useFilterWords(): { name: FilterName; words: string }[] {
  const text = useText();
  const t = text.shipments;
  const format = useFormat();
  const nameOf = useCarrierName();
  const { get } = useAddress();
  const dayOf = (day: string) => (day === '' ? '…' : format.day(new Date(`${day}T00:00`)));
  const timeOf = (value: string) => {
    const days = daysOf(value);
    if (days) return `${dayOf(days.first)} – ${dayOf(days.last)}`;
    return isPeriod(value) ? t.periods[value] : value;
  };
  const statuses: Partial<Record<string, string>> = { ...text.status, ...text.subStatus, active: t.active };
  const wordsOf: Readonly<Record<FilterName, (value: string) => string>> = {
    q: (value) => `“${value.trim()}”`,
    status: (value) => statuses[value] ?? value,
    carrier: nameOf,
    needs_attention: (value) => (value === 'true' ? t.anyReason : text.attention[value as Reason]),
    created: (value) => `${t.created}: ${timeOf(value)}`,
    updated: (value) => `${t.updated}: ${timeOf(value)}`,
  };
  return FILTERS.flatMap((name) => {
    const value = filterValue(get, name);
    return value === null || value === '..' ? [] : { name, words: wordsOf[name](value) };
  });
}

/** Each filter as a button that removes it. */
export function Chips() {
  const t = useText().shipments;
  const address = useAddress();
  const chips = useFilterWords();
  if (chips.length === 0) return null;
  return (
    <ul className={css.chips} aria-label={t.filters}>
      {chips.map(({ name, words }) => (
        <li key={name}>
          <button type="button" className={css.chip} onClick={() => address.set({ [name]: null, ...FROM_TOP })}>
            {words}
            <span aria-hidden="true">×</span>
            <span className="unseen"> {t.remove}</span>
          </button>
        </li>
      ))}
      <li>
        <Button look="quiet" onClick={() => address.set(NO_FILTERS)}>
          {t.clear}
        </Button>
      </li>
    </ul>
  );
}

export const NO_FILTERS = { ...Object.fromEntries(FILTERS.map((name) => [name, null])), ...FROM_TOP };
