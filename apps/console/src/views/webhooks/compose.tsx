import { useState } from 'react';
import { type TestPush, useSendTest, type Webhook } from '../../data/webhooks.ts';
import { useFormat } from '../../i18n/format.ts';
import { useText } from '../../i18n/language.ts';
import { Button } from '../../ui/button.tsx';
import { Copy } from '../../ui/copy.tsx';
import { Select } from '../../ui/filters/filters.tsx';
import { Pill } from '../../ui/pill.tsx';
import { Problem } from '../../ui/states.tsx';
import { EVENTS } from './deliveries/delivery-filter.ts';
import { Text } from './text.tsx';
import css from './webhooks.module.css';

const KINDS = ['valid', 'stale', 'tampered', 'duplicate'] as const satisfies TestPush['kind'][];

/** A push of the reader's choice, right or wrong on purpose; then what was sent, and what came back. */
export function Compose({ webhook }: { webhook: Webhook }) {
  const t = useText().webhooks;
  const send = useSendTest(webhook.id);
  const [kind, setKind] = useState<TestPush['kind']>('valid');
  const [event, setEvent] = useState<TestPush['event']>('tracking_update');
  return (
    <>
      <p>{t.composeWhat}</p>
      <div className={css.actions}>
        <Select
          label={t.kind}
          value={kind}
          onChange={(value) => setKind(KINDS.find((one) => one === value) ?? 'valid')}
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
          onChange={(value) => setEvent(EVENTS.find((one) => one === value) ?? 'ping')}
        >
          {EVENTS.map((one) => (
            <option key={one} value={one}>
              {one}
            </option>
          ))}
        </Select>
        <Button onClick={() => send.mutate({ kind, event })} busy={send.isPending}>
          {t.sendTest}
        </Button>
      </div>
      {send.error && <Problem error={send.error} />}
      {send.data && <Outcome of={send.data} />}
    </>
  );
}

function Outcome({ of }: { of: NonNullable<ReturnType<typeof useSendTest>['data']> }) {
  const t = useText().webhooks;
  const format = useFormat();
  const { push, http_status: status, response_ms, error } = of;
  if (!push) return null;
  return (
    <>
      <p role="status" className={css.actions}>
        <Pill tone={push.passed ? 'green' : 'red'}>{push.passed ? t.passed : t.notPassed}</Pill>
        <span>{t.answered(status === 0 ? t.noAnswer : String(status), push.expected)}</span>
        <span className={css.muted}>{format.duration(response_ms)}</span>
        {error && <span lang="en">{error}</span>}
      </p>
      {push.response_excerpt !== null && <Text value={push.response_excerpt} />}
      <p>
        X-Webhook-Id: <code>{push.message_id}</code> · <Copy value={push.body} label={t.copyBody} />
      </p>
      <Text value={push.body} />
    </>
  );
}
