import type { ReactNode } from 'react';
import { type Scope, useMay, useMe } from '../data/account.ts';
import { useText } from '../i18n/language.ts';
import { PageHead } from './page.tsx';
import { EmptyState, Skeleton } from './states.tsx';

type Refusal = { why: string; advice: string };

/** Why the key, or the role of the person, does not allow something; null while it does. */
function useRefusal(scope: Scope): Refusal | null {
  const t = useText().may;
  const may = useMay();
  const { data: me } = useMe();
  if (may(scope)) return null;
  return me?.member ? { why: t.role[scope], advice: t.roleAdvice } : { why: t.key[scope], advice: t.keyAdvice };
}

type AllowedProps = {
  needs: Scope;
  /** Whether another part of the view says already why something is not offered. */
  silent?: boolean;
  children: ReactNode;
};

/** Actions that need a scope; in their place, a sentence that says why they are not offered. */
export function Allowed({ needs, silent = false, children }: AllowedProps) {
  const refusal = useRefusal(needs);
  if (refusal === null) return children;
  return silent ? null : <p className="refused">{refusal.why}</p>;
}

/** A view that needs a scope. Without it, nothing is read; and nothing before that is known. */
export function AllowedView({ needs, title, children }: { needs: Scope; title: string; children: ReactNode }) {
  const refusal = useRefusal(needs);
  const { isPending } = useMe();
  if (isPending) return <Skeleton rows={3} />;
  if (refusal === null) return children;
  return (
    <>
      <PageHead title={title} />
      <EmptyState title={refusal.why}>
        <p>{refusal.advice}</p>
      </EmptyState>
    </>
  );
}
