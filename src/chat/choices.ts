// What a chat asks of its backend beside prompts: a mode, a model, and files for a completion.
import { checkCallOptions, checks, describe, fieldsOf } from "../core/checks.ts";
import type { ConversationChoices } from "../core/client/any-client.ts";
import { InvalidInputError, UnsupportedError } from "../core/errors.ts";
import { type FilesOptions, noFiles } from "../core/turn/prompt-files.ts";
import type { ChatFiles } from "./chat.ts";
import { asError } from "./problem.ts";
import type { ChatPrompts } from "./prompts.ts";

const SETTERS = { modes: "setMode", models: "setModel" } as const;

/**
 * Sets the mode or the model, and returns what the client then says of its session.
 * @throws InvalidInputError, UnsupportedError; what the client throws
 */
export async function choose(
  turns: ChatPrompts,
  what: "modes" | "models",
  id: string,
): Promise<ConversationChoices | undefined> {
  const word = what === "modes" ? "mode" : "model";
  if (!checks.text.holds(id))
    throw new InvalidInputError(`the ${word} is ${describe(id)}.`, `Pass the id of an entry of \`${what}\`.`);
  if (turns.client?.capabilities[what] === false) throw unsupported(what);
  if (turns.isForgotten)
    throw new InvalidInputError(
      "the backend has forgotten the conversation.",
      "Continue with `resume` first. The choice is part of the conversation.",
    );
  const conversation = turns.converse();
  if (!conversation)
    throw new InvalidInputError("the chat is still loading.", "Wait until `loading` is false.");
  const set = conversation[SETTERS[what]];
  if (!set) throw unsupported(what);
  await set.call(conversation, id);
  return conversation.session;
}

/** Never rejects. */
export async function completions(
  turns: ChatPrompts,
  prefix: string,
  options: FilesOptions,
): Promise<ChatFiles> {
  try {
    checkCallOptions(options, { signal: checks.signal });
    if (typeof prefix !== "string")
      throw new InvalidInputError(`the prefix is ${describe(prefix)}.`, "Pass what the user has typed.");
    const { client } = turns;
    if (!client?.files || client.capabilities.files === false) throw noFiles();
    return { ok: true, ...(await client.files(prefix, options)) };
  } catch (thrown) {
    return fieldsOf(fieldsOf(options)["signal"])["aborted"] === true
      ? { ok: true, paths: [], more: true }
      : { ok: false, error: asError(thrown) };
  }
}

function unsupported(what: "modes" | "models"): UnsupportedError {
  const hint =
    what === "modes"
      ? "Decide with `toolPolicy` and approvals what the agent may do."
      : "Choose the model in the options of the backend.";
  return new UnsupportedError(`this backend has no ${what} that can be set.`, hint);
}
