import type { AttentionSummary, Shipment } from '@pts/client/types';
import { Link } from 'wouter';
import { useAttention } from '../../data/shipments.ts';
import { useFormat } from '../../i18n/format.ts';
import { useText } from '../../i18n/language.ts';
import { Section } from '../../ui/page.tsx';
import { ParcelName } from '../../ui/words/parcel-name.tsx';
import { Reason } from '../../ui/words/reason.tsx';
import { Said } from '../../ui/words/said.tsx';
import css from './overview.module.css';
import { ParcelLink } from './parcel-link.tsx';
import { SheetOf } from './sheet-of.tsx';

/** A number or a carrier may be wrong: then the record is corrected. */
const TO_CORRECT: readonly string[] = ['not_found', 'carrier_not_found'];

/** What somebody has to look at: the account itself, the reasons with their numbers, and the newest parcels. */
export function Attention({ isWaiting }: { isWaiting: boolean }) {
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
      <strong>{words[reason]}</strong> <Said message={message} />{' '}
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
  const { id, tracking_number, title, order_id, attention, updated_at } = shipment;
  const isToCorrect = attention !== undefined && TO_CORRECT.includes(attention.reason);
  return (
    <li className={css.line}>
      <ParcelLink id={id} tracking_number={tracking_number} updated_at={updated_at} />
      <span className={css.text}>
        {attention && <Reason attention={attention} />} <ParcelName title={title} order_id={order_id} />
      </span>
      {isToCorrect && (
        <Link href={`/shipments/${id}?edit=1`}>
          {t.overview.correct}
          <span className="unseen"> {tracking_number}</span>
        </Link>
      )}
    </li>
  );
}
