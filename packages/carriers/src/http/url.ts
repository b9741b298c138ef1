/**
 * The URL of a path below the address of an API, whether or not the address ends with a slash.
 * @throws TypeError if the address is not a URL.
 */
export function urlBelow(baseUrl: string, path: string): string {
  return new URL(`${baseUrl.replace(/\/{1,99}$/, '')}/${path}`).href;
}
