import type { Webhook } from '../../data/webhooks.ts';
import { useFormat } from '../../i18n/format.ts';
import { useText } from '../../i18n/language.ts';
import { Pill } from '../../ui/pill.tsx';
import { Time, useNow } from '../../ui/time.tsx';
import { usePending } from './pending-text.ts';
import css from './webhooks.module.css';

const TONES = { healthy: 'green', failing: 'red', disabled: 'grey' } as const;

/** An endpoint's health in words. */
export function Health({ webhook }: { webhook: Webhook }) {
  const t = useText().webhooks;
  const format = useFormat();
  const now = useNow();
  const { status, failing_since, disabled_at, disabled_reason, retry_after } = webhook;
  const pending = usePending(webhook);
  return (
    <span className={css.health}>
      <Pill tone={TONES[status]}>{t.states[status]}</Pill>
      {status === 'failing' && failing_since && <span>{t.since(format.brief(new Date(failing_since), now))}</span>}
      {status === 'disabled' && (
        <span>
          {disabled_at && <Time at={disabled_at} />} {disabled_reason && <span lang="en">{disabled_reason}</span>}
        </span>
      )}
      {pending !== null && <span>{t.pending(pending)}</span>}
      {retry_after && <span>{t.retryAfter(format.brief(new Date(retry_after), now))}</span>}
    </span>
  );
}
