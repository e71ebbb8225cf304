import type { Ledger } from "#domain/ledger";
import { StoaError } from "#platform/errors";
import type { Logger } from "#platform/log";
import type { AgentsTable, Store } from "#platform/store";
import type { AgentStatus, RegisteredAgent } from "../agent.ts";
import { type AgentConfig, parseAgentConfig } from "./agent-config.ts";
import { agentIdOf, didOf } from "./agent-id.ts";
import { ensureAgentKeys } from "./agent-keys.ts";
import { deploymentUrlOf, fromRow } from "./agent-row.ts";
import { checkCallbackAddress } from "./callback-address.ts";
import { HandlerConnection } from "./handler.ts";
import { readSkills, type SentSkill } from "./skill-files.ts";

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
  /** Ids that agents of the fleet have: one that registered under such an id could not be reached. */
  readonly isReserved: (id: string) => boolean;
}

export interface Registration {
  readonly configJson: string;
  readonly skills: readonly SentSkill[];
  readonly callbackAddress: string;
  readonly workspaceId: string;
  readonly owner: string;
}

/** How many intervals without a heartbeat and without a healthy answer make an agent stale. */
const missedIntervals = 3;
const probeTimeoutMs = 5_000;
/** A restarted core wants to know roughly when an agent was last heard of; that is worth one write a minute. */
const noteHeartbeatEveryMs = 60_000;

/** The agents that registered themselves: in the database, so that a restarted core still knows them. */
export class AgentRegistry {
  readonly #deps: RegistryDependencies;
  readonly #agents = new Map<string, RegisteredAgent>();
  readonly #connections = new Map<string, HandlerConnection>();
  readonly #lastSeen = new Map<string, number>();
  readonly #noted = new Map<string, number>();
  /** One registration of an id at a time: two at once must not both bind its address. */
  readonly #busy = new Map<string, Promise<unknown>>();
  readonly #timer: NodeJS.Timeout;

  constructor(deps: RegistryDependencies) {
    this.#deps = deps;
    this.#timer = setInterval(() => void this.#probe(), deps.healthCheckIntervalMs);
    this.#timer.unref();
  }

  /** Brings back the agents that were registered when the core last ran. */
  async restore(): Promise<void> {
    const rows = await this.#deps.store.db
      .selectFrom("agents")
      .selectAll()
      .where("kind", "=", "registered")
      .where("status", "!=", "unregistered")
      .orderBy("created_at")
      .execute();
    for (const row of rows) {
      const agent = fromRow(row);
      try {
        this.#refuseReserved(agent.id);
        await this.#deps.listeners.open({ id: agent.id, deploymentUrl: deploymentUrlOf(row) });
        this.#hold(agent, row.last_heartbeat_at ?? 0);
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
    this.#refuseReserved(id);
    const skills = readSkills(registration.skills);
    // Also where it was unregistered since: the DID and its key stay with whoever had them first.
    const known = await store.db.selectFrom("agents").select("owner").where("id", "=", id).executeTakeFirst();
    if (known !== undefined && known.owner !== registration.owner) {
      throw new StoaError(
        "PERMISSION_DENIED",
        `Agent ${id} belongs to another principal; choose another name or id.`,
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
      skills_json: JSON.stringify(skills),
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
    this.#hold(agent, now);
    return agent;
  }

  /** False where nobody of this workspace is registered under the id. */
  async heartbeat(id: string, workspaceId: string): Promise<boolean> {
    const agent = this.#agents.get(id);
    if (agent === undefined || agent.workspaceId !== workspaceId) return false;
    await this.#seen(agent);
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
        await trx
          .updateTable("agents")
          .set({ status: "unregistered", updated_at: this.#deps.clock() })
          .where("id", "=", id)
          .execute();
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
        if (await this.#connections.get(agent.id)?.healthy(probeTimeoutMs)) await this.#seen(agent);
        else if (quiet >= missedIntervals * healthCheckIntervalMs) await this.#setStatus(agent, "stale");
      }),
    );
  }

  close(): void {
    clearInterval(this.#timer);
    for (const connection of this.#connections.values()) connection.close();
    this.#connections.clear();
  }

  async #probe(): Promise<void> {
    try {
      await this.probeAll();
    } catch (error) {
      this.#deps.log.warn({ err: error }, "the state of agents could not be noted");
    }
  }

  #refuseReserved(id: string): void {
    if (!this.#deps.isReserved(id)) return;
    throw new StoaError(
      "ALREADY_EXISTS",
      `Registration failed: id: ${JSON.stringify(id)} is an agent of this core's fleet; choose another id.`,
    );
  }

  #hold(agent: RegisteredAgent, lastSeen: number): void {
    this.#release(agent.id);
    this.#agents.set(agent.id, agent);
    this.#connections.set(agent.id, new HandlerConnection(agent.callbackAddress, this.#deps.log));
    this.#lastSeen.set(agent.id, lastSeen);
    this.#noted.set(agent.id, lastSeen);
  }

  #release(id: string): void {
    this.#agents.delete(id);
    this.#lastSeen.delete(id);
    this.#noted.delete(id);
    this.#connections.get(id)?.close();
    this.#connections.delete(id);
  }

  async #seen(agent: RegisteredAgent): Promise<void> {
    const now = this.#deps.clock();
    this.#lastSeen.set(agent.id, now);
    await this.#setStatus(agent, "active");
    if (now - (this.#noted.get(agent.id) ?? 0) >= noteHeartbeatEveryMs) await this.#note(agent.id);
  }

  async #setStatus(agent: RegisteredAgent, status: AgentStatus): Promise<void> {
    const current = this.#agents.get(agent.id);
    if (current === undefined || current.status === status) return;
    this.#agents.set(agent.id, { ...current, status });
    this.#deps.log.info({ agent: agent.id, status }, "agent status changed");
    await this.#note(agent.id);
  }

  /** Writes down what a restarted core starts from. */
  async #note(id: string): Promise<void> {
    const agent = this.#agents.get(id);
    const seen = this.#lastSeen.get(id);
    if (agent === undefined || seen === undefined) return;
    this.#noted.set(id, seen);
    await this.#deps.store.db
      .updateTable("agents")
      .set({ status: agent.status, last_heartbeat_at: seen })
      .where("id", "=", id)
      .where("status", "!=", "unregistered")
      .execute();
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
