import { isApiError } from '@pts/client/errors';
import type { Shipment, Tracking } from '@pts/client/types';
import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useEffect, useRef } from 'react';
import { Link } from 'wouter';
import { useAddress } from '../../behaviour/address.ts';
import { isLate } from '../../behaviour/dates.ts';
import { useHotkeys } from '../../behaviour/typing.ts';
import { useExplanation, useRemoval, useTracking } from '../../data/trackings.ts';
import { useFormat } from '../../i18n/format.ts';
import { useText } from '../../i18n/language.ts';
import { SERVICE_URL } from '../../session/connection.ts';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { CarrierMark, CarrierName } from '../../ui/carrier.tsx';
import { Copy, Cut } from '../../ui/copy.tsx';
import { Drawer } from '../../ui/drawer.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Allowed } from '../../ui/may.tsx';
import { PageHead } from '../../ui/page.tsx';
import { toneOf } from '../../ui/pill.tsx';
import { EmptyState, ErrorState, Problem, Skeleton } from '../../ui/states.tsx';
import { Tabs, useTab } from '../../ui/tabs.tsx';
import { FullTime, useNow } from '../../ui/time.tsx';
import { toast } from '../../ui/toast.tsx';
import { CarrierText } from '../../ui/words.tsx';
import { Actions, BuyersPage } from './actions.tsx';
import { Events, Explain, Timeline } from './history.tsx';
import css from './shipment.module.css';

/** A parcel on a page of its own. */
export function ShipmentPage({ id }: { id: string }) {
  const { shipment: t, nav } = useText();
  const { data } = useTracking(id);
  return (
    <>
      <PageHead
        list={{ href: '/shipments', label: nav.shipments }}
        title={data?.tracking_number ?? t.title}
        beside={data && <Copy value={data.tracking_number} />}
      />
      <Detail id={id} after="/shipments" />
    </>
  );
}

type ShipmentDrawerProps = {
  id: string;
  /** The rows of the list below it. */
  among: readonly Shipment[];
  isSelected: boolean;
  onSelect(id: string): void;
  onShow(id: string): void;
  onClose(): void;
};

/**
 * A parcel beside the list that it was chosen from, or over it where there is no room. `j` and `k` show the next and
 * the previous one: beside the list, the list sees to that.
 */
export function ShipmentDrawer({ id, among, isSelected, onSelect, onShow, onClose }: ShipmentDrawerProps) {
  const text = useText();
  const t = text.shipment;
  const { data } = useTracking(id);
  const show = (step: 1 | -1) => {
    const at = among.findIndex((row) => row.id === id);
    const next = at === -1 ? undefined : among[at + step];
    if (next) onShow(next.id);
  };
  useHotkeys({ j: () => show(1), k: () => show(-1), x: () => onSelect(id) }, { inModal: true });
  useFocusOnRow(id);
  const onGone = () => {
    if (isSelected) onSelect(id);
    onClose();
  };
  return (
    <Drawer
      title={data?.tracking_number ?? t.title}
      beside={data && <Copy value={data.tracking_number} />}
      actions={<ButtonLink href={`/shipments/${id}`}>{t.asPage}</ButtonLink>}
      onClose={onClose}
    >
      <Detail key={id} id={id} after={null} onGone={onGone} />
      {isSelected && <p className="muted">{text.selection.selected(1)}</p>}
    </Drawer>
  );
}

/**
 * Once it is closed, and the browser has given the focus back, it goes to the row of the parcel that was shown last.
 */
function useFocusOnRow(id: string): void {
  const shown = useRef(id);
  shown.current = id;
  useEffect(
    () => () => {
      document.querySelector<HTMLElement>(`[data-id="${shown.current}"] [data-row]`)?.focus();
    },
    [],
  );
}

const TABS = ['history', 'events', 'explain', 'raw'] as const;

type DetailProps = {
  id: string;
  /** Where to go once the parcel is no longer tracked; null: `onGone` handles it. */
  after: string | null;
  onGone?(): void;
};

/** All about a parcel: where it is, in a sentence; what has happened; how it is watched; what can be done. */
function Detail({ id, after, onGone }: DetailProps) {
  const t = useText();
  const tab = useTab(TABS);
  const { data: tracking, error, isPending, refetch } = useTracking(id);
  const explanation = useExplanation(id);
  // Together with the explanation, so that no line grows while it is read; one that fails holds nothing up.
  const isWaiting = explanation.isPending && explanation.failureCount === 0;
  if (isPending || (tracking && isWaiting)) return <Skeleton shape="timeline" />;
  if (isApiError(error, 'not_found', 'not_registered', 'invalid_id')) return <Gone id={id} />;
  if (!tracking) return <ErrorState error={error} retry={refetch} />;
  return (
    <div className={css.detail}>
      <div className={css.main}>
        <Headline tracking={tracking} />
        <PickupPoint tracking={tracking} />
        <Actions tracking={tracking} after={after} onGone={onGone} />
      </div>
      <div className={css.more}>
        <Tabs label={t.shipment.title} tabs={TABS.map((name) => ({ name, label: t.shipment.tabs[name] }))} />
        {tab === 'history' && <Timeline tracking={tracking} />}
        {tab === 'events' && <Events id={id} />}
        {tab === 'explain' && <Explain id={id} />}
        {tab === 'raw' && <Raw tracking={tracking} />}
      </div>
      <div className={css.known}>
        <Facts tracking={tracking} />
        <BuyersPage tracking={tracking} />
      </div>
    </div>
  );
}

/** It may have been removed, and then can be restored for a day. */
function Gone({ id }: { id: string }) {
  const { shipment: t, nav } = useText();
  const removal = useRemoval();
  const restore = useMutation({
    mutationFn: () => removal.restore([id]),
    onSuccess: (missing) => missing > 0 && toast(t.notRestored),
  });
  return (
    <EmptyState title={t.gone} action={{ href: '/shipments', label: nav.shipments }}>
      <p>
        <Allowed needs="write">
          <Button onClick={() => restore.mutate()} busy={restore.isPending}>
            {t.restore}
          </Button>
        </Allowed>
      </p>
      {restore.error && <Problem error={restore.error} />}
    </EmptyState>
  );
}

const STEPS = ['info_received', 'in_transit', 'out_for_delivery', 'delivered'] as const;
/** Statuses at which a parcel is at a step, beside the step's own. */
const AT: Partial<Record<string, (typeof STEPS)[number]>> = {
  pending: 'info_received',
  available_for_pickup: 'out_for_delivery',
};

/** Where the parcel is, since when, and when it is expected; what is wrong, if anything; and how far it has come. */
function Headline({ tracking }: { tracking: Tracking }) {
  const text = useText();
  const t = text.shipment;
  const words: Partial<Record<string, string>> = text.subStatus;
  const address = useAddress();
  const { sub_status: status, notice, events, reason } = tracking;
  const stepOf = (one: string) => STEPS.indexOf(AT[one] ?? (one as (typeof STEPS)[number]));
  const isOnWay = stepOf(status) >= 0;
  const reached = isOnWay ? stepOf(status) : Math.max(0, ...events.map((event) => stepOf(event.status ?? '')));
  return (
    <div className={css.headline}>
      <p className={`${css.status} ${css[toneOf(status)]}`}>{words[status] ?? status.replaceAll('_', ' ')}</p>
      <p>
        <Expected tracking={tracking} />
      </p>
      {reason && <p>{t.reasons[reason]}</p>}
      <ol className={`${css.steps} ${isOnWay ? '' : css.halted}`} aria-label={t.steps}>
        {STEPS.map((step, at) => (
          <li
            key={step}
            className={at < reached ? css.passed : at === reached ? css.present : ''}
            aria-current={at === reached ? 'step' : undefined}
          >
            {words[step]}
          </li>
        ))}
      </ol>
      {notice && (
        <p className={css.notice}>
          {notice}{' '}
          <Link href={address.with({ edit: '1' })} replace state={history.state}>
            {t.edit}
          </Link>
        </p>
      )}
    </div>
  );
}

const MAP = 'https://www.openstreetmap.org';

/** Where the recipient picks it up, as its carrier states it; nothing if the carrier does not. */
function PickupPoint({ tracking: { pickup_point: point, events_lang: lang } }: { tracking: Tracking }) {
  const { shipment: t, newTab } = useText();
  if (!point) return null;
  const { name, address, opening_hours: hours, latitude, longitude } = point;
  const place =
    latitude !== undefined && longitude !== undefined
      ? `/?mlat=${latitude}&mlon=${longitude}#map=17/${latitude}/${longitude}`
      : address && `/search?query=${encodeURIComponent(address)}`;
  return (
    <section className={css.pickup}>
      <h2>{t.pickupPoint}</h2>
      {name && (
        <strong>
          <CarrierText lang={lang}>{name}</CarrierText>
        </strong>
      )}
      {address && <CarrierText lang={lang}>{address}</CarrierText>}
      {hours && (
        <span>
          <span className="muted">{t.openingHours}</span> <CarrierText lang={lang}>{hours}</CarrierText>
        </span>
      )}
      {place && (
        <a href={`${MAP}${place}`} target="_blank" rel="noreferrer">
          {t.map}
          <Icon name="leaves" />
          <span className="unseen"> {newTab}</span>
        </a>
      )}
    </section>
  );
}

/** Everything else that is known. */
function Facts({ tracking }: { tracking: Tracking }) {
  const { shipment: t, newTab } = useText();
  const { data: explanation } = useExplanation(tracking.id);
  const { carrier, candidates, detected_carrier, pieces, watch } = tracking;
  return (
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
                <CarrierMark code={carrier} /> <CarrierName code={carrier} />
                <Icon name="leaves" />
                <span className="unseen"> {newTab}</span>
              </a>
            ) : (
              <CarrierName code={carrier} />
            )}{' '}
            <span className="muted">{detected_carrier ? t.detected : t.named}</span>
          </>
        )}
      </Fact>
      {pieces && <Fact label={t.pieces}>{t.piecesDelivered(pieces.delivered, pieces.total)}</Fact>}
      {tracking.problem && <Fact label={t.problem}>{t.problems[tracking.problem]}</Fact>}
      <Milestones tracking={tracking} />
      <Fact label={t.news}>
        <FullTime at={tracking.updated_at} />
      </Fact>
      <Fact label={t.checked}>
        {tracking.last_checked_at ? <FullTime at={tracking.last_checked_at} /> : t.never}
        {watch.interval_seconds !== null && ` · ${t.every(watch.interval_seconds)}`}
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
  );
}

/** How far it has come, when, and what proves its delivery. */
function Milestones({ tracking }: { tracking: Tracking }) {
  const t = useText().shipment;
  const { transit_days: days, delivered_to: to, signed_by: signer, proof_urls: urls = [] } = tracking;
  const reached = [
    [t.pickedUp, tracking.picked_up_at],
    [t.outForDelivery, tracking.out_for_delivery_at],
    [t.firstAttempt, tracking.first_attempt_at],
    [t.delivered, tracking.delivered_at],
  ] as const;
  return (
    <>
      {reached.map(
        ([label, at]) =>
          at && (
            <Fact key={label} label={label}>
              <FullTime at={at} />
              {at === tracking.delivered_at &&
                label === t.delivered &&
                days !== undefined &&
                ` · ${t.transitDays(days)}`}
            </Fact>
          ),
      )}
      {to && <Fact label={t.deliveredTo}>{t.places[to]}</Fact>}
      {signer && (
        <Fact label={t.signedBy}>
          <bdi>{signer}</bdi>
        </Fact>
      )}
      {urls.map((url) => (
        <Fact key={url} label={t.proof}>
          <a href={url} target="_blank" rel="noreferrer">
            {new URL(url).hostname}
          </a>
        </Fact>
      ))}
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
  const { estimated_delivery: estimate } = tracking;
  const begun = begunAt(tracking);
  const since = begun && t.since(format.brief(new Date(begun), now));
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

/** The time of the first scan of the current status; without such a scan, that of the last one. */
function begunAt({ events, sub_status: current }: Tracking): string | undefined {
  const last = events.findLastIndex(({ status }) => status === current);
  const other = events.findLastIndex(({ status }, at) => at < last && status !== current);
  return (last < 0 ? events.at(-1) : events[other + 1])?.time;
}

/** The record as the API returns it, and the request for it; the key is a variable of the shell. */
function Raw({ tracking }: { tracking: Tracking }) {
  const t = useText().shipment;
  const json = JSON.stringify(tracking, null, 2);
  const curl = `curl -H "X-API-Key: $API_KEY" ${SERVICE_URL}/api/v1/trackings/${tracking.id}`;
  return (
    <div className={css.raw}>
      <p>
        <Copy value={json} label={t.copyJson} /> · <Copy value={curl} label={t.copyCurl} />
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be scrolled with the keyboard */}
      <pre tabIndex={0} className={css.json}>
        {json}
      </pre>
    </div>
  );
}
