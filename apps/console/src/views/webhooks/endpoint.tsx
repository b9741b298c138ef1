import { useState } from 'react';
import { useAddress } from '../../behaviour/address.ts';
import { instantOf, localText } from '../../behaviour/dates.ts';
import { useRedeliveries } from '../../data/bulk-actions.ts';
import {
  useCancelReplay,
  useCountReplay,
  useReplay,
  useReplays,
  useWebhooks,
  type Webhook,
} from '../../data/webhooks.ts';
import { useFormat } from '../../i18n/format.ts';
import { useText } from '../../i18n/language.ts';
import { Button } from '../../ui/button.tsx';
import { Copy } from '../../ui/copy.tsx';
import { Confirm } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { PageHead, Section, sheet } from '../../ui/page.tsx';
import { Pill } from '../../ui/pill.tsx';
import { EmptyState, Loaded, Problem, SheetOf } from '../../ui/states.tsx';
import { Tabs, useTab } from '../../ui/tabs.tsx';
import { FullTime } from '../../ui/time.tsx';
import { CheckEndpoint } from './check.tsx';
import { Deliveries } from './deliveries.tsx';
import { Health, Hours } from './health.tsx';
import { Settings } from './settings.tsx';
import css from './webhooks.module.css';

const TABS = ['deliveries', 'test', 'replay', 'settings'] as const;

/** One endpoint: its health, what was sent to it, tests, replays and settings. */
export function Endpoint({ id }: { id: string }) {
  const t = useText();
  const webhooks = useWebhooks();
  const webhook = webhooks.data?.find((one) => one.id === id);
  return (
    <div className={css.endpoint}>
      <PageHead
        list={{ href: '/webhooks', label: t.nav.webhooks }}
        title={webhook?.url ?? t.webhooks.one}
        beside={webhook && <Copy value={webhook.url} />}
      />
      <Loaded read={webhooks}>
        {() =>
          webhook ? (
            <Tabbed webhook={webhook} />
          ) : (
            <EmptyState title={t.webhooks.gone} action={{ href: '/webhooks', label: t.nav.webhooks }} />
          )
        }
      </Loaded>
    </div>
  );
}

function Tabbed({ webhook }: { webhook: Webhook }) {
  const t = useText();
  const tab = useTab(TABS);
  return (
    <>
      <Health webhook={webhook} />
      <Hours webhook={webhook} />
      <Tabs label={webhook.url} tabs={TABS.map((name) => ({ name, label: t.webhooks.tabs[name] }))} />
      {tab === 'deliveries' && <Deliveries webhook={webhook} />}
      {tab === 'test' && <CheckEndpoint webhook={webhook} />}
      {tab === 'replay' && <Replay webhook={webhook} />}
      {tab === 'settings' && <Settings webhook={webhook} />}
    </>
  );
}

const TONES = { running: 'blue', done: 'green', cancelled: 'grey' } as const;
const RUN_TONES = { queued: 'grey', running: 'blue', done: 'green', failed: 'red', cancelled: 'grey' } as const;
const HOUR_MS = 3_600_000;
/** The event that failed first is older than its failure. */
const EARLIER_MS = 60_000;

/** Sends the events of a time range again, with progress. */
function Replay({ webhook }: { webhook: Webhook }) {
  const t = useText().webhooks;
  const format = useFormat();
  const replays = useReplays(webhook.id);
  const count = useCountReplay(webhook.id);
  const start = useReplay(webhook.id);
  const cancel = useCancelReplay(webhook.id);
  const { get } = useAddress();
  // The range of the log, or since it fails.
  const [proposed] = useState(() => ({
    since:
      textOf(get('since')) || textOf(webhook.failing_since, EARLIER_MS) || localText(new Date(Date.now() - HOUR_MS)),
    until: textOf(get('until')),
  }));
  return (
    <div className={css.form}>
      <p>{t.replayWhat}</p>
      <form
        className={css.range}
        onSubmit={(event) => {
          event.preventDefault();
          const data = new FormData(event.currentTarget);
          const instant = (name: string) => instantOf(String(data.get(name) ?? ''));
          const [since, until] = [instant('since'), instant('until')];
          if (since) count.mutate({ since, ...(until ? { until } : {}) });
        }}
      >
        <Field label={t.from}>
          {(control) => (
            <input {...control} type="datetime-local" name="since" step={1} defaultValue={proposed.since} required />
          )}
        </Field>
        <Field label={t.to}>
          {(control) => (
            <input {...control} type="datetime-local" name="until" step={1} defaultValue={proposed.until} />
          )}
        </Field>
        <Button type="submit" look="primary" busy={count.isPending}>
          {t.replay}
        </Button>
      </form>
      {count.error && <Problem error={count.error} />}
      {start.error && !count.data && <Problem error={start.error} />}
      {count.data?.total === 0 && <p role="status">{t.replayNothing}</p>}
      {count.data && count.data.total !== 0 && (
        <Confirm
          title={t.sendAgain(count.data.total)}
          action={t.replay}
          isRunning={start.isPending}
          error={start.error}
          onConfirm={() => start.mutate(count.data, { onSuccess: count.reset })}
          onClose={count.reset}
        >
          <p>
            {format.dateTime(new Date(count.data.since))} – {format.dateTime(new Date(count.data.until))}
          </p>
          <p className={css.break}>{webhook.url}</p>
        </Confirm>
      )}
      {cancel.error && <Problem error={cancel.error} />}
      <SheetOf read={replays} isBusy={replays.isFetching} blank={{ rows: 2 }}>
        {(data) =>
          data.length === 0 ? (
            <EmptyState title={t.noReplays} />
          ) : (
            <ul>
              {data.map((one) => (
                <li key={one.id} className={css.checkLine}>
                  <Pill tone={TONES[one.state]}>{t.replayStates[one.state]}</Pill>
                  <span>
                    {format.dateTime(new Date(one.since))} – {format.dateTime(new Date(one.until))}
                  </span>
                  {one.state === 'running' && one.total !== null && (
                    <progress max={Math.max(one.total, 1)} value={one.replayed} aria-label={t.replayStates.running} />
                  )}
                  <span className="muted">
                    {one.total === null
                      ? format.number(one.replayed)
                      : t.replayed(format.number(one.replayed), format.number(one.total))}
                  </span>
                  {one.state === 'running' && (
                    <Button onClick={() => cancel.mutate(one.id)} busy={cancel.isPending}>
                      {t.halt}
                    </Button>
                  )}
                </li>
              ))}
            </ul>
          )
        }
      </SheetOf>
      <Redeliveries webhookId={webhook.id} />
    </div>
  );
}

/** The text in the field of a time, or of one that is earlier by `earlierMs`; empty: no time. */
function textOf(instant: string | null, earlierMs = 0): string {
  const at = new Date(instant ?? '').getTime() - earlierMs;
  return Number.isNaN(at) ? '' : localText(new Date(at));
}

/** The redeliveries by a filter of the log. */
function Redeliveries({ webhookId }: { webhookId: string }) {
  const t = useText().webhooks;
  const format = useFormat();
  const found = useRedeliveries(webhookId);
  if (found.length === 0) return null;
  return (
    <Section title={t.redeliveries}>
      <ul className={sheet}>
        {found.map(({ id, state, created_at, done, skipped, failed }) => (
          <li key={id} className={css.checkLine}>
            <Pill tone={RUN_TONES[state]}>{t.runStates[state]}</Pill>
            <FullTime at={created_at} />
            <span className="muted">{t.run(format.number(done), format.number(skipped), format.number(failed))}</span>
          </li>
        ))}
      </ul>
    </Section>
  );
}
