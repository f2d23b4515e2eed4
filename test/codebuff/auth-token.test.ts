import { CodebuffClient } from "agentwire";
import { expect, test } from "vitest";

test.each(["", "  "])(
  "an `authToken` of %j is refused, and the error says what a token must be",
  (authToken) => {
    expect(() => new CodebuffClient({ url: "ws://127.0.0.1:4242/ws", authToken })).toThrow(
      /option `authToken` is an? (empty|blank) string\. It must be a string that is not blank, or a function that returns one\./,
    );
  },
);
