import { expect } from "vitest";
import { withoutHome } from "../../src/codebuff-cli/folder.ts";
import { describe, test } from "./rows.ts";

describe("replacing the user's folder with `~` in a text", () => {
  test.each([
    ["a path in it", "cannot open /folders/me/project/a.ts", "cannot open ~/project/a.ts"],
    ["the folder itself", "HOME=/folders/me: no room", "HOME=~: no room"],
    ["several paths", "/folders/me, /folders/me/b", "~, ~/b"],
    ["a path at the end", "see /folders/me", "see ~"],
    ["a folder with a similar name", "/folders/me2 and /folders/me-old", "/folders/me2 and /folders/me-old"],
    ["an unrelated folder", "/folders/you/a.ts", "/folders/you/a.ts"],
  ])("%s", (_, said, clean) => {
    expect(withoutHome(said, "/folders/me")).toBe(clean);
    expect(withoutHome(said, "/folders/me/")).toBe(clean);
  });

  test.each(["/", "", undefined])("changes nothing if the folder is %o", (home) => {
    expect(withoutHome("a/b /c", home)).toBe("a/b /c");
  });

  test("works with Windows paths", () => {
    expect(withoutHome("at C:\\Folders\\me\\a.ts", "C:\\Folders\\me\\")).toBe("at ~\\a.ts");
  });
});
