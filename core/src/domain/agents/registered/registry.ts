import type { Ledger } from "#domain/ledger";
import { StoaError } from "#platform/errors";
import type { Logger } from "#platform/log";
import type { AgentsTable, Store } from "#platform/store";
import type { AgentStatus, RegisteredAgent, Skill } from "../agent.ts";
import { type AgentConfig, parseAgentConfig } from "./agent-config.ts";
import { agentIdOf, didOf } from "./agent-id.ts";
import { ensureAgentKeys } from "./agent-keys.ts";
import { HandlerConnection } from "./handler.ts";

/** Gives agents an HTTP address of their own; a face, handed in so that the domain knows no HTTP. */
export interface AgentListeners {
  /** Serves the agent where its deployment url says, and returns the address it really has. Throws if it cannot. */
  open(agent: { id: string; deploymentUrl: string }): Promise<{ url: string }>;
  close(agentId: string): Promise<void>;
}

export interface RegistryDependencies {
  readonly store: Store;
  readonly ledger: Ledger;
  readonly listeners: AgentListeners;
  readonly home: string;
  readonly clock: () => number;
  readonly log: Logger;
  readonly healthCheckIntervalMs: number;
}

export interface Registration {
  readonly configJson: string;
  readonly skills: readonly (Skill & {
    version: string;
    author: string;
    rawContent: string;
    format: string;
  })[];
  readonly callbackAddress: string;
  readonly workspaceId: string;
  readonly owner: string;
}

/** How many intervals without a heartbeat and without a healthy answer make an agent stale. */
const missedIntervals = 3;
const probeTimeoutMs = 5_000;

/** The agents that registered themselves: in the database, so that a restarted core still knows them. */
export class AgentRegistry {
  readonly #deps: RegistryDependencies;
  readonly #agents = new Map<string, RegisteredAgent>();
  readonly #connections = new Map<string, HandlerConnection>();
  readonly #lastSeen = new Map<string, number>();
  /** One registration of an id at a time: two at once must not both bind its address. */
  readonly #busy = new Map<string, Promise<unknown>>();
  readonly #timer: NodeJS.Timeout;

  constructor(deps: RegistryDependencies) {
    this.#deps = deps;
    this.#timer = setInterval(() => void this.probeAll(), deps.healthCheckIntervalMs);
    this.#timer.unref();
  }

  /** Brings back the agents that were registered when the core last ran. */
  async restore(): Promise<void> {
    const rows = await this.#deps.store.db
      .selectFrom("agents")
      .selectAll()
      .where("kind", "=", "registered")
      .orderBy("created_at")
      .execute();
    for (const row of rows) {
      const agent = fromRow(row);
      try {
        await this.#deps.listeners.open({ id: agent.id, deploymentUrl: deploymentUrlOf(row) });
        this.#hold(agent);
      } catch (error) {
        this.#deps.log.warn(
          { agent: agent.id, err: error },
          "agent could not be served again; it can register anew",
        );
      }
    }
  }

  register(registration: Registration): Promise<RegisteredAgent> {
    const config = parseAgentConfig(registration.configJson);
    const id = config.id ?? agentIdOf(config.author, config.name);
    return this.#exclusively(id, () => this.#register(id, config, registration));
  }

  async #register(id: string, config: AgentConfig, registration: Registration): Promise<RegisteredAgent> {
    const { store, ledger, listeners, clock } = this.#deps;
    checkCallbackAddress(registration.callbackAddress);
    const known = await store.db.selectFrom("agents").select("owner").where("id", "=", id).executeTakeFirst();
    if (known !== undefined && known.owner !== registration.owner) {
      throw new StoaError(
        "PERMISSION_DENIED",
        `Agent ${id} is registered by another principal; choose another name or id.`,
      );
    }
    const { publicKeyPem } = ensureAgentKeys(this.#deps.home, id);
    // The address is bound before the agent is told about it: a reply that names a dead port helps nobody.
    const { url } = await listeners.open({ id, deploymentUrl: config.deployment.url });
    const now = clock();
    const row: AgentsTable = {
      id,
      workspace_id: registration.workspaceId,
      owner: registration.owner,
      kind: "registered",
      name: config.name,
      author: config.author,
      config_json: registration.configJson,
      skills_json: JSON.stringify(registration.skills),
      callback_address: registration.callbackAddress,
      did: didOf(config.author, config.name, id),
      public_key_pem: publicKeyPem,
      url,
      status: "active",
      created_at: now,
      updated_at: now,
      last_heartbeat_at: now,
    };
    try {
      await store.transaction(async (trx) => {
        const { id: _id, created_at: _created, ...changed } = row;
        await trx
          .insertInto("agents")
          .values(row)
          .onConflict((conflict) => conflict.column("id").doUpdateSet(changed))
          .execute();
        await ledger.append(trx, registrationRecord(registration, row, "registered"));
      });
    } catch (thrown) {
      if (!this.#agents.has(id)) await listeners.close(id);
      throw thrown;
    }
    const agent = fromRow(row);
    this.#hold(agent);
    return agent;
  }

  /** False where nobody of this workspace is registered under the id. */
  async heartbeat(id: string, workspaceId: string): Promise<boolean> {
    const agent = this.#agents.get(id);
    if (agent === undefined || agent.workspaceId !== workspaceId) return false;
    this.#seen(agent);
    await this.#deps.store.db
      .updateTable("agents")
      .set({ last_heartbeat_at: this.#deps.clock() })
      .where("id", "=", id)
      .execute();
    return true;
  }

  async unregister(id: string, owner: string): Promise<void> {
    await this.#exclusively(id, async () => {
      const agent = this.#agents.get(id);
      if (agent === undefined) throw new StoaError("NOT_FOUND", `No agent ${id} is registered.`);
      if (agent.owner !== owner)
        throw new StoaError("PERMISSION_DENIED", `Agent ${id} is registered by another principal.`);
      const { store, ledger, listeners } = this.#deps;
      await store.transaction(async (trx) => {
        await trx.deleteFrom("agents").where("id", "=", id).execute();
        await ledger.append(trx, registrationRecord(agent, agent, "unregistered"));
      });
      this.#release(id);
      await listeners.close(id);
    });
  }

  get(id: string): RegisteredAgent | undefined {
    return this.#agents.get(id);
  }

  list(): RegisteredAgent[] {
    return [...this.#agents.values()];
  }

  connection(agent: RegisteredAgent): HandlerConnection {
    const connection = this.#connections.get(agent.id);
    if (connection === undefined)
      throw new StoaError("NOT_FOUND", `Agent ${agent.id} is no longer registered.`);
    return connection;
  }

  /** An SDK that never heartbeats is kept alive by answering; one that does neither goes stale. */
  async probeAll(): Promise<void> {
    const { clock, healthCheckIntervalMs } = this.#deps;
    await Promise.all(
      this.list().map(async (agent) => {
        const quiet = clock() - (this.#lastSeen.get(agent.id) ?? 0);
        if (quiet < healthCheckIntervalMs) return;
        if (await this.#connections.get(agent.id)?.healthy(probeTimeoutMs)) this.#seen(agent);
        else if (quiet >= missedIntervals * healthCheckIntervalMs) this.#setStatus(agent, "stale");
      }),
    );
  }

  close(): void {
    clearInterval(this.#timer);
    for (const connection of this.#connections.values()) connection.close();
    this.#connections.clear();
  }

  #hold(agent: RegisteredAgent): void {
    this.#release(agent.id);
    this.#agents.set(agent.id, agent);
    this.#connections.set(agent.id, new HandlerConnection(agent.callbackAddress));
    this.#lastSeen.set(agent.id, this.#deps.clock());
  }

  #release(id: string): void {
    this.#agents.delete(id);
    this.#lastSeen.delete(id);
    this.#connections.get(id)?.close();
    this.#connections.delete(id);
  }

  #seen(agent: RegisteredAgent): void {
    this.#lastSeen.set(agent.id, this.#deps.clock());
    this.#setStatus(agent, "active");
  }

  #setStatus(agent: RegisteredAgent, status: AgentStatus): void {
    const current = this.#agents.get(agent.id);
    if (current === undefined || current.status === status) return;
    this.#agents.set(agent.id, { ...current, status });
    this.#deps.log.info({ agent: agent.id, status }, "agent status changed");
  }

  async #exclusively<T>(id: string, work: () => Promise<T>): Promise<T> {
    const before = this.#busy.get(id);
    const mine = (before ?? Promise.resolve()).catch(() => {}).then(work);
    this.#busy.set(id, mine);
    try {
      return await mine;
    } finally {
      if (this.#busy.get(id) === mine) this.#busy.delete(id);
    }
  }
}

function fromRow(row: AgentsTable): RegisteredAgent {
  const config = JSON.parse(row.config_json) as { description?: unknown };
  return {
    kind: "registered",
    id: row.id,
    name: row.name,
    description: typeof config.description === "string" ? config.description : "",
    author: row.author ?? "",
    workspaceId: row.workspace_id ?? "default",
    owner: row.owner,
    callbackAddress: row.callback_address ?? "",
    did: row.did ?? "",
    url: row.url ?? "",
    skills: JSON.parse(row.skills_json) as Skill[],
    status: row.status === "stale" ? "stale" : "active",
  };
}

function deploymentUrlOf(row: AgentsTable): string {
  return (JSON.parse(row.config_json) as AgentConfig).deployment.url;
}

function checkCallbackAddress(address: string): void {
  if (/^[A-Za-z0-9.[\]:_-]{1,253}:\d{1,5}$/.test(address)) return;
  throw new StoaError(
    "INVALID_ARGUMENT",
    `Registration failed: grpc_callback_address is ${JSON.stringify(address)}; expected host:port, such as localhost:50052.`,
  );
}

function registrationRecord(
  who: { workspaceId: string; owner: string },
  agent: { id: string; did: string | null; url: string | null },
  action: "registered" | "unregistered",
) {
  return {
    kind: "registration" as const,
    tenantId: who.workspaceId,
    agentId: agent.id,
    action,
    userId: who.owner,
    ...(agent.did === null ? {} : { did: agent.did }),
    ...(agent.url === null ? {} : { url: agent.url }),
  };
}
