import { type BulkAction, useCancelBulkAction, useRunningBulkAction } from '../../data/bulk-actions.ts';
import { useFormat } from '../../i18n/format.ts';
import { useText } from '../../i18n/language.ts';
import { Button } from '../../ui/button.tsx';
import { toast } from '../../ui/toast.tsx';
import { useToastFailure } from '../../ui/toast-failure.ts';
import css from './shipments.module.css';

/** What is being done to all parcels that match a filter: the service continues it when this page is closed. */
export function BulkBar() {
  const { selection: t, shipments } = useText();
  const format = useFormat();
  const toastFailure = useToastFailure();
  const cancel = useCancelBulkAction();
  const running = useRunningBulkAction((ended) => toast(summaryOf(ended)));
  const summaryOf = ({ action, state, done, skipped, failed }: BulkAction) =>
    t.ended(t.verbs[action], state === 'cancelled', format.number(done), skipped, failed);
  if (running === null) return null;
  const { id, action, done, skipped, failed, matched, matched_is_lower_bound: isLowerBound } = running;
  const handled = done + skipped + failed;
  const total = format.number(matched);
  return (
    <div className={css.selection}>
      <progress max={Math.max(matched, handled, 1)} value={handled} aria-label={t.progress} />
      <span>{t.underWay(t.verbs[action], format.number(handled), isLowerBound ? shipments.orMore(total) : total)}</span>
      <Button onClick={() => cancel.mutate(id, { onError: toastFailure })} busy={cancel.isPending}>
        {t.halt}
      </Button>
    </div>
  );
}
