import { useEffect, useRef } from 'react';
import { useText } from '../i18n/language.ts';
import { sentenceOf } from '../session/failure.ts';
import { endIfRefused, endOfSession, session } from '../session/session.ts';
import { createStore, useStore } from '../session/store.ts';
import { Button } from './button.tsx';
import css from './toast.module.css';

/** The text that assistive technology announces next, politely. */
const announcement = createStore('');

export function announce(message: string): void {
  // Repeated words are announced again only if the text changes.
  announcement.set(announcement.get() === message ? `${message}\u00a0` : message);
}

type Toast = { id: number; message: string; undo?: (() => void) | undefined; done?: (() => void) | undefined };

const SHOWN_MS = 6_000;
const UNDO_MS = 10_000;

const toasts = createStore<readonly Toast[]>([]);
let nextId = 1;

/** Says that something is done. */
export function toast(message: string): void {
  toasts.set([...toasts.get(), { id: nextId++, message }]);
}

/**
 * Offers to undo something for ten seconds. `done` is what is not done before: when they have passed, when the next one
 * is shown, or when the tab is left. So no more than one request is left for that moment: of several, the service's
 * limits might refuse some, and nobody would be told.
 */
export function toastWithUndo(message: string, { undo, done }: { undo(): void; done?(): void }): void {
  for (const pending of toasts.get().filter((one) => one.undo)) finish(pending);
  toasts.set([...toasts.get(), { id: nextId++, message, undo, done }]);
}

function drop({ id }: Toast): void {
  toasts.set(toasts.get().filter((one) => one.id !== id));
}

function finish(toast: Toast): void {
  drop(toast);
  toast.done?.();
}

export function ToastList() {
  const list = useStore(toasts);
  const message = useStore(announcement);
  const popover = useRef<HTMLDivElement>(null);
  // The popover shown last is on top: an open drawer must not cover a new message.
  useEffect(() => {
    popover.current?.hidePopover();
    if (list.length > 0) popover.current?.showPopover();
  }, [list]);
  return (
    <>
      <p className="unseen" role="status">
        {message}
      </p>
      <div role="status">
        <div ref={popover} popover="manual" className={css.list}>
          {list.map((one) => (
            <ToastRow key={one.id} toast={one} />
          ))}
        </div>
      </div>
    </>
  );
}

function ToastRow({ toast: own }: { toast: Toast }) {
  const t = useText();
  const { message, undo } = own;
  useEffect(() => {
    const end = () => finish(own);
    const timer = setTimeout(end, own.undo ? UNDO_MS : SHOWN_MS);
    if (own.done) window.addEventListener('pagehide', end, { once: true });
    // Nobody else who signs in is told, or may undo it.
    const unsubscribe = session.subscribe(end);
    return () => {
      clearTimeout(timer);
      unsubscribe();
      window.removeEventListener('pagehide', end);
    };
  }, [own]);
  return (
    <div className={css.toast}>
      <span>{message}</span>
      {undo && (
        <Button
          look="quiet"
          onClick={() => {
            drop(own);
            undo();
          }}
        >
          {t.undo}
        </Button>
      )}
      <Button look="quiet" onClick={() => finish(own)}>
        {t.dismiss}
      </Button>
    </div>
  );
}

/**
 * Shows a failed request as a toast: what failed, and what to do. A refused key ends the session, if that has not ended
 * yet.
 */
export function useToastFailure(): (error: unknown) => void {
  const text = useText();
  const ended = endOfSession();
  return (error) => {
    if (endIfRefused(error, ended)) return;
    toast(sentenceOf(error, text));
  };
}
