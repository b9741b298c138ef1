import { useEffect, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { useAddress } from '../../behaviour/address.ts';
import { keptFile } from '../../behaviour/kept-file.ts';
import { entriesIn } from '../../behaviour/numbers.ts';
import { useAccount } from '../../data/account.ts';
import { handFile } from '../../data/handed-file.ts';
import { useFormat } from '../../i18n/format.ts';
import { useText } from '../../i18n/language.ts';
import { useStore } from '../../session/store.ts';
import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/field.tsx';
import { PageHead } from '../../ui/page.tsx';
import { ErrorState, Problem } from '../../ui/states.tsx';
import { toast } from '../../ui/toast.tsx';
import css from './add.module.css';
import { readDropped } from './dropped.ts';
import { Preview } from './preview.tsx';
import { SharedFields } from './shared-fields.tsx';
import { draft, MAX_PASTED, sharedDraft, usePreview, useRegistration } from './use-add.ts';

/** Registers numbers: one, a pasted column, or a dropped file of numbers; a table is imported. What it costs is shown first. */
export function Add() {
  const text = useText();
  const t = text.add;
  const format = useFormat();
  const address = useAddress();
  const [, navigate] = useLocation();
  const { data: account } = useAccount();
  // The fields belong to the numbers that they were typed for.
  useState(() => draft.get() === '' && sharedDraft.set({}));
  const given = address.get('numbers');
  useEffect(() => {
    if (given === null) return;
    draft.set(given.replaceAll(',', '\n'));
    sharedDraft.set({});
    // Once: Back would put them over what was typed or registered since.
    address.set({ numbers: null }, { replace: true });
  });
  const typed = useStore(draft);
  const shared = useStore(sharedDraft);
  // What is no number is sent, too: the service says what is wrong with it.
  const numbers = entriesIn(typed);
  const isTooMany = numbers.length > MAX_PASTED;
  const preview = usePreview(isTooMany ? [] : numbers, shared);
  const registration = useRegistration();
  const [hasRegistered, setRegistered] = useState(false);
  const { progress } = registration;

  const takeFile = async (onDisk: File) => {
    const file = await keptFile(onDisk);
    if (file === null) return toast(text.imports.unreadable);
    const dropped = await readDropped(file);
    if (dropped !== 'table') return draft.set(dropped.numbers);
    handFile(file);
    navigate('/imports');
  };
  const register = async () => {
    const { registered, refused } = await registration.run(numbers, shared);
    // The view may have been left meanwhile.
    const said = [registered > 0 && t.registered(registered), refused.length > 0 && t.notRegistered(refused.length)];
    toast(said.filter(Boolean).join(' '));
    if (registered > 0) setRegistered(true);
    // Unless others were typed since then.
    if (draft.get() === typed) draft.set(refused.join('\n'));
  };

  return (
    <div className={css.page}>
      <PageHead title={t.title} />
      <form
        className={css.form}
        onSubmit={(event) => {
          event.preventDefault();
          void register();
        }}
      >
        <Field label={t.label} hint={t.hint} error={isTooMany ? t.tooMany(format.number(MAX_PASTED)) : undefined}>
          {(control) => (
            <textarea
              {...control}
              rows={8}
              value={typed}
              spellCheck={false}
              readOnly={progress !== null}
              // biome-ignore lint/a11y/noAutofocus: the page exists for this field
              autoFocus
              onChange={(event) => draft.set(event.target.value)}
              onDragOver={(event) => event.preventDefault()}
              onDrop={(event) => {
                const [file] = event.dataTransfer.files;
                if (!file) return;
                event.preventDefault();
                void takeFile(file);
              }}
            />
          )}
        </Field>
        <p className={css.file}>
          {t.file} <Link href="/imports">{t.toImports}</Link>
        </p>
        <SharedFields shared={shared} onChange={sharedDraft.set} />
        {preview.error !== null && <ErrorState error={preview.error} retry={preview.refetch} />}
        {numbers.length > 0 && !isTooMany && (preview.result !== null || preview.error === null) && (
          <div className={css.sum} role="status">
            {preview.result === null ? (
              t.looking(format.number(numbers.length))
            ) : (
              <>
                <strong>{t.cost(preview.result.cost)}</strong>{' '}
                {account && t.left(format.number(account.quota_remaining))}
                {preview.result.refused > 0 && <span className={css.wrong}>{t.wrong(preview.result.refused)}</span>}
              </>
            )}
          </div>
        )}
        {progress === null ? (
          <div className={css.actions}>
            <Button
              type="submit"
              look="primary"
              disabled={preview.result === null || preview.result.lines.length === preview.result.refused}
            >
              {t.submit}
            </Button>
            {hasRegistered ? (
              <Link href="/shipments?sort=-created_at">{text.imports.show}</Link>
            ) : (
              <Link href="/shipments">{text.cancel}</Link>
            )}
          </div>
        ) : (
          <div className={css.actions} role="status">
            <progress max={progress.total} value={progress.done} aria-label={t.title} />
            <span>{text.selection.working(format.number(progress.done), format.number(progress.total))}</span>
            <Button onClick={registration.stop}>{text.selection.halt}</Button>
          </div>
        )}
        {registration.error !== null && <Problem error={registration.error} />}
      </form>
      {preview.result && <Preview lines={preview.result.lines} />}
    </div>
  );
}
