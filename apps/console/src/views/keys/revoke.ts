import { isApiError } from '@pts/client/errors';
import { useQueryClient } from '@tanstack/react-query';
import type { ApiKey } from '../../data/keys.ts';
import { useText } from '../../i18n/language.ts';
import { useClient } from '../../session/client.tsx';
import { createStore } from '../../session/store.ts';
import { toastWithUndo } from '../../ui/toast.tsx';
import { useToastFailure } from '../../ui/toast-failure.ts';

/** The keys that are about to be revoked: the list hides them already. */
export const revoking = createStore<ReadonlySet<string>>(new Set());

function hide(id: string, isHidden: boolean): void {
  const others = [...revoking.get()].filter((other) => other !== id);
  revoking.set(new Set(isHidden ? [...others, id] : others));
}

/** Revokes a key, unless it is undone within ten seconds: only then is it sent. */
export function useRevoke(): (key: ApiKey) => void {
  const t = useText().keys;
  const toastFailure = useToastFailure();
  const client = useClient();
  const queries = useQueryClient();
  return ({ id, name, hint }) => {
    hide(id, true);
    const send = async () => {
      try {
        await client.keys.revoke(id);
      } catch (error) {
        // One that is gone already was revoked elsewhere, or by an attempt whose answer was lost.
        if (!isApiError(error, 'not_found')) toastFailure(error);
      }
      await queries.invalidateQueries({ queryKey: ['keys'] });
      hide(id, false);
    };
    toastWithUndo(t.revoked(name ?? hint), { undo: () => hide(id, false), done: () => void send() });
  };
}
