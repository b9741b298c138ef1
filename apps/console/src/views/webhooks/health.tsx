import { Link } from 'wouter';
import type { Webhook } from '../../data/webhooks.ts';
import { useFormat } from '../../i18n/format.ts';
import { useText } from '../../i18n/language.ts';
import { Pill } from '../../ui/pill.tsx';
import { Time, useNow } from '../../ui/time.tsx';
import css from './webhooks.module.css';

const TONES = { healthy: 'green', failing: 'red', disabled: 'grey' } as const;

/** An endpoint's health in words. */
export function Health({ webhook }: { webhook: Webhook }) {
  const t = useText().webhooks;
  const pending = usePending(webhook);
  const isUntried = webhook.status === 'healthy' && webhook.recent.attempts === 0;
  return (
    <span className={css.health}>
      <Pill tone={isUntried ? 'grey' : TONES[webhook.status]}>
        {isUntried ? t.unverified : t.states[webhook.status]}
      </Pill>
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
  if (recent.attempts === 0) return <span className="muted">{t.noneYet}</span>;
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
      {at && <Time at={at} />} {reason}
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

type Hour = Webhook['hours'][number];

/** In units of the drawing: a cell with the gap after it, and its height. */
const STEP = 10;
const WIDTH = 8;
const HEIGHT = 24;
/** Least height of the failed part: it can be seen, and has room for its cross. */
const LEAST = 8;
const GAP = 2;

/**
 * The attempts of the last 24 hours: a cell per hour, and how many failed in words. What failed is crossed out, above
 * what was accepted.
 */
export function Hours({ webhook: { id, hours } }: { webhook: Webhook }) {
  const t = useText().webhooks;
  const format = useFormat();
  const failed = hours.reduce((sum, hour) => sum + hour.failed, 0);
  const attempts = hours.reduce((sum, hour) => sum + hour.accepted, failed);
  const filteredOut = hours.reduce((sum, hour) => sum + (hour.filtered_out ?? 0), 0);
  const clock = ({ start }: Hour) => format.clock(new Date(start));
  const words = (hour: Hour) => t.hour(clock(hour), format.number(hour.accepted), format.number(hour.failed));
  const troubled = hours.filter((hour) => hour.failed > 0).map(words);
  return (
    <span className={css.hours}>
      {attempts > 0 && (
        <svg
          viewBox={`0 0 ${hours.length * STEP} ${HEIGHT}`}
          preserveAspectRatio="none"
          className={css.cells}
          role="img"
          aria-label={[t.hours, ...(troubled.length > 0 ? troubled : [t.noneFailedInHours])].join(' ')}
        >
          {hours.map((hour, at) => (
            <g key={hour.start} transform={`translate(${at * STEP} 0)`}>
              <title>{words(hour)}</title>
              <Cell hour={hour} />
            </g>
          ))}
        </svg>
      )}
      {failed === 0 ? (
        <span className="muted">{attempts === 0 ? t.noneInHours : t.failedInHours(format.percent(0), attempts)}</span>
      ) : (
        <Link href={`/webhooks/${id}?outcome=failed&since=${hours[0]?.start ?? ''}`} className={css.failures}>
          {t.failedInHours(format.percent(failed / attempts), attempts)}
        </Link>
      )}
      {filteredOut > 0 && <span className="muted">{t.filteredInHours(filteredOut)}</span>}
    </span>
  );
}

function Cell({ hour: { accepted, failed } }: { hour: Hour }) {
  if (accepted + failed === 0) return <rect y={HEIGHT - GAP} width={WIDTH} height={GAP} className={css.idle} />;
  if (failed === 0) return <rect width={WIDTH} height={HEIGHT} className={css.accepted} />;
  const share = failed / (accepted + failed);
  const height = accepted === 0 ? HEIGHT : Math.min(HEIGHT - LEAST, Math.max(LEAST, share * HEIGHT));
  const middle = height / 2;
  return (
    <>
      <rect width={WIDTH} height={height} className={css.failed} />
      <path d={`M2 ${middle - 2}l4 4m0-4l-4 4`} className={css.cross} />
      {accepted > 0 && <rect y={height + GAP} width={WIDTH} height={HEIGHT - height - GAP} className={css.accepted} />}
    </>
  );
}

/** The service counts up to this many. */
const MAX_COUNTED = 1000;

/** How many pushes to an endpoint are pending: `17`, `1,000+`; null: none. */
export function usePending({ pending }: Webhook): string | null {
  const format = useFormat();
  if (pending === 0) return null;
  return pending >= MAX_COUNTED ? `${format.number(MAX_COUNTED)}+` : format.number(pending);
}
