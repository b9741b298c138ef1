import { type Fault, refusal } from '@pts/core/faults';
import { refuseUrl } from '@pts/core/webhook/url-policy';
import type { ServiceContext } from '../context.ts';

type Context = Pick<ServiceContext, 'urlPolicy'>;

/** What the URL policy says against a `url`, where it is a text at all. */
export function urlFaults({ urlPolicy }: Context, { url }: Record<string, unknown>): Fault[] {
  const refused = typeof url === 'string' ? refuseUrl(url, urlPolicy) : null;
  if (refused === null) return [];
  return [{ field: 'url', message: refused.replace(/^url /, ''), error: 'invalid_field' }];
}

/** The address in its normal form. @throws ServiceError `invalid_field` that says why it is refused. */
export function admitUrl(ctx: Context, url: string): string {
  const faults = urlFaults(ctx, { url });
  if (faults.length > 0) throw refusal(faults);
  return new URL(url).href;
}
