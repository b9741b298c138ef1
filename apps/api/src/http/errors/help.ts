/** The address of the portal's page about an error. */
export function helpAddress(baseUrl: string, number: number): string {
  return `${baseUrl.replace(/\/$/, '')}/docs/errors/${number}`;
}
