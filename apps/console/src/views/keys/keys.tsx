import { isForbidden } from '@pts/client/errors';
import { useAddress } from '../../behaviour/address.ts';
import { moveRow, useHotkeys } from '../../behaviour/hotkeys.ts';
import { useMe } from '../../data/account.ts';
import { useCreateKey, useKeys } from '../../data/keys.ts';
import { useText } from '../../i18n/language.ts';
import { signOut } from '../../session/session.ts';
import { useStore } from '../../session/store.ts';
import { Button } from '../../ui/button.tsx';
import { PageHead, sheet } from '../../ui/page.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { EmptyState, ErrorState } from '../../ui/states.tsx';
import { Created, CreateKey } from './create-key.tsx';
import { KeyRow } from './key-row.tsx';
import { revoking } from './revoke.ts';

/** The keys of the account: what each may do, and when it was last used. */
export function Keys() {
  const { keys: t, account } = useText();
  const address = useAddress();
  const { data, error, isPending, isFetching, refetch } = useKeys();
  const hidden = useStore(revoking);
  const { data: me } = useMe();
  const creating = address.get('create');
  // Not in the form: a key is shown also if the form was closed before it was there.
  const create = useCreateKey();
  const close = () => {
    create.forget();
    address.close({ create: null });
  };
  useHotkeys({ j: () => moveRow(1), k: () => moveRow(-1) });
  const isRefused = isForbidden(error);
  const admins = data?.filter(({ id, scopes }) => scopes.includes('admin') && !hidden.has(id)).length ?? 0;
  return (
    <>
      <PageHead title={t.title}>
        {data && (
          <>
            {me?.test_keys && <Button onClick={() => address.open({ create: 'test' })}>{t.tryTest}</Button>}
            <Button look="primary" onClick={() => address.open({ create: '1' })}>
              {t.create}
            </Button>
          </>
        )}
      </PageHead>
      <div className={sheet} aria-busy={isFetching}>
        {isPending && <Skeleton label={t.loading} rows={3} />}
        {isRefused && !data && (
          <EmptyState title={t.forbidden} action={{ onClick: () => signOut(), label: account.signOut }}>
            <p>{t.forbiddenWhat}</p>
          </EmptyState>
        )}
        {error && !data && !isRefused && <ErrorState error={error} retry={refetch} />}
        <ul>
          {data
            ?.filter(({ id }) => !hidden.has(id))
            .map((key) => (
              <KeyRow key={key.id} apiKey={key} isLastAdmin={admins === 1 && key.scopes.includes('admin')} />
            ))}
        </ul>
      </div>
      {create.data && <Created created={create.data} onClose={close} />}
      {creating !== null && !isRefused && !create.data && (
        <CreateKey isTest={creating === 'test'} mayBeTest={me?.test_keys === true} create={create} onClose={close} />
      )}
    </>
  );
}
