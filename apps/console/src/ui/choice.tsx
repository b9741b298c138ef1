import { useId } from 'react';
import css from './choice.module.css';

type Option = { value: string; label: string; lang?: string };

/** One of a few values, all of them in sight: radio buttons side by side. */
export function Choice({
  label,
  options,
  value,
  onChange,
}: {
  label: string;
  options: readonly Option[];
  value: string;
  onChange(value: string): void;
}) {
  const name = useId();
  return (
    <fieldset className={css.choice}>
      <legend className={css.legend}>{label}</legend>
      <div className={css.options}>
        {options.map((option) => (
          <label key={option.value} className={css.option} lang={option.lang}>
            <input
              type="radio"
              name={name}
              className={css.radio}
              checked={option.value === value}
              onChange={() => onChange(option.value)}
            />
            {option.label}
          </label>
        ))}
      </div>
    </fieldset>
  );
}
