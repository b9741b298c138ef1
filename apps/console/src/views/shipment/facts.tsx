import type { Tracking } from '@pts/client/types';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { useAddress } from '../../behaviour/address.ts';
import { isLate } from '../../behaviour/estimate.ts';
import { useExplanation } from '../../data/trackings.ts';
import { useFormat } from '../../i18n/format.ts';
import { useText } from '../../i18n/language.ts';
import { CarrierName } from '../../ui/carrier-name.tsx';
import { Copy } from '../../ui/copy.tsx';
import { Cut } from '../../ui/cut.tsx';
import { StatusPill } from '../../ui/pill.tsx';
import { FullTime, useNow } from '../../ui/time.tsx';
import { Said } from '../../ui/words/said.tsx';
import css from './shipment.module.css';

/** What an agent says on the phone: where it is, since when, and when it is expected; then what else is known. */
export function Facts({ tracking }: { tracking: Tracking }) {
  const { shipment: t, newTab } = useText();
  const format = useFormat();
  const address = useAddress();
  const { data: explanation } = useExplanation(tracking.id);
  const confidence = explanation?.carrier.candidates.find(
    ({ courier_code }) => courier_code === tracking.carrier,
  )?.confidence;
  const { carrier, candidates, detected_carrier, notice, pieces, reason, watch } = tracking;
  return (
    <>
      <p className={css.sentence}>
        <StatusPill status={tracking.sub_status} /> <Expected tracking={tracking} />
      </p>
      {notice && (
        <p className={css.notice}>
          <Said message={notice} />{' '}
          <Link href={address.with({ edit: '1' })} replace state={history.state}>
            {t.edit}
          </Link>
        </p>
      )}
      <dl className={css.facts}>
        <Fact label={t.carrier}>
          {candidates ? (
            <>
              {t.asking}{' '}
              {candidates.map((code, at) => (
                <span key={code}>
                  {at > 0 && ', '}
                  <CarrierName code={code} />
                </span>
              ))}
            </>
          ) : (
            <>
              {explanation?.carrier.page_url ? (
                <a href={explanation.carrier.page_url} target="_blank" rel="noreferrer">
                  <CarrierName code={carrier} />
                  <span aria-hidden="true">{'\u00a0'}↗</span>
                  <span className="unseen"> {newTab}</span>
                </a>
              ) : (
                <CarrierName code={carrier} />
              )}{' '}
              <span className={css.muted}>
                {detected_carrier ? t.detected(confidence === undefined ? '' : format.number(confidence)) : t.named}
              </span>
            </>
          )}
        </Fact>
        {reason && <Fact label={t.reason}>{t.reasons[reason]}</Fact>}
        {pieces && <Fact label={t.pieces}>{t.piecesDelivered(pieces.delivered, pieces.total)}</Fact>}
        <Fact label={t.news}>
          <FullTime at={tracking.updated_at} />
        </Fact>
        <Fact label={t.checked}>
          {tracking.last_checked_at ? <FullTime at={tracking.last_checked_at} /> : t.never}
          {watch.interval_seconds !== null && `, ${t.every(watch.interval_seconds)}`}
        </Fact>
        <Fact label={t.nextCheck}>
          {tracking.next_check_at ? (
            <NextCheck at={tracking.next_check_at} />
          ) : (
            (t.modes[watch.mode as keyof typeof t.modes] ?? watch.mode)
          )}
        </Fact>
        {tracking.title && (
          <Fact label={t.name}>
            <bdi>{tracking.title}</bdi>
          </Fact>
        )}
        {tracking.order_id && (
          <Fact label={t.order}>
            <bdi>{tracking.order_id}</bdi> <Copy value={tracking.order_id} />
          </Fact>
        )}
        {tracking.destination_country && <Fact label={t.destination}>{tracking.destination_country}</Fact>}
        {tracking.postal_code && <Fact label={t.postalCode}>{tracking.postal_code}</Fact>}
        {tracking.phone && <Fact label={t.phone}>{tracking.phone}</Fact>}
        {Object.entries(tracking.metadata ?? {}).map(([key, value]) => (
          <Fact key={key} label={key}>
            <bdi>{value}</bdi>
          </Fact>
        ))}
        <Fact label={t.registered}>
          <FullTime at={tracking.created_at} />
        </Fact>
        <Fact label={t.id}>
          <Cut value={tracking.id} /> <Copy value={tracking.id} />
        </Fact>
      </dl>
    </>
  );
}

function Fact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className={css.fact}>
      <dt>{label}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function NextCheck({ at }: { at: string }) {
  const t = useText().shipment;
  const now = useNow();
  return new Date(at).getTime() <= now ? t.due : <FullTime at={at} />;
}

/** Since when it is where it is, and when it is expected, if anybody says so. */
function Expected({ tracking }: { tracking: Tracking }) {
  const t = useText().shipment;
  const format = useFormat();
  const now = useNow();
  const { estimated_delivery: estimate, events } = tracking;
  const last = events.findLast(({ status }) => status === tracking.sub_status) ?? events.at(-1);
  const since = last && t.since(format.brief(new Date(last.time), now));
  if (!estimate) return <>{since}</>;
  const source = estimate.source === 'carrier' ? t.byCarrier : t.byHistory;
  const window = format.expected(estimate, now);
  return (
    <>
      {since}{' '}
      {isLate(estimate, now) ? (
        <strong className={css.late}>{t.wasExpected(window, source)}</strong>
      ) : (
        t.expected(window, source)
      )}
    </>
  );
}
