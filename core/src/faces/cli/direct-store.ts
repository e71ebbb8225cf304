import type { Config } from "#platform/config";
import { lockHome } from "#platform/home";
import { createLogger } from "#platform/log";
import { openStore, type Store } from "#platform/store";

/** The store without a core. An SQLite file has one owner at a time, so the home is locked meanwhile. */
export async function openStoreDirectly({ home, database, log }: Config): Promise<Store> {
  // A command prints its own errors; a log line beside them would only say them twice.
  const logger = createLogger({ level: log.level === "info" ? "error" : log.level, format: log.format });
  if (database.url !== undefined) return openStore({ url: database.url }, { log: logger });
  const lock = lockHome(home);
  try {
    const store = await openStore({ home }, { log: logger });
    return withRelease(store, () => lock.release());
  } catch (error) {
    lock.release();
    throw error;
  }
}

function withRelease(store: Store, release: () => void): Store {
  return {
    dialect: store.dialect,
    db: store.db,
    transaction: (fn) => store.transaction(fn),
    batch: (queries) => store.batch(queries),
    ping: () => store.ping(),
    async close() {
      try {
        await store.close();
      } finally {
        release();
      }
    },
  };
}
