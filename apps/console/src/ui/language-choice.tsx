import { LANGUAGES, type Language, spoken, useText } from '../i18n/language.ts';
import { chooseLanguage } from '../session/preferences.ts';
import { useStore } from '../session/store.ts';
import { Choice } from './choice.tsx';
import { toast } from './toast.tsx';

/** The language of the console. */
export function LanguageChoice() {
  const t = useText();
  const { language } = useStore(spoken);
  const choose = async (value: string) => {
    if (!(await chooseLanguage(value as Language))) toast(t.languageMissing);
  };
  return (
    <Choice
      label={t.language}
      options={Object.entries(LANGUAGES).map(([value, label]) => ({ value, label, lang: value }))}
      value={language}
      onChange={choose}
    />
  );
}
