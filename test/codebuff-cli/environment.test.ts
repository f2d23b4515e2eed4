import { expect, test } from "vitest";
import { makeEnvironment } from "../../src/codebuff-cli/environment.ts";

test("what is added to the environment goes before what this process has, but for colours, which nobody reads", () => {
  const added = { PATH: "/only/here", NO_COLOR: "0", MORE: "1" };
  const { env } = makeEnvironment({ env: added, apiKey: undefined, isolateHome: false });
  expect(env).toMatchObject({ PATH: "/only/here", NO_COLOR: "1", MORE: "1" });
});
