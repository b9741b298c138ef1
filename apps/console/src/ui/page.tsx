import { type ReactNode, useEffect } from 'react';
import { Link } from 'wouter';
import { useText } from '../i18n/language.ts';
import css from './page.module.css';

/** Names the page in the tab and in the history. */
export function useTitle(title: string): void {
  const { brand } = useText();
  useEffect(() => {
    document.title = `${title} · ${brand}`;
  }, [title, brand]);
}

type PageHeadProps = {
  title: string;
  /** The list that it belongs to. */
  list?: { href: string; label: string };
  /** Shown beside the title. */
  beside?: ReactNode;
  /** The actions of the view, at the right. */
  children?: ReactNode;
};

/** The head of a view. */
export function PageHead({ title, list, beside, children }: PageHeadProps) {
  useTitle(title);
  return (
    <header className={css.head}>
      <div className={css.name}>
        {list && (
          <span className={css.list}>
            <Link href={list.href}>{list.label}</Link> <span aria-hidden="true">/</span>
          </span>
        )}
        <h1 className={css.title}>{title}</h1>
        {beside}
      </div>
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
