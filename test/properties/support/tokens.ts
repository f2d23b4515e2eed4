import type { CodebuffClientOptions } from "agentwire/codebuff";
import type { Setting } from "./scenario.ts";

/** The option `authToken` of a setting; a flaky one works, rejects, never answers and gives nonsense, in turns. */
export function tokenOf(kind: Setting["token"]): Pick<CodebuffClientOptions, "authToken"> {
  if (kind === "none") return {};
  if (kind === "text") return { authToken: "token-1" };
  if (kind === "asked") return { authToken: async () => "token-1" };
  let asked = 0;
  return {
    authToken: () => {
      switch (asked++ % 5) {
        case 1:
          return Promise.reject(new Error("no token"));
        case 2:
          return new Promise(() => {});
        case 3:
          return "";
        case 4:
          throw new Error("no token at all");
        default:
          return "token-1";
      }
    },
  };
}
