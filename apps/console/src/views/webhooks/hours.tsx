import { Link } from 'wouter';
import type { Webhook } from '../../data/webhooks.ts';
import { useFormat } from '../../i18n/format.ts';
import { useText } from '../../i18n/language.ts';
import css from './webhooks.module.css';

type Hour = Webhook['hours'][number];

/** In units of the drawing: a cell with the gap after it, and its height. */
const STEP = 10;
const WIDTH = 8;
const HEIGHT = 24;
/** What failed can be seen, and has room for its cross. */
const LEAST = 8;
const GAP = 2;

/** The attempts of the last 24 hours: a cell per hour, and how many failed in words. What failed is crossed out, above what was accepted. */
export function Hours({ webhook: { id, hours } }: { webhook: Webhook }) {
  const t = useText().webhooks;
  const format = useFormat();
  const failed = hours.reduce((sum, hour) => sum + hour.failed, 0);
  const attempts = hours.reduce((sum, hour) => sum + hour.accepted, failed);
  const clock = ({ start }: Hour) => format.clock(new Date(start));
  const words = (hour: Hour) => t.hour(clock(hour), format.number(hour.accepted), format.number(hour.failed));
  const troubled = hours.filter((hour) => hour.failed > 0).map(words);
  return (
    <span className={css.hours}>
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
      {failed === 0 ? (
        <span className={css.muted}>
          {attempts === 0 ? t.noneInHours : t.failedInHours(format.percent(0), attempts)}
        </span>
      ) : (
        <Link href={`/webhooks/${id}?outcome=failed&since=${hours[0]?.start ?? ''}`} className={css.failures}>
          {t.failedInHours(format.percent(failed / attempts), attempts)}
        </Link>
      )}
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
