import { isApiError } from '@pts/client/errors';
import { Link } from 'wouter';
import { useAddress } from '../../behaviour/address.ts';
import { type DeliveryDetails, useDelivery, useRedeliver, useWebhooks } from '../../data/webhooks.ts';
import { useFormat } from '../../i18n/format.ts';
import { useText } from '../../i18n/language.ts';
import { Button } from '../../ui/button.tsx';
import { Copy, Cut } from '../../ui/copy.tsx';
import { Drawer } from '../../ui/drawer.tsx';
import { Pill } from '../../ui/pill.tsx';
import { EmptyState, ErrorState, Problem, Skeleton } from '../../ui/states.tsx';
import { FullTime, Time } from '../../ui/time.tsx';
import { toast } from '../../ui/toast.tsx';
import css from './webhooks.module.css';

/** One attempt in full: what came back, what was sent, how long each step took. */
export function AttemptDrawer({ id, onClose }: { id: string; onClose(): void }) {
  const t = useText().webhooks;
  const { data, error, isPending, refetch } = useDelivery(id);
  const isGone = !data && isApiError(error, 'not_found', 'invalid_id');
  return (
    <Drawer title={data ? t.attemptOf(data.attempt, data.event) : t.oneAttempt} onClose={onClose}>
      {isPending && <Skeleton />}
      {isGone && <EmptyState title={t.attemptGone} />}
      {error && !data && !isGone && <ErrorState error={error} retry={refetch} />}
      {data && <Attempt attempt={data} />}
    </Drawer>
  );
}

function Attempt({ attempt }: { attempt: DeliveryDetails }) {
  const { webhooks: t, shipment } = useText();
  const format = useFormat();
  const address = useAddress();
  const { data: webhooks } = useWebhooks();
  const { delivery, request, response, timing, other_attempts: others } = attempt;
  const isThere = webhooks?.some(({ id }) => id === attempt.webhook_id) ?? true;
  const parcel = parcelOf(attempt);
  return (
    <div className={css.detail}>
      <p className={css.sentence}>
        <Pill tone={attempt.error === null ? 'green' : 'red'}>
          {response.status_code === 0 ? t.noAnswer : String(response.status_code)}
        </Pill>{' '}
        {attempt.error ?? t.accepted}
      </p>
      <dl className={css.facts}>
        <dt>{t.one}</dt>
        <dd>
          {isThere ? <Link href={`/webhooks/${attempt.webhook_id}`}>{request.url}</Link> : request.url}{' '}
          {request.url !== null && <Copy value={request.url} />}
        </dd>
        {parcel && (
          <>
            <dt>{shipment.title}</dt>
            <dd>
              <Link href={`/shipments/${parcel.id}?tab=events`}>{parcel.tracking_number}</Link>{' '}
              <Copy value={parcel.tracking_number} />
            </dd>
          </>
        )}
        <dt>{t.sent}</dt>
        <dd>
          <FullTime at={attempt.ts} />
        </dd>
        {delivery && (
          <>
            <dt>{t.now}</dt>
            <dd>
              {t.deliveryStates[delivery.state]}
              {delivery.next_attempt_at && (
                <>
                  {' · '}
                  {t.nextAttempt} <Time at={delivery.next_attempt_at} />
                </>
              )}
            </dd>
          </>
        )}
        <dt>X-Webhook-Id</dt>
        <dd>
          <Cut value={attempt.message_id} /> <Copy value={attempt.message_id} />
        </dd>
        <dt>{t.address}</dt>
        <dd>
          {timing.address ?? t.unknown} {timing.address !== null && <Copy value={timing.address} />}
        </dd>
      </dl>
      {attempt.event !== 'ping' && <Redeliver id={attempt.id} />}
      <h3>{t.timing}</h3>
      <Waterfall timing={timing} />
      <h3>{t.response}</h3>
      <Text value={[response.head, response.excerpt].filter(Boolean).join('\n\n') || t.nothing} />
      <h3>{t.request}</h3>
      {request.notes.map((note) => (
        <p key={note} className="muted">
          {note}
        </p>
      ))}
      <Text
        value={Object.entries(request.headers)
          .map(([name, value]) => `${name}: ${value ?? '…'}`)
          .join('\n')}
      />
      {request.body !== null && (
        <>
          <p>
            <Copy value={request.body} label={t.copyBody} />
            {request.signed_string !== null && (
              <>
                {' · '}
                <Copy value={request.signed_string} label={t.copySigned} />
              </>
            )}
            {request.curl !== null && (
              <>
                {' · '}
                <Copy value={request.curl} label={t.copyCurl} />
              </>
            )}
          </p>
          <Text value={pretty(request.body)} />
        </>
      )}
      {others.length > 0 && (
        <>
          <h3>{t.others}</h3>
          <ul>
            {others.map((other) => (
              <li key={other.id} className={css.attempt}>
                <Pill tone={isAccepted(other.status_code) ? 'green' : 'red'}>
                  {other.status_code === 0 ? t.noAnswer : String(other.status_code)}
                </Pill>
                <Link
                  href={address.with({ attempt: other.id })}
                  replace
                  state={history.state}
                  className={`covers ${css.open}`}
                >
                  {t.attempt(other.attempt)}
                </Link>
                {other.round > 0 && <span className="muted">{t.round(other.round)}</span>}
                <span className={css.when}>{format.dateTime(new Date(other.ts))}</span>
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  );
}

function Redeliver({ id }: { id: string }) {
  const t = useText().webhooks;
  const redeliver = useRedeliver();
  return (
    <div className="actions">
      <Button
        look="primary"
        busy={redeliver.isPending}
        onClick={() => redeliver.mutate(id, { onSuccess: () => toast(t.redelivering) })}
      >
        {t.redeliver}
      </Button>
      {redeliver.error && <Problem error={redeliver.error} />}
    </div>
  );
}

const isAccepted = (status: number) => status >= 200 && status < 300;

type Parcel = { id: string; tracking_number: string };

/** The parcel of an event; null: the attempt was a test, or its body is no longer kept. */
function parcelOf({ delivery, request: { body } }: DeliveryDetails): Parcel | null {
  return delivery && body !== null ? (JSON.parse(body) as { data: Parcel }).data : null;
}

/** Bodies are JSON; anything else stays as it is. */
function pretty(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}

type Step = { label: string; from: number; ms: number };

/** Each step of an attempt on one scale: when it began and how long it took. */
function Waterfall({ timing }: { timing: DeliveryDetails['timing'] }) {
  const t = useText().webhooks;
  const format = useFormat();
  const steps = stepsOf(timing, t.steps);
  const total = Math.max(timing.total_ms, 1);
  return (
    <table className={css.waterfall}>
      <tbody>
        {steps.map(({ label, from, ms }) => (
          <tr key={label}>
            <th scope="row">{label}</th>
            <td className={css.scale}>
              <div
                className={css.stepBar}
                style={{ marginInlineStart: `${(100 * from) / total}%`, width: `max(2px, ${(100 * ms) / total}%)` }}
              />
            </td>
            <td className={css.figure}>{format.duration(ms)}</td>
          </tr>
        ))}
        <tr>
          <th scope="row">{t.steps.total}</th>
          <td>{timing.reused === true && <span className="muted">{t.reused}</span>}</td>
          <td className={css.figure}>{format.duration(timing.total_ms)}</td>
        </tr>
      </tbody>
    </table>
  );
}

/** The steps that took place, one after another. */
function stepsOf(
  timing: DeliveryDetails['timing'],
  words: { dns: string; connect: string; tls: string; wait: string; rest: string },
): Step[] {
  const steps: Step[] = [];
  let at = 0;
  const add = (label: string, ms: number | null) => {
    if (ms === null) return;
    steps.push({ label, from: at, ms });
    at += ms;
  };
  add(words.dns, timing.dns_ms);
  add(words.connect, timing.connect_ms);
  add(words.tls, timing.tls_ms);
  if (timing.first_byte_ms !== null) {
    add(words.wait, Math.max(0, timing.first_byte_ms - at));
    add(words.rest, Math.max(0, timing.total_ms - at));
  }
  return steps;
}

/** Text as it was sent, such as a body. */
export function Text({ value }: { value: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be scrolled with the keyboard
    <pre tabIndex={0} className={css.pre}>
      {value}
    </pre>
  );
}
