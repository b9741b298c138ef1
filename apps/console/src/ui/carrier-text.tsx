import { languageOfText } from '../i18n/format.ts';

/** A text as a carrier wrote it, in the carrier's language. */
export function CarrierText({ children }: { children: string }) {
  const lang = languageOfText(children);
  return (
    <span lang={lang || undefined} dir="auto">
      {children}
    </span>
  );
}
