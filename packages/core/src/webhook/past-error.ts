const NOT_PUBLIC = 'dns: the host name does not resolve to a public address';
/** What 0.2.0 wrote: its errors disclosed addresses of names inside the network, and which of these names exist. */
const TOO_FRANK =
  /blocked: \S{1,260} (?:resolves to a refused address: \S{1,80} is (?:not )?an? \S{1,40} address|resolves to no address)|dns: the host name does not resolve(?! to)/;

/** The error of a recorded attempt, as its account may see it. Records of 0.2.0 are kept as long as any. */
export function shownError(error: string | null): string | null {
  return error?.replace(TOO_FRANK, NOT_PUBLIC) ?? null;
}
