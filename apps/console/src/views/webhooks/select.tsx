import { type ReactNode, useId } from 'react';
import css from './webhooks.module.css';

type SelectProps = { label: string; value: string; onChange(value: string): void; children: ReactNode };

/** A choice in a line, with its label before it. */
export function Select({ label, value, onChange, children }: SelectProps) {
  const id = useId();
  return (
    <span className={css.filter}>
      <label htmlFor={id} className={css.muted}>
        {label}
      </label>
      <select id={id} className={css.select} value={value} onChange={({ target }) => onChange(target.value)}>
        {children}
      </select>
    </span>
  );
}
