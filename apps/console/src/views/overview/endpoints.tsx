import { Link } from 'wouter';
import { useWebhooks } from '../../data/webhooks.ts';
import { useText } from '../../i18n/language.ts';
import { Section, sheet } from '../../ui/page.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { ErrorState } from '../../ui/states.tsx';
import { Health } from '../webhooks/health.tsx';
import { Hours } from '../webhooks/hours.tsx';
import css from './overview.module.css';

/** Where pushes go, and whether they arrive. */
export function Endpoints({ isWaiting }: { isWaiting: boolean }) {
  const t = useText();
  const { data, error, isPending, refetch } = useWebhooks();
  const isBlank = isWaiting || isPending;
  const shown = isBlank ? undefined : data;
  return (
    <Section title={t.overview.endpoints} more={<Link href="/webhooks">{t.overview.all}</Link>}>
      <div className={sheet}>
        {isBlank && <Skeleton label={t.webhooks.loading} rows={2} shape="lines" />}
        {error && !isBlank && !shown && <ErrorState error={error} retry={refetch} />}
        {shown?.length === 0 && (
          <p className={css.empty}>
            {t.webhooks.none} <Link href="/webhooks?add=1">{t.webhooks.add}</Link>
          </p>
        )}
        <ul>
          {shown?.map((webhook) => (
            <li key={webhook.id} className={css.line}>
              <Link href={`/webhooks/${webhook.id}`} className={css.url}>
                {webhook.url}
              </Link>
              <Health webhook={webhook} />
              <Hours webhook={webhook} />
            </li>
          ))}
        </ul>
      </div>
    </Section>
  );
}
