import { useState } from 'react';
import { useLocation } from 'wouter';
import { useChangeWebhook, useDeleteWebhook, useRotateSecret, type Webhook } from '../../data/webhooks.ts';
import { useText } from '../../i18n/language.ts';
import { Button } from '../../ui/button.tsx';
import { Check, Field } from '../../ui/field.tsx';
import { Problem } from '../../ui/states.tsx';
import { FullTime } from '../../ui/time.tsx';
import { toast } from '../../ui/toast.tsx';
import { Confirm } from './confirm.tsx';
import { EventChoice } from './event-choice.tsx';
import { usePending } from './pending-text.ts';
import { Secret } from './secret.tsx';
import css from './webhooks.module.css';

/** Address, events, pause, secret, removal. */
export function Settings({ webhook }: { webhook: Webhook }) {
  const text = useText();
  const t = text.webhooks;
  const change = useChangeWebhook(webhook.id);
  const [events, setEvents] = useState(webhook.events);
  const [supersede, setSupersede] = useState(webhook.supersede);
  return (
    <div className={css.settings}>
      <form
        className={css.form}
        onSubmit={(event) => {
          event.preventDefault();
          const url = String(new FormData(event.currentTarget).get('url') ?? '').trim();
          change.mutate(
            { events, supersede, ...(url === webhook.url ? {} : { url }) },
            { onSuccess: () => toast(t.saved) },
          );
        }}
      >
        <Field label={t.url} hint={t.urlHint}>
          {(control) => (
            <input {...control} name="url" type="url" required defaultValue={webhook.url} spellCheck={false} />
          )}
        </Field>
        <EventChoice chosen={events} onChange={setEvents} />
        <Check label={t.supersede} checked={supersede} onChange={setSupersede} />
        {change.error && <Problem error={change.error} />}
        <div className={css.actions}>
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
      <Button
        onClick={enabled ? () => setAsking(true) : () => change.mutate({ enabled: true })}
        busy={change.isPending}
      >
        {enabled ? t.disable : t.enable}
      </Button>
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
      {rotate.data ? (
        <Secret secret={rotate.data.secret} />
      ) : (
        <Button onClick={() => setAsking(true)}>{t.rotate}</Button>
      )}
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
