import { createRequire } from 'node:module';
import { type Module, type Options, parseSync } from '@swc/core';
import type { Source } from './sources.ts';

/** A pattern as it stands in a source file. */
export type Pattern = { path: string; source: string; flags: string };

// The bundle for browsers is plain JavaScript: no worker, no Java, no program for one platform only.
const { checkSync }: typeof import('recheck') = createRequire(import.meta.url)('recheck/lib/browser.js');

/** Every pattern that a file writes down: literals, and the texts that JSON schemas give as `pattern`. */
export function patternsIn({ path, text }: Source): Pattern[] {
  return nodesOf(parse(path, text)).flatMap((node) => {
    if (node.type === 'RegExpLiteral') return [{ path, source: String(node.pattern), flags: String(node.flags) }];
    // ajv compiles the patterns of schemas with the flag u.
    const schema = node.type === 'KeyValueProperty' && nameOf(node.key) === 'pattern' ? textOf(node.value) : null;
    return schema === null ? [] : [{ path, source: schema, flags: 'u' }];
  });
}

/** Whether a file puts patterns together while it runs, which nobody can check by reading it. */
export function makesPatterns({ path, text }: Source): boolean {
  return nodesOf(parse(path, text)).some(
    ({ type, callee }) => (type === 'NewExpression' || type === 'CallExpression') && nameOf(callee) === 'RegExp',
  );
}

/** Why a pattern is not proven to take linear time; null when it is. */
export function notLinear({ path, source, flags }: Pattern): string | null {
  // The automaton checker proves; the other one only tries. It is given all the time that a busy machine needs.
  const result = checkSync(source, flags, { checker: 'automaton', timeout: null });
  if (result.status === 'safe') return null;
  const why = result.status === 'vulnerable' ? result.complexity.summary : `cannot be proven: ${result.error.kind}`;
  return `${path}: /${source}/${flags} (${why}). Bound what repeats (.{0,500}), anchor it, or split it in two.`;
}

type Node = { type?: unknown } & Readonly<Record<string, unknown>>;

function parse(path: string, text: string): Module {
  const syntax: Options['jsc'] = { parser: { syntax: path.endsWith('.ts') ? 'typescript' : 'ecmascript' } };
  return parseSync(text, { ...(syntax.parser ?? { syntax: 'ecmascript' }), target: 'es2023' });
}

function nodesOf(value: unknown): Node[] {
  if (typeof value !== 'object' || value === null) return [];
  const children = Object.values(value).flatMap(nodesOf);
  return 'type' in value ? [value as Node, ...children] : children;
}

function nameOf(value: unknown): unknown {
  return (value as Node | undefined)?.value;
}

/** The text of a literal, in quotes or in backticks without anything to fill in. */
function textOf(value: unknown): string | null {
  const { type, ...literal } = value as Node;
  if (type === 'StringLiteral') return String(literal.value);
  const template = (type === 'TaggedTemplateExpression' ? literal.template : value) as Node;
  const [quasi, ...more] = (template.quasis as Node[] | undefined) ?? [];
  if (!quasi || more.length > 0) return null;
  return String(type === 'TaggedTemplateExpression' ? quasi.raw : quasi.cooked);
}
