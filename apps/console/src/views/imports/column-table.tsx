import type { Field } from '../../data/imports.ts';
import { useText } from '../../i18n/language.ts';
import { type Column, FIELDS, samplesOf, withField } from './import-columns.ts';
import css from './imports.module.css';
import type { Sample } from './sample.ts';

type ColumnTableProps = {
  columns: readonly Column[];
  sample: Sample | null;
  onChange(columns: readonly Column[]): void;
};

/** Each column of the file with what its first rows have in it, and what it is read as. */
export function ColumnTable({ columns, sample, onChange }: ColumnTableProps) {
  const t = useText().imports;
  return (
    <div className={css.scroll}>
      <table className={css.columns}>
        <thead>
          <tr>
            <th scope="col">{t.column}</th>
            {sample && <th scope="col">{t.samples}</th>}
            <th scope="col">{t.readAs}</th>
          </tr>
        </thead>
        <tbody>
          {columns.map((column, place) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: headers may be alike; the place is what tells columns apart
            <tr key={place}>
              <th scope="row" className={css.header}>
                {column.header || t.nameless(place + 1)}
              </th>
              {sample && (
                <td className={css.samples}>
                  {samplesOf(sample, columns, place).map((value, at) => (
                    // biome-ignore lint/suspicious/noArrayIndexKey: values may be alike
                    <span key={at}>{value}</span>
                  ))}
                </td>
              )}
              <td>
                <select
                  className={css.select}
                  aria-label={`${t.readAs}: ${column.header || t.nameless(place + 1)}`}
                  value={column.field ?? ''}
                  onChange={({ target }) =>
                    onChange(withField(columns, place, target.value === '' ? null : (target.value as Field)))
                  }
                >
                  <option value="">{t.ignored}</option>
                  {FIELDS.map((field) => (
                    <option key={field} value={field}>
                      {t.fields[field]}
                    </option>
                  ))}
                </select>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
