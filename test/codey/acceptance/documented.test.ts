import { readFileSync } from "node:fs";
import { expect } from "vitest";
import { onBoth } from "./both.ts";

const read = (path: string): string => readFileSync(new URL(`../../../${path}`, import.meta.url), "utf8");

onBoth(
  "acceptance 20: what the client is documented with says who can reach the server",
  { connected: false },
  async () => {
    const source = read("src/codey/client.ts");
    const said = /\/\*\*([^/]|[^*]\/)*?\*\/\s*export class CodeyClient/.exec(source)?.[0] ?? "";
    for (const words of ["no authentication", "any page open on the same machine", "loopback"])
      expect(said.replace(/\s*\n \* /g, " ")).toContain(words);
    expect(read("docs/codey.md")).toMatch(/^## Before you run it$/m);
  },
);
