import { Names } from "../names.ts";

const keywords =
  "False None True and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield";

/** Names that annotations are made of: a field of that name would stand in their way. */
const vocabulary = "str int float bool list dict Literal JsonValue Field ConfigDict";

/** What pydantic's BaseModel has already. */
const taken =
  "construct copy dict from_orm json model_computed_fields model_config model_construct model_copy model_dump model_dump_json model_extra model_fields model_fields_set model_json_schema model_parametrized_name model_post_init model_rebuild model_validate model_validate_json model_validate_strings parse_file parse_obj parse_raw schema schema_json update_forward_refs validate root";

const reserved = [keywords, vocabulary, taken].flatMap((list) => list.split(" "));

/** Names that no type may have. */
export const reservedTypes: readonly string[] = ["CAPABILITIES", ...reserved];

/** Gives the fields of one class their names: the property's own where Python and pydantic can have it. */
export class FieldNames {
  readonly #names = new Names(reserved);

  take(key: string): string {
    const ascii = key.replace(/[^A-Za-z0-9]+/g, "_").replace(/^_+/, "");
    const name = /^[A-Za-z]/.test(ascii) ? ascii : `field_${ascii}`.replace(/_+$/, "");
    // Pydantic keeps names that start like its own methods for itself, and a type's name stays the type's.
    const avoided = /^model_(?:validate|dump)|^[A-Z].*(?:Request|Response)/.test(name);
    const own = avoided || this.#names.has(name) ? `${name}_` : name;
    return this.#names.take(own);
  }
}
