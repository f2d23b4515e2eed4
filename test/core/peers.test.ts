import { expect, test } from "vitest";
import { isOlder, peerError } from "../../src/core/peers.ts";

const PEER = { name: "zod", oldest: "4.3", install: "zod@4" };

test.each([
  ["4.2.1", "4.3", true],
  ["3.25.76", "4.3", true],
  ["4.3.0", "4.3", false],
  ["4.10.0", "4.3", false],
  ["5.0.0", "4.3", false],
  ["4.3.0-canary.1", "4.3", false],
  ["unknown", "4.3", true],
])("isOlder(%j, %j) is %j", (found, oldest, older) => {
  expect(isOlder(found, oldest)).toBe(older);
});

test.each([
  [undefined, "and it is not installed"],
  ["3.25.76", "and this is 3.25.76"],
])(
  "an entry without its peer package says which version to install and which was found: %s",
  (found, says) => {
    expect(peerError("agentwire/schemas", PEER, found)).toMatchObject({
      code: "unsupported",
      message: `agentwire/schemas needs the package \`zod\`, version 4.3 or later, ${says}. Run \`npm install zod@4\`.`,
      hint: "Run `npm install zod@4`.",
    });
  },
);
