import type { Webhook } from '../../data/webhooks.ts';
import { useFormat } from '../../i18n/format.ts';
import { useText } from '../../i18n/language.ts';
import { Pill } from '../../ui/pill.tsx';
import { Time, useNow } from '../../ui/time.tsx';
import { Said } from '../../ui/words/said.tsx';
import { usePending } from './pending-text.ts';
import css from './webhooks.module.css';

const TONES = { healthy: 'green', failing: 'red', disabled: 'grey' } as const;

/** An endpoint's health in words. */
export function Health({ webhook }: { webhook: Webhook }) {
  const t = useText().webhooks;
  const pending = usePending(webhook);
  return (
    <span className={css.health}>
      <Pill tone={TONES[webhook.status]}>{t.states[webhook.status]}</Pill>
      {webhook.status === 'healthy' && <Recent webhook={webhook} />}
      {webhook.status === 'failing' && <Failure webhook={webhook} />}
      {webhook.status === 'disabled' && <Disabled webhook={webhook} />}
      {pending !== null && <span>{t.pending(pending)}</span>}
      {webhook.status === 'failing' && <NextTry webhook={webhook} />}
    </span>
  );
}

/** How long half of the newest attempts took. */
function Recent({ webhook: { recent } }: { webhook: Webhook }) {
  const t = useText().webhooks;
  const format = useFormat();
  if (recent.attempts === 0) return <span className={css.muted}>{t.noneYet}</span>;
  return recent.median_ms === null ? null : <span>{t.median(format.duration(recent.median_ms))}</span>;
}

function Failure({ webhook: { failing_since: since, recent } }: { webhook: Webhook }) {
  const t = useText().webhooks;
  const format = useFormat();
  const now = useNow();
  const code = recent.last_status_code;
  return (
    <>
      {since && (
        <time dateTime={since} title={format.full(new Date(since))}>
          {t.lasting(format.lasting(now - new Date(since).getTime()))}
        </time>
      )}
      {code !== null && <span>{code === 0 ? t.noAnswerLast : t.lastAnswer(String(code))}</span>}
    </>
  );
}

function Disabled({ webhook: { disabled_at: at, disabled_reason: reason } }: { webhook: Webhook }) {
  return (
    <span>
      {at && <Time at={at} />} {reason && <Said message={reason} />}
    </span>
  );
}

/** When the next pending push is tried, and whether the receiver asked for the wait. */
function NextTry({ webhook: { next_attempt_at: next, retry_after } }: { webhook: Webhook }) {
  const t = useText().webhooks;
  const format = useFormat();
  const now = useNow();
  if (next === null) return null;
  const at = new Date(next);
  const wait = at.getTime() - now;
  return (
    <span>
      <time dateTime={next} title={format.full(at)}>
        {wait < 1000 ? t.nextNow : t.nextIn(format.countdown(wait))}
      </time>
      {retry_after && ` (${t.asAsked})`}
    </span>
  );
}
