import type { Token } from 'markdown-it';
import { escapeHtml } from '../site/html.ts';

/** The name of a code block's tab: "```python tab=Python". Blocks with tabs that follow each other are one group. */
export function tabOf({ type, info }: Token): string | null {
  return type === 'fence' ? (/ tab=(\S+)$/.exec(info)?.[1] ?? null) : null;
}

/** Renders tokens, with groups of tabs as radio buttons and panels: the style sheet shows the chosen one, without a script. */
export function groupTabs(tokens: Token[], render: (tokens: Token[]) => string): string {
  let html = '';
  let group: Token[] = [];
  let others: Token[] = [];
  let groups = 0;
  const flush = () => {
    html += render(others);
    if (group.length > 0) html += tabs(group, ++groups, render);
    [group, others] = [[], []];
  };
  for (const token of tokens) {
    if (tabOf(token) === null) {
      if (group.length > 0) flush();
      others.push(token);
    } else group.push(token);
  }
  flush();
  return html;
}

function tabs(group: Token[], number: number, render: (tokens: Token[]) => string): string {
  const choices = group.map((token, index) => {
    const name = escapeHtml(tabOf(token) ?? '');
    const checked = index === 0 ? ' checked' : '';
    return `<label><input type="radio" name="tabs-${number}" value="${name}"${checked}>${name}</label>`;
  });
  const panels = group.map((token) => `<div class="panel">${render([token])}</div>`);
  return `<div class="tabs"><div class="choices" role="radiogroup" aria-label="Language">${choices.join('')}</div>${panels.join('')}</div>\n`;
}
