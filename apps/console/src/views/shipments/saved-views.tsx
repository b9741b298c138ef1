import { useRef } from 'react';
import { Link } from 'wouter';
import { useText } from '../../i18n/language.ts';
import { browser } from '../../session/kept.ts';
import { createStore, useStore } from '../../session/store.ts';
import { Button } from '../../ui/button.tsx';
import line from '../../ui/filters.module.css';
import { Menu } from '../../ui/menu.tsx';
import css from './shipments.module.css';

/** A list with its filters, its order and its columns, by a name. */
type View = { name: string; query: string };

const KEPT = 'pts.views';
const MAX_VIEWS = 20;
/** Parameters that are no part of a view: what is open, and how far down. */
const PASSING = ['open', 'from', 'tab', 'edit'];

const views = createStore<readonly View[]>(keptViews());

function keptViews(): View[] {
  try {
    const kept: unknown = JSON.parse(browser.getItem(KEPT) ?? '[]');
    const isView = (view: unknown): view is View =>
      typeof (view as View)?.name === 'string' && typeof (view as View)?.query === 'string';
    return Array.isArray(kept) ? kept.filter(isView) : [];
  } catch {
    return [];
  }
}

function keep(changed: readonly View[]): void {
  const kept = changed.slice(-MAX_VIEWS);
  browser.setItem(KEPT, JSON.stringify(kept));
  views.set(kept);
}

/** The views that this browser keeps, and a form that keeps the present one. */
export function SavedViews() {
  const t = useText().shipments;
  const saved = useStore(views);
  const name = useRef<HTMLInputElement>(null);
  const save = () => {
    const chosen = name.current?.value.trim() ?? '';
    if (chosen === '') return;
    const params = new URLSearchParams(location.search);
    for (const passing of PASSING) params.delete(passing);
    keep([...saved.filter((view) => view.name !== chosen), { name: chosen, query: params.toString() }]);
    if (name.current) name.current.value = '';
  };
  return (
    <Menu label={t.views}>
      {saved.length > 0 && (
        <ul>
          {saved.map((view) => (
            <li key={view.name} className={css.view}>
              <Link href={`/shipments?${view.query}`}>{view.name}</Link>
              <Button look="quiet" onClick={() => keep(saved.filter((one) => one !== view))}>
                <span aria-hidden="true">×</span>
                <span className="unseen">{t.removeView(view.name)}</span>
              </Button>
            </li>
          ))}
        </ul>
      )}
      <form
        className={css.view}
        onSubmit={(event) => {
          event.preventDefault();
          save();
        }}
      >
        <input ref={name} className={line.control} maxLength={40} aria-label={t.viewName} placeholder={t.viewName} />
        <Button type="submit">{t.saveView}</Button>
      </form>
    </Menu>
  );
}
