// Which agent the options choose.
import type { Arguments } from "./parse-arguments.ts";

/** The agent that answers: plan beats max beats free, and `--agent` beats them all. */
export function agentOf({ options }: Arguments): string {
  const agent = options.get("--agent");
  if (typeof agent === "string") return agent;
  if (options.has("--plan")) return "base2-plan";
  if (options.has("--max")) return "base2-max";
  if (options.has("--free")) return "base2-free";
  return options.has("--lite") ? "base2-lite" : "base2";
}
