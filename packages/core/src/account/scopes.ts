/** What a key may do. Each operation needs one of them, or none. */
export const SCOPES = ['read', 'write', 'webhooks', 'admin'] as const;
export type Scope = (typeof SCOPES)[number];

export function isScope(text: string): text is Scope {
  return (SCOPES as readonly string[]).includes(text);
}
