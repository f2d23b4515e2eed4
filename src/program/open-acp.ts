// Makes the source of an ACP agent: a usual one by its name, or any program.
import { basename } from "node:path";
import { acp } from "../acp/index.ts";
import { checkName } from "../core/names.ts";
import type { OpenedBackend, Opening } from "./backend.ts";
import { EXIT } from "./exit-codes.ts";
import { ProgramFailure, wrongCall } from "./failure.ts";
import { packagesLine } from "./npx.ts";
import { cwdOf, folderTools } from "./open-options.ts";

const SDK = "@agentclientprotocol/sdk@2";

/** @throws Failure if no agent is named, or the package of the protocol is missing */
export async function openAcp({ given, agent, rest, rules, argv }: Opening): Promise<OpenedBackend> {
  const { presets } = acp;
  const usual: readonly string[] = Object.keys(presets);
  if (agent === undefined && rest.length === 0)
    throw wrongCall(
      "No agent is named.",
      `Pass a usual one (${usual.join(", ")}), or a program: agentwire chat acp -- gemini --acp.`,
    );
  if (agent !== undefined && rest.length > 0)
    throw wrongCall("There are two agents.", "Pass the name of a usual one, or a program behind --.");
  if (agent !== undefined) checkName(agent, presets, "agent");
  await needSdk(argv);
  const files = (await folderTools(given, { terminal: false }))?.tools;
  const options = {
    ...cwdOf(given),
    ...(files && { files }),
    onToolApproval: "manual",
    onQuestion: "manual",
    toolPolicy: rules,
  } as const;
  const kept = (name: string | undefined): readonly string[] => [
    ...(Object.entries(presets).find(([, { facts }]) => facts.command === name)?.[1].facts.variables ?? []),
    ...given.list("keep-env"),
  ];
  const preset = Object.entries(presets).find(([name]) => name === agent)?.[1];
  const ends = { folder: options.cwd ?? ".", close: async () => files?.close() };
  if (preset) {
    const known = preset({ ...options, keepEnv: kept(preset.facts.command) });
    return { ...ends, source: () => acp(known) };
  }
  const [command = "", ...args] = rest;
  const own = { ...options, command, args, keepEnv: kept(basename(command)) };
  return { ...ends, source: () => acp(own) };
}

async function needSdk(argv: readonly string[]): Promise<void> {
  try {
    await import("@agentclientprotocol/sdk");
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code !== "ERR_MODULE_NOT_FOUND") throw error;
    throw new ProgramFailure(
      EXIT.failed,
      "chat acp needs the package @agentclientprotocol/sdk, and it is not installed.",
      `Run: ${packagesLine([SDK], argv)}`,
    );
  }
}
