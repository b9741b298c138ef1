import { useState } from 'react';
import { useLocation } from 'wouter';
import {
  useChangeWebhook,
  useDeleteWebhook,
  useRotateSecret,
  type Webhook,
  type WebhookChange,
} from '../../data/webhooks.ts';
import { useText } from '../../i18n/language.ts';
import { faultOf } from '../../session/failure.ts';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/dialog.tsx';
import { Check, Field } from '../../ui/field.tsx';
import { NewSecret } from '../../ui/secret.tsx';
import { Problem } from '../../ui/states.tsx';
import { FullTime } from '../../ui/time.tsx';
import { toast } from '../../ui/toast.tsx';
import { EVENT_KINDS, type EventKind } from './delivery-filter.ts';
import { usePending } from './health.tsx';
import { OPTION_FIELDS, OptionFields } from './options.tsx';
import css from './webhooks.module.css';

/** Address, events, options, pause, secret, removal. */
export function Settings({ webhook }: { webhook: Webhook }) {
  const text = useText();
  const t = text.webhooks;
  const change = useChangeWebhook(webhook.id);
  // Only what the reader changes: what another one changes meanwhile is shown, and stays.
  const [changes, setChanges] = useState<WebhookChange>({});
  const { url, events, supersede } = { ...webhook, ...changes };
  const set = (some: WebhookChange) => setChanges((before) => ({ ...before, ...some }));
  // Lists are typed as text, which is made anew from what was saved.
  const [saves, setSaves] = useState(0);
  const saved = () => {
    setSaves((count) => count + 1);
    // What was typed meanwhile is still to be saved.
    setChanges((now) => (now === changes ? {} : now));
    toast(t.saved);
  };
  const save = () => {
    const { url: _shown, ...others } = changes;
    const wanted = url === webhook.url ? others : { ...others, url };
    // The service refuses a change of nothing.
    if (Object.keys(wanted).length === 0) saved();
    else change.mutate(wanted, { onSuccess: saved });
  };
  return (
    <div className={css.settings}>
      <form
        className={css.form}
        onSubmit={(event) => {
          event.preventDefault();
          save();
        }}
      >
        <Field label={t.url} hint={t.urlHint} error={faultOf(change.error, 'url', t.url, text)}>
          {(control) => (
            <input
              {...control}
              type="url"
              required
              value={url}
              spellCheck={false}
              onChange={({ target }) => set({ url: target.value.trim() })}
            />
          )}
        </Field>
        <EventChoice chosen={events} onChange={(chosen) => set({ events: chosen })} />
        <Check label={t.supersede} checked={supersede} onChange={(on) => set({ supersede: on })} />
        <OptionFields
          error={change.error}
          key={saves}
          chosen={{
            ...(webhook.filter && { filter: webhook.filter }),
            ...(webhook.format && { format: webhook.format }),
            ...changes,
          }}
          {...(webhook.headers && { present: webhook.headers })}
          onChange={set}
        />
        {change.error && <Problem error={change.error} fields={['url', ...OPTION_FIELDS]} />}
        <div className="actions">
          <Button type="submit" look="primary" busy={change.isPending}>
            {text.save}
          </Button>
        </div>
      </form>
      <Pause webhook={webhook} />
      <Rotate webhook={webhook} />
      <Remove webhook={webhook} />
    </div>
  );
}

function Pause({ webhook }: { webhook: Webhook }) {
  const t = useText().webhooks;
  const { id, url, enabled } = webhook;
  const pending = usePending(webhook);
  const change = useChangeWebhook(id);
  const [isAsking, setAsking] = useState(false);
  return (
    <section className={css.part}>
      <h2>{enabled ? t.disable : t.enable}</h2>
      <p>{enabled ? t.disableWhat : t.enableWhat}</p>
      <div className="actions">
        <Button
          onClick={enabled ? () => setAsking(true) : () => change.mutate({ enabled: true })}
          busy={change.isPending}
        >
          {enabled ? t.disable : t.enable}
        </Button>
        {!enabled && (
          <Button onClick={() => change.mutate({ enabled: true, replay: true })} busy={change.isPending}>
            {t.enableAndReplay}
          </Button>
        )}
      </div>
      {change.error && !isAsking && <Problem error={change.error} />}
      {isAsking && (
        <Confirm
          title={t.disableSure}
          action={t.disable}
          look="danger"
          isRunning={change.isPending}
          error={change.error}
          onConfirm={() => change.mutate({ enabled: false }, { onSuccess: () => setAsking(false) })}
          onClose={() => setAsking(false)}
        >
          <p className={css.break}>{url}</p>
          <p>{pending === null ? t.noneCancelled : t.cancelled(pending)}</p>
        </Confirm>
      )}
    </section>
  );
}

function Rotate({ webhook }: { webhook: Webhook }) {
  const t = useText().webhooks;
  const pending = usePending(webhook);
  const rotate = useRotateSecret(webhook.id);
  const [isAsking, setAsking] = useState(false);
  return (
    <section className={css.part}>
      <h2>{t.rotate}</h2>
      <p>{t.rotateWhat}</p>
      {webhook.previous_secret_until && (
        <p>
          {t.previousUntil} <FullTime at={webhook.previous_secret_until} />
        </p>
      )}
      <Button onClick={() => setAsking(true)}>{t.rotate}</Button>
      {rotate.data && (
        <NewSecret title={t.rotated} value={rotate.data.secret} what={t.secretWhat} onClose={rotate.reset} />
      )}
      {rotate.error && !isAsking && <Problem error={rotate.error} />}
      {isAsking && (
        <Confirm
          title={t.rotateSure}
          action={t.rotate}
          isRunning={rotate.isPending}
          error={rotate.error}
          onConfirm={() => rotate.mutate(undefined, { onSuccess: () => setAsking(false) })}
          onClose={() => setAsking(false)}
        >
          <p className={css.break}>{webhook.url}</p>
          <p>{t.rotateWhat}</p>
          {pending !== null && <p>{t.rotatePending(pending)}</p>}
        </Confirm>
      )}
    </section>
  );
}

function Remove({ webhook }: { webhook: Webhook }) {
  const t = useText().webhooks;
  const [isAsking, setAsking] = useState(false);
  const [, navigate] = useLocation();
  const remove = useDeleteWebhook(webhook.id);
  const confirm = () =>
    remove.mutate(undefined, {
      onSuccess: () => {
        toast(t.removed);
        navigate('/webhooks');
      },
    });
  const pending = usePending(webhook);
  const what = pending === null ? t.removeWhat : t.removePending(pending);
  return (
    <section className={css.part}>
      <h2>{t.remove}</h2>
      <p>{what}</p>
      <Button look="danger" onClick={() => setAsking(true)}>
        {t.remove}
      </Button>
      {remove.error && !isAsking && <Problem error={remove.error} />}
      {isAsking && (
        <Confirm
          title={t.removeSure}
          action={t.remove}
          look="danger"
          isRunning={remove.isPending}
          error={remove.error}
          onConfirm={confirm}
          onClose={() => setAsking(false)}
        >
          <p className={css.break}>{webhook.url}</p>
          <p>{what}</p>
        </Confirm>
      )}
    </section>
  );
}

/** Which kinds of event an endpoint receives. */
export function EventChoice({
  chosen,
  onChange,
}: {
  chosen: readonly EventKind[];
  onChange(chosen: EventKind[]): void;
}) {
  const t = useText().webhooks;
  return (
    <fieldset>
      <legend>{t.which}</legend>
      {EVENT_KINDS.map((kind) => (
        <Check
          key={kind}
          label={
            <>
              {t.events[kind]} <code className="muted">{kind}</code>
            </>
          }
          checked={chosen.includes(kind)}
          onChange={(on) => onChange(EVENT_KINDS.filter((one) => (one === kind ? on : chosen.includes(one))))}
        />
      ))}
    </fieldset>
  );
}
