import { Link } from 'wouter';
import css from './overview.module.css';

/** A number that matters, and the way to what it counts. */
export function Figure({
  href,
  label,
  value,
  note,
  isBad = false,
}: {
  href: string;
  label: string;
  value: string | undefined;
  note?: string | undefined;
  isBad?: boolean;
}) {
  return (
    <li>
      <Link href={href} className={css.figure}>
        <span className={css.label}>{label}</span>
        <span className={`${css.value} ${isBad ? css.bad : ''}`}>{value ?? '\u00a0'}</span>
        {note && <span className={css.label}>{note}</span>}
      </Link>
    </li>
  );
}
