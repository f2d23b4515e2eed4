import { expect, test } from "vitest";
import { checkReact } from "../../src/react/peer.ts";

test.each(["18.0.0", "18.3.1", "19.0.0", "19.2.0-canary-0bdb9206-20251222", "20.1.0"])(
  "React %s is accepted",
  (version) => {
    expect(() => checkReact(version)).not.toThrow();
  },
);

test.each(["17.0.2", "0.14.0", "unknown"])("React %s is refused, with advice what to install", (version) => {
  expect(() => checkReact(version)).toThrow(
    expect.objectContaining({
      code: "unsupported",
      message: `agentwire/react needs the package \`react\`, version 18.0 or later, and this is ${version}. Run \`npm install react\`.`,
    }),
  );
});
