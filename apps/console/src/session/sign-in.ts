import { SERVICE_URL } from './connection.ts';
import { signIn } from './session.ts';

/** An account that a person may sign in to. */
export type AccountChoice = { id: string; name: string; role: string };
/** Tells what the sign-in page offers, and where a sign-in with the identity provider stands. */
export type SignInOffer = {
  sign_in: { name: string } | null;
  person: { email: string | null; name: string | null; accounts: readonly AccountChoice[] } | null;
  problem: string | null;
};

const NOTHING: SignInOffer = { sign_in: null, person: null, problem: null };

/** Reads it; without an answer, the field for a key is enough. */
export async function readOffer(): Promise<SignInOffer> {
  try {
    const response = await fetch(`${SERVICE_URL}/session`, { cache: 'no-store' });
    return response.ok ? ((await response.json()) as { data: SignInOffer }).data : NOTHING;
  } catch {
    return NOTHING;
  }
}

/** Where a person signs in, to come back to this address. */
export function providerAddress(): string {
  return `${SERVICE_URL}/session/oidc?to=${encodeURIComponent(`${location.pathname}${location.search}`)}`;
}

/** Signs a person who has come back from the provider in to an account. @returns whether that was accepted. */
export async function chooseAccount(accountId: string): Promise<boolean> {
  try {
    const response = await fetch(`${SERVICE_URL}/session`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ account_id: accountId }),
    });
    if (!response.ok) return false;
    const { data } = (await response.json()) as { data: { token: string } };
    signIn(data.token);
    return true;
  } catch {
    return false;
  }
}
