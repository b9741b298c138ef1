import { type ReactNode, useId, useLayoutEffect, useRef } from 'react';
import { useText } from '../i18n/language.ts';
import { Button } from './button.tsx';
import css from './dialog.module.css';

type DialogProps = {
  title: ReactNode;
  onClose(): void;
  /** A drawer slides over the right side of the page; a dialog stands in the middle. */
  as?: 'dialog' | 'drawer';
  children: ReactNode;
};

/**
 * A modal of the browser's own: it keeps the focus, gives it back, and closes with Esc or a press beside it. It is open as
 * long as it is rendered.
 */
export function Dialog({ title, onClose, as = 'dialog', children }: DialogProps) {
  const t = useText();
  const id = useId();
  const ref = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    const dialog = ref.current;
    dialog?.showModal();
    return () => dialog?.close();
  }, []);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Esc closes it, as its cancel event
    <dialog
      ref={ref}
      className={`${css.modal} ${css[as]}`}
      aria-labelledby={id}
      onCancel={(event) => {
        // Not those of controls inside, such as the choice of a file.
        if (event.target !== ref.current) return;
        event.preventDefault();
        onClose();
      }}
      onClick={(event) => {
        if (event.target === ref.current) onClose();
      }}
    >
      <div className={css.content}>
        <header className={css.head}>
          <h2 id={id} className={css.title}>
            {title}
          </h2>
          <Button look="quiet" onClick={onClose}>
            {t.close}
          </Button>
        </header>
        {children}
      </div>
    </dialog>
  );
}
