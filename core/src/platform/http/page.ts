import { createHash } from "node:crypto";
import { Html, html } from "./html.ts";

const style = `
:root { color-scheme: light dark; --ink: #1d2430; --soft: #5a6474; --line: #d9dee6; --paper: #f6f7f9; --card: #fff;
  --accent: #1f5fbf; --good: #1a7f4b; --bad: #b3261e; --idle: #6b7280; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e7eaf0; --soft: #a3adbd; --line: #2c3442; --paper: #10141b; --card: #171d27;
    --accent: #8ab4f8; --good: #5fd19a; --bad: #ff8a80; --idle: #9aa4b2; }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 1rem/1.5 system-ui, sans-serif; }
main, header > div, footer > div { max-width: 62rem; margin: 0 auto; padding: 0 1.25rem; }
header { background: var(--card); border-bottom: 1px solid var(--line); }
header > div { display: flex; align-items: center; gap: 1rem; padding-block: 1.1rem; flex-wrap: wrap; }
header svg { width: 2.5rem; height: 2.5rem; color: var(--accent); flex: none; }
h1 { font-size: 1.35rem; margin: 0; line-height: 1.2; }
header p { margin: .1rem 0 0; color: var(--soft); font-size: .95rem; }
header .state { margin-left: auto; }
h2 { font-size: 1.05rem; margin: 2rem 0 .6rem; }
h2 small { color: var(--soft); font-weight: 400; }
.card { background: var(--card); border: 1px solid var(--line); border-radius: .6rem; overflow-x: auto; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: .6rem .9rem; border-top: 1px solid var(--line); overflow-wrap: anywhere; }
thead th { border-top: 0; color: var(--soft); font-weight: 500; font-size: .85rem; }
tbody th { font-weight: 600; width: 26%; }
td.state { width: 11rem; }
.badge { white-space: nowrap; display: inline-flex; align-items: center; gap: .45em; font-size: .9rem; }
.badge::before { content: ""; width: .6em; height: .6em; border-radius: 50%; background: var(--idle); }
.good::before { background: var(--good); } .bad::before { background: var(--bad); border-radius: 0; }
.soft, .empty { color: var(--soft); font-size: .92rem; } .empty { margin: 0; padding: .9rem; }
code { font: .9em ui-monospace, monospace; }
ul { margin: 0; padding-left: 1.1rem; }
a { color: var(--accent); } a:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
.visually-hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
footer { margin: 2.5rem 0 1.5rem; color: var(--soft); font-size: .9rem; }
@media (max-width: 40rem) {
  thead { position: absolute; clip-path: inset(50%); }
  tr { display: block; padding: .6rem .8rem; border-top: 1px solid var(--line); } tr:first-child { border-top: 0; }
  tbody th, td, td.state { display: block; width: auto; padding: .1rem 0; border: 0; }
  header .state { margin-left: 0; }
}
`;

const mark = new Html(
  `<svg viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="1.6" stroke-linejoin="round" aria-hidden="true"><path d="M2.5 8.5 12 3l9.5 5.5zM3 21h18M4 18.5h16M6 9v9M10 9v9M14 9v9M18 9v9"/></svg>`,
);
const icon =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 24 24' fill='none' stroke='%231f5fbf' stroke-width='2'%3E%3Cpath d='M2.5 8.5 12 3l9.5 5.5zM3 21h18M6 9v9M12 9v9M18 9v9'/%3E%3C/svg%3E";

/** The page may use the one style above and its own icon, and nothing else from anywhere. */
export const pageHeaders = {
  "content-type": "text/html; charset=utf-8",
  "content-security-policy": `default-src 'none'; style-src 'sha256-${createHash("sha256").update(style).digest("base64")}'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
};

export interface PageParts {
  readonly title: string;
  readonly subtitle: string;
  /** Stands at the right of the header. */
  readonly state: Html;
  readonly body: Html;
}

export function page({ title, subtitle, state, body }: PageParts): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="icon" href="${icon}">
<style>${new Html(style)}</style>
</head>
<body>
<header><div>${mark}<div><h1>${title}</h1><p>${subtitle}</p></div><div class="state">${state}</div></div></header>
<main>${body}</main>
<footer><div>Stoa: agents and tools under contract. <a href="/openapi.json">OpenAPI</a> · <a href="/healthz">Health</a> · <a href="/readyz">Readiness</a> · <a href="/metrics">Metrics</a></div></footer>
</body>
</html>
`.text;
}
