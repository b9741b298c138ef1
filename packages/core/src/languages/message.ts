import { MESSAGES } from './messages.ts';

type Table = typeof MESSAGES;
export type MessageCode = keyof Table;

/** The languages of messages; everything else is answered in English. */
export const MESSAGE_LANGUAGES = ['en', 'zh'] as const;
export type MessageLanguage = (typeof MESSAGE_LANGUAGES)[number];

/** A value in a message: `''` for a part that is left out, several for a list. A text is the same in all languages. */
type Value = string | number | Message | Named | readonly (string | Message | Named)[];
type Named = { field: string | null; message: Message };

/** The names in the braces of a text, but for those of a path (`{id}`) and JSON. */
type NamesIn<T> = T extends `${string}{${infer Name}}${infer Rest}`
  ?
      | (Name extends `${infer Counted}|${string}` ? Counted : Exclude<Name, '' | 'id' | 'replay_id' | `"${string}`>)
      | NamesIn<Rest>
  : never;
type Values<C extends MessageCode> = { [Name in NamesIn<Table[C][0]>]: Value };

/**
 * A text of the service for people, by its code in `MESSAGES` and the values in its braces. It is English wherever a
 * text is needed, also in JSON, unless it is asked for in another language (`jsonIn`).
 */
export class Message {
  readonly code: MessageCode;
  readonly values: Readonly<Record<string, Value>>;

  /** Use `message`, which checks the values. */
  constructor(code: MessageCode, values: Readonly<Record<string, Value>> = {}) {
    this.code = code;
    this.values = values;
  }

  in(language: MessageLanguage): string {
    const text: string = MESSAGES[this.code][language === 'en' ? 0 : 1];
    return text.replace(
      /\{(\w{1,40})(?:\|([^|{}]{0,40})\|([^|{}]{0,40}))?\}/g,
      (braces, name: string, one?: string, many?: string) => {
        const value = this.values[name];
        if (value === undefined) return braces;
        const shown = spell(value, language);
        return one === undefined ? shown : `${shown} ${value === 1 ? one : many}`;
      },
    );
  }

  toString(): string {
    return this.in('en');
  }

  toJSON(): string {
    return this.in('en');
  }
}

/** A message of the table, with a value for each name in its braces; `{days|day|days}` adds the word for a number. */
export function message<const C extends MessageCode>(
  code: C,
  ...[values]: [NamesIn<Table[C][0]>] extends [never] ? [] : [Values<C>]
): Message {
  return new Message(code, values);
}

/** `GET and POST`. */
export function joined(by: 'and' | 'or', [one = '', ...rest]: readonly (string | Message)[]): string | Message {
  return rest.length === 0 ? one : message(`list.${by}`, { one, rest: joined(by, rest) });
}

function spell(value: Value, language: MessageLanguage): string {
  if (value instanceof Message) return value.in(language);
  if (typeof value === 'number') return value.toLocaleString('en', { useGrouping: value >= 10_000 });
  if (typeof value === 'string') return value;
  if ('field' in value) return [value.field ?? '', value.message.in(language)].filter(Boolean).join(' ');
  const [comma, semicolon] = language === 'en' ? [', ', '; '] : ['、', '；'];
  const isOfFields = value.some((each) => typeof each === 'object' && 'field' in each);
  return value.map((each) => spell(each, language)).join(isOfFields ? semicolon : comma);
}

/** A value as JSON with its messages in a language. */
export function jsonIn(language: MessageLanguage, value: unknown): string {
  if (language === 'en') return JSON.stringify(value);
  return JSON.stringify(value, function (this: Record<string, unknown>, name, each: unknown) {
    const { [name]: original } = this;
    return original instanceof Message ? original.in(language) : each;
  });
}

/** A message as it is stored: a JSON list of its code and its values, which may be messages as well. */
export function storedMessage({ code, values }: Message): string {
  const entries = Object.entries(values).map(([name, value]) => [
    name,
    value instanceof Message ? { stored: storedMessage(value) } : value,
  ]);
  return JSON.stringify(entries.length === 0 ? [code] : [code, Object.fromEntries(entries)]);
}

/** A stored message. Other texts, such as why an operator has disabled an endpoint, are returned as they are. */
export function readMessage(stored: string): Message | string;
export function readMessage(stored: string | null): Message | string | null;
export function readMessage(stored: string | null): Message | string | null {
  if (!stored?.startsWith('["')) return stored;
  const [code, values = {}] = JSON.parse(stored) as [MessageCode, Record<string, Value | { stored: string }>?];
  if (!Object.hasOwn(MESSAGES, code)) return stored;
  const entries = Object.entries(values).map(([name, value]) => [
    name,
    typeof value === 'object' && 'stored' in value ? readMessage(value.stored) : value,
  ]);
  return new Message(code, Object.fromEntries(entries));
}
