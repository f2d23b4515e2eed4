import { readdirSync } from "node:fs";
import type { Fixture } from "./fixture.ts";

const folder = new URL("fixtures/", import.meta.url);

/** Every fixture that there is: a protocol joins by its file alone. */
export const fixtures: readonly Fixture[] = (
  await Promise.all(
    readdirSync(folder)
      .filter((file) => file.endsWith(".ts"))
      .sort()
      .map(load),
  )
).flat();

async function load(file: string): Promise<readonly Fixture[]> {
  const module: { readonly fixtures: readonly Fixture[] } = await import(new URL(file, folder).href);
  return module.fixtures;
}
