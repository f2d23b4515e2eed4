// Loads the screen, or says what it lacks.
import { isAgentwireError } from "../../core/errors.ts";
import type { runTui } from "./run-tui.ts";

/** What `ink` needs, as npm installs it. */
const PACKAGES = ["ink@8", "react@19"];

export type LoadedTui =
  | { readonly type: "screen"; readonly run: typeof runTui }
  | { readonly type: "none"; readonly problem: string; readonly packages: readonly string[] };

export async function loadTui(): Promise<LoadedTui> {
  try {
    const { runTui: run } = await import("./run-tui.ts");
    return { type: "screen", run };
  } catch (error) {
    if (!isAgentwireError(error, "unsupported")) throw error;
    return {
      type: "none",
      problem: error.message.replace(` ${"hint" in error ? error.hint : ""}`, ""),
      packages: PACKAGES,
    };
  }
}
