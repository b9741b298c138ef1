import type { AttentionSummary, Shipment, Stats } from '@pts/client/types';
import { Link } from 'wouter';
import { useCouriersHealth, useMay } from '../../data/account.ts';
import { useAttention } from '../../data/shipments.ts';
import { useStats } from '../../data/stats.ts';
import { useWebhooks } from '../../data/webhooks.ts';
import { useFormat } from '../../i18n/format.ts';
import { useText } from '../../i18n/language.ts';
import { ButtonLink } from '../../ui/button.tsx';
import { Copy } from '../../ui/copy.tsx';
import { Allowed } from '../../ui/may.tsx';
import { PageHead, Section } from '../../ui/page.tsx';
import { StatusPill } from '../../ui/pill.tsx';
import { SheetOf } from '../../ui/states.tsx';
import { Time } from '../../ui/time.tsx';
import { ParcelName, Reason } from '../../ui/words.tsx';
import { SUB_STATUSES } from '../shipments/query.ts';
import { Health, Hours } from '../webhooks/health.tsx';
import { Beginning } from './beginning.tsx';
import { Carriers, Figures, Shipments } from './figures.tsx';
import { Notices } from './notices.tsx';
import css from './overview.module.css';

/** Is everything all right, and if not, where? An account without parcels has steps to begin with instead. */
export function Overview() {
  const t = useText();
  const isWaiting = useIsWaiting();
  const isNew = useStats('24h').data?.parcels.total === 0;
  return (
    <>
      <PageHead title={t.nav.overview}>
        {!isNew && (
          <Allowed needs="write" silent>
            <ButtonLink href="/shipments/add" look="primary">
              {t.shipments.add}
            </ButtonLink>
          </Allowed>
        )}
      </PageHead>
      <Beginning isNew={isNew} />
      {!isNew && (
        <>
          <Figures />
          <div className={css.columns}>
            <div className={css.main}>
              <Shipments isWaiting={isWaiting} />
              <Carriers isWaiting={isWaiting} />
            </div>
            <div className={css.side}>
              <Attention isWaiting={isWaiting} />
              <Webhooks isWaiting={isWaiting} />
              <Notices isWaiting={isWaiting} />
              <ByStatus isWaiting={isWaiting} />
            </div>
          </div>
        </>
      )}
    </>
  );
}

/**
 * Whether a part is read for the first time: all parts appear together, so that none moves another. One that fails
 * holds up none.
 */
function useIsWaiting(): boolean {
  const reads = [useAttention(), useStats('24h'), useStats('30d'), useWebhooks(), useCouriersHealth()];
  return reads.some(({ isLoading, failureCount }) => isLoading && failureCount === 0);
}

/** A number or a carrier may be wrong: then the record is corrected. */
const TO_CORRECT: readonly string[] = ['not_found', 'carrier_not_found'];

/** All that somebody has to look at: the account itself, the reasons with their numbers, and the newest parcels. */
function Attention({ isWaiting }: { isWaiting: boolean }) {
  const t = useText();
  return (
    <Section title={t.overview.attention} more={<Link href="/shipments?needs_attention=true">{t.overview.all}</Link>}>
      <SheetOf read={useAttention()} isWaiting={isWaiting} blank={{ rows: 5, shape: 'lines' }}>
        {({ account, reasons, newest }) => (
          <>
            {account.map((one) => (
              <OfAccount key={`${one.reason} ${one.webhook_id}`} one={one} />
            ))}
            <Reasons reasons={reasons} />
            {newest.length === 0 ? (
              <p className={css.empty}>{t.overview.noneToAttend}</p>
            ) : (
              <ul>
                {newest.map((shipment) => (
                  <OfParcel key={shipment.id} shipment={shipment} />
                ))}
              </ul>
            )}
          </>
        )}
      </SheetOf>
    </Section>
  );
}

function OfAccount({ one: { reason, message, webhook_id } }: { one: AttentionSummary['account'][number] }) {
  const t = useText();
  const words: Partial<Record<string, string>> = t.overview.accountReasons;
  return (
    <p className={css.notice}>
      <strong>{words[reason]}</strong> {message}{' '}
      {webhook_id && <Link href={`/webhooks/${webhook_id}`}>{t.overview.open}</Link>}
    </p>
  );
}

function Reasons({ reasons }: { reasons: AttentionSummary['reasons'] }) {
  const t = useText();
  const format = useFormat();
  if (reasons.length === 0) return null;
  const words: Partial<Record<string, string>> = t.attention;
  return (
    <ul className={css.reasons}>
      {reasons
        .toSorted((a, b) => b.count - a.count)
        .map(({ reason, message, count }) => (
          <li key={reason}>
            <Link href={`/shipments?needs_attention=${reason}`} className={css.reason}>
              {words[reason] ?? message} <strong>{format.number(count)}</strong>
            </Link>
          </li>
        ))}
    </ul>
  );
}

function OfParcel({ shipment }: { shipment: Shipment }) {
  const t = useText();
  const may = useMay();
  const { id, tracking_number, title, order_id, attention, updated_at } = shipment;
  const isToCorrect = attention !== undefined && TO_CORRECT.includes(attention.reason);
  return (
    <li className={css.line}>
      <ParcelLink id={id} tracking_number={tracking_number} updated_at={updated_at} />
      <span className={css.text}>
        {attention && <Reason attention={attention} />} <ParcelName title={title} order_id={order_id} />
      </span>
      {isToCorrect && may('write') && (
        <Link href={`/shipments/${id}?edit=1`}>
          {t.overview.correct}
          <span className="unseen"> {tracking_number}</span>
        </Link>
      )}
    </li>
  );
}

type ParcelLinkProps = { id: string; tracking_number: string; updated_at: string };

/** The number of a parcel, which leads to it, and when it changed. */
function ParcelLink({ id, tracking_number, updated_at }: ParcelLinkProps) {
  return (
    <>
      <Link href={`/shipments/${id}`} className={css.number} data-row="">
        {tracking_number}
      </Link>
      <span className={css.copy}>
        <Copy value={tracking_number} />
      </span>
      <span className={css.when}>
        <Time at={updated_at} />
      </span>
    </>
  );
}

/** How many parcels are in each state, in the order of a parcel's life. */
function ByStatus({ isWaiting }: { isWaiting: boolean }) {
  const t = useText();
  const format = useFormat();
  return (
    <Section title={t.overview.states} more={<Link href="/shipments">{t.overview.all}</Link>}>
      <SheetOf read={useStats('24h')} isWaiting={isWaiting} blank={{ rows: 1, shape: 'lines' }}>
        {({ parcels }) => (
          <ul className={css.states}>
            {inOrder(parcels.sub_statuses).map(({ sub_status, parcels: count }) => (
              <li key={sub_status}>
                <Link href={`/shipments?status=${sub_status}`} className={css.state}>
                  <StatusPill status={sub_status} /> <strong>{format.number(count)}</strong>
                </Link>
              </li>
            ))}
          </ul>
        )}
      </SheetOf>
    </Section>
  );
}

type StateCount = Stats['parcels']['sub_statuses'][number];

/** States that a newer service has come last. */
function inOrder(counts: readonly StateCount[]): StateCount[] {
  const placeOf = ({ sub_status }: StateCount) => SUB_STATUSES.indexOf(sub_status) + 1 || SUB_STATUSES.length + 1;
  return counts.toSorted((a, b) => placeOf(a) - placeOf(b));
}

/** Where pushes go, and whether they arrive. */
function Webhooks({ isWaiting }: { isWaiting: boolean }) {
  const t = useText();
  const read = useWebhooks();
  return (
    <Section title={t.overview.webhooks} more={<Link href="/webhooks">{t.overview.all}</Link>}>
      <Allowed needs="webhooks">
        <SheetOf read={read} isWaiting={isWaiting} blank={{ rows: 2, shape: 'lines' }}>
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
      </Allowed>
    </Section>
  );
}
