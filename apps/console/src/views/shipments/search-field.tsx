import { useEffect, useRef, useState } from 'react';
import { useAddress } from '../../behaviour/address.ts';
import { useText } from '../../i18n/language.ts';
import line from '../../ui/filters/filters.module.css';
import { FROM_TOP } from './query.ts';
import css from './shipments.module.css';

const SETTLED_MS = 300;

/** Narrows the list while the reader types. */
export function SearchField() {
  const t = useText().shipments;
  const address = useAddress();
  const inAddress = address.get('q') ?? '';
  const [typed, setTyped] = useState(inAddress);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  // Back, and a chip, change the address elsewhere.
  useEffect(() => setTyped((now) => (now.trim() === inAddress ? now : inAddress)), [inAddress]);
  useEffect(() => () => clearTimeout(timer.current), []);
  const apply = (text: string) => address.set({ q: text.trim() || null, ...FROM_TOP }, { replace: true });
  const onType = (text: string) => {
    setTyped(text);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => apply(text), SETTLED_MS);
  };
  return (
    <search className={css.search}>
      <input
        type="search"
        className={line.control}
        value={typed}
        placeholder={t.search}
        aria-label={t.search}
        spellCheck={false}
        maxLength={100}
        onChange={(event) => onType(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter') return;
          clearTimeout(timer.current);
          apply(typed);
        }}
      />
    </search>
  );
}
