import { Link } from 'wouter';
import { useFirst } from '../../data/shipments.ts';
import { useText } from '../../i18n/language.ts';
import { Section, sheet } from '../../ui/page.tsx';
import { StatusPill } from '../../ui/pill.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { ErrorState } from '../../ui/states.tsx';
import { Time } from '../../ui/time.tsx';
import { CarrierText } from '../../ui/words/carrier-text.tsx';
import css from './overview.module.css';

const SHOWN = 8;

/** The parcels with the newest scans. */
export function Latest() {
  const t = useText();
  const { data, error, isPending, refetch } = useFirst({}, SHOWN);
  return (
    <Section title={t.overview.news} more={<Link href="/shipments">{t.overview.all}</Link>}>
      <div className={sheet}>
        {isPending && <Skeleton label={t.shipments.loading} rows={4} />}
        {error && !data && <ErrorState error={error} retry={refetch} />}
        {data?.length === 0 && <p className={css.empty}>{t.overview.quiet}</p>}
        <ul>
          {data?.map(({ id, tracking_number, sub_status, latest_event, latest_event_lang: lang, updated_at }) => (
            <li key={id} className={css.line}>
              <StatusPill status={sub_status} />
              <Link href={`/shipments/${id}`} className={css.number} data-row="">
                {tracking_number}
              </Link>
              <span className={css.when}>
                <Time at={updated_at} />
              </span>
              <span className={css.text}>
                {latest_event ? <CarrierText lang={lang}>{latest_event.description}</CarrierText> : t.shipments.noScan}
              </span>
            </li>
          ))}
        </ul>
      </div>
    </Section>
  );
}
