export { type StoredTask, type TaskFilter, type TaskPage, type TaskScope, Tasks } from "./tasks.ts";
