import hljs from 'highlight.js/lib/core';
import bash from 'highlight.js/lib/languages/bash';
import csharp from 'highlight.js/lib/languages/csharp';
import go from 'highlight.js/lib/languages/go';
import http from 'highlight.js/lib/languages/http';
import java from 'highlight.js/lib/languages/java';
import javascript from 'highlight.js/lib/languages/javascript';
import json from 'highlight.js/lib/languages/json';
import php from 'highlight.js/lib/languages/php';
import python from 'highlight.js/lib/languages/python';
import typescript from 'highlight.js/lib/languages/typescript';
import xml from 'highlight.js/lib/languages/xml';
import { escapeHtml } from '../site/html.ts';

/** `ts`, `sh` and the like are known as well: highlight.js has the aliases. */
const KNOWN = { bash, csharp, go, http, java, javascript, json, php, python, typescript, xml };
for (const [name, language] of Object.entries(KNOWN)) hljs.registerLanguage(name, language);

/** Code as HTML, coloured by classes: the content security policy forbids inline styles. */
export function highlight(code: string, language: string): string {
  return hljs.getLanguage(language) ? hljs.highlight(code, { language }).value : escapeHtml(code);
}
