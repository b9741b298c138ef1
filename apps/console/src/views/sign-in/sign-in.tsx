import { useEffect, useState } from 'react';
import { useText } from '../../i18n/language.ts';
import { clientOf } from '../../session/client.tsx';
import { SERVICE_URL } from '../../session/connection.ts';
import { sentenceOf } from '../../session/failure.ts';
import { session, signIn } from '../../session/session.ts';
import { chooseAccount, providerAddress, readOffer, type SignInOffer } from '../../session/sign-in.ts';
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
        <Provider />
        {ended !== null && (
          <p className={css.ended} role="status">
            <strong>{t.ended}</strong> {ended}
          </p>
        )}
        <form
          className="form"
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
          <div className="actions">
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

/**
 * Signs a person in with the identity provider, where the installation has one. Whoever comes back from it goes on to
 * the account, or chooses one of several.
 */
function Provider() {
  const t = useText().signIn;
  const [offer, setOffer] = useState<SignInOffer | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const choose = async (accountId: string) => {
    if (await chooseAccount(accountId)) return;
    setProblem('expired');
    setOffer((before) => before && { ...before, person: null });
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is read once
  useEffect(() => {
    void readOffer().then((read) => {
      setOffer(read);
      // A problem is told once, and React may ask twice.
      setProblem((before) => read.problem ?? before);
      const [only, ...others] = read.person?.accounts ?? [];
      if (only && others.length === 0) void choose(only.id);
    });
  }, []);
  if (!offer?.sign_in) return null;
  const { person, sign_in } = offer;
  const problems: Partial<Record<string, string>> = t.problems;
  const accounts = person?.accounts ?? [];
  return (
    <div className={css.provider}>
      {problem !== null && (
        <p className={css.ended} role="alert">
          {problems[problem] ?? t.problems.failed}
        </p>
      )}
      {person && accounts.length > 1 ? (
        <>
          <p>{t.choose(person.name ?? person.email ?? '')}</p>
          <ul className={css.accounts}>
            {accounts.map(({ id, name }) => (
              <li key={id}>
                <Button onClick={() => void choose(id)}>{name}</Button>
              </li>
            ))}
          </ul>
        </>
      ) : (
        <Button look="primary" onClick={() => location.assign(providerAddress())}>
          {t.continue(sign_in.name)}
        </Button>
      )}
      <p className={css.note}>{t.or}</p>
    </div>
  );
}
