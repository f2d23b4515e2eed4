import { expect } from "vitest";
import { withoutHome } from "../../src/codebuff-cli/folder.ts";
import { describe, test } from "./rows.ts";

describe("the user's folder in what is said", () => {
  test.each([
    ["a path in it", "cannot open /home/ada/project/a.ts", "cannot open ~/project/a.ts"],
    ["the folder itself", "HOME=/home/ada: no room", "HOME=~: no room"],
    ["several", "/home/ada, /home/ada/b", "~, ~/b"],
    ["its end", "see /home/ada", "see ~"],
    ["that of a neighbour", "/home/ada2 and /home/ada-old", "/home/ada2 and /home/ada-old"],
    ["neither", "/home/bob/a.ts", "/home/bob/a.ts"],
  ])("%s", (_, said, clean) => {
    expect(withoutHome(said, "/home/ada")).toBe(clean);
    expect(withoutHome(said, "/home/ada/")).toBe(clean);
  });

  test.each(["/", "", undefined])("is in no path when it is %o", (home) => {
    expect(withoutHome("a/b /c", home)).toBe("a/b /c");
  });

  test("of Windows", () => {
    expect(withoutHome("at C:\\Users\\ada\\a.ts", "C:\\Users\\ada\\")).toBe("at ~\\a.ts");
  });
});
