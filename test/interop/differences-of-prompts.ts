import type { JsonObject } from "./account.ts";
import type { Difference } from "./differences.ts";
import { bodies, everywhere, inTurn, isObject, requests, texts, upTo, without } from "./rewrites.ts";
import { CHAT, COUNT, isCount, listIn, textsIn } from "./rewrites-of-requests.ts";

const saying = (message: JsonObject, words: string) =>
  textsIn(message).some((text) => String(text).startsWith(words));

const withoutCounts = requests((list) => list.filter((request) => !isCount(request)));

/** A history without what stands before the agent's own prompt. */
function withoutParent(messages: readonly JsonObject[]): readonly JsonObject[] {
  const spawned = messages.findIndex((message) =>
    saying(message, "<system>Subagent finder has been spawned."),
  );
  return messages.filter(({ role }, place) => place > spawned || role === "system");
}

/** Differences in what agents are told. */
export const PROMPT_DIFFERENCES = {
  "words-of-project": {
    sdk: texts(/<words>[\s\S]*?<\/words>/g, "<words></words>"),
    own: texts(/<words>[\s\S]*?<\/words>/g, "<words></words>"),
  },
  "knowledge-of-folders": { own: texts(/```web\/AGENTS\.md\nUse React\.\n```\n\n/, "") },
  fences: { own: texts(/````(?=AGENTS\.md|\n\n)/g, "```") },
  "project-text-filled": { sdk: texts(/Use tabs in \/srv\/app\/web/, "Use tabs in {CODEBUFF_USER_CWD}") },
  "last-prompt": { sdk: texts(/last: before;/, "last: now;") },
  "initial-prompt": { own: texts(/initial: now;/, "initial: ;") },
  "project-on-disk": { sdk: texts(/<known>[\s\S]*?<\/known>/, "<known>|||</known>") },
  "commands-as-prompts": {
    sdk: everywhere((value) =>
      isObject(value) && value["role"] === "user" && saying(value, "<system_instructions>")
        ? undefined
        : value,
    ),
  },
  "history-of-parent": {
    sdk: inTurn(
      bodies(CHAT, (body) => ({ ...body, messages: withoutParent(listIn(body, "messages")) })),
      bodies(COUNT, (body) => ({ ...body, messages: withoutParent(listIn(body, "messages")) })),
    ),
  },
  "step-text": {
    sdk: upTo({ requests: 1, items: 1, ends: 0 }),
    own: upTo({ requests: 1, items: 1, ends: 0 }),
  },
  "prompt-of-parent": {
    sdk: inTurn(
      withoutCounts, // the account tells the agents of counts by their system prompts
      bodies(CHAT, (body) => {
        const messages = listIn(body, "messages");
        if (!messages.some((message) => saying(message, "Look."))) return body;
        const plain = { ...body, messages: messages.filter(({ role }) => role !== "system") };
        return without("tools", "tool_choice")(plain) as JsonObject;
      }),
      texts(/^(Look\.)\n\nYou are a subagent[\s\S]*$/, "$1"),
    ),
    own: withoutCounts,
  },
} satisfies Readonly<Record<string, Difference>>;
