const TIMEOUT_MS = 10_000;

/**
 * Posts a callback. A connection that was kept open may break before an answer: then the callback is posted once more, over
 * another one.
 * @returns whether the answer is a 2xx, and its text; null without an answer.
 */
export async function postCallback(
  url: string,
  { headers, body }: { headers?: Record<string, string>; body: string | URLSearchParams },
  signal: AbortSignal,
): Promise<{ isOk: boolean; text: string } | null> {
  const ending = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]);
  const post = async () => {
    const response = await fetch(url, {
      method: 'POST',
      body,
      signal: ending,
      redirect: 'manual',
      ...(headers && { headers }),
    });
    return { isOk: response.ok, text: await response.text() };
  };
  return post().catch(() => (ending.aborted ? null : post().catch(() => null)));
}
