import type { Provider } from '@pts/carriers/provider';
import { SANDBOX } from '@pts/carriers/registry/registry';
import { TEST_PROVIDER } from '@pts/core/provider';
import type { Account } from '@pts/db/accounts/accounts';
import type { ServiceContext } from '../context.ts';

type Providers = Pick<ServiceContext, 'providers' | 'sandbox'>;

/** Whether a provider serves live accounts: all but the one for test accounts do. */
export function isLive({ name }: Pick<Provider, 'name'>): boolean {
  return name !== TEST_PROVIDER;
}

/** Whether live accounts may use the carrier `sandbox`. */
export function hasSandbox(providers: readonly Provider[]): boolean {
  return providers.some((provider) => isLive(provider) && provider.serves(SANDBOX));
}

/**
 * The dependencies of verbs by the mode of their account: a test account has the test provider, which plays every carrier, and no
 * other; live accounts have all the others. So neither reaches the providers of the other.
 */
export function modesOf<C extends Providers>(ctx: C): (account: Pick<Account, 'testOf'>) => C {
  const { providers } = ctx;
  const live = { ...ctx, providers: providers.filter(isLive) };
  const test = { ...ctx, providers: providers.filter((each) => !isLive(each)), sandbox: true };
  return ({ testOf }) => (testOf === null ? live : test);
}
