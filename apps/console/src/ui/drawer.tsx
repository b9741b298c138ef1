import type { ReactNode } from 'react';
import { useMedia } from '../behaviour/media.ts';
import { useHotkeys } from '../behaviour/typing.ts';
import { useText } from '../i18n/language.ts';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import css from './drawer.module.css';

type DrawerProps = {
  title: string;
  /** Shown beside the title. */
  beside?: ReactNode;
  /** Before the button that closes it. */
  actions?: ReactNode;
  onClose(): void;
  children: ReactNode;
};

/** The details of a row of a list: beside the list, which stays in use, or over it where there is no room. */
export function Drawer({ title, beside, actions, onClose, children }: DrawerProps) {
  const t = useText();
  const isBeside = useMedia('(min-width: 1100px)');
  useHotkeys({ Escape: onClose });
  if (!isBeside)
    return (
      <Dialog as="drawer" title={title} beside={beside} actions={actions} onClose={onClose}>
        {children}
      </Dialog>
    );
  return (
    <aside className={css.drawer} aria-labelledby="drawer" data-drawer="">
      <header className={css.head}>
        <h2 id="drawer" className={css.title}>
          {title}
        </h2>
        {beside}
        <span className={css.actions}>
          {actions}
          <Button look="quiet" onClick={onClose}>
            {t.close}
          </Button>
        </span>
      </header>
      {children}
    </aside>
  );
}
