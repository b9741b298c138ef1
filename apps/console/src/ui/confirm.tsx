import { type ReactNode, useState } from 'react';
import { useText } from '../i18n/language.ts';
import { Button } from './button.tsx';
import css from './dialog.module.css';
import { Dialog } from './dialog.tsx';
import { Problem } from './states.tsx';

type ConfirmProps = {
  /** The question. */
  title: string;
  /** What it does, with its count. */
  children: ReactNode;
  action: string;
  look?: 'primary' | 'danger';
  isRunning: boolean;
  error: unknown;
  onConfirm(): void;
  onClose(): void;
};

/** Asks before what cannot be undone. */
export function Confirm({
  title,
  children,
  action,
  look = 'primary',
  isRunning,
  error,
  onConfirm,
  onClose,
}: ConfirmProps) {
  const t = useText();
  // What was refused before the question was put again is no answer to it.
  const [earlier] = useState(error);
  return (
    <Dialog title={title} onClose={onClose}>
      {children}
      {error && error !== earlier ? <Problem error={error} /> : null}
      <div className={css.actions}>
        <Button look={look} onClick={onConfirm} busy={isRunning}>
          {action}
        </Button>
        <Button onClick={onClose}>{t.cancel}</Button>
      </div>
    </Dialog>
  );
}
