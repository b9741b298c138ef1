import { API_KEY, allowed, one, serviceAddress } from './dom.ts';

/** An answer is shown up to this many characters, and then cut off. */
const MAX_SHOWN = 100_000;
/** Why a request was ended, when its reader has done it. */
const STOPPED = 'stopped';

/** Makes the form send its request, and shows the request, the answer and the time. */
export function startTryIt(section: HTMLElement): void {
  const form = one<HTMLFormElement>('form', section);
  const key = one<HTMLInputElement>('[name=key]', form);
  const stop = one<HTMLButtonElement>('[data-stop]', form);
  key.addEventListener('change', () => allowed(() => sessionStorage)?.setItem(API_KEY, key.value.trim()));
  section.hidden = false;
  let ending = new AbortController();
  stop.addEventListener('click', () => ending.abort(STOPPED));
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    // The answer to an earlier request, a stream perhaps, is no longer shown.
    ending.abort();
    const own = new AbortController();
    ending = own;
    stop.hidden = false;
    await send(section, form, own.signal);
    if (ending === own) stop.hidden = true;
  });
}

async function send(section: HTMLElement, form: HTMLFormElement, signal: AbortSignal): Promise<void> {
  const status = one<HTMLElement>('[data-status]', section);
  const answer = one<HTMLElement>('[data-answer]', section);
  const { url, init } = requestOf(form);
  one<HTMLElement>('[data-request]', section).textContent = textOf(url, init);
  one<HTMLElement>('[data-result]', section).hidden = false;
  [status.textContent, answer.textContent] = ['…', ''];
  const started = performance.now();
  let code = '';
  const took = () => `${Math.round(performance.now() - started)} ms`;
  try {
    const response = await fetch(url, { ...init, signal });
    code = `${response.status} · `;
    status.textContent = `${code}${took()}`;
    await read(response, (text) => {
      answer.textContent = text;
    });
    status.textContent = `${code}${took()}`;
  } catch (error) {
    if (signal.reason === STOPPED) status.textContent = `${code}${form.dataset.stopped} · ${took()}`;
    if (signal.aborted) return;
    status.textContent = `${form.dataset.failed}${error instanceof Error ? error.message : error}`;
  }
}

type Init = { method: string; headers: Record<string, string>; body?: string };

function requestOf(form: HTMLFormElement): { url: string; init: Init } {
  const { method = 'GET', path = '' } = form.dataset;
  const fields = new FormData(form);
  const headers: Record<string, string> = { 'X-API-Key': String(fields.get('key')).trim() };
  const query = new URLSearchParams();
  let address = path;
  for (const [name, value] of fields) {
    const [place = '', field = ''] = name.split(':');
    if (value === '') continue;
    if (place === 'path') address = address.replace(`{${field}}`, encodeURIComponent(String(value)));
    if (place === 'query') query.set(field, String(value));
    if (place === 'header') headers[field] = String(value);
  }
  const body = fields.get('body');
  if (body) headers['Content-Type'] = String(fields.get('type'));
  const search = query.size > 0 ? `?${query}` : '';
  const url = `${serviceAddress()}/api/v1${address}${search}`;
  return { url, init: { method, headers, ...(body ? { body: String(body) } : {}) } };
}

/** The request as it is sent, without the key. */
function textOf(url: string, { method, headers, body }: Init): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${name === 'X-API-Key' ? 'tk_…' : value}`);
  return [`${method} ${url}`, ...lines, ...(body ? ['', body] : [])].join('\n');
}

/** Shows an answer as it arrives; JSON is indented once it is complete. */
async function read(response: Response, show: (text: string) => void): Promise<void> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  for (let piece = await reader?.read(); piece && !piece.done; piece = await reader?.read()) {
    text += piece.value;
    if (text.length > MAX_SHOWN) {
      show(`${text.slice(0, MAX_SHOWN)}\n…`);
      return reader?.cancel();
    }
    show(text);
  }
  if (response.headers.get('Content-Type')?.startsWith('application/json')) show(pretty(text));
}

function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
