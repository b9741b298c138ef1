import { Link } from 'wouter';
import { useAccount } from '../../data/account.ts';
import { useNewest } from '../../data/shipments.ts';
import { useWebhooks } from '../../data/webhooks.ts';
import { useFormat } from '../../i18n/format.ts';
import { useText } from '../../i18n/language.ts';
import { ButtonLink } from '../../ui/button.tsx';
import { PageHead, Section, sheet } from '../../ui/page.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { ErrorState } from '../../ui/states.tsx';
import { Health } from '../webhooks/health.tsx';
import { Figure } from './figure.tsx';
import css from './overview.module.css';
import { Parcels } from './parcels.tsx';

/** More than this many are shown as "200+". */
const COUNTED = 200;
const LISTED = 10;

/** Is everything all right, and if not, where? Each figure leads to what it counts. */
export function Overview() {
  const t = useText();
  const format = useFormat();
  const { data: account } = useAccount();
  const exceptions = useNewest('异常', COUNTED);
  const underWay = useNewest('派送中', COUNTED);
  const webhooks = useWebhooks();
  const latest = useNewest(undefined, LISTED);
  const failing = webhooks.data?.filter(({ status }) => status !== 'healthy').length;
  const pending = webhooks.data?.reduce((sum, webhook) => sum + webhook.pending, 0);
  const countOf = (page: { shipments: unknown[]; next_cursor: string | null } | undefined) =>
    page && (page.next_cursor === null ? format.number(page.shipments.length) : `${format.number(COUNTED)}+`);

  return (
    <>
      <PageHead title={t.nav.overview}>
        <ButtonLink href="/shipments/add" look="primary">
          {t.shipments.add}
        </ButtonLink>
      </PageHead>
      <ul className={css.figures}>
        <Figure
          href="/shipments?status=异常"
          label={t.overview.exceptions}
          value={countOf(exceptions.data)}
          isBad={(exceptions.data?.shipments.length ?? 0) > 0}
        />
        <Figure href="/shipments?status=派送中" label={t.overview.underWay} value={countOf(underWay.data)} />
        <Figure
          href="/webhooks"
          label={t.overview.failing}
          value={failing === undefined ? undefined : `${failing} / ${webhooks.data?.length ?? 0}`}
          isBad={(failing ?? 0) > 0}
        />
        <Figure
          href="/webhooks"
          label={t.overview.pending}
          value={pending === undefined ? undefined : format.number(pending)}
        />
        <Figure
          href="/shipments"
          label={t.overview.quotaLeft}
          value={account && format.number(account.quota_remaining)}
          note={account && t.quota.resets(format.day(new Date(account.resets_at)))}
          isBad={account?.quota_remaining === 0}
        />
      </ul>
      <div className={css.columns}>
        <Section title={t.overview.attention} more={<Link href="/shipments?status=异常">{t.overview.all}</Link>}>
          <div className={sheet}>
            <Parcels query={exceptions} empty={t.overview.noExceptions} />
          </div>
        </Section>
        <Section title={t.overview.endpoints} more={<Link href="/webhooks">{t.overview.all}</Link>}>
          <div className={sheet}>
            {webhooks.isPending && <Skeleton label={t.webhooks.loading} rows={2} />}
            {webhooks.error && !webhooks.data && <ErrorState error={webhooks.error} retry={webhooks.refetch} />}
            {webhooks.data?.length === 0 && (
              <p className={css.empty}>
                {t.webhooks.none} <Link href="/webhooks?add=1">{t.webhooks.add}</Link>
              </p>
            )}
            <ul>
              {webhooks.data?.map((webhook) => (
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
        <Section title={t.overview.news} more={<Link href="/shipments">{t.overview.all}</Link>}>
          <div className={sheet}>
            <Parcels query={latest} empty={t.overview.quiet} />
          </div>
        </Section>
        <Section title={t.overview.underWay} more={<Link href="/shipments?status=派送中">{t.overview.all}</Link>}>
          <div className={sheet}>
            <Parcels query={underWay} empty={t.overview.noneUnderWay} />
          </div>
        </Section>
      </div>
    </>
  );
}
