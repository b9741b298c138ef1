import { type ReactNode, useId } from 'react';
import css from './filters.module.css';

type Control = { id: string; className: string | undefined };

/** A control in a line, with its label before it. */
export function Filter({ label, children }: { label: string; children: (control: Control) => ReactNode }) {
  const id = useId();
  return (
    <span className={css.filter}>
      <label htmlFor={id} className={css.label}>
        {label}
      </label>
      {children({ id, className: css.control })}
    </span>
  );
}

type SelectProps = { label: string; value: string; onChange(value: string): void; children: ReactNode };

/** A choice in a line. */
export function Select({ label, value, onChange, children }: SelectProps) {
  return (
    <Filter label={label}>
      {(control) => (
        <select {...control} value={value} onChange={({ target }) => onChange(target.value)}>
          {children}
        </select>
      )}
    </Filter>
  );
}
