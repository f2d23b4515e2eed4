import { expect } from "vitest";
import { withoutHome } from "../../src/codebuff-cli/folder.ts";
import { describe, test } from "./rows.ts";

describe("the user's folder in what is said", () => {
  test.each([
    ["a path in it", "cannot open /folders/me/project/a.ts", "cannot open ~/project/a.ts"],
    ["the folder itself", "HOME=/folders/me: no room", "HOME=~: no room"],
    ["several", "/folders/me, /folders/me/b", "~, ~/b"],
    ["its end", "see /folders/me", "see ~"],
    ["that of a neighbour", "/folders/me2 and /folders/me-old", "/folders/me2 and /folders/me-old"],
    ["neither", "/folders/you/a.ts", "/folders/you/a.ts"],
  ])("%s", (_, said, clean) => {
    expect(withoutHome(said, "/folders/me")).toBe(clean);
    expect(withoutHome(said, "/folders/me/")).toBe(clean);
  });

  test.each(["/", "", undefined])("is in no path when it is %o", (home) => {
    expect(withoutHome("a/b /c", home)).toBe("a/b /c");
  });

  test("of Windows", () => {
    expect(withoutHome("at C:\\Folders\\me\\a.ts", "C:\\Folders\\me\\")).toBe("at ~\\a.ts");
  });
});
