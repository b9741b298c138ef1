import type { Writer } from '@pts/core/languages/texts';
import type { Provider } from '../provider.ts';
import { findCarrier } from '../registry/registry.ts';

/** Who wrote the texts of a parcel, as far as its provider and its carrier are known. */
export function writerOf(
  { carrier, provider }: { carrier: string; provider: string },
  providers: readonly Pick<Provider, 'name' | 'language'>[],
): Writer {
  const { language } = providers.find(({ name }) => name === provider) ?? {};
  return { language, country: findCarrier(carrier, { sandbox: true })?.country };
}
