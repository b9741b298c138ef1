import { type ReactNode, useId, useLayoutEffect, useRef, useState } from 'react';
import { useText } from '../i18n/language.ts';
import { Button } from './button.tsx';
import css from './dialog.module.css';
import { Field } from './field.tsx';
import { Problem } from './states.tsx';

type DialogProps = {
  title: string;
  /** Shown beside the title. */
  beside?: ReactNode;
  /** Before the button that closes it. */
  actions?: ReactNode;
  onClose(): void;
  /** A drawer slides over the right side of the page; a dialog stands in the middle. */
  as?: 'dialog' | 'drawer';
  /** Whether a press beside it leaves it open: what it shows is shown once. */
  isKept?: boolean;
  children: ReactNode;
};

const FIRST_FIELD = 'form :is(input, select, textarea)';

/**
 * A modal of the browser's own: it keeps the focus, gives it back, and closes with Esc or a press beside it. It is open
 * as long as it is rendered.
 */
export function Dialog({ title, beside, actions, onClose, as = 'dialog', isKept = false, children }: DialogProps) {
  const t = useText();
  const id = useId();
  const ref = useRef<HTMLDialogElement>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  const isPressedBeside = useRef(false);
  useLayoutEffect(() => {
    const dialog = ref.current;
    dialog?.showModal();
    // Focus the first field, or else the title, which says what has opened.
    (dialog?.querySelector<HTMLElement>(FIRST_FIELD) ?? heading.current)?.focus();
    return () => dialog?.close();
  }, []);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Esc closes it, as its cancel event
    <dialog
      ref={ref}
      className={`${css.modal} ${css[as]}`}
      aria-labelledby={id}
      onCancel={(event) => {
        // Not cancel events of controls inside, such as a file input.
        if (event.target !== ref.current) return;
        event.preventDefault();
        onClose();
      }}
      onPointerDown={(event) => {
        isPressedBeside.current = event.target === ref.current;
      }}
      onClick={(event) => {
        // Not the end of a selection that began inside.
        if (event.target === ref.current && isPressedBeside.current && !isKept) onClose();
      }}
    >
      <div className={css.content}>
        <header className={css.head}>
          <div className={css.name}>
            <h2 id={id} ref={heading} tabIndex={-1} className={css.title}>
              {title}
            </h2>
            {beside}
          </div>
          <span className={css.ends}>
            {actions}
            <Button look="quiet" onClick={onClose}>
              {t.close}
            </Button>
          </span>
        </header>
        {children}
      </div>
    </dialog>
  );
}

type ConfirmProps = {
  /** The question. */
  title: string;
  /** The effect of the action, with its count. */
  children: ReactNode;
  action: string;
  look?: 'primary' | 'danger';
  /** The text that the reader types first, because much is at stake. */
  typed?: string | undefined;
  isRunning: boolean;
  error: unknown;
  onConfirm(): void;
  onClose(): void;
};

/** More parcels are removed only after their number was typed. */
const UNTYPED = 10;

/** The text that is typed before so many parcels are removed; undefined: none. */
export function mustType(count: number): string | undefined {
  return count > UNTYPED ? String(count) : undefined;
}

/** Asks before what cannot be undone, or concerns much. */
export function Confirm({
  title,
  children,
  action,
  look = 'primary',
  typed,
  isRunning,
  error,
  onConfirm,
  onClose,
}: ConfirmProps) {
  const t = useText();
  // What was refused before the question was put again is no answer to it.
  const [earlier] = useState(error);
  const [given, setGiven] = useState('');
  return (
    <Dialog title={title} onClose={onClose}>
      {children}
      {typed !== undefined && (
        <Field label={t.typeToConfirm(typed)}>
          {(control) => (
            <input {...control} inputMode="numeric" value={given} onChange={({ target }) => setGiven(target.value)} />
          )}
        </Field>
      )}
      {error && error !== earlier ? <Problem error={error} /> : null}
      <div className="actions">
        <Button
          look={look}
          onClick={onConfirm}
          busy={isRunning}
          disabled={typed !== undefined && given.trim() !== typed}
        >
          {action}
        </Button>
        <Button onClick={onClose}>{t.cancel}</Button>
      </div>
    </Dialog>
  );
}
