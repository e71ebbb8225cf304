import { type Html, html } from "./html.ts";
import { page } from "./page.ts";
import type { Readiness } from "./readiness.ts";

/** What the page at `/` shows. */
export interface StatusPage {
  readonly version: string;
  readonly uptimeSeconds: number;
  /** Where programs reach the core: REST, gRPC, A2A. A person may open `description`, where there is one. */
  readonly endpoints?: readonly {
    readonly name: string;
    readonly address: string;
    readonly note?: string;
    readonly description?: { readonly name: string; readonly address: string };
  }[];
  readonly agents: readonly {
    readonly id: string;
    readonly name?: string;
    readonly kind?: string;
    readonly status: string;
    readonly url?: string;
    readonly description?: string;
  }[];
  readonly capabilities: readonly {
    readonly id: string;
    readonly status: string;
    readonly reason?: string;
    readonly tools?: readonly {
      readonly name: string;
      readonly policy?: string;
      readonly description?: string;
    }[];
  }[];
  /** What agents let others call. */
  readonly agentCapabilities?: readonly {
    readonly agent: string;
    readonly name: string;
    readonly description?: string;
  }[];
}

const good = new Set(["ok", "ready", "active", "healthy", "running", "online", "serving"]);
const bad = new Set([
  "unhealthy",
  "failed",
  "error",
  "offline",
  "unreachable",
  "lost",
  "stopped",
  "not ready",
]);

export function renderStatusPage(status: StatusPage, readiness: Readiness): string {
  const { version, uptimeSeconds, endpoints = [], agents, capabilities, agentCapabilities = [] } = status;
  return page({
    title: "Stoa",
    subtitle: `Version ${version}, up for ${duration(uptimeSeconds)}`,
    state: badge(readiness.ready ? "ready" : "not ready"),
    body: html`${problems(readiness)}
${
  endpoints.length > 0 &&
  section(
    "Addresses",
    endpoints.length,
    ["What", "Where"],
    endpoints.map(({ name, address, note, description }) => [
      name,
      html`<code>${address}</code>${description && html` · ${link(description.address, description.name)}`}${note && html`<div class="soft">${note}</div>`}`,
    ]),
  )
}
${section(
  "Agents",
  agents.length,
  ["Agent", "About", "Status"],
  agents.map(({ id, name, kind, status, url, description }) => [
    html`${name || id}${name && name !== id && html` <span class="soft"><code>${id}</code></span>`}`,
    html`${description}${description && html`<br>`}<span class="soft">${kind}${kind && url && " · "}${url && agentAddress(url)}</span>`,
    badge(status),
  ]),
)}
${section(
  "Capabilities",
  capabilities.length,
  ["Capability", "Tools", "Status"],
  capabilities.map(({ id, tools = [], status, reason }) => [
    id,
    html`<ul>${tools.map(({ name, policy, description }) => html`<li><code>${name}</code>${policy && html` <span class="soft">(${policy})</span>`}${description && html`<div class="soft">${description}</div>`}</li>`)}</ul>`,
    html`${badge(status)}${reason && html`<div class="soft">${reason}</div>`}`,
  ]),
)}
${
  agentCapabilities.length > 0 &&
  section(
    "What agents offer each other",
    agentCapabilities.length,
    ["Call", "About"],
    agentCapabilities.map(({ agent, name, description }) => [
      html`<code>${agent}</code> ${name}`,
      description ?? "",
    ]),
  )
}`,
  });
}

/** For who may not see the rest. */
export function renderLockedPage(message: string): string {
  return page({
    title: "Stoa",
    subtitle: "This core is running.",
    state: badge("locked"),
    body: html`<h2>A credential is needed</h2><p>${message}</p>`,
  });
}

function problems({ ready, checks }: Readiness): Html | false {
  if (ready) return false;
  const failing = [...checks].filter(([, problem]) => problem !== undefined);
  return section(
    "Not ready",
    failing.length,
    ["Check", "Problem"],
    failing.map(([name, problem]) => [name, problem ?? ""]),
  );
}

function section(
  title: string,
  count: number,
  heads: readonly string[],
  rows: readonly (readonly (Html | string)[])[],
): Html {
  const table = html`<table><caption class="visually-hidden">${title}</caption><thead><tr>${heads.map((head) => html`<th scope="col">${head}</th>`)}</tr></thead>
<tbody>${rows.map(([first, ...rest]) => html`<tr><th scope="row">${first}</th>${rest.map((cell, index) => (index === 1 ? html`<td class="state">${cell}</td>` : html`<td>${cell}</td>`))}</tr>\n`)}</tbody></table>`;
  return html`<section><h2>${title} <small>(${count})</small></h2>
<div class="card" tabindex="0" role="region" aria-label="${title}">${rows.length === 0 ? html`<p class="empty">None yet.</p>` : table}</div></section>`;
}

function badge(status: string): Html {
  const tone = good.has(status) ? "good" : bad.has(status) ? "bad" : "idle";
  return html`<span class="badge ${tone}">${status}</span>`;
}

/** At the address itself an agent answers programs alone; what a person can read there is its card. */
function agentAddress(url: string): Html {
  const card = `${url.replace(/[?#].*$/s, "").replace(/\/+$/, "")}/.well-known/agent-card.json`;
  return html`<code>${url}</code>${leadsToPage(url) && html` · ${link(card, "card")}`}`;
}

function link(address: string, text: string): Html {
  return leadsToPage(address) ? html`<a href="${address}">${text}</a>` : html`${text}`;
}

// Another scheme (javascript:) would run when somebody clicks.
function leadsToPage(address: string): boolean {
  return /^(?:https?:\/\/|\/(?!\/))/.test(address);
}

function duration(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  const parts: Array<[number, string]> = [
    [Math.floor(whole / 86_400), "d"],
    [Math.floor(whole / 3_600) % 24, "h"],
    [Math.floor(whole / 60) % 60, "min"],
    [whole % 60, "s"],
  ];
  const first = parts.findIndex(([amount]) => amount > 0);
  const shown = first === -1 ? parts.slice(-1) : parts.slice(first, first + 2);
  return shown.map(([amount, unit]) => `${amount} ${unit}`).join(" ");
}
