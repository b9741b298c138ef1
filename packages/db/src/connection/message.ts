/** The message of anything that was thrown. */
export function messageOf(error: unknown): string {
  const { message, errors } = Object(error) as { message?: string; errors?: unknown[] };
  // Node has one of these for a host with several addresses, without a message of its own.
  if (!message && errors) return errors.map(messageOf).join('; ');
  return String(message || error).trim();
}
