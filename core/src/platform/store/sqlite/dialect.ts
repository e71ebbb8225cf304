import {
  type Dialect,
  type DialectAdapter,
  type Driver,
  type Kysely,
  type QueryCompiler,
  type SelectModifierNode,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from "kysely";

/** Kysely for a database that is reached through `driver`. */
export class SqliteThreadDialect implements Dialect {
  readonly #driver: Driver;

  constructor(driver: Driver) {
    this.#driver = driver;
  }

  createDriver(): Driver {
    return this.#driver;
  }

  createQueryCompiler(): QueryCompiler {
    return new Compiler();
  }

  createAdapter(): DialectAdapter {
    return new Adapter();
  }

  createIntrospector(db: Kysely<unknown>): SqliteIntrospector {
    return new SqliteIntrospector(db);
  }
}

class Adapter extends SqliteAdapter {
  /** Without this Kysely would let only one query at a time through. */
  override get supportsMultipleConnections(): boolean {
    return true;
  }
}

class Compiler extends SqliteQueryCompiler {
  /** There is one writer, so what a transaction has read cannot change under it: row locks say nothing here. */
  protected override visitSelectModifier(node: SelectModifierNode): void {
    if (node.modifier === undefined || node.modifier === "Distinct") super.visitSelectModifier(node);
  }
}
