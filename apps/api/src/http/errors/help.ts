/** The address of the portal's page about an error. @param baseUrl of the API; null if it is not known, for a relative address */
export function helpAddress(baseUrl: string | null, number: number): string {
  return guideAddress(baseUrl, `errors/${number}`);
}

/** The address of another page of the portal. */
export function guideAddress(baseUrl: string | null, page: string): string {
  return `${(baseUrl ?? '').replace(/\/$/, '')}/docs/${page}`;
}

/** The header `Link` of an error, also of one whose body has no room for the address. */
export function helpLink(address: string): string {
  return `<${address}>; rel="help"`;
}
