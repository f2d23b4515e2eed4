// Which server it is, and what is odd about it.
import type { AcpClient } from "../../acp/index.ts";
import type { CassClient } from "../../cass/index.ts";
import type { CodebuffClient } from "../../codebuff/index.ts";
import type { CodebuffCli } from "../../codebuff-cli/index.ts";
import type { CodeyClient } from "../../codey/index.ts";
import { type Found, stepFailed, stepOdd, stepOk } from "./steps.ts";

/** What is odd, by server. */
const ODD = {
  proxy: [
    "It works on one prompt at a time, and reads nothing meanwhile. The others wait in the client.",
    "A prompt of more than 60 to 90 s is cut, unless its operator raises the heartbeat timeout.",
    "It has no memory, no cancel and no tools, and checks no token.",
    "Releases since June 2026 have no Codebuff endpoint any more.",
  ],
  codebuff: [
    "It checks the key at the first prompt, not before.",
    "It runs its tools on this machine: --cwd names their folder.",
    "Codebuff is called Freebuff now.",
  ],
  codey: [
    "Whoever reaches its port can run commands: keep it on this machine, and away from web pages.",
    "A link that is cut leaves a session, which uses up a core. With as many as cores it answers nobody, until it is restarted.",
    "A conversation ends with its connection.",
  ],
  cass: [
    "An answer comes whole, and cannot be cancelled.",
    "A failure of the model is often a cut link, or silence.",
  ],
  cli: ["It asks nobody: commands, files and network are open to it, with your rights."],
} as const;

/** @param client whose handshake has succeeded */
export async function serverStep(backend: string, client: unknown): Promise<Found> {
  switch (backend) {
    case "codebuff": {
      const { server } = client as CodebuffClient;
      if (server === "proxy") return stepOk("the LLM Interactive Proxy", ODD.proxy);
      return stepOk("the original Codebuff server", ODD.codebuff);
    }
    case "codey":
      return stepOk(`codey-server, session ${(client as CodeyClient).sessionId}`, ODD.codey);
    case "cass":
      return cassFound(client as CassClient);
    case "cli":
      return cliFound(client as CodebuffCli);
    case "acp":
      return acpFound(client as AcpClient);
    case "run":
      return stepOk("the backend of a Codebuff run, which knows the key");
    case "remote":
      return stepOk("a relay of agentwire");
    default:
      return stepOk("an agent inside the program");
  }
}

function cassFound({ identity }: CassClient): Found {
  const notes = [
    ...ODD.cass,
    ...(identity?.sdkMode === false ? ["It is an older server, which knows only a few animations."] : []),
  ];
  if (!identity?.userId) return stepOk("Cass, which takes this client for nobody", notes);
  const who = `Cass, which takes this client for the user ${identity.userId}`;
  return stepOk(identity.verified ? who : `${who}, and the token does not say whether that is right`, notes);
}

async function cliFound(client: CodebuffCli): Promise<Found> {
  const { version = "unknown", profile } = await client.probe();
  const name = `the Codebuff CLI, version ${version}`;
  if (profile === undefined)
    return stepFailed(`${name}, which runs in a terminal only`, "Install a build that has --stream-json.");
  if (profile !== "stream-json")
    return stepOdd(
      `${name}, which has no --stream-json`,
      `The program needs that. The library runs it with profile: "${profile}".`,
    );
  return stepOk(name, ODD.cli);
}

async function acpFound({ agent }: AcpClient): Promise<Found> {
  const { acp } = await import("../../acp/index.ts");
  const name = [agent?.title ?? agent?.name ?? "an agent", agent?.version].join(" ").trim();
  const words = `${agent?.name}`.toLowerCase();
  const known = Object.entries(acp.presets).find(([preset]) => words.includes(preset));
  return stepOk(`${name}, ACP ${agent?.protocolVersion}`, known?.[1].facts.notes);
}
