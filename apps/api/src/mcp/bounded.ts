/** What an answer may have in characters: about 8,000 tokens, of which a conversation has room for several. */
export const MAX_ANSWER = 30_000;

/** How much of lists and texts stays, from generous to strict. */
const STEPS = [
  { items: 100, characters: 4000 },
  { items: 50, characters: 1000 },
  { items: 20, characters: 400 },
  { items: 10, characters: 200 },
  { items: 5, characters: 100 },
  { items: 2, characters: 50 },
] as const;
type Step = (typeof STEPS)[number];

/** A value as JSON, shortened until it fits: lists lose their last entries, texts their ends. */
export function toBoundedText(value: unknown, max = MAX_ANSWER): string {
  const whole = JSON.stringify(value);
  if (whole.length <= max) return whole;
  for (const step of STEPS) {
    const text = `${JSON.stringify(shorten(value, step))}\n(Shortened: lists end after ${step.items} entries, texts after ${step.characters} characters. Ask for less at once.)`;
    if (text.length <= max) return text;
  }
  return `${whole.slice(0, max - 100)}\n(Cut off: the answer is too long. Ask for less at once.)`;
}

function shorten(value: unknown, step: Step): unknown {
  if (typeof value === 'string')
    return value.length > step.characters ? `${value.slice(0, step.characters).toWellFormed()}…` : value;
  if (Array.isArray(value)) return value.slice(0, step.items).map((one) => shorten(one, step));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, shorten(one, step)]));
}
