// Runs the program with its arguments.
import { EXIT } from "./exit-codes.ts";
import { complain } from "./failure.ts";
import { parseCall, wantsJson } from "./parse.ts";

/** @param argv without the program itself. Resolves with the exit code. */
export async function run(argv: readonly string[]): Promise<number> {
  try {
    const parsed = parseCall(argv);
    if (parsed.type === "call") return await parsed.call.command.run(parsed.call);
    if (parsed.type === "version") process.stdout.write(`${await versionOf()}\n`);
    else {
      const { helpJson, helpPage } = await import("./help.ts");
      const { command, isJson } = parsed;
      process.stdout.write(isJson ? `${JSON.stringify(helpJson(command))}\n` : helpPage(command));
    }
    return EXIT.done;
  } catch (error) {
    return complain(error, wantsJson(argv));
  }
}

/** The manifest stands beside `dist`, where the program is built to; in the sources one folder further up. */
async function versionOf(): Promise<string> {
  const { existsSync, readFileSync } = await import("node:fs");
  const places = ["../package.json", "../../package.json"].map((path) => new URL(path, import.meta.url));
  const manifest = places.find((place) => existsSync(place));
  return manifest ? JSON.parse(readFileSync(manifest, "utf8")).version : "unknown";
}
