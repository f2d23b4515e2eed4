import { describe, expect, test } from "vitest";
import { checkAddress, httpBaseOf } from "../../src/cass/rest/address.ts";
import { InvalidInputError } from "../../src/core/errors.ts";
import { thrownBy } from "../core/support/promises.ts";
import { everythingIn } from "./support/everything-in.ts";

describe("the base URL of the REST routes", () => {
  const rows = [
    ["wss://h/cass/ws?token=t", "https://h/cass/"],
    ["ws://127.0.0.1:8000/ws", "http://127.0.0.1:8000/"],
    ["ws://h/ws/", "http://h/"],
    ["wss://h", "https://h/"],
    ["wss://h:8443/deep/er/ws#part", "https://h:8443/deep/er/"],
    ["wss://h/news", "https://h/news/"],
    ["wss://h/ws/ws", "https://h/ws/"],
    ["wss://h/cass/socket", "https://h/cass/socket/"],
    ["https://h/cass", "https://h/cass/"],
    ["https://h/cass/?key=k#part", "https://h/cass/"],
    ["http://[::1]:8000", "http://[::1]:8000/"],
    ["https://h/ws", "https://h/ws/"],
  ] as const;
  test.each(rows)("for %s is %s", (url, base) => {
    expect(httpBaseOf(checkAddress(url))).toBe(base);
    expect(httpBaseOf(checkAddress(new URL(url)))).toBe(base);
  });
});

describe("an unusable address is refused, and the error says what to do", () => {
  const rows = [
    { url: "", says: /cannot be read\. Give the whole address/ },
    { url: "/cass", says: /cannot be read/ },
    { url: "h:8000/cass", says: /scheme is h:/ },
    { url: "ftp://hunter2/", says: /Use https:\/\// },
    { url: "https://user@h/", says: /user name or a password/ },
    { url: "https://:hunter2@h/", says: /user name or a password/ },
    { url: "https://h:99999/?token=hunter2", says: /cannot be read/ },
    { url: 7, says: /the URL is 7/ },
    { url: undefined, says: /the URL is undefined/ },
  ];
  test.each(rows)("$url", ({ url, says }) => {
    const error = thrownBy(() => checkAddress(url));
    expect(error).toBeInstanceOf(InvalidInputError);
    expect((error as Error).message).toMatch(says);
    expect(everythingIn(error)).not.toMatch(/hunter2/);
  });
});
