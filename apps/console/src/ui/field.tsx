import { type ReactNode, useEffect, useId, useRef } from 'react';
import css from './field.module.css';

/** The properties that the control of a field needs to be announced with its label, hint and error. */
export type Control = {
  id: string;
  className: string | undefined;
  'aria-describedby': string | undefined;
  'aria-invalid': true | undefined;
};

type FieldProps = {
  label: ReactNode;
  hint?: ReactNode;
  /** The error and how to fix it. */
  error?: ReactNode;
  children: (control: Control) => ReactNode;
};

/** A control with its label above, and its hint or its error below. */
export function Field({ label, hint, error, children }: FieldProps) {
  const id = useId();
  const below = error ?? hint;
  const field = useRef<HTMLDivElement>(null);
  const isInvalid = Boolean(error);
  // The button that sent the form may be far below.
  useEffect(() => {
    if (isInvalid) field.current?.scrollIntoView({ block: 'nearest' });
  }, [isInvalid]);
  return (
    <div ref={field} className={css.field}>
      <label htmlFor={id} className={css.label}>
        {label}
      </label>
      {children({
        id,
        className: css.control,
        'aria-describedby': below ? `${id}-below` : undefined,
        'aria-invalid': isInvalid ? true : undefined,
      })}
      {below && (
        <p id={`${id}-below`} className={isInvalid ? css.error : css.hint} role={isInvalid ? 'alert' : undefined}>
          {below}
        </p>
      )}
    </div>
  );
}

/** Says what is wrong with a group of controls, such as a list. */
export function Fault({ children }: { children: ReactNode }) {
  return (
    <p className={css.error} role="alert">
      {children}
    </p>
  );
}

/** A checkbox with its words beside it. */
export function Check({
  label,
  checked,
  onChange,
}: {
  label: ReactNode;
  checked: boolean;
  onChange(on: boolean): void;
}) {
  return (
    <label className={css.check}>
      <input type="checkbox" checked={checked} onChange={(event) => onChange(event.target.checked)} />
      <span>{label}</span>
    </label>
  );
}
