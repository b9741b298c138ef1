import type { Provider } from '../provider.ts';
import { type Kuaidi100Config, kuaidi100 } from './kuaidi100/client.ts';
import { sandbox } from './sandbox/client.ts';

export type ProvidersConfig = {
  kuaidi100?: Kuaidi100Config | undefined;
  /** Enables the sandbox provider; it then answers for whatever no other provider serves. */
  sandboxUrl?: string | undefined;
};

/** The providers that are configured, in order of preference. */
export function configuredProviders(config: ProvidersConfig): Provider[] {
  const providers: Provider[] = [];
  if (config.kuaidi100) providers.push(kuaidi100(config.kuaidi100));
  // Last, because it serves every carrier.
  if (config.sandboxUrl) providers.push(sandbox({ baseUrl: config.sandboxUrl }));
  return providers;
}

/** The preferred provider for a carrier; undefined when none serves it. */
export function providerFor(carrier: string, providers: readonly Provider[]): Provider | undefined {
  return providers.find((provider) => provider.serves(carrier));
}

/** The settings that turn providers on, as every process that needs them reads them from its environment. */
export type ProviderSettings = {
  sandboxUrl: string | undefined;
  kuaidi100BaseUrl: string;
  kuaidi100Customer: string | undefined;
  kuaidi100Key: string | undefined;
  kuaidi100FloorSeconds: number;
  kuaidi100CallsPerSecond: number;
};

/** The providers that an environment turns on: Kuaidi100 with its customer number and key, the sandbox with its address. */
export function providersFrom(settings: ProviderSettings): Provider[] {
  const { kuaidi100Customer: customer, kuaidi100Key: key, sandboxUrl } = settings;
  const account = customer === undefined || key === undefined ? undefined : { customer, key };
  return configuredProviders({
    sandboxUrl,
    kuaidi100: account && {
      ...account,
      baseUrl: settings.kuaidi100BaseUrl,
      floorSeconds: settings.kuaidi100FloorSeconds,
      callsPerSecond: settings.kuaidi100CallsPerSecond,
    },
  });
}
