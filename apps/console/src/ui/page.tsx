import { type ReactNode, useEffect } from 'react';
import { useText } from '../i18n/language.ts';
import css from './page.module.css';

/** Names the page in the tab and in the history. */
export function useTitle(title: string): void {
  const { brand } = useText();
  useEffect(() => {
    document.title = `${title} · ${brand}`;
  }, [title, brand]);
}

/** The head of a view: its title, what it is about, and its actions at the right. */
export function PageHead({
  title,
  name,
  children,
}: {
  title: ReactNode;
  /** Of the tab, where `title` is more than words. */
  name?: string;
  children?: ReactNode;
}) {
  useTitle(name ?? String(title));
  return (
    <header className={css.head}>
      <h1 className={css.title}>{title}</h1>
      {children && <div className={css.actions}>{children}</div>}
    </header>
  );
}

/** A part of a view, with its heading. */
export function Section({ title, more, children }: { title: string; more?: ReactNode; children: ReactNode }) {
  return (
    <section className={css.section}>
      <header className={css.sectionHead}>
        <h2>{title}</h2>
        {more}
      </header>
      {children}
    </section>
  );
}

/** A sheet of content with a border. */
export const sheet = css.sheet;
