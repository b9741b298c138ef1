import { type MouseEvent, useEffect, useState } from 'react';
import { useText } from '../i18n/language.ts';
import css from './copy.module.css';
import { announce } from './toast.tsx';

const SHOWN_MS = 1_500;

/** Copies a value, then says *Copied* for a moment, also to screen readers. */
export function Copy({ value, label }: { value: string; label?: string }) {
  const t = useText().copy;
  const [state, setState] = useState<'idle' | 'done' | 'failed'>('idle');
  useEffect(() => {
    if (state === 'idle') return;
    const timer = setTimeout(() => setState('idle'), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [state]);
  const copy = async ({ currentTarget }: MouseEvent) => {
    const isCopied = await toClipboard(value, currentTarget);
    setState(isCopied ? 'done' : 'failed');
    announce(isCopied ? t.done : t.failed);
  };
  return (
    <button type="button" className={css.copy} onClick={copy}>
      {state === 'done' ? t.done : state === 'failed' ? t.failed : (label ?? t.copy)}
      {label === undefined && <span className="unseen"> {value}</span>}
    </button>
  );
}

/**
 * Browsers offer the clipboard only to secure pages; plain http has the older command. What it copies has to be in the
 * dialog of the button: outside of it, nothing can be selected.
 */
async function toClipboard(value: string, button: Element): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(value);
    return true;
  } catch {
    const area = document.createElement('textarea');
    area.value = value;
    area.className = 'unseen';
    const focused = document.activeElement;
    (button.closest('dialog') ?? document.body).append(area);
    area.select();
    const isCopied = document.execCommand('copy');
    area.remove();
    if (focused instanceof HTMLElement) focused.focus();
    return isCopied;
  }
}

const SHOWN = 20;

/** A long id, cut in the middle; its tooltip, its selection and screen readers have all of it. */
export function Cut({ value }: { value: string }) {
  if (value.length <= SHOWN) return <code>{value}</code>;
  return (
    <code title={value}>
      <span aria-hidden="true">
        {value.slice(0, 10)}…{value.slice(-8)}
      </span>
      <span className="unseen">{value}</span>
    </code>
  );
}
