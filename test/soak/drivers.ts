import { cassDriver } from "./cass.ts";
import { codebuffDriver } from "./codebuff.ts";
import { codeyDriver } from "./codey.ts";
import type { Driver } from "./driver.ts";
import type { ProtocolName } from "./plan.ts";

export const DRIVERS: { readonly [name in ProtocolName]: Driver } = {
  proxy: codebuffDriver("proxy"),
  codebuff: codebuffDriver("codebuff"),
  codey: codeyDriver,
  cass: cassDriver,
};
