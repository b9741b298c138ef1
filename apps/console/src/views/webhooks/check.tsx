import { useState } from 'react';
import {
  type TestPush,
  useCheckWebhook,
  usePing,
  useSendTest,
  useTestPreview,
  type Webhook,
} from '../../data/webhooks.ts';
import { useFormat } from '../../i18n/format.ts';
import { useText } from '../../i18n/language.ts';
import { Button } from '../../ui/button.tsx';
import { Copy } from '../../ui/copy.tsx';
import { Select } from '../../ui/filters.tsx';
import { sheet } from '../../ui/page.tsx';
import { Pill } from '../../ui/pill.tsx';
import { ErrorState, Problem, Skeleton } from '../../ui/states.tsx';
import { Text } from './attempt.tsx';
import { EVENTS } from './delivery-filter.ts';
import css from './webhooks.module.css';

/** A ping, and the four pushes that show whether the receiver verifies what it gets. */
export function CheckEndpoint({ webhook }: { webhook: Webhook }) {
  const t = useText().webhooks;
  const format = useFormat();
  const ping = usePing(webhook.id);
  const check = useCheckWebhook(webhook.id);
  return (
    <div className={css.form}>
      <section className={css.part}>
        <h2>{t.ping}</h2>
        <p>{t.pingWhat}</p>
        <div className="actions">
          <Button onClick={() => ping.mutate()} busy={ping.isPending}>
            {t.ping}
          </Button>
          <span role="status">
            {ping.data && (
              <>
                <Pill tone={ping.data.error === undefined ? 'green' : 'red'}>
                  {ping.data.http_status === 0 ? t.noAnswer : String(ping.data.http_status)}
                </Pill>{' '}
                {format.duration(ping.data.response_ms)} {ping.data.error}
              </>
            )}
          </span>
        </div>
        {ping.error && <Problem error={ping.error} />}
      </section>
      <section className={css.part}>
        <h2>{t.check}</h2>
        <p>{t.checkWhat}</p>
        <div className="actions">
          <Button onClick={() => check.mutate()} busy={check.isPending}>
            {check.isPending ? t.checkRunning : t.check}
          </Button>
          <span role="status">{check.data && (check.data.passed ? t.checkPassed : t.checkFailed)}</span>
        </div>
        {check.data?.filter && <p>{t.options.checked(check.data.filter.passed, check.data.filter.recent_events)}</p>}
        {check.error && <Problem error={check.error} />}
        {check.data && (
          <ul className={sheet}>
            {check.data.checks.map((one) => (
              <li key={one.name} className={css.checkLine}>
                <Pill tone={one.passed ? 'green' : 'red'}>{one.passed ? t.passed : t.notPassed}</Pill>
                <strong>{t.checks[one.name]}</strong>
                <span className="muted">
                  {t.answered(one.http_status === 0 ? t.noAnswer : String(one.http_status), one.expected)} ·{' '}
                  {format.duration(one.response_ms)}
                </span>
                {one.advice && <span className={css.advice}>{one.advice}</span>}
              </li>
            ))}
          </ul>
        )}
      </section>
      <Compose webhook={webhook} />
    </div>
  );
}

const KINDS = ['valid', 'stale', 'tampered', 'duplicate'] as const satisfies TestPush['kind'][];

/**
 * A push of the reader's choice, right or wrong on purpose: what will be sent; then what was sent, and what came back.
 */
function Compose({ webhook }: { webhook: Webhook }) {
  const t = useText().webhooks;
  const send = useSendTest(webhook.id);
  const [push, setPush] = useState<TestPush>({ kind: 'valid', event: 'tracking_update' });
  const { kind, event } = push;
  const choose = (change: Partial<TestPush>) => {
    setPush({ ...push, ...change });
    send.reset();
  };
  return (
    <section className={css.part}>
      <h2>{t.compose}</h2>
      <p>{t.composeWhat}</p>
      <div className="actions">
        <Select
          label={t.kind}
          value={kind}
          onChange={(value) => choose({ kind: KINDS.find((one) => one === value) ?? 'valid' })}
        >
          {KINDS.map((one) => (
            <option key={one} value={one}>
              {t.checks[one]}
            </option>
          ))}
        </Select>
        <Select
          label={t.event}
          value={event}
          onChange={(value) => choose({ event: EVENTS.find((one) => one === value) ?? 'ping' })}
        >
          {EVENTS.map((one) => (
            <option key={one} value={one}>
              {one}
            </option>
          ))}
        </Select>
        <Button onClick={() => send.mutate(push)} busy={send.isPending}>
          {t.sendTest}
        </Button>
      </div>
      {send.error && <Problem error={send.error} />}
      {send.data ? <Outcome of={send.data} /> : <Preview id={webhook.id} push={push} />}
    </section>
  );
}

/** The composed push as it would be sent now, with its headers and what they sign. */
function Preview({ id, push }: { id: string; push: TestPush }) {
  const t = useText().webhooks;
  const { data, error, isPending, isPlaceholderData, refetch } = useTestPreview(id, push);
  if (isPending) return <Skeleton rows={6} />;
  if (!data) return <ErrorState error={error} retry={refetch} />;
  const headers = Object.entries(data.headers).map(([name, value]) => `${name}: ${value}`);
  return (
    <section className={css.form} aria-busy={isPlaceholderData}>
      <h3>{t.preview}</h3>
      <p className="muted">{t.previewWhat}</p>
      <Text value={[`POST ${data.url}`, ...headers, '', data.body].join('\n')} />
      <p>
        {data.kind === 'tampered' ? t.signedTampered : t.signed}{' '}
        <Copy value={data.signed_string} label={t.copySigned} /> · <Copy value={data.body} label={t.copyBody} />
      </p>
      <Text value={data.signed_string} />
    </section>
  );
}

function Outcome({ of }: { of: NonNullable<ReturnType<typeof useSendTest>['data']> }) {
  const t = useText().webhooks;
  const format = useFormat();
  const { push, http_status: status, response_ms, error } = of;
  if (!push) return null;
  return (
    <>
      <p role="status" className="actions">
        <Pill tone={push.passed ? 'green' : 'red'}>{push.passed ? t.passed : t.notPassed}</Pill>
        <span>{t.answered(status === 0 ? t.noAnswer : String(status), push.expected)}</span>
        <span className="muted">{format.duration(response_ms)}</span>
        {error}
      </p>
      {push.response_excerpt !== null && <Text value={push.response_excerpt} />}
      <p>
        X-Webhook-Id: <code>{push.message_id}</code> · <Copy value={push.body} label={t.copyBody} />
      </p>
      <Text value={push.body} />
    </>
  );
}
