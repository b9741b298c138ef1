import { type Environment, readList, textIn } from '@pts/core/settings';
import type { Provider } from '../provider.ts';
import { carriers } from '../registry/registry.ts';
import type { ProviderManifest } from './manifest.ts';

/** The routes that the operator set: by our carrier code, the names of the providers, in order. */
export type Routes = ReadonlyMap<string, readonly string[]>;

const VARIABLE = 'PROVIDER_ROUTES';

/** The providers that serve a carrier, preferred first. If one cannot answer for long, the next one is queried. */
export function routeFor<P extends Provider>(carrier: string, providers: readonly P[]): P[] {
  const rank = (provider: P) => provider.rank?.(carrier) ?? providers.indexOf(provider);
  return providers.filter((provider) => provider.serves(carrier)).toSorted((a, b) => rank(a) - rank(b));
}

/** The preferred provider for a carrier; undefined if none serves it. */
export function providerFor<P extends Provider>(carrier: string, providers: readonly P[]): P | undefined {
  return routeFor(carrier, providers)[0];
}

/** Reads `PROVIDER_ROUTES`: `dhl=dhl-unified,17track; yto=kuaidi100`. Checked by `routeFaults` before. */
export function routesIn(env: Environment): Routes {
  return new Map(entriesIn(env).map(({ carrier, names }) => [carrier, names]));
}

/** What is wrong with `PROVIDER_ROUTES`. */
export function routeFaults(env: Environment, manifests: readonly ProviderManifest[]): string[] {
  const known = new Set(carriers({ sandbox: true }).map(({ code }) => code));
  return entriesIn(env).flatMap(({ text, carrier, names }) => {
    if (carrier === '' || names.length === 0)
      return [`${VARIABLE} has "${text}", which is not of the form carrier=provider,provider`];
    if (!known.has(carrier)) return [`${VARIABLE} names the carrier ${carrier}, which is not known`];
    return names.flatMap((name) => {
      const manifest = manifests.find((each) => each.name === name);
      if (!manifest) return [`${VARIABLE} names ${name} for ${carrier}, which is not a provider`];
      return Object.hasOwn(manifest.carriers, carrier)
        ? []
        : [`${VARIABLE} names ${name} for ${carrier}, which it does not serve`];
    });
  });
}

function entriesIn(env: Environment): { text: string; carrier: string; names: string[] }[] {
  const texts = (textIn(env, VARIABLE) ?? '').split(';').map((text) => text.trim().toLowerCase());
  return texts
    .filter((text) => text !== '')
    .map((text) => {
      const [carrier = '', names = ''] = text.split('=', 2);
      return { text, carrier: carrier.trim(), names: readList(names) };
    });
}
