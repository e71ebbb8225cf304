export type {
  Model,
  ModelEvent,
  ModelMessage,
  ModelRequest,
  ModelTool,
  ModelToolCall,
  ModelUsage,
} from "./model.ts";
export { createOfflineModel } from "./offline-model.ts";
