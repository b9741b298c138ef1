import type { RegisteredWebhook } from '@pts/client/types';
import { useState } from 'react';
import { Link } from 'wouter';
import { type useRegisterWebhook, useWebhooks } from '../../data/webhooks.ts';
import { useText } from '../../i18n/language.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Check, Field } from '../../ui/field.tsx';
import { Problem } from '../../ui/states.tsx';
import { EventChoice } from './event-choice.tsx';
import { EVENT_KINDS, type EventKind } from './event-kinds.ts';
import { Secret } from './secret.tsx';
import css from './webhooks.module.css';

type AddWebhookProps = { register: ReturnType<typeof useRegisterWebhook>; onClose(): void };

/** Adds an endpoint. */
export function AddWebhook({ register, onClose }: AddWebhookProps) {
  const text = useText();
  const t = text.webhooks;
  const { data: endpoints = [] } = useWebhooks();
  const [url, setUrl] = useState('');
  const [events, setEvents] = useState<EventKind[]>([...EVENT_KINDS]);
  const [supersede, setSupersede] = useState(false);
  return (
    <Dialog title={t.add} onClose={onClose}>
      <form
        className={css.form}
        onSubmit={(event) => {
          event.preventDefault();
          register.mutate({ url: url.trim(), events, supersede });
        }}
      >
        <Field label={t.url} hint={endpoints.some((known) => isSame(known.url, url)) ? t.urlKnown : t.urlHint}>
          {(control) => (
            <input
              {...control}
              type="url"
              inputMode="url"
              required
              spellCheck={false}
              value={url}
              onChange={({ target }) => setUrl(target.value)}
            />
          )}
        </Field>
        <EventChoice chosen={events} onChange={setEvents} />
        <Check label={t.supersede} checked={supersede} onChange={setSupersede} />
        {register.error && <Problem error={register.error} />}
        <div className={css.actions}>
          <Button type="submit" look="primary" busy={register.isPending}>
            {t.add}
          </Button>
          <Button onClick={onClose}>{text.cancel}</Button>
        </div>
      </form>
    </Dialog>
  );
}

/** The service registers an address once, however it is spelled. */
function isSame(known: string, typed: string): boolean {
  return URL.canParse(typed) && new URL(typed).href === known;
}

/** The secret of a new endpoint, which is shown this once. */
export function Added({ webhook, onClose }: { webhook: RegisteredWebhook; onClose(): void }) {
  const t = useText().webhooks;
  return (
    <Dialog title={t.added} onClose={onClose} isKept>
      <Secret secret={webhook.secret} />
      <p>
        {t.next} <Link href={`/webhooks/${webhook.id}?tab=test`}>{t.test}</Link>
      </p>
      <div className={css.actions}>
        <Button look="primary" onClick={onClose}>
          {t.kept}
        </Button>
      </div>
    </Dialog>
  );
}
