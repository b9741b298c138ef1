import { Link, useLocation } from 'wouter';
import { useText } from '../i18n/language.ts';
import { SERVICE_URL } from '../session/service-url.ts';
import css from './frame.module.css';

export function Rail() {
  const t = useText();
  const [path] = useLocation();
  const views = [
    { href: '/', label: t.nav.overview, isHere: path === '/' },
    { href: '/shipments', label: t.nav.shipments, isHere: path.startsWith('/shipments') },
    { href: '/webhooks', label: t.nav.webhooks, isHere: path.startsWith('/webhooks') },
    { href: '/imports', label: t.nav.imports, isHere: path.startsWith('/imports') },
    { href: '/keys', label: t.nav.keys, isHere: path.startsWith('/keys') },
  ];
  return (
    <nav className={css.rail} aria-label={t.nav.title}>
      <ul>
        {views.map(({ href, label, isHere }) => (
          <li key={href}>
            <Link href={href} className={css.link} aria-current={isHere ? 'page' : undefined}>
              {label}
            </Link>
          </li>
        ))}
        <li className={css.docs}>
          <a href={`${SERVICE_URL}/docs`} target="_blank" rel="noreferrer" className={css.link}>
            {t.nav.docs}
            <span aria-hidden="true">↗</span>
            <span className="unseen">{t.newTab}</span>
          </a>
        </li>
      </ul>
    </nav>
  );
}
