import { useState } from 'react';
import { useLocation } from 'wouter';
import { useChangeWebhook, useDeleteWebhook, useRotateSecret, type Webhook } from '../../data/webhooks.ts';
import { useText } from '../../i18n/language.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Check, Field } from '../../ui/field.tsx';
import { Problem } from '../../ui/states.tsx';
import { FullTime } from '../../ui/time.tsx';
import { toast } from '../../ui/toast.tsx';
import { EventChoice } from './event-choice.tsx';
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

function Pause({ webhook: { id, enabled } }: { webhook: Webhook }) {
  const t = useText().webhooks;
  const change = useChangeWebhook(id);
  return (
    <section className={css.part}>
      <h2>{enabled ? t.disable : t.enable}</h2>
      <p>{enabled ? t.disableWhat : t.enableWhat}</p>
      <Button onClick={() => change.mutate({ enabled: !enabled })} busy={change.isPending}>
        {enabled ? t.disable : t.enable}
      </Button>
      {change.error && <Problem error={change.error} />}
    </section>
  );
}

function Rotate({ webhook }: { webhook: Webhook }) {
  const t = useText().webhooks;
  const rotate = useRotateSecret(webhook.id);
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
        <Button onClick={() => rotate.mutate()} busy={rotate.isPending}>
          {t.rotate}
        </Button>
      )}
      {rotate.error && <Problem error={rotate.error} />}
    </section>
  );
}

function Remove({ webhook }: { webhook: Webhook }) {
  const text = useText();
  const t = text.webhooks;
  const [isConfirming, setConfirming] = useState(false);
  const [, navigate] = useLocation();
  const remove = useDeleteWebhook(webhook.id);
  const confirm = () =>
    remove.mutate(undefined, {
      onSuccess: () => {
        toast(t.removed);
        navigate('/webhooks');
      },
    });
  return (
    <section className={css.part}>
      <h2>{t.remove}</h2>
      <p>{t.removeWhat(webhook.pending)}</p>
      <Button look="danger" onClick={() => setConfirming(true)}>
        {t.remove}
      </Button>
      {isConfirming && (
        <Dialog title={t.removeSure} onClose={() => setConfirming(false)}>
          <p className={css.break}>{webhook.url}</p>
          <p>{t.removeWhat(webhook.pending)}</p>
          {remove.error && <Problem error={remove.error} />}
          <div className={css.actions}>
            <Button look="danger" onClick={confirm} busy={remove.isPending}>
              {t.remove}
            </Button>
            <Button onClick={() => setConfirming(false)}>{text.cancel}</Button>
          </div>
        </Dialog>
      )}
    </section>
  );
}
