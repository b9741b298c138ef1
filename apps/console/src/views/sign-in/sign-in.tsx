import { useState } from 'react';
import { useText } from '../../i18n/language.ts';
import { clientOf } from '../../session/client.tsx';
import { SERVICE_URL } from '../../session/connection.ts';
import { sentenceOf } from '../../session/failure.ts';
import { session, signIn } from '../../session/session.ts';
import { useStore } from '../../session/store.ts';
import { Button } from '../../ui/button.tsx';
import { LanguageChoice } from '../../ui/choice.tsx';
import { Field } from '../../ui/field.tsx';
import { Mark } from '../../ui/icon.tsx';
import { useTitle } from '../../ui/page.tsx';
import css from './sign-in.module.css';

/** One field. The address does not change: its view is shown after the sign-in. */
export function SignIn() {
  const text = useText();
  const t = text.signIn;
  const { ended } = useStore(session);
  const [problem, setProblem] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const [isShown, setShown] = useState(false);
  useTitle(t.title);

  const submit = async (data: FormData) => {
    const apiKey = String(data.get('key') ?? '').trim();
    if (apiKey === '') return setProblem(t.missing);
    setBusy(true);
    setProblem(null);
    try {
      await clientOf(apiKey).auth.me({ maxRetries: 0 });
      signIn(apiKey);
    } catch (error) {
      // A key that cannot be sent in a header.
      setProblem(error instanceof TypeError ? `${t.malformed} ${t.hint}` : sentenceOf(error, text));
      setBusy(false);
    }
  };

  return (
    <main className={css.page}>
      <div className={css.panel}>
        <p className={css.brand}>
          <Mark /> {text.brand}
        </p>
        <h1>{t.title}</h1>
        {ended !== null && (
          <p className={css.ended} role="status">
            <strong>{t.ended}</strong> {ended}
          </p>
        )}
        <form
          className={css.form}
          onSubmit={(event) => {
            event.preventDefault();
            void submit(new FormData(event.currentTarget));
          }}
        >
          <Field label={t.key} hint={t.hint} error={problem}>
            {(control) => (
              <input
                {...control}
                name="key"
                type={isShown ? 'text' : 'password'}
                autoComplete="off"
                spellCheck={false}
                // biome-ignore lint/a11y/noAutofocus: the page exists for this field
                autoFocus
              />
            )}
          </Field>
          <div className={css.actions}>
            <Button type="submit" look="primary" busy={busy}>
              {busy ? t.checking : t.submit}
            </Button>
            <Button look="quiet" onClick={() => setShown(!isShown)} aria-pressed={isShown}>
              {t.show}
            </Button>
          </div>
        </form>
        <p className={css.note}>{t.where}</p>
        <p className={css.note}>{t.tryTest}</p>
        <p className={css.note}>{t.kept}</p>
        <p className={css.note}>
          <a href={`${SERVICE_URL}/docs`}>{t.docs}</a>
        </p>
        <LanguageChoice />
      </div>
    </main>
  );
}
