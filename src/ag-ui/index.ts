// The entry `agentwire/ag-ui`: turns as AG-UI events, and a chat as an agent for AG-UI clients.
export { type AgUiAgent, type AgUiRunOptions, agUiAgent } from "./agent.ts";
export type { AgUiEvent, AgUiRun } from "./event.ts";
export { AG_UI_HEADERS, encodeSse } from "./sse.ts";
export { toAgUi } from "./to-ag-ui.ts";
