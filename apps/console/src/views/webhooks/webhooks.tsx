import type { RegisteredWebhook } from '@pts/client/types';
import { useState } from 'react';
import { Link } from 'wouter';
import { useAddress } from '../../behaviour/address.ts';
import { moveRow, useHotkeys } from '../../behaviour/typing.ts';
import { useRegisterWebhook, useWebhooks } from '../../data/webhooks.ts';
import { useText } from '../../i18n/language.ts';
import { faultOf } from '../../session/failure.ts';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { Copy } from '../../ui/copy.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Check, Field } from '../../ui/field.tsx';
import { PageHead } from '../../ui/page.tsx';
import { NewSecret } from '../../ui/secret.tsx';
import { EmptyState, Problem, SheetOf } from '../../ui/states.tsx';
import { Tabs, useTab } from '../../ui/tabs.tsx';
import { Deliveries } from './deliveries.tsx';
import { type EventKind, USUAL_KINDS } from './delivery-filter.ts';
import { Health, Hours } from './health.tsx';
import { OPTION_FIELDS, OptionFields, type Options, OptionsLine } from './options.tsx';
import { EventChoice } from './settings.tsx';
import css from './webhooks.module.css';

const TABS = ['endpoints', 'deliveries'] as const;

/** The endpoints that receive pushes, and what was sent to all of them. */
export function Webhooks() {
  const t = useText().webhooks;
  const address = useAddress();
  const tab = useTab(TABS);
  // Not in the form: a secret is shown also if the form was closed before it was there.
  const register = useRegisterWebhook();
  const close = () => {
    register.forget();
    address.close({ add: null });
  };
  const add = () => address.open({ add: '1' });
  return (
    <div className={css.endpoint}>
      <PageHead title={t.title}>
        <Button look="primary" onClick={add}>
          {t.add}
        </Button>
      </PageHead>
      <Tabs label={t.title} tabs={TABS.map((name) => ({ name, label: t.tabs[name] }))} />
      {tab === 'endpoints' ? <Endpoints onAdd={add} /> : <Deliveries />}
      {register.data && <Added webhook={register.data} onClose={close} />}
      {address.get('add') !== null && !register.data && <AddWebhook register={register} onClose={close} />}
    </div>
  );
}

function Endpoints({ onAdd }: { onAdd(): void }) {
  const t = useText().webhooks;
  const webhooks = useWebhooks();
  useHotkeys({ j: () => moveRow(1), k: () => moveRow(-1) });
  return (
    <SheetOf read={webhooks} isBusy={webhooks.isFetching} blank={{ rows: 3 }}>
      {(data) =>
        data.length === 0 ? (
          <EmptyState title={t.none} action={{ onClick: onAdd, label: t.add }}>
            <p>{t.what}</p>
          </EmptyState>
        ) : (
          <ul>
            {data.map((webhook) => (
              <li key={webhook.id} className={css.row}>
                <span>
                  <Link href={`/webhooks/${webhook.id}`} className={`covers ${css.link}`} data-row="">
                    {webhook.url}
                  </Link>{' '}
                  <span className={css.over}>
                    <Copy value={webhook.url} />
                  </span>
                </span>
                <Health webhook={webhook} />
                <Hours webhook={webhook} />
                <span className="muted">{webhook.events.map((event) => t.events[event]).join(' · ')}</span>
                <OptionsLine webhook={webhook} />
              </li>
            ))}
          </ul>
        )
      }
    </SheetOf>
  );
}

type AddWebhookProps = { register: ReturnType<typeof useRegisterWebhook>; onClose(): void };

/** Adds an endpoint. */
function AddWebhook({ register, onClose }: AddWebhookProps) {
  const text = useText();
  const t = text.webhooks;
  const { data: endpoints = [] } = useWebhooks();
  const [url, setUrl] = useState('');
  const [events, setEvents] = useState<EventKind[]>(USUAL_KINDS);
  const [supersede, setSupersede] = useState(false);
  const [isOff, setOff] = useState(false);
  const [options, setOptions] = useState<Options>({});
  return (
    <Dialog title={t.add} onClose={onClose}>
      <form
        className={css.form}
        onSubmit={(event) => {
          event.preventDefault();
          const { headers = {}, ...chosen } = options;
          const values = Object.entries(headers).filter((entry): entry is [string, string] => entry[1] !== null);
          register.mutate({
            ...{ url: url.trim(), events, supersede, ...chosen },
            ...(values.length > 0 && { headers: Object.fromEntries(values) }),
            ...(isOff && { enabled: false }),
          });
        }}
      >
        <Field
          label={t.url}
          hint={endpoints.some((known) => isSame(known.url, url)) ? t.urlKnown : t.urlHint}
          error={faultOf(register.error, 'url', t.url, text)}
        >
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
        <Check label={t.startOff} checked={isOff} onChange={setOff} />
        <OptionFields
          chosen={options}
          error={register.error}
          onChange={(some) => setOptions((before) => ({ ...before, ...some }))}
        />
        {register.error && <Problem error={register.error} fields={['url', ...OPTION_FIELDS]} />}
        <div className="actions">
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

/** The secret of a new endpoint, and the way to its tests. */
function Added({ webhook, onClose }: { webhook: RegisteredWebhook; onClose(): void }) {
  const t = useText().webhooks;
  return (
    <NewSecret
      title={t.added}
      value={webhook.secret}
      what={t.secretWhat}
      onClose={onClose}
      actions={<ButtonLink href={`/webhooks/${webhook.id}?tab=test`}>{t.check}</ButtonLink>}
    />
  );
}
