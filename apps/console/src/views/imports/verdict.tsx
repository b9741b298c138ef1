import type { Import } from '../../data/imports.ts';
import { isOver } from '../../data/is-over.ts';
import { useFormat } from '../../i18n/format.ts';
import { useText } from '../../i18n/language.ts';
import { Faults } from './faults.tsx';
import css from './imports.module.css';
import { Progress } from './progress.tsx';

/** What an import would do and cost. */
export function Verdict({ examined }: { examined: Import }) {
  const t = useText().imports;
  const add = useText().add;
  const format = useFormat();
  const { rows, units, quota_remaining: left } = examined;
  if (!isOver(examined)) return <Progress of={examined} />;
  const isShort = left !== undefined && units > left;
  return (
    <>
      <div role="status">
        <dl className={css.counts}>
          <Count label={t.wouldRegister} value={format.number(rows.registered)} />
          <Count label={t.wouldUpdate} value={format.number(rows.known + rows.updated)} />
          <Count label={t.rejected} value={format.number(rows.rejected)} isBad={rows.rejected > 0} />
          <Count label={t.cost} value={format.number(units)} isBad={isShort} />
          {left !== undefined && <Count label={t.left} value={format.number(left)} />}
        </dl>
      </div>
      {isShort && <p className={css.notice}>{t.short(format.number(units - left))}</p>}
      {rows.rejected > 0 && <p>{add.wrong(rows.rejected)}</p>}
      <Faults of={examined} />
    </>
  );
}

export function Count({ label, value, isBad = false }: { label: string; value: string; isBad?: boolean }) {
  return (
    <div>
      <dt className={css.muted}>{label}</dt>
      <dd className={`${css.figure} ${isBad ? css.bad : ''}`}>{value}</dd>
    </div>
  );
}
