// What an agent says about itself in its answer to `initialize`.
import { fieldsOf, isObject } from "../core/checks.ts";
import { readList, textFields, textOr } from "./blocks.ts";
import type { AcpAuthMethod } from "./errors.ts";

/** An agent, as it describes itself. */
export interface AcpAgent {
  readonly protocolVersion: unknown;
  readonly name: string;
  readonly title?: string;
  readonly version?: string;
  readonly authMethods: readonly AcpAuthMethod[];
  /** Kinds of content that a prompt may have besides text and links. */
  readonly prompts: { readonly image: boolean; readonly audio: boolean; readonly embeddedContext: boolean };
  readonly loadsSessions: boolean;
  readonly resumesSessions: boolean;
  readonly listsSessions: boolean;
  readonly closesSessions: boolean;
  readonly deletesSessions: boolean;
  /** The agent's capabilities, as it has sent them. */
  readonly capabilities: Readonly<Record<string, unknown>>;
}

export function readAgent(answer: unknown): AcpAgent {
  const { protocolVersion, agentInfo, agentCapabilities, authMethods } = fieldsOf(answer);
  const capabilities = fieldsOf(agentCapabilities);
  const prompts = fieldsOf(capabilities["promptCapabilities"]);
  const sessions = fieldsOf(capabilities["sessionCapabilities"]);
  const info = fieldsOf(agentInfo);
  const has = (name: string): boolean => isObject(sessions[name]) || sessions[name] === true;
  return {
    protocolVersion,
    name: textOr(info["name"], "the agent"),
    ...textFields(info, "title", "version"),
    authMethods: readList(authMethods, readMethod),
    prompts: {
      image: prompts["image"] === true,
      audio: prompts["audio"] === true,
      embeddedContext: prompts["embeddedContext"] === true,
    },
    loadsSessions: capabilities["loadSession"] === true,
    resumesSessions: has("resume"),
    listsSessions: has("list"),
    closesSessions: has("close"),
    deletesSessions: has("delete"),
    capabilities,
  };
}

function readMethod(value: unknown): AcpAuthMethod | undefined {
  const fields = fieldsOf(value);
  const { id, name, type } = fields;
  if (typeof id !== "string") return undefined;
  return { id, name: textOr(name, id), type: textOr(type, "agent"), ...textFields(fields, "description") };
}
