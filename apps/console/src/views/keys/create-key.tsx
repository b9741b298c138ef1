import { useState } from 'react';
import { useLocation } from 'wouter';
import { startOfDay } from '../../behaviour/range.ts';
import { useMe } from '../../data/account.ts';
import type { CreatedApiKey, Scope, useCreateKey } from '../../data/keys.ts';
import { useText } from '../../i18n/language.ts';
import { enterTestMode } from '../../session/session.ts';
import { Button } from '../../ui/button.tsx';
import { Copy } from '../../ui/copy.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Check, Field } from '../../ui/field.tsx';
import { Problem } from '../../ui/states.tsx';
import css from './keys.module.css';

const SCOPES = ['read', 'write', 'webhooks', 'admin'] as const satisfies readonly Scope[];
/** Test keys manage no keys. */
const TEST_SCOPES = ['read', 'write', 'webhooks'] as const satisfies readonly Scope[];
const SEPARATORS = /[\s,;]+/;

type CreateKeyProps = {
  /** Whether a test key is proposed. */
  isTest: boolean;
  /** Whether the installation has test keys. */
  mayBeTest: boolean;
  create: ReturnType<typeof useCreateKey>;
  onClose(): void;
};

/** Creates a key with at most what the reader's own one has. */
export function CreateKey({ isTest, mayBeTest, create, onClose }: CreateKeyProps) {
  const text = useText();
  const t = text.keys;
  const { data: me } = useMe();
  const [wantsTest, setWantsTest] = useState(isTest);
  const [chosen, setScopes] = useState<readonly Scope[]>(isTest ? TEST_SCOPES : ['read']);
  const [isEmpty, setEmpty] = useState(false);
  const own = me?.key.scopes ?? SCOPES;
  const offered = (wantsTest ? TEST_SCOPES : SCOPES).filter((scope) => own.includes(scope));
  const scopes = chosen.filter((scope) => offered.includes(scope));

  const submit = (data: FormData) => {
    const textOf = (name: string) => String(data.get(name) ?? '').trim();
    const networks = textOf('networks').split(SEPARATORS).filter(Boolean);
    const [name, expires] = [textOf('name'), textOf('expires')];
    setEmpty(scopes.length === 0);
    if (scopes.length === 0) return create.reset();
    create.mutate({
      scopes,
      ...(wantsTest ? { test: true } : {}),
      ...(name === '' ? {} : { name }),
      ...(expires === '' ? {} : { expires_at: endOf(expires).toISOString() }),
      ...(networks.length === 0 ? {} : { networks }),
    });
  };

  return (
    <Dialog title={t.create} onClose={onClose}>
      <form
        className={css.form}
        onSubmit={(event) => {
          event.preventDefault();
          submit(new FormData(event.currentTarget));
        }}
      >
        <Field label={t.name} hint={t.nameHint}>
          {(control) => <input {...control} name="name" maxLength={100} autoComplete="off" />}
        </Field>
        {mayBeTest && (
          <Check
            label={
              <>
                {t.test} <span className={css.muted}>{t.testWhat}</span>
              </>
            }
            checked={wantsTest}
            onChange={setWantsTest}
          />
        )}
        <fieldset className={css.choice}>
          <legend>{t.scopes}</legend>
          {offered.map((scope) => (
            <Check
              key={scope}
              label={
                <>
                  {t.scopeNames[scope]} <span className={css.muted}>{t.scopeWhat[scope]}</span>
                </>
              }
              checked={scopes.includes(scope)}
              onChange={(on) => setScopes(SCOPES.filter((one) => (one === scope ? on : scopes.includes(one))))}
            />
          ))}
          {isEmpty && scopes.length === 0 && (
            <p className={css.error} role="alert">
              {t.noScope}
            </p>
          )}
        </fieldset>
        <Field label={t.until} hint={t.untilHint}>
          {(control) => <input {...control} type="date" name="expires" />}
        </Field>
        <Field label={t.networks} hint={t.networksHint}>
          {(control) => <textarea {...control} name="networks" rows={2} spellCheck={false} />}
        </Field>
        {create.error && <Problem error={create.error} />}
        <div className={css.actions}>
          <Button type="submit" look="primary" busy={create.isPending}>
            {t.create}
          </Button>
          <Button onClick={onClose}>{text.cancel}</Button>
        </div>
      </form>
    </Dialog>
  );
}

/** The last second of a day, in the time zone of the reader: the next one would be shown as the day after. */
function endOf(day: string): Date {
  return new Date(startOfDay(new Date(`${day}T00:00`), 1).getTime() - 1000);
}

/** A key that is shown this once. */
export function Created({ created: { key, name, hint, test }, onClose }: { created: CreatedApiKey; onClose(): void }) {
  const t = useText().keys;
  const [, navigate] = useLocation();
  const openTest = () => {
    navigate('/');
    enterTestMode(key);
  };
  return (
    <Dialog title={t.created(name ?? hint)} onClose={onClose} isKept>
      <div className={css.secret}>
        <p>{t.once}</p>
        <p>
          <code>{key}</code> <Copy value={key} label={t.copy} />
        </p>
      </div>
      <div className={css.actions}>
        <Button look="primary" onClick={onClose}>
          {t.kept}
        </Button>
        {test && <Button onClick={openTest}>{t.openTest}</Button>}
      </div>
    </Dialog>
  );
}
