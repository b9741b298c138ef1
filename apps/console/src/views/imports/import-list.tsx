import { Link } from 'wouter';
import { moveRow, useHotkeys } from '../../behaviour/hotkeys.ts';
import { type Import, useImports } from '../../data/imports.ts';
import { isOver } from '../../data/is-over.ts';
import { useFormat } from '../../i18n/format.ts';
import { useText } from '../../i18n/language.ts';
import { sheet } from '../../ui/page.tsx';
import { Pill } from '../../ui/pill.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { ErrorState } from '../../ui/states.tsx';
import { Time } from '../../ui/time.tsx';
import css from './imports.module.css';

export const TONES = { queued: 'grey', running: 'blue', done: 'green', failed: 'red', cancelled: 'grey' } as const;

/** The last imports, without dry runs. */
export function ImportList() {
  const t = useText().imports;
  const { data, error, isPending, refetch } = useImports();
  const imports = data?.filter((one) => !one.dry_run);
  useHotkeys({ j: () => moveRow(1), k: () => moveRow(-1) });
  return (
    <div className={sheet}>
      {isPending && <Skeleton label={t.loading} rows={3} />}
      {error && !data && <ErrorState error={error} retry={refetch} />}
      {imports?.length === 0 && <p className={css.none}>{t.none}</p>}
      <ul>
        {imports?.map((one) => (
          <ImportRow key={one.id} one={one} />
        ))}
      </ul>
    </div>
  );
}

function ImportRow({ one }: { one: Import }) {
  const t = useText().imports;
  const format = useFormat();
  const { id, state, file_name, rows, progress, created_at } = one;
  return (
    <li className={css.row}>
      <Pill tone={TONES[state]}>{t.states[state]}</Pill>
      <Link href={`/imports/${id}`} className={css.link} data-row="">
        {file_name ?? t.unnamed}
      </Link>
      {isOver(one) ? (
        <span className={css.muted}>
          {t.summary(format.number(rows.registered), format.number(rows.known + rows.updated))}
          {rows.rejected > 0 && <span className={css.wrong}> {t.summaryRejected(format.number(rows.rejected))}</span>}
        </span>
      ) : (
        <span className={css.muted}>{format.percent(progress / 100)}</span>
      )}
      <span className={css.when}>
        <Time at={created_at} />
      </span>
    </li>
  );
}
