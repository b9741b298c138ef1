import { useText } from '../i18n/language.ts';
import { Dialog } from '../ui/dialog.tsx';
import css from './frame.module.css';

/** All keys. */
export function Help({ onClose }: { onClose(): void }) {
  const t = useText().help;
  const keys: readonly (readonly [keys: readonly string[], what: string])[] = [
    [['/', '⌘K', 'Ctrl+K'], t.search],
    [['j', 'k'], t.rows],
    [['Enter'], t.open],
    [['x'], t.select],
    [['r'], t.retrack],
    [['Esc'], t.close],
    [['?'], t.title],
  ];
  return (
    <Dialog title={t.title} onClose={onClose}>
      <dl className={css.keys}>
        {keys.map(([names, what]) => (
          <div key={what} style={{ display: 'contents' }}>
            <dt>
              {names.map((name) => (
                <kbd key={name} className={css.key}>
                  {name}
                </kbd>
              ))}
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
