import { useFormat } from '../../i18n/format.ts';
import { useText } from '../../i18n/language.ts';
import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/field.tsx';
import { sheet } from '../../ui/page.tsx';
import { Problem } from '../../ui/states.tsx';
import { Said } from '../../ui/words/said.tsx';
import { ColumnTable } from './column-table.tsx';
import css from './imports.module.css';
import type { Preparation } from './use-preparation.ts';
import { Verdict } from './verdict.tsx';

type PrepareProps = { file: File; preparation: Preparation; onRun(): void };

/** The columns of a file, and what its import would do. */
export function Prepare({ file, preparation, onRun }: PrepareProps) {
  const t = useText().imports;
  const format = useFormat();
  const { columns, sample, examined, error, isExamining, isChanged } = preparation;
  const hasNumbers = columns.some(({ field }) => field === 'tracking_number');
  const isReady = examined?.state === 'done' && !isChanged;
  return (
    <div className={css.prepare}>
      <div className={css.file}>
        <strong className={css.name}>{file.name}</strong>
        <span className={css.muted}>{format.bytes(file.size)}</span>
        <Button look="quiet" onClick={preparation.drop}>
          {t.another}
        </Button>
      </div>
      {columns.length > 0 && (
        <div className={sheet}>
          <ColumnTable columns={columns} sample={sample} onChange={preparation.choose} />
        </div>
      )}
      {error !== null && !isChanged && <Problem error={error} />}
      {examined?.state === 'failed' && !isChanged && (
        <p className={css.notice} role="alert">
          <Said message={examined.error ?? ''} />
        </p>
      )}
      {examined?.state === 'failed' && columns.length === 0 && <NameColumn onName={preparation.examine} />}
      {isChanged && !hasNumbers && <p className={css.muted}>{t.noNumbers}</p>}
      {!isChanged && examined && examined.state !== 'failed' && <Verdict examined={examined} />}
      {isExamining && !examined && (
        <p role="status" className={css.muted}>
          {t.uploading}
        </p>
      )}
      <div className={css.actions}>
        {isChanged || error !== null ? (
          <Button
            look="primary"
            onClick={() => preparation.examine()}
            disabled={isChanged && !hasNumbers}
            busy={isExamining}
          >
            {t.again}
          </Button>
        ) : (
          <Button look="primary" onClick={onRun} disabled={!isReady} busy={preparation.isStarting}>
            {isReady ? t.run(examined.rows.read - examined.rows.rejected) : t.runLater}
          </Button>
        )}
      </div>
    </div>
  );
}

/** Of a workbook whose headers say nothing: only the service has read it. */
function NameColumn({ onName }: { onName(column: string): void }) {
  const t = useText().imports;
  return (
    <form
      className={css.actions}
      onSubmit={(event) => {
        event.preventDefault();
        const column = String(new FormData(event.currentTarget).get('column') ?? '').trim();
        if (column !== '') onName(column);
      }}
    >
      <Field label={t.nameColumn} hint={t.nameColumnHint}>
        {(control) => <input {...control} name="column" maxLength={200} />}
      </Field>
      <Button type="submit">{t.again}</Button>
    </form>
  );
}
