// Finds the backend of a call in the table, checks its options, and makes its sources.
import { checkName } from "../core/names.ts";
import type { BackendRow, OpenedBackend } from "./backend.ts";
import { BACKENDS } from "./backends.ts";
import { type CommandCall, flagsOf } from "./command.ts";
import { wrongCall } from "./failure.ts";
import { secretOf } from "./secret.ts";
import { toolRules } from "./tool-rules.ts";

/** The backend that the call names. @throws Failure, InvalidInputError for another name, and for options that it has not */
export function backendOf({ command, args, rest, given }: CommandCall): BackendRow {
  const [name = "", agent] = args;
  checkName(name, Object.fromEntries(BACKENDS.map((row) => [row.name, row])), "backend");
  const backend = BACKENDS.find((row) => row.name === name) as BackendRow; // `checkName` has found it
  const own = new Set([...command.options, ...backend.options].map((row) => row.name));
  for (const row of BACKENDS.flatMap(({ options }) => options))
    if (given.has(row.name) && !own.has(row.name))
      throw wrongCall(
        `${name} has no option --${row.name}.`,
        `Its options: ${backend.options.map(flagsOf).join(", ") || "none"}.`,
      );
  if (backend.words === undefined && (agent !== undefined || rest.length > 0)) {
    const line = `agentwire ${command.name} acp -- ${rest.join(" ") || "gemini --acp"}`;
    const isPrompt = command.name === "chat" && agent !== undefined && rest.length === 0;
    throw wrongCall(
      `${name} takes no further words.`,
      isPrompt
        ? `Pass a prompt with -p ${JSON.stringify(agent)}. For an agent that speaks ACP: ${line}.`
        : `Quote a text of several words, or write ${line}.`,
    );
  }
  if (!backend.asks && (given.has("allow") || given.has("deny")))
    throw wrongCall(
      `${name} asks for no permission.`,
      "Leave out --allow and --deny: they would do nothing.",
    );
  return backend;
}

/**
 * Makes the sources. Asks for a secret that is missing.
 * @param onSecret called when the user has been asked, before the backend loads
 */
export async function openBackend(
  backend: BackendRow,
  call: CommandCall,
  chat: string,
  onSecret?: () => void,
): Promise<OpenedBackend> {
  const { args, rest, given, argv } = call;
  const secret = await secretOf(backend, given);
  onSecret?.();
  return backend.open({ given, agent: args[1], rest, secret, rules: toolRules(given), chat, argv });
}
