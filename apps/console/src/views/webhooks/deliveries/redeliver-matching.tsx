import {
  type BulkAction,
  type BulkDeliveryFilter,
  useCancelBulkAction,
  useCountRedelivery,
  useRunningBulkAction,
  useStartRedelivery,
} from '../../../data/bulk-actions.ts';
import { type DeliveryFilter, useWebhooks } from '../../../data/webhooks.ts';
import { useFormat } from '../../../i18n/format.ts';
import { useText } from '../../../i18n/language.ts';
import { Button } from '../../../ui/button.tsx';
import { Problem } from '../../../ui/states.tsx';
import { toast } from '../../../ui/toast.tsx';
import { useToastFailure } from '../../../ui/toast-failure.ts';
import { Confirm } from '../confirm.tsx';
import css from '../webhooks.module.css';

/**
 * Sends everything again whose last attempt matches the filter of the log, which unless it says otherwise failed: counted first, so
 * it is keyed by the filter.
 */
export function RedeliverMatching({ filter }: { filter: DeliveryFilter }) {
  const { webhooks: t, shipments } = useText();
  const format = useFormat();
  const toastFailure = useToastFailure();
  const count = useCountRedelivery();
  const start = useStartRedelivery();
  const { data: webhooks } = useWebhooks();
  const wanted = bulkFilter(filter);
  const isDelivered = wanted.outcome === 'delivered';
  const url = webhooks?.find(({ id }) => id === filter.webhook_id)?.url;
  const ask = () =>
    count.mutate(wanted, {
      onSuccess: ({ matched }) => matched === 0 && toast(isDelivered ? t.noneAccepted : t.noneFailed),
      onError: toastFailure,
    });
  const counted = count.data;
  const matched = format.number(counted?.matched ?? 0);
  return (
    <>
      <Button look="quiet" onClick={ask} busy={count.isPending}>
        {isDelivered ? t.redeliverAccepted : t.redeliverFailed}
      </Button>
      {start.error && counted === undefined && <Problem error={start.error} />}
      {counted !== undefined && counted.matched > 0 && (
        <Confirm
          title={t.redeliverSure(counted.matched_is_lower_bound ? shipments.orMore(matched) : matched)}
          action={t.redeliver}
          isRunning={start.isPending}
          error={start.error}
          onConfirm={() => start.mutate(wanted, { onSuccess: count.reset })}
          onClose={count.reset}
        >
          <p>{isDelivered ? t.redeliverAcceptedWhat : t.redeliverWhat}</p>
          <p className={css.break}>{filter.webhook_id === undefined ? t.toAll : url}</p>
        </Confirm>
      )}
    </>
  );
}

/** The progress of what is being sent again: the service continues it when this page is closed. */
export function RedeliveryBar() {
  const { selection: t, shipments } = useText();
  const format = useFormat();
  const toastFailure = useToastFailure();
  const cancel = useCancelBulkAction();
  const running = useRunningBulkAction((ended) => toast(summaryOf(ended)), 'messages');
  const summaryOf = ({ action, state, done, skipped, failed }: BulkAction) =>
    t.ended(t.verbs[action], state === 'cancelled', format.number(done), skipped, failed);
  if (running === null) return null;
  const handled = running.done + running.skipped + running.failed;
  const matched = format.number(running.matched);
  const total = running.matched_is_lower_bound ? shipments.orMore(matched) : matched;
  return (
    <div className={css.tools}>
      <progress max={Math.max(running.matched, handled, 1)} value={handled} aria-label={t.progress} />
      <span>{t.underWay(t.verbs.redeliver, format.number(handled), total)}</span>
      <Button onClick={() => cancel.mutate(running.id, { onError: toastFailure })} busy={cancel.isPending}>
        {t.halt}
      </Button>
    </div>
  );
}

/** The filter of the log as that of a redelivery, which has only texts. */
function bulkFilter({
  webhook_id,
  event,
  message_id,
  tracking_id,
  status_code,
  since,
  until,
  outcome,
}: DeliveryFilter): BulkDeliveryFilter {
  const given = { webhook_id, event, message_id, tracking_id, status_code: status_code?.toString(), since, until };
  const entries = Object.entries(given).filter(([, value]) => value !== undefined);
  return { ...Object.fromEntries(entries), outcome: outcome ?? 'failed' };
}
