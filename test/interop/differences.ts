import type { Account, JsonObject } from "./account.ts";
import { PROMPT_DIFFERENCES } from "./differences-of-prompts.ts";
import {
  bodies,
  ends,
  everywhere,
  inTurn,
  isObject,
  items,
  requests,
  texts,
  upTo,
  without,
  withoutDefaults,
} from "./rewrites.ts";
import {
  CHAT,
  COUNT,
  cityAlone,
  inOneResult,
  isCount,
  isNote,
  isRegistry,
  isThought,
  listIn,
  merged,
  nameIn,
  nameOfTool,
  schemaWithoutMarks,
  textsIn,
  toolsOf,
  withoutEmptyReferences,
  withoutLastMessage,
} from "./rewrites-of-requests.ts";

/** One way in which the two clients differ. README.md says why. */
export interface Difference {
  /** Rewrites the account of the original client as this library would have it. */
  readonly sdk?: (account: Account) => Account;
  /** Takes the difference out of the account of this library. */
  readonly own?: (account: Account) => Account;
}

export const DIFFERENCES = {
  "stop-reason": { own: ends((list) => list.map(({ stopReason: _, ...end }) => end)) },
  "start-model": {
    own: items((list) => list.map(({ model: _, ...item }) => item)),
  },
  "truncation-marks": {
    sdk: everywhere(without("keepDuringTruncation", "keepLastTags")),
    own: everywhere(without("keepDuringTruncation", "keepLastTags")), // in the state of an earlier run
  },
  "schema-marks": {
    sdk: bodies(CHAT, (body) => ({ ...body, ...toolsOf(body, schemaWithoutMarks) })),
    own: bodies(CHAT, (body) => ({ ...body, ...toolsOf(body, schemaWithoutMarks) })),
  },
  "reasoning-agent": {
    sdk: items((list) =>
      list.map((item) => (item.type === "reasoning_chunk" ? { ...item, agentId: "main-agent" } : item)),
    ),
  },
  "reasoning-kept": {
    own: everywhere((value) => (isObject(value) && isThought(value) ? undefined : value)),
  },
  "custom-tool-defaults": {
    sdk: inTurn(
      withoutDefaults("unit"), // in the state of an earlier run
      bodies(CHAT, (body) => ({ ...body, ...toolsOf(body, cityAlone) })),
    ),
    own: withoutDefaults("unit"),
  },
  "notes-in-one-message": {
    own: bodies(CHAT, (body) => ({ ...body, messages: merged(listIn(body, "messages")) })),
  },
  "words-of-notes": {
    sdk: texts(/^<system>[\s\S]*<\/system>$/, "<system>...</system>"),
    own: texts(/^<system>[\s\S]*<\/system>$/, "<system>...</system>"),
  },
  "words-of-issues": {
    sdk: texts(/^(Invalid parameters for \w+): [\s\S]*$/, "$1"),
    own: texts(/^(Invalid parameters for \w+): [\s\S]*$/, "$1"),
  },
  "length-of-agent-types": { own: everywhere(without("maxLength")) },
  "list-of-agents": { sdk: texts(/\n\nYou can spawn the following agents:\n(?:\n- .*)+/, "") },
  "prompt-of-agent-tools": {
    sdk: bodies(CHAT, (body) => ({
      ...body,
      ...toolsOf(body, (schema, name) =>
        name === "finder" || name === "thinker"
          ? { ...schema, properties: { prompt: { type: "string" } } }
          : schema,
      ),
    })),
  },
  "step-limit": {
    sdk: inTurn(
      // Behind the step that did not run: its report, and another count.
      requests((list) => [...list.slice(0, -3), ...list.slice(-1)]),
      items((list) =>
        list.map((item) =>
          String(item["chunk"]).startsWith("I've made quite a few responses in a row.")
            ? { type: "error", message: "Step limit of 2 reached" }
            : item,
        ),
      ),
      ends((list) => list.map((end) => ({ ...end, agent: withoutLastMessage(end.agent) }))),
    ),
  },
  "glob-max-results": { own: everywhere(without("max_results")) },
  "replacements-of-a-call": { own: everywhere(without("maxItems")) },
  "inputs-of-later-sdks": {
    own: everywhere((value) => {
      if (!isObject(value) || !Array.isArray(value["anyOf"])) return value;
      const { anyOf, properties, ...schema } = value;
      if (!isObject(properties)) return anyOf[0];
      return {
        ...schema,
        properties: without("oldString", "newString")(properties),
        required: ["old", "new"],
      };
    }),
  },
  "newline-before-edits": {
    sdk: items((list) => list.filter(({ type, chunk }) => type !== "chunk" || chunk !== "\n")),
  },
  "progress-of-commands": { own: items((list) => list.filter(({ type }) => type !== "tool_progress")) },
  "files-that-refer": { sdk: everywhere(withoutEmptyReferences) },
  "count-before-program": {
    sdk: requests((list) => list.filter((request) => !isCount(request))),
    own: requests((list) => list.filter((request) => !isCount(request))),
  },
  "tools-of-drafts": {
    sdk: bodies(CHAT, (body) => without("tools", "tool_choice")(body) as JsonObject),
  },
  "defaults-of-program-calls": { own: withoutDefaults("process_type", "timeout_seconds") },
  "step-prompt-counted": {
    sdk: bodies(COUNT, (body) => ({
      ...body,
      messages: listIn(body, "messages").filter(
        (message) => !textsIn(message).some((text) => String(text).startsWith("<system_reminder>")),
      ),
    })),
  },
  "words-of-schema": {
    sdk: texts(/(?<=## Output Schema)[\s\S]*/, ""),
    own: texts(/(?<=## Output Schema)[\s\S]*/, ""),
  },
  "refused-output": {
    sdk: everywhere((value) =>
      isObject(value) && String(value["message"]).startsWith("Output validation error")
        ? { refused: true }
        : value,
    ),
    own: everywhere((value) =>
      isObject(value) && String(value["errorMessage"]).startsWith("The output does not fit")
        ? { refused: true }
        : value,
    ),
  },
  "count-before-note": {
    own: bodies(COUNT, (body) => {
      const messages = listIn(body, "messages");
      return { ...body, messages: isNote(messages.at(-1)) ? messages.slice(0, -1) : messages };
    }),
  },
  "first-of-all-messages": {
    own: everywhere((value) =>
      isObject(value) && value["type"] === "allMessages"
        ? { ...value, value: listIn(value, "value").slice(1) }
        : value,
    ),
  },
  "several-parts": {
    sdk: bodies(CHAT, (body) => ({ ...body, messages: inOneResult(listIn(body, "messages")) })),
  },
  "tool-throws": {
    sdk: upTo({ requests: 4, items: 2, ends: 0 }),
    own: upTo({ requests: 4, items: 2, ends: 0 }),
  },
  "custom-tools-offered": {
    own: inTurn(
      bodies(CHAT, (body) => ({
        ...body,
        tools: listIn(body, "tools").filter((tool) => nameOfTool(tool) !== "get_weather"),
      })),
      everywhere((value) => (value === "get_weather" ? undefined : value)), // in the state
    ),
  },
  "refused-agent": {
    sdk: upTo({ requests: 4, items: 2, ends: 0 }),
    own: upTo({ requests: 4, items: 2, ends: 0 }),
  },
  "registry-type": {
    sdk: everywhere((value) => {
      if (!isObject(value)) return value;
      if (value["type"] === "finish") return { ...value, agentId: nameIn(value["agentId"]) };
      return value["agentType"] === undefined ? value : { ...value, agentType: nameIn(value["agentType"]) };
    }),
  },
  "registry-fetches": {
    sdk: requests((list) =>
      list.filter((request, place) => !isRegistry(request) || list.findIndex(isRegistry) === place),
    ),
  },
  "failure-rejects": {
    sdk: ends((list) =>
      list.flatMap((end) => {
        const message = String((end.output as JsonObject)["message"]);
        return [{ rejected: { kind: "agent_not_found", message } }, end];
      }),
    ),
  },
  "finish-always": { own: items((list) => list.filter(({ type }) => type !== "finish")) },
  "cancel-rejects": { sdk: ends(() => []) },
  "finish-error": {
    own: bodies(/agent-runs$/, (body) => without("errorMessage")(body) as JsonObject),
  },
  "failure-note": {
    sdk: ends((list) => list.map(({ agent = null }) => ({ agent }))),
    own: ends((list) => list.flatMap(({ agent }) => (agent ? [{ agent: withoutLastMessage(agent) }] : []))),
  },
  "empty-answer": {
    sdk: inTurn(
      requests((list) => [...list.slice(0, -2), ...list.slice(-1)]),
      bodies(/agent-runs$/, (body) =>
        body["runId"] === "run-of-tester-2"
          ? { ...body, status: "failed", errorMessage: "No response from agent" }
          : body,
      ),
      ends((list) => list.slice(0, 1)),
    ),
    own: ends((list) => list.slice(0, 1)),
  },
  ...PROMPT_DIFFERENCES,
} satisfies Readonly<Record<string, Difference>>;

export type DifferenceName = keyof typeof DIFFERENCES;

/** Takes the listed differences out of two accounts. @throws if one of them is none */
export function reconciled(
  sdk: Account,
  own: Account,
  listed: readonly DifferenceName[],
): { readonly sdk: Account; readonly own: Account } {
  let made = { sdk, own };
  for (const name of listed) {
    const difference: Difference = DIFFERENCES[name];
    const next = { sdk: difference.sdk?.(made.sdk) ?? made.sdk, own: difference.own?.(made.own) ?? made.own };
    if (JSON.stringify(next) === JSON.stringify(made))
      throw new Error(`The clients do not differ any more in \`${name}\`: take it off the list.`);
    made = next;
  }
  return made;
}
