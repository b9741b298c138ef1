import { type InputHTMLAttributes, useState } from 'react';

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
