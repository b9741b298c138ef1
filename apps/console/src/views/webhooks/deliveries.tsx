import { type InputHTMLAttributes, type ReactNode, useId, useState } from 'react';
import { Link } from 'wouter';
import { OPENED, useAddress } from '../../behaviour/address.ts';
import { instantOf, localText } from '../../behaviour/dates.ts';
import { moveRow, useHotkeys } from '../../behaviour/typing.ts';
import { type BulkDeliveryFilter, useDryRun } from '../../data/bulk-actions.ts';
import { type Delivery, type DeliveryFilter, useDeliveries, useWebhooks, type Webhook } from '../../data/webhooks.ts';
import { useFormat } from '../../i18n/format.ts';
import { useText } from '../../i18n/language.ts';
import { Button, ButtonLink } from '../../ui/button.tsx';
import line from '../../ui/filters.module.css';
import { Filter, Select, TimeInput } from '../../ui/filters.tsx';
import { sheet } from '../../ui/page.tsx';
import { Pill } from '../../ui/pill.tsx';
import { EmptyState, ErrorState, Skeleton } from '../../ui/states.tsx';
import { Time } from '../../ui/time.tsx';
import { toast, useToastFailure } from '../../ui/toast.tsx';
import { CarrierText } from '../../ui/words.tsx';
import { BulkBar, BulkQuestion } from '../bulk.tsx';
import { AttemptDrawer } from './attempt.tsx';
import {
  EVENTS,
  FILTERS,
  type FilterName,
  FROM_TOP,
  filterOf,
  filterValue,
  fromOf,
  OUTCOMES,
} from './delivery-filter.ts';
import css from './webhooks.module.css';

/** The log of attempts, newest first: to one endpoint, or to all of the account. */
export function Deliveries({ webhook }: { webhook?: Webhook }) {
  const { webhooks: t, shipments } = useText();
  const address = useAddress();
  const from = fromOf(address.get);
  const isFiltered = from !== null || FILTERS.some((name) => filterValue(address.get, name) !== null);
  const chosen = filterOf(address.get);
  const filter = webhook ? { ...chosen, webhook_id: webhook.id } : chosen;
  const { data, error, isPending, isFetching, refetch, hasNextPage, fetchNextPage } = useDeliveries(filter, from);
  const attempts = data?.pages.flatMap((page) => page.items) ?? [];
  const lastPage = data?.pages.at(-2)?.next_before ?? null;
  const attempt = address.get('attempt');
  useHotkeys({ j: () => moveRow(1), k: () => moveRow(-1) });
  const clear = () => address.set({ ...Object.fromEntries(FILTERS.map((name) => [name, null])), ...FROM_TOP });

  return (
    <>
      <BulkBar kind="messages" className={css.tools} />
      <div className={css.bar}>
        <div className={`${css.tools} ${line.grid}`}>
          <Filters ofAll={!webhook} />
        </div>
        <div className="actions">
          {isFiltered && (
            <Button look="quiet" onClick={clear}>
              {t.clear}
            </Button>
          )}
          {from !== null && <Link href={address.with(FROM_TOP)}>{shipments.fromTop}</Link>}
          {!webhook && filter.webhook_id && (
            <ButtonLink look="quiet" href={replayOf(filter.webhook_id, filter)}>
              {t.tabs.replay}
            </ButtonLink>
          )}
          {filter.event !== 'ping' && <RedeliverMatching key={JSON.stringify(filter)} filter={filter} />}
          <Button look="quiet" onClick={() => refetch()} busy={isFetching}>
            {t.refresh}
          </Button>
        </div>
      </div>
      <div className={sheet} aria-busy={isFetching}>
        {isPending && <Skeleton />}
        {error && !data && <ErrorState error={error} retry={refetch} />}
        {data && attempts.length === 0 && !isFiltered && <EmptyState title={t.noDeliveries} />}
        {data && attempts.length === 0 && isFiltered && !hasNextPage && (
          <EmptyState title={t.noMatch} action={{ onClick: clear, label: t.clear }} />
        )}
        {attempts.length > 0 && (
          <table className={css.log}>
            <thead>
              <tr>
                <th scope="col">{t.heads.result}</th>
                <th scope="col" className={css.event}>
                  {t.event}
                </th>
                <th scope="col" className={css.number}>
                  {t.parcel}
                </th>
                {!webhook && (
                  <th scope="col" className={css.to}>
                    {t.one}
                  </th>
                )}
                <th scope="col" className={css.made}>
                  {t.heads.attempts}
                </th>
                <th scope="col" className={css.error}>
                  {t.heads.error}
                </th>
                <th scope="col" className={css.took}>
                  {t.heads.took}
                </th>
                <th scope="col" className={css.when}>
                  {t.sent}
                </th>
              </tr>
            </thead>
            <tbody>
              {byMessage(attempts).map((made) => (
                <Message key={made[0].id} made={made} open={attempt} isOfAll={!webhook} />
              ))}
            </tbody>
          </table>
        )}
        {(hasNextPage || lastPage !== null) && (
          <p className={`actions ${css.more}`}>
            {hasNextPage && (
              <Button onClick={() => fetchNextPage()} busy={isFetching}>
                {t.older}
              </Button>
            )}
            {lastPage !== null && <Link href={address.with({ from: lastPage })}>{shipments.fromFurther}</Link>}
          </p>
        )}
      </div>
      {attempt !== null && <AttemptDrawer id={attempt} onClose={() => address.close({ attempt: null })} />}
    </>
  );
}

type Attempts = readonly [newest: Delivery, ...older: Delivery[]];

/** Attempts of one message to one endpoint stand together, where the newest one is. */
function byMessage(attempts: readonly Delivery[]): Attempts[] {
  const groups = new Map<string, [Delivery, ...Delivery[]]>();
  for (const one of attempts) {
    const key = `${one.message_id} ${one.webhook_id}`;
    const group = groups.get(key);
    if (group) group.push(one);
    else groups.set(key, [one]);
  }
  return [...groups.values()];
}

/** The newest attempts of a message that have a dot; their number says how many there were. */
const MAX_DOTS = 3;

/** A message: what its newest attempt came to, and all of its attempts. */
function Message({ made, open, isOfAll }: { made: Attempts; open: string | null; isOfAll: boolean }) {
  const { webhooks: t } = useText();
  const format = useFormat();
  const address = useAddress();
  const [newest] = made;
  // Attempts that came before those of this page have failed: otherwise none had followed.
  const unlisted = Math.max(0, Math.min((made.at(-1) ?? newest).attempt - 1, MAX_DOTS - made.length));
  const codeOf = ({ status_code: code }: Delivery) => (code === 0 ? t.noAnswer : String(code));
  return (
    <tr className={css.message} aria-current={made.some(({ id }) => id === open) || undefined}>
      <td>
        <Pill tone={newest.error === null ? 'green' : 'red'}>{codeOf(newest)}</Pill>
      </td>
      <td className={css.event}>
        <Link href={address.with({ attempt: newest.id })} state={OPENED} className={`covers ${css.open}`} data-row="">
          {newest.event}
        </Link>{' '}
        {newest.event === 'ping' && <Pill tone="violet">{t.isTest}</Pill>}
      </td>
      <td className={css.number}>
        {newest.tracking_number && (
          <Link href={`/shipments/${newest.tracking_id}`} className={css.parcel}>
            {newest.tracking_number}
          </Link>
        )}
      </td>
      {isOfAll && (
        <td className={css.to}>
          <To id={newest.webhook_id} />
        </td>
      )}
      <td className={css.made}>
        <ol className={css.dots}>
          {Array.from({ length: unlisted }, (_, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: they are all alike
            <li key={at} className={`${css.dot} ${css.hasFailed}`} />
          ))}
          {made
            .slice(0, MAX_DOTS)
            .toReversed()
            .map((one) => (
              <li key={one.id}>
                <Link
                  href={address.with({ attempt: one.id })}
                  state={OPENED}
                  className={`${css.dot} ${one.error === null ? '' : css.hasFailed}`}
                  title={`${t.attempt(one.attempt)}: ${codeOf(one)}`}
                >
                  <span className="unseen">{`${t.attempt(one.attempt)}: ${codeOf(one)}`}</span>
                </Link>
              </li>
            ))}
          {newest.attempt > 1 && <li className={css.count}>{t.attempt(newest.attempt)}</li>}
        </ol>
      </td>
      <td className={css.error}>
        <Why attempt={newest} />
      </td>
      <td className={css.took}>{format.duration(newest.duration_ms)}</td>
      <td className={css.when}>
        <Time at={newest.ts} />
      </td>
    </tr>
  );
}

/** The endpoint of an attempt, in the log of all. */
function To({ id }: { id: string }) {
  const t = useText().webhooks;
  const { data: webhooks } = useWebhooks();
  const url = webhooks?.find((one) => one.id === id)?.url;
  return (
    <span className={css.url} title={url}>
      {url?.replace(/^https?:\/\//, '') ?? (webhooks ? t.removedOne : '')}
    </span>
  );
}

/** Why it failed. For a push, the service only repeats the status: the first line of the server's answer says more. */
function Why({ attempt: { event, error, status_code, response_excerpt } }: { attempt: Delivery }) {
  if (error === null) return null;
  const answer = response_excerpt?.trim().split('\n', 1)[0];
  return event !== 'ping' && status_code >= 400 && answer ? <CarrierText>{answer}</CarrierText> : error;
}

/** Where the events of the same time are sent again, those that the endpoint has never received, too. */
function replayOf(webhookId: string, { since, until }: DeliveryFilter): string {
  const range = Object.entries({ since, until }).filter(([, value]) => value !== undefined);
  return `/webhooks/${webhookId}?${new URLSearchParams([['tab', 'replay'], ...(range as [string, string][])])}`;
}

/** Shown on request, and each once it narrows the log. */
const MORE = ['code', 'since', 'until', 'parcel', 'message'] as const satisfies FilterName[];

/**
 * The filters of the log of attempts; all of them are in the address.
 * @param ofAll the log is that of all endpoints.
 */
function Filters({ ofAll }: { ofAll: boolean }) {
  const t = useText().webhooks;
  const address = useAddress();
  const [isOpen, setOpen] = useState(false);
  const [used, setUsed] = useState<readonly FilterName[]>([]);
  const shown = MORE.filter((name) => isOpen || used.includes(name) || filterValue(address.get, name) !== null);
  // One that is emptied stays, to be typed again.
  if (!isOpen && shown.length > used.length) setUsed(shown);
  const id = useId();
  return (
    <>
      {ofAll && <EndpointChoice />}
      <Choice name="outcome" label={t.outcome}>
        <option value="">{t.anyOutcome}</option>
        {OUTCOMES.map((outcome) => (
          <option key={outcome} value={outcome}>
            {t.outcomes[outcome]}
          </option>
        ))}
      </Choice>
      <Choice name="event" label={t.event}>
        <option value="">{t.anyEvent}</option>
        {EVENTS.map((kind) => (
          <option key={kind} value={kind}>
            {kind}
          </option>
        ))}
      </Choice>
      <Button onClick={() => setOpen(!isOpen)} aria-expanded={isOpen} aria-controls={id}>
        {t.more}
      </Button>
      {shown.length > 0 && (
        <div id={id} className={`${css.panel} ${line.grid}`}>
          {shown.map((name) => (
            <Field key={name} name={name} />
          ))}
        </div>
      )}
    </>
  );
}

function Field({ name }: { name: (typeof MORE)[number] }) {
  const t = useText().webhooks;
  switch (name) {
    case 'code':
      return (
        <Typed
          name={name}
          label={t.status}
          inputMode="numeric"
          maxLength={3}
          className={css.code}
          title={t.statusHint}
        />
      );
    case 'since':
      return <TimeField name={name} label={t.filterSince} />;
    case 'until':
      return <TimeField name={name} label={t.filterUntil} />;
    case 'parcel':
      return <Typed name={name} label={t.parcel} maxLength={24} className={css.id} title={t.parcelHint} />;
    case 'message':
      return <Typed name={name} label="X-Webhook-Id" maxLength={24} className={css.id} title={t.messageHint} />;
    default:
      return name satisfies never;
  }
}

/** The value of a filter, and how it is set; empty: no filter. */
function useFilter(name: FilterName) {
  const address = useAddress();
  return {
    value: filterValue(address.get, name) ?? '',
    set: (value: string, more?: { replace: boolean }) => address.set({ [name]: value || null, ...FROM_TOP }, more),
  };
}

type ChoiceProps = { name: FilterName; label: string; className?: string | undefined; children: ReactNode };

function Choice({ name, label, className, children }: ChoiceProps) {
  const { value, set } = useFilter(name);
  return (
    <Select label={label} value={value} onChange={(chosen) => set(chosen)} className={className}>
      {children}
    </Select>
  );
}

/** The endpoints of the account, and one that is chosen, but no longer there. */
function EndpointChoice() {
  const t = useText().webhooks;
  const { value } = useFilter('endpoint');
  const { data } = useWebhooks();
  const isRemoved = value !== '' && data !== undefined && !data.some(({ id }) => id === value);
  return (
    <Choice name="endpoint" label={t.one} className={css.endpointChoice}>
      <option value="">{t.allEndpoints}</option>
      {data?.map(({ id, url }) => (
        <option key={id} value={id}>
          {url}
        </option>
      ))}
      {isRemoved && <option value={value}>{t.removedOne}</option>}
    </Choice>
  );
}

type FieldProps = { name: FilterName; label: string };

/** Text that narrows the log once it is complete. */
function Typed({ name, label, className, ...more }: FieldProps & InputHTMLAttributes<HTMLInputElement>) {
  const { value, set } = useFilter(name);
  const [typed, setTyped] = useState(value);
  const isComplete = (text: string) => filterValue(() => text, name) !== null;
  return (
    <Filter label={label}>
      {(control) => (
        <input
          {...more}
          id={control.id}
          className={`${control.className} ${className}`}
          value={value === '' && !isComplete(typed) ? typed : value}
          spellCheck={false}
          autoComplete="off"
          onChange={({ target }) => {
            const text = target.value.trim();
            setTyped(text);
            set(isComplete(text) ? text : '', { replace: true });
          }}
        />
      )}
    </Filter>
  );
}

/** A date and time of the reader's clock. */
function TimeField({ name, label }: FieldProps) {
  const { value, set } = useFilter(name);
  return (
    <Filter label={label}>
      {(control) => (
        <TimeInput
          {...control}
          type="datetime-local"
          value={value === '' ? '' : localText(new Date(value))}
          onChange={(text) => set(instantOf(text) ?? '', { replace: true })}
        />
      )}
    </Filter>
  );
}

/**
 * Sends everything again whose last attempt matches the filter of the log, which unless it says otherwise failed:
 * counted first, so it is keyed by the filter.
 */
function RedeliverMatching({ filter }: { filter: DeliveryFilter }) {
  const { webhooks: t } = useText();
  const toastFailure = useToastFailure();
  const { data: webhooks } = useWebhooks();
  const wanted = bulkFilter(filter);
  const isDelivered = wanted.outcome === 'delivered';
  const dryRun = useDryRun(() => toast(isDelivered ? t.noneAccepted : t.noneFailed));
  const url = webhooks?.find(({ id }) => id === filter.webhook_id)?.url;
  return (
    <>
      <Button
        look="quiet"
        onClick={() => dryRun.ask({ messages: wanted }, { onError: toastFailure })}
        busy={dryRun.isAsking}
      >
        {isDelivered ? t.redeliverAccepted : t.redeliverFailed}
      </Button>
      <BulkQuestion dryRun={dryRun} action="redeliver" title={t.redeliverSure}>
        <p>{isDelivered ? t.redeliverAcceptedWhat : t.redeliverWhat}</p>
        <p className={css.break}>{filter.webhook_id === undefined ? t.toAll : url}</p>
      </BulkQuestion>
    </>
  );
}

/** The filter of the log as that of a redelivery, which has only texts. */
function bulkFilter({
  webhook_id,
  event,
  message_id,
  tracking_id,
  status_code,
  since,
  until,
  outcome,
}: DeliveryFilter): BulkDeliveryFilter {
  const given = { webhook_id, event, message_id, tracking_id, status_code: status_code?.toString(), since, until };
  const entries = Object.entries(given).filter(([, value]) => value !== undefined);
  return { ...Object.fromEntries(entries), outcome: outcome ?? 'failed' };
}
