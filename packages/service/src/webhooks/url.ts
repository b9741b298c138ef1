import { type Fault, refusal } from '@pts/core/errors';
import { refuseUrl } from '@pts/core/url-policy';
import type { ServiceContext } from '../context.ts';

type Context = Pick<ServiceContext, 'urlPolicy'>;

/** Checks a `url`, if it is a string, against the URL policy; and that all of it is sent, so that no two name the same receiver. */
export function urlFaults({ urlPolicy }: Context, { url }: Record<string, unknown>): Fault[] {
  const refused = typeof url === 'string' ? (refuseUrl(url, urlPolicy) ?? refuseFragment(url)) : null;
  if (refused === null) return [];
  return [{ field: 'url', message: refused.replace(/^url /, ''), error: 'invalid_field' }];
}

function refuseFragment(url: string): string | null {
  return url.includes('#') ? 'must not contain a fragment: the part from # on is never sent' : null;
}

/** The normalized URL. @throws ServiceError `invalid_field` with the reason of the refusal. */
export function admitUrl(ctx: Context, url: string): string {
  const faults = urlFaults(ctx, { url });
  if (faults.length > 0) throw refusal(faults);
  return new URL(url).href;
}
