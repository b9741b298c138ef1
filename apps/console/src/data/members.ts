import type { AuditList, Member, MemberInput, MemberList } from '@pts/client/types';
import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useClient } from '../session/client.tsx';
import { readOffer } from '../session/sign-in.ts';

export type { Member };
export type Role = Member['role'];
export type AuditEntry = AuditList['entries'][number];

const MEMBERS = ['members'];

/** The people who may sign in to the account. */
export function useMembers() {
  const client = useClient();
  return useQuery({
    queryKey: MEMBERS,
    queryFn: async ({ signal }) => (await client.call<MemberList>('listMembers', {}, { signal })).members,
  });
}

/** Whether people can sign in here at all. */
export function useHasSignIn(): boolean | undefined {
  const offer = useQuery({ queryKey: ['sign-in'], queryFn: readOffer, staleTime: Number.POSITIVE_INFINITY });
  return offer.data && offer.data.sign_in !== null;
}

function useChange<Input, Result>(change: (input: Input) => Promise<Result>) {
  const queries = useQueryClient();
  return useMutation({ mutationFn: change, onSettled: () => queries.invalidateQueries({ queryKey: MEMBERS }) });
}

export function useAddMember() {
  const client = useClient();
  return useChange((body: MemberInput) => client.call<Member>('addMember', { body }));
}

export function useChangeRole() {
  const client = useClient();
  return useChange(({ id, role }: Pick<Member, 'id' | 'role'>) =>
    client.call<Member>('updateMember', { id, body: { role } }),
  );
}

export function useRemoveMember() {
  const client = useClient();
  return useChange((id: string) => client.call('removeMember', { id }));
}

/** Who changed what, the newest first. */
export function useAudit() {
  const client = useClient();
  return useInfiniteQuery({
    queryKey: ['audit'],
    queryFn: ({ pageParam: before, signal }) => client.call<AuditList>('listAudit', { query: { before } }, { signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_before ?? undefined,
  });
}
