import { type InputHTMLAttributes, type ReactNode, useId, useState } from 'react';
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

type SelectProps = {
  label: string;
  value: string;
  onChange(value: string): void;
  className?: string | undefined;
  children: ReactNode;
};

/** A choice in a line. */
export function Select({ label, value, onChange, className = '', children }: SelectProps) {
  return (
    <Filter label={label}>
      {(control) => (
        <select
          id={control.id}
          className={`${control.className} ${className}`}
          value={value}
          onChange={({ target }) => onChange(target.value)}
        >
          {children}
        </select>
      )}
    </Filter>
  );
}

/** While a year is typed, its first digits are years of their own: 0002, 0020, 0202. */
const FIRST_YEAR = '2000';

type TimeInputProps = Omit<InputHTMLAttributes<HTMLInputElement>, 'onChange'> & {
  value: string;
  onChange(value: string): void;
};

/** A day, or a day and its time, which is passed on once its year is complete. */
export function TimeInput({ value, onChange, ...more }: TimeInputProps) {
  const [typed, setTyped] = useState<string | null>(null);
  return (
    <input
      {...more}
      value={typed ?? value}
      onChange={({ target }) => {
        setTyped(target.value);
        if (target.value === '' || target.value >= FIRST_YEAR) onChange(target.value);
      }}
      onBlur={() => setTyped(null)}
    />
  );
}
