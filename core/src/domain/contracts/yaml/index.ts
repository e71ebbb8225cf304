export { Fields } from "./fields.ts";
export { fromPlain } from "./from-plain.ts";
export { parseYaml } from "./parse.ts";
export {
  type FileProblem,
  fileInvalid,
  fileProblemText,
  inOrder,
  type Position,
  Problems,
  startOfFile,
} from "./problems.ts";
export { nearest } from "./suggest.ts";
export {
  kindOf,
  plain,
  positionOf,
  quote,
  type YamlList,
  type YamlMap,
  type YamlScalar,
  type YamlValue,
} from "./value.ts";
