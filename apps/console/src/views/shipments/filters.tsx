import type { Shipment } from '@pts/client/types';
import { useAddress } from '../../behaviour/address.ts';
import { useText } from '../../i18n/language.ts';
import css from './shipments.module.css';

type Filter = Shipment['status'] | Shipment['sub_status'];

/** The states in the order of a parcel's life. The overall ones come first in each group. */
const GROUPS = [
  { status: '查询中', subStatuses: ['pending', 'info_received', 'in_transit'] },
  { status: '派送中', subStatuses: ['out_for_delivery', 'available_for_pickup'] },
  { status: '已签收', subStatuses: [] },
  { status: '异常', subStatuses: ['exception', 'undeliverable', 'returned'] },
] as const satisfies readonly { status: Shipment['status']; subStatuses: readonly Shipment['sub_status'][] }[];

const KNOWN: readonly string[] = [...GROUPS.flatMap(({ status, subStatuses }) => [status, ...subStatuses]), 'expired'];

/** The state that the address filters by. */
export function useStatusFilter(): Filter | null {
  const value = useAddress().get('status');
  return value !== null && KNOWN.includes(value) ? (value as Filter) : null;
}

/** The words for a filter. */
export function useFilterLabel(): (filter: Filter) => string {
  const t = useText();
  return (filter) =>
    filter in t.status ? t.status[filter as Shipment['status']] : t.subStatus[filter as Shipment['sub_status']];
}

export function Filters() {
  const t = useText();
  const labelOf = useFilterLabel();
  const address = useAddress();
  const chosen = useStatusFilter();
  return (
    <label className={css.filter}>
      <span className={css.muted}>{t.shipments.status}</span>
      <select
        className={css.select}
        value={chosen ?? ''}
        onChange={(event) => address.set({ status: event.target.value || null })}
      >
        <option value="">{t.shipments.all}</option>
        {GROUPS.map(({ status, subStatuses }) => (
          <optgroup key={status} label={t.status[status]}>
            <option value={status}>{labelOf(status)}</option>
            {subStatuses.map((subStatus) => (
              <option key={subStatus} value={subStatus}>
                {labelOf(subStatus)}
              </option>
            ))}
          </optgroup>
        ))}
        <option value="expired">{labelOf('expired')}</option>
      </select>
    </label>
  );
}
