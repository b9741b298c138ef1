import { Link } from 'wouter';
import { useWebhooks } from '../../data/webhooks.ts';
import { useText } from '../../i18n/language.ts';
import { Section, sheet } from '../../ui/page.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { ErrorState } from '../../ui/states.tsx';
import { Health } from '../webhooks/health.tsx';
import css from './overview.module.css';

/** Where pushes go, and whether they arrive. */
export function Endpoints() {
  const t = useText();
  const { data, error, isPending, refetch } = useWebhooks();
  return (
    <Section title={t.overview.endpoints} more={<Link href="/webhooks">{t.overview.all}</Link>}>
      <div className={sheet}>
        {isPending && <Skeleton label={t.webhooks.loading} rows={2} />}
        {error && !data && <ErrorState error={error} retry={refetch} />}
        {data?.length === 0 && (
          <p className={css.empty}>
            {t.webhooks.none} <Link href="/webhooks?add=1">{t.webhooks.add}</Link>
          </p>
        )}
        <ul>
          {data?.map((webhook) => (
            <li key={webhook.id} className={css.line}>
              <Link href={`/webhooks/${webhook.id}`} className={css.url}>
                {webhook.url}
              </Link>
              <Health webhook={webhook} />
            </li>
          ))}
        </ul>
      </div>
    </Section>
  );
}
