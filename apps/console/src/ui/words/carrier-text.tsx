/** A text as a carrier wrote it, in the carrier's language: an empty one says that it is not known, and is not that of the page. */
export function CarrierText({ lang = '', children }: { lang?: string | undefined; children: string }) {
  return (
    <span lang={lang} dir="auto">
      {children}
    </span>
  );
}
