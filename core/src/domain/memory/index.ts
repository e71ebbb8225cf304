export { Memory, type MemoryEntry } from "./memory.ts";
