import { Link } from 'wouter';
import { useWebhooks } from '../../data/webhooks.ts';
import { useText } from '../../i18n/language.ts';
import { Copy } from '../../ui/copy.tsx';
import { Section } from '../../ui/page.tsx';
import { Health } from '../webhooks/health.tsx';
import { Hours } from '../webhooks/hours.tsx';
import css from './overview.module.css';
import { SheetOf } from './sheet-of.tsx';

/** Where pushes go, and whether they arrive. */
export function Endpoints({ isWaiting }: { isWaiting: boolean }) {
  const t = useText();
  return (
    <Section title={t.overview.endpoints} more={<Link href="/webhooks">{t.overview.all}</Link>}>
      <SheetOf read={useWebhooks()} isWaiting={isWaiting} blank={{ rows: 2, shape: 'lines' }}>
        {(webhooks) =>
          webhooks.length === 0 ? (
            <p className={css.empty}>
              {t.webhooks.none} <Link href="/webhooks?add=1">{t.webhooks.add}</Link>
            </p>
          ) : (
            <ul>
              {webhooks.map((webhook) => (
                <li key={webhook.id} className={css.line}>
                  <span className={css.url}>
                    <Link href={`/webhooks/${webhook.id}`}>{webhook.url}</Link>{' '}
                    <span className={css.copy}>
                      <Copy value={webhook.url} />
                    </span>
                  </span>
                  <Health webhook={webhook} />
                  <Hours webhook={webhook} />
                </li>
              ))}
            </ul>
          )
        }
      </SheetOf>
    </Section>
  );
}
