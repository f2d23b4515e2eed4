import { acpDriver } from "./acp.ts";
import { cassDriver } from "./cass.ts";
import { codebuffDriver } from "./codebuff.ts";
import { codebuffCliDriver } from "./codebuff-cli.ts";
import { codebuffRunDriver } from "./codebuff-run.ts";
import { codeyDriver } from "./codey.ts";
import type { Driver } from "./driver.ts";
import type { ProtocolName } from "./plan.ts";

export const DRIVERS: { readonly [name in ProtocolName]: Driver } = {
  proxy: codebuffDriver("proxy"),
  codebuff: codebuffDriver("codebuff"),
  codey: codeyDriver,
  cass: cassDriver,
  "codebuff-run": codebuffRunDriver,
  acp: acpDriver,
  "codebuff-cli": codebuffCliDriver,
};
