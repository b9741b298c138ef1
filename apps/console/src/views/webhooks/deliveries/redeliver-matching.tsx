import { type BulkDeliveryFilter, useDryRun } from '../../../data/bulk-actions.ts';
import { type DeliveryFilter, useWebhooks } from '../../../data/webhooks.ts';
import { useText } from '../../../i18n/language.ts';
import { Button } from '../../../ui/button.tsx';
import { toast } from '../../../ui/toast.tsx';
import { useToastFailure } from '../../../ui/toast-failure.ts';
import { BulkQuestion } from '../../bulk.tsx';
import css from '../webhooks.module.css';

/**
 * Sends everything again whose last attempt matches the filter of the log, which unless it says otherwise failed: counted first, so
 * it is keyed by the filter.
 */
export function RedeliverMatching({ filter }: { filter: DeliveryFilter }) {
  const { webhooks: t } = useText();
  const toastFailure = useToastFailure();
  const { data: webhooks } = useWebhooks();
  const wanted = bulkFilter(filter);
  const isDelivered = wanted.outcome === 'delivered';
  const dryRun = useDryRun(() => toast(isDelivered ? t.noneAccepted : t.noneFailed));
  const url = webhooks?.find(({ id }) => id === filter.webhook_id)?.url;
  return (
    <>
      <Button
        look="quiet"
        onClick={() => dryRun.ask({ messages: wanted }, { onError: toastFailure })}
        busy={dryRun.isAsking}
      >
        {isDelivered ? t.redeliverAccepted : t.redeliverFailed}
      </Button>
      <BulkQuestion dryRun={dryRun} action="redeliver" title={t.redeliverSure}>
        <p>{isDelivered ? t.redeliverAcceptedWhat : t.redeliverWhat}</p>
        <p className={css.break}>{filter.webhook_id === undefined ? t.toAll : url}</p>
      </BulkQuestion>
    </>
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
