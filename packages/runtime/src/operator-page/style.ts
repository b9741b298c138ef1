/** The style of the operator's page, in light and dark. The policy of the page names its hash. */
export const STYLE = `
:root { color-scheme: light dark; --ink: light-dark(#1b2430, #e6eaf0); --muted: light-dark(#5b6675, #9aa6b5);
  --line: light-dark(#e3e7ec, #2a323d); --paper: light-dark(#ffffff, #11161d); --sunken: light-dark(#f6f8fa, #0b0f14);
  --green: light-dark(#17663a, #82d8a5); --red: light-dark(#a32020, #ffa0a0); }
* { box-sizing: border-box; }
body { margin: 0; background: var(--sunken); color: var(--ink); font: 14px/20px system-ui, sans-serif; }
main { display: grid; gap: 16px; grid-template-columns: repeat(auto-fill, minmax(min(100%, 420px), 1fr)); max-width: 1320px;
  margin: 0 auto; padding: 16px; }
header, dl, footer { grid-column: 1 / -1; margin: 0; }
header { display: flex; gap: 16px; align-items: baseline; }
h1 { margin: 0; font-size: 20px; line-height: 28px; }
header p { margin: 0; font-weight: 600; }
dl { display: flex; flex-wrap: wrap; gap: 8px 24px; }
dt { color: var(--muted); font-size: 12px; line-height: 16px; }
dd { margin: 0; font-variant-numeric: tabular-nums; overflow-wrap: anywhere; }
section { background: var(--paper); border: 1px solid var(--line); border-radius: 6px; padding: 12px 16px; min-width: 0; }
h2 { margin: 0 0 8px; font-size: 14px; line-height: 20px; }
.wide { overflow-x: auto; }
table { width: 100%; border-collapse: collapse; }
th, td { padding: 4px 8px 4px 0; text-align: start; vertical-align: top; border-top: 1px solid var(--line);
  overflow-wrap: anywhere; }
tr:first-child > * { border-top: 0; }
tbody tr:first-child > * { border-top: 1px solid var(--line); }
table > tbody:first-child tr:first-child > * { border-top: 0; }
th[scope="row"] { width: 1%; padding-inline-end: 24px; font-weight: 400; white-space: nowrap; }
.wide th[scope="row"] { padding-inline-end: 8px; }
.wide td { white-space: nowrap; }
th[scope="col"] { font-weight: 400; color: var(--muted); font-size: 12px; line-height: 16px; overflow-wrap: normal; }
.figure, .good, .bad { font-variant-numeric: tabular-nums; }
.good { color: var(--green); }
.bad { color: var(--red); font-weight: 600; }
footer { color: var(--muted); font-size: 12px; line-height: 16px; }
code { font: 12px/16px ui-monospace, monospace; }
`;
