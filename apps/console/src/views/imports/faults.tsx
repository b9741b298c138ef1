import { useState } from 'react';
import { saveFile } from '../../behaviour/save-file.ts';
import type { Field, Import } from '../../data/imports.ts';
import { useFormat } from '../../i18n/format.ts';
import { useText } from '../../i18n/language.ts';
import { useClient } from '../../session/client.tsx';
import { Button } from '../../ui/button.tsx';
import { sheet } from '../../ui/page.tsx';
import { Problem } from '../../ui/states.tsx';
import { Said } from '../../ui/words/said.tsx';
import css from './imports.module.css';

/** What is wrong with rejected rows, by what repairs it; and the rows themselves as a file. */
export function Faults({ of: { id, file_name, faults, rows } }: { of: Import }) {
  const t = useText().imports;
  const format = useFormat();
  if (rows.rejected === 0) return null;
  return (
    <>
      <ul className={sheet}>
        {faults
          .toSorted((a, b) => b.rows - a.rows)
          .map(({ field, code = '', message, rows: count, sample_rows }) => (
            <li key={`${field} ${message}`} className={css.fault}>
              <strong className={css.faultRows}>{t.rows(count)}</strong>
              <span>
                {field !== null && <span>{t.fields[field as Field] ?? field}: </span>}
                <Said about="imports" kind={code} message={message} />
              </span>
              <span className={css.muted}>
                {t.lines(sample_rows.map(format.number).join(', '), count > sample_rows.length)}
              </span>
            </li>
          ))}
      </ul>
      <Rejected id={id} fileName={file_name} />
    </>
  );
}

/** The rejected rows with their reasons: to correct and to upload again. */
function Rejected({ id, fileName }: { id: string; fileName: string | null }) {
  const t = useText().imports;
  const client = useClient();
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const save = async () => {
    setBusy(true);
    setError(null);
    const stem = (fileName ?? 'import').replace(/\.\w{1,8}$/, '');
    await saveFile(`${stem}-rejected.csv`, client.imports.rejected(id)).catch(setError);
    setBusy(false);
  };
  return (
    <div className={css.actions}>
      <Button onClick={save} busy={isBusy}>
        {t.download}
      </Button>
      <span className={css.muted}>{t.downloadWhat}</span>
      {error !== null && <Problem error={error} />}
    </div>
  );
}
