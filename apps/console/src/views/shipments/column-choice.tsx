import { useAddress } from '../../behaviour/address.ts';
import { useText } from '../../i18n/language.ts';
import { Check } from '../../ui/field.tsx';
import { COLUMNS, columnsOf, columnsText } from './columns.ts';
import css from './shipments.module.css';

/** Which columns the list has, beside status and number. */
export function ColumnChoice() {
  const t = useText().shipments;
  const address = useAddress();
  const { shown } = columnsOf(address.get('cols'));
  return (
    <fieldset className={css.columns}>
      <legend className={css.muted}>{t.columns}</legend>
      {COLUMNS.map((column) => (
        <Check
          key={column}
          label={t.columnNames[column]}
          checked={shown.includes(column)}
          onChange={(on) => {
            const chosen = on ? [...shown, column] : shown.filter((one) => one !== column);
            address.set({ cols: columnsText(chosen) }, { replace: true });
          }}
        />
      ))}
    </fieldset>
  );
}
