import { useEffect, useLayoutEffect, useRef, useState } from 'react';

type Hotkeys = Readonly<Record<string, (event: KeyboardEvent) => void>>;

/**
 * Keys without modifiers; `mod+k` is ⌘K or Ctrl+K. None fires while the reader types. Those of a page are off while a
 * modal is open, and those of a modal (`inModal`) while another one covers it.
 */
export function useHotkeys(keys: Hotkeys, { inModal = false } = {}): void {
  const current = useRef(keys);
  current.current = keys;
  // With the commit: a view that is seen has its keys.
  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.altKey) return;
      const isMod = event.metaKey || event.ctrlKey;
      const covers = document.querySelectorAll('dialog[open]').length - (inModal ? 1 : 0);
      if (covers !== 0 || (!isMod && isTyping(event.target))) return;
      const run = current.current[isMod ? `mod+${event.key}` : event.key];
      if (!run) return;
      event.preventDefault();
      run(event);
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, [inModal]);
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement && target.matches('input:not([type="checkbox"]), textarea, select, [contenteditable]')
  );
}

/**
 * Moves the focus to the next or previous row of the page: from the one that has it, or else from the one with `id`.
 */
export function moveRow(step: 1 | -1, id: string | null = null): void {
  const rows = [...document.querySelectorAll<HTMLElement>('main [data-row]')];
  const focused = rows.findIndex((row) => row === document.activeElement || row.contains(document.activeElement));
  const at = focused >= 0 ? focused : rows.findIndex((row) => row.closest<HTMLElement>('[data-id]')?.dataset.id === id);
  const next = at === -1 ? rows[0] : rows[at + step];
  next?.focus();
  next?.scrollIntoView({ block: 'nearest' });
}

const SETTLED_MS = 300;

/** The value that a reader types, once the typing has paused. Values are compared by their text. */
export function useSettled<T>(value: T): { settled: T; isSettled: boolean } {
  const [settled, setSettled] = useState(value);
  const text = JSON.stringify(value);
  const isSettled = JSON.stringify(settled) === text;
  useEffect(() => {
    const timer = setTimeout(() => setSettled(JSON.parse(text)), SETTLED_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return { settled, isSettled };
}
