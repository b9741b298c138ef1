import type { Webhook } from '../../data/webhooks.ts';
import { useFormat } from '../../i18n/format.ts';

/** The service counts up to this many. */
const MAX_COUNTED = 1000;

/** How many pushes to an endpoint are pending: `17`, `1,000+`; null: none. */
export function usePending({ pending }: Webhook): string | null {
  const format = useFormat();
  if (pending === 0) return null;
  return pending >= MAX_COUNTED ? `${format.number(MAX_COUNTED)}+` : format.number(pending);
}
