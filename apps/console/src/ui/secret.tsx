import type { ReactNode } from 'react';
import { useText } from '../i18n/language.ts';
import { Button } from './button.tsx';
import { Copy } from './copy.tsx';
import { Dialog } from './dialog.tsx';
import css from './secret.module.css';

type NewSecretProps = {
  title: string;
  /** The secret that is shown this once: a key, or that of an endpoint. */
  value: string;
  /** Its purpose. */
  what?: string;
  onClose(): void;
  /** The next actions, beside the button that closes it. */
  actions?: ReactNode;
};

/** A new key or secret, which is shown this once: the dialog stays until the reader has saved it. */
export function NewSecret({ title, value, what, onClose, actions }: NewSecretProps) {
  const t = useText().secret;
  return (
    <Dialog title={title} onClose={onClose} isKept>
      <div className={css.secret}>
        <p>{t.once}</p>
        <p>
          <code>{value}</code> <Copy value={value} label={t.copy} />
        </p>
      </div>
      {what && <p>{what}</p>}
      <div className="actions">
        <Button look="primary" onClick={onClose}>
          {t.kept}
        </Button>
        {actions}
      </div>
    </Dialog>
  );
}
