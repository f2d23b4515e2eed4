// Script steps that send an action which nobody answers.
import { checked, type NamesOf } from "../names.ts";

/** An action of the server, with its fields as they are. */
export interface ActionStep {
  readonly kind: "action";
  readonly type: string;
  /** The field in which the action names its prompt, if it does. */
  readonly idField: "userInputId" | undefined;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** What a sub-agent says, for people to look at. */
export interface SubAgentChunkFields {
  readonly agentId: string;
  readonly agentType: string;
  readonly chunk: string;
  readonly prompt?: string;
  readonly forwardToPrompt?: boolean;
  /** @default the promptId */
  readonly userInputId?: string;
}

/** A line of the log of an agent's own steps. */
export interface LogChunkFields {
  readonly agentId: string;
  readonly level: "debug" | "info" | "warn" | "error";
  readonly data: unknown;
  readonly message?: string;
  /** @default the promptId */
  readonly userInputId?: string;
}

const SUB_AGENT_CHUNK: NamesOf<SubAgentChunkFields> = {
  agentId: true,
  agentType: true,
  chunk: true,
  prompt: true,
  forwardToPrompt: true,
  userInputId: true,
};
const LOG_CHUNK: NamesOf<LogChunkFields> = {
  agentId: true,
  level: true,
  data: true,
  message: true,
  userInputId: true,
};

/** Steps that send an action which nobody answers. */
export const actionSteps = {
  /** Any action: `step.action({ type: "weather-report", temperature: 21 })`. */
  action({ type, ...fields }: { readonly type: string; readonly [key: string]: unknown }): ActionStep {
    return { kind: "action", type, idField: undefined, fields };
  },
  /** A subagent-response-chunk. */
  subAgentChunk: (fields: SubAgentChunkFields): ActionStep => ({
    kind: "action",
    type: "subagent-response-chunk",
    idField: "userInputId",
    fields: { ...checked(fields, SUB_AGENT_CHUNK) },
  }),
  /** A handlesteps-log-chunk. */
  log: (fields: LogChunkFields): ActionStep => ({
    kind: "action",
    type: "handlesteps-log-chunk",
    idField: "userInputId",
    fields: { ...checked(fields, LOG_CHUNK) },
  }),
  /** A request-reconnect: the server will shut down. See `server.shutdown()` for the whole of it. */
  requestReconnect: (): ActionStep => ({
    kind: "action",
    type: "request-reconnect",
    idField: undefined,
    fields: {},
  }),
};
