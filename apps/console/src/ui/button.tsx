import type { ButtonHTMLAttributes, ReactNode } from 'react';
import { Link } from 'wouter';
import css from './button.module.css';

type Look = 'primary' | 'plain' | 'quiet' | 'danger';

type ButtonProps = ButtonHTMLAttributes<HTMLButtonElement> & {
  look?: Look;
  /** In progress: the button stays, and pressing it again does nothing. */
  busy?: boolean;
};

export function Button({ look = 'plain', busy = false, onClick, className = '', ...more }: ButtonProps) {
  return (
    <button
      type="button"
      {...more}
      className={`${css.button} ${css[look]} ${className}`}
      aria-disabled={busy || undefined}
      aria-busy={busy || undefined}
      onClick={busy ? (event) => event.preventDefault() : onClick}
    />
  );
}

type FileLabelProps = { look?: Look; htmlFor: string; children: ReactNode };

/** The label of an unseen file field, which looks like a button: the browser's own words are in its own language. */
export function FileLabel({ look = 'plain', htmlFor, children }: FileLabelProps) {
  return (
    <label htmlFor={htmlFor} className={`${css.button} ${css[look]}`}>
      {children}
    </label>
  );
}

/** A link that looks like a button. */
export function ButtonLink({ look = 'plain', href, children }: { look?: Look; href: string; children: ReactNode }) {
  return (
    <Link href={href} className={`${css.button} ${css[look]}`}>
      {children}
    </Link>
  );
}
