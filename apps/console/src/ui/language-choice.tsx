import { LANGUAGES, type Language, spoken, useText } from '../i18n/language.ts';
import { chooseLanguage } from '../session/preferences.ts';
import { useStore } from '../session/store.ts';
import { Choice } from './choice.tsx';
import { toast } from './toast.tsx';

/** Switches the language, or says that its texts are missing. */
export function useChooseLanguage(): (language: Language) => Promise<void> {
  const t = useText();
  return async (language) => {
    if (!(await chooseLanguage(language))) toast(t.languageMissing);
  };
}

/** The language of the console. */
export function LanguageChoice() {
  const t = useText();
  const { language } = useStore(spoken);
  const choose = useChooseLanguage();
  return (
    <Choice
      label={t.language}
      options={Object.entries(LANGUAGES).map(([value, label]) => ({ value, label, lang: value }))}
      value={language}
      onChange={(value) => void choose(value as Language)}
    />
  );
}
