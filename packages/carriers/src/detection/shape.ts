/** How long the texts are that a pattern matches, and the characters that they may begin with. */
export type Shape = { min: number; max: number; first: ReadonlySet<string> };

const DIGITS = [...'0123456789'];
const ANY = [...'0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
const NOTHING: Shape = { min: 0, max: 0, first: new Set() };

/**
 * The shape of an anchored pattern over `A-Z0-9`: groups, alternatives, classes, `\d`, lookaheads, and repeats with bounds.
 * @throws Error for a pattern that uses more than that.
 */
export function shapeOf({ source }: RegExp): Shape {
  const rest = { text: source };
  const shape = alternatives(rest);
  if (rest.text !== '') throw new Error(`the shape of /${source}/ cannot be described: ${rest.text}`);
  return shape;
}

/** The unread rest of a pattern's source. */
type Rest = { text: string };

function take(rest: Rest, pattern: RegExp): RegExpExecArray | null {
  const match = pattern.exec(rest.text);
  if (match) rest.text = rest.text.slice(match[0].length);
  return match;
}

function alternatives(rest: Rest): Shape {
  const shapes = [sequence(rest)];
  while (take(rest, /^\|/)) shapes.push(sequence(rest));
  return {
    min: Math.min(...shapes.map(({ min }) => min)),
    max: Math.max(...shapes.map(({ max }) => max)),
    first: new Set(shapes.flatMap(({ first }) => [...first])),
  };
}

function sequence(rest: Rest): Shape {
  let whole = NOTHING;
  for (let next = atom(rest); next !== null; next = atom(rest)) {
    const { min, max, first } = repeated(next, rest);
    // After an optional part, the beginning may be that of the next part.
    const begins = whole.min === 0 ? new Set([...whole.first, ...first]) : whole.first;
    whole = { min: whole.min + min, max: whole.max + max, first: begins };
  }
  return whole;
}

function atom(rest: Rest): Shape | null {
  if (take(rest, /^[$^]/)) return NOTHING;
  const group = take(rest, /^\((?:\?[:!=])?/)?.[0];
  if (group !== undefined) {
    const inner = alternatives(rest);
    if (!take(rest, /^\)/)) throw new Error(`a group does not end before: ${rest.text}`);
    return group === '(' || group === '(?:' ? inner : NOTHING;
  }
  const plain = take(rest, /^(?:\\d|\[[A-Z0-9-]{1,99}\]|[A-Z0-9])/)?.[0];
  if (plain === undefined) return null;
  const first = plain === '\\d' ? DIGITS : plain.startsWith('[') ? membersOf(plain.slice(1, -1)) : [plain];
  return { min: 1, max: 1, first: new Set(first) };
}

/** The members of a class such as `A-DF-Z`. */
function membersOf(text: string): string[] {
  return ANY.filter(
    (each) => new Set(text).has(each) || rangesIn(text).some(([from, to]) => from <= each && each <= to),
  );
}

function rangesIn(text: string): [from: string, to: string][] {
  return [...text.matchAll(/(.)-(.)/g)].map(([, from = '', to = '']) => [from, to]);
}

function repeated(shape: Shape, rest: Rest): Shape {
  const [match, min, comma, max] = take(rest, /^(?:\?|\{(\d{1,3})(,)?(\d{1,3})?\})/) ?? [];
  if (match === undefined) return shape;
  if (match === '?') return { ...shape, min: 0 };
  if (comma !== undefined && max === undefined) throw new Error(`a repeat has no end: ${match}`);
  return { ...shape, min: shape.min * Number(min), max: shape.max * Number(max ?? min) };
}
