import { Link } from 'wouter';
import { useLatest } from '../../data/shipments.ts';
import { useText } from '../../i18n/language.ts';
import { Section } from '../../ui/page.tsx';
import { StatusPill } from '../../ui/pill.tsx';
import { CarrierText } from '../../ui/words/carrier-text.tsx';
import css from './overview.module.css';
import { ParcelLink } from './parcel-link.tsx';
import { SheetOf } from './sheet-of.tsx';

/** The parcels with the newest scans. */
export function Latest({ isWaiting }: { isWaiting: boolean }) {
  const t = useText();
  return (
    <Section title={t.overview.news} more={<Link href="/shipments">{t.overview.all}</Link>}>
      <SheetOf read={useLatest()} isWaiting={isWaiting} blank={{ shape: 'lines' }}>
        {(shipments) =>
          shipments.length === 0 ? (
            <p className={css.empty}>
              {t.overview.quiet} <Link href="/shipments/add">{t.shipments.add}</Link>
            </p>
          ) : (
            <ul>
              {shipments.map(
                ({ id, tracking_number, sub_status, latest_event, latest_event_lang: lang, updated_at }) => (
                  <li key={id} className={css.line}>
                    <StatusPill status={sub_status} />
                    <ParcelLink id={id} tracking_number={tracking_number} updated_at={updated_at} />
                    <span className={css.text}>
                      {latest_event ? (
                        <CarrierText lang={lang}>{latest_event.description}</CarrierText>
                      ) : (
                        t.shipments.noScan
                      )}
                    </span>
                  </li>
                ),
              )}
            </ul>
          )
        }
      </SheetOf>
    </Section>
  );
}
