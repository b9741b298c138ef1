/** A value as a client gets it in JSON: messages are English texts. */
export function asSent<T>(value: T): T {
  return JSON.parse(JSON.stringify(value ?? null));
}
