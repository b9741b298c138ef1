import { LANGUAGES, type Language, spoken, useText } from '../i18n/language.ts';
import { chooseTheme, theme } from '../session/preferences.ts';
import { useStore } from '../session/store.ts';
import { Button } from '../ui/button.tsx';
import { useChooseLanguage } from '../ui/language-choice.tsx';
import css from './frame.module.css';

const OTHER: Readonly<Record<Language, Language>> = { en: 'zh', zh: 'en' };

/** The other language and the other theme, one press away; all choices are in the account's menu. */
export function Switches() {
  const t = useText();
  const { language } = useStore(spoken);
  const choose = useChooseLanguage();
  const chosen = useStore(theme);
  const isDark = chosen === 'system' ? matchMedia('(prefers-color-scheme: dark)').matches : chosen === 'dark';
  const other = OTHER[language];
  const otherTheme = isDark ? 'light' : 'dark';
  return (
    <div className={css.switches}>
      <Button look="quiet" onClick={() => void choose(other)}>
        <span className="unseen">{t.language}: </span>
        <span lang={other}>{LANGUAGES[other]}</span>
      </Button>
      <Button look="quiet" onClick={() => chooseTheme(otherTheme)}>
        <span className="unseen">{t.theme.title}: </span>
        {t.theme[otherTheme]}
      </Button>
    </div>
  );
}
