import { useId } from 'react';
import { LANGUAGES, type Language, spoken, useText } from '../i18n/language.ts';
import { chooseLanguage } from '../session/preferences.ts';
import { useStore } from '../session/store.ts';
import css from './choice.module.css';
import { toast } from './toast.tsx';

type Option = { value: string; label: string; lang?: string };

/** One of a few values, all of them in sight: radio buttons side by side. */
export function Choice({
  label,
  isLabelUnseen = false,
  options,
  value,
  onChange,
}: {
  label: string;
  isLabelUnseen?: boolean;
  options: readonly Option[];
  value: string;
  onChange(value: string): void;
}) {
  const name = useId();
  return (
    <fieldset>
      <legend className={isLabelUnseen ? 'unseen' : css.legend}>{label}</legend>
      <div className={css.options}>
        {options.map((option) => (
          <label key={option.value} className={css.option} lang={option.lang}>
            <input
              type="radio"
              name={name}
              className={css.radio}
              checked={option.value === value}
              onChange={() => onChange(option.value)}
            />
            {option.label}
          </label>
        ))}
      </div>
    </fieldset>
  );
}

/** Switches the language, or says that its texts are missing. */
function useChooseLanguage(): (language: Language) => Promise<void> {
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
