import { type Estimate, isLate } from '../../behaviour/estimate.ts';
import { useFormat } from '../../i18n/format.ts';
import { useText } from '../../i18n/language.ts';
import { useNow } from '../../ui/time.tsx';
import css from './shipments.module.css';

/** When a parcel is expected: the carrier's date, or our estimate, marked as such. */
export function Expected({ estimate }: { estimate: Estimate }) {
  const text = useText();
  const t = text.shipments;
  const format = useFormat();
  const now = useNow();
  const isOverdue = isLate(estimate, now);
  const when = isOverdue ? format.date(estimate.to) : format.expectedShort(estimate, now);
  const source = estimate.source === 'carrier' ? text.shipment.byCarrier : text.shipment.byHistory;
  const sentence = isOverdue ? text.shipment.wasExpected : text.shipment.expected;
  const words = isOverdue ? t.late(when) : estimate.source === 'carrier' ? when : t.estimated(when);
  return (
    <span
      className={`${css.cell} ${css.expected} ${isOverdue ? css.late : ''}`}
      title={sentence(format.expected(estimate, now), source)}
    >
      <span className="unseen">{t.expected} </span>
      {words}
    </span>
  );
}
