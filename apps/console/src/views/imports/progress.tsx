import type { Import } from '../../data/imports.ts';
import { useFormat } from '../../i18n/format.ts';
import { useText } from '../../i18n/language.ts';
import css from './imports.module.css';

/** How far it is, how fast, and for how long. */
export function Progress({ of: { state, rows, rows_per_second: rate } }: { of: Import }) {
  const t = useText().imports;
  const format = useFormat();
  if (state === 'queued')
    return (
      <p role="status" className={css.muted}>
        {t.queued}
      </p>
    );
  const { read, total } = rows;
  const secondsLeft = total !== null && rate ? Math.ceil((total - read) / rate) : null;
  const now = Date.now();
  return (
    <div className={css.progress}>
      <progress max={total ?? 1} value={total === null ? 0 : read} aria-label={t.progress} />
      <p className={css.numbers}>
        <span>{t.done(format.number(read), total === null ? '…' : format.number(total))}</span>
        {rate !== null && <span className={css.muted}>{t.rate(format.number(Math.round(rate)))}</span>}
        {secondsLeft !== null && secondsLeft > 0 && (
          <span className={css.muted}>{t.timeLeft(format.relative(new Date(now + secondsLeft * 1000), now))}</span>
        )}
      </p>
    </div>
  );
}
