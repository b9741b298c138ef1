import { type ReactNode, useEffect, useRef } from 'react';
import button from './button.module.css';
import { Icon } from './icon.tsx';
import css from './menu.module.css';

/** A button that opens a list of choices below it. It closes with Esc, a press elsewhere, and a choice. */
export function Menu({ label, children }: { label: ReactNode; children: ReactNode }) {
  const details = useRef<HTMLDetailsElement>(null);
  useEffect(() => {
    const close = (event: Event) => {
      const menu = details.current;
      if (!menu?.open) return;
      const target = event.target as Element;
      if (event instanceof KeyboardEvent) {
        if (event.key !== 'Escape') return;
        // Not what the menu stands in.
        event.preventDefault();
        event.stopPropagation();
        menu.querySelector('summary')?.focus();
      } else if (menu.contains(target) && (target.closest('summary') || !target.closest('a, button'))) return;
      menu.open = false;
    };
    document.addEventListener('click', close);
    document.addEventListener('keydown', close, true);
    return () => {
      document.removeEventListener('click', close);
      document.removeEventListener('keydown', close, true);
    };
  }, []);
  return (
    <details ref={details} className={css.menu}>
      <summary className={`${button.button} ${button.plain}`}>
        {label}
        <Icon name="down" />
      </summary>
      <div className={css.list}>{children}</div>
    </details>
  );
}
