import { fails, type LocalJob, localJob, patch, read, remove, replace, write } from "./local-job.ts";

const BLOCKED = (path: string) => `Path '${path}' is blocked: it is ignored, or may hold secrets.`;
const updated = (file: string, unifiedDiff: string) => ({ file, message: "Updated file", unifiedDiff });
const created = (file: string, unifiedDiff: string) => ({ file, message: "Created new file", unifiedDiff });
const patched = (file: string, action: string) => ({
  message: "Applied 1 patch operation.",
  applied: [{ file, action }],
});
const noPatch = (path: string, invalid: string) =>
  `Failed to apply patch to ${path}. Tried strategies: codex_like, without_trailing_newline. Last error: ${invalid}. ` +
  "Please re-read the file and generate a patch with exact context lines.";

const CODE = "function f() {\n    if (a) {\n      b();\n    }\n    return 1;\n}\n";

/** Tools that edit. */
export const EDIT_JOBS: readonly LocalJob[] = [
  localJob("files are created, also in new folders, and written over", [
    write("new.txt", "line1\n"),
    write("deep/er/new.txt", "no end of line"),
    write("./d.txt", "x\n"),
    write("deep//e.txt", "x\n"),
    write("empty.txt", ""),
    write("a.txt", "hello\nthere\n"),
    read("new.txt", "deep/er/new.txt", "a.txt"),
  ]),
  localJob("writes that change nothing, or cannot be", [
    write("a.txt", "hello\nworld\n"),
    write("src", "x"),
    write("a.txt/b", "x"),
  ]),
  localJob(
    "writes that differ",
    [
      write("a.txt", "hello\nthere"),
      write("b.md", "```ts\nx\n```"),
      write("c.md", "\nx\n"),
      write("f/", "x"),
    ],
    {
      differs: {
        0: {
          why: "last-line-feed",
          sdk: updated("a.txt", "@@ -1,2 +1,2 @@\n hello\n-world\n+there\n\\ No newline at end of file\n"),
          own: updated("a.txt", "@@ -1,2 +1,2 @@\n hello\n-world\n+there\n"),
        },
        1: { why: "new-files-verbatim", sdk: created("b.md", "x"), own: created("b.md", "```ts\nx\n```") },
        2: { why: "new-files-verbatim", sdk: created("c.md", "x\n"), own: created("c.md", "\nx\n") },
        3: fails(
          "words-of-failures",
          {
            file: "f/",
            errorMessage: "Failed to write to file: file path caused an error or file could not be written",
          },
          { file: "f/", errorMessage: "The path 'f/' names a directory, not a file." },
        ),
      },
      leaves: {
        "a.txt": { why: "last-line-feed", sdk: "hello\nthere", own: "hello\nthere\n" },
        "b.md": { why: "new-files-verbatim", sdk: "x", own: "```ts\nx\n```" },
        "c.md": { why: "new-files-verbatim", sdk: "x\n", own: "\nx\n" },
      },
    },
  ),
  localJob("replacements, one after the other", [
    replace("a.txt", ["world", "there"], ["hello", "HELLO"]),
    replace("src/b.ts", ["export const", "const", true]),
    replace("docs/page.md", ["nothing", "$1 $& $$"], ["# Page\n", ""]),
    read("a.txt", "src/b.ts", "docs/page.md"),
  ]),
  localJob("edits of one file in a row", [
    write("a.txt", "1\n2\n3\n4\n5\n6\n7\n8\n9\n"),
    replace("a.txt", ["1\n", "one\n"], ["9\n", "nine\n"]),
    replace("a.txt", ["5", "5 5"], ["5 5", "five"]),
    replace("a.txt", ["\n6\n", "\n"]),
    patch("a.txt", "@@\n-2\n+two\n@@\n-8\n+eight\n"),
    patch("a.txt", "@@ -1,2 +1,2 @@ foo\n 3\n-4\n+four\n"),
    patch("a.txt", "@@ 7\n+seven and a half\n"),
    read("a.txt"),
  ]),
  localJob("replacements that fail, alone and beside others", [
    replace("a.txt", ["nowhere", "x"]),
    replace("a.txt", ["nowhere", "x"], ["world", "there"]),
    replace("src/b.ts", ["export const", "const"]),
    replace("a.txt", ["hello", "hello"]),
    replace("none.txt", ["a", "b"]),
  ]),
  localJob(
    "a replacement with another indentation",
    [replace("f.ts", ["if (a) {\n  b();\n}", "if (a) {\n  c();\n}"])],
    {
      files: { "f.ts": CODE },
      differs: {
        0: {
          why: "indentation",
          sdk: updated(
            "f.ts",
            "@@ -1,6 +1,6 @@\n function f() {\n-    if (a) {\n-      b();\n-    }\n+if (a) {\n+  c();\n+}\n     return 1;\n }\n",
          ),
          own: updated(
            "f.ts",
            "@@ -1,6 +1,6 @@\n function f() {\n     if (a) {\n-      b();\n+      c();\n     }\n     return 1;\n }\n",
          ),
        },
      },
      leaves: {
        "f.ts": {
          why: "indentation",
          sdk: CODE.replace("    if (a) {\n      b();\n    }", "if (a) {\n  c();\n}"),
          own: CODE.replace("b()", "c()"),
        },
      },
    },
  ),
  localJob(
    "replacements with other spaces",
    [replace("w.txt", ["ab", "X"]), replace("w.txt", ["q r", "X"])],
    {
      files: { "w.txt": "a b\nqr qr\n" },
      differs: {
        1: {
          why: "white-space",
          sdk: updated("w.txt", "@@ -1,2 +1,1 @@\n-X\n-qr qr\n+XX qr\n"),
          own: {
            file: "w.txt",
            errorMessage:
              'Found 2 occurrences of "q r" in the file. Please try again with a longer (more specified) old string or set allowMultiple to true.\n\nNo change to the file',
          },
        },
      },
      leaves: { "w.txt": { why: "white-space", sdk: "XX qr\n", own: "X\nqr qr\n" } },
    },
  ),
  localJob(
    "files with CRLF, and with a byte order mark",
    [
      replace("crlf.txt", ["two", "TWO"]),
      patch("crlf.txt", "@@\n-three\n+THREE\n"),
      write("dos.txt", "one\ntwo\n"),
      write("mark.txt", "x\n"),
    ],
    {
      files: { "crlf.txt": "one\r\ntwo\r\nthree\r\n", "dos.txt": "one\r\n", "mark.txt": "\uFEFFhello\n" },
      differs: {
        0: {
          why: "line-ends-in-diffs",
          sdk: updated("crlf.txt", "@@ -1,3 +1,3 @@\n one\r\n-two\r\n+TWO\r\n three\r\n"),
          own: updated("crlf.txt", "@@ -1,3 +1,3 @@\n one\n-two\n+TWO\n three\n"),
        },
        2: {
          why: "line-ends-in-diffs",
          sdk: updated("dos.txt", "@@ -1,1 +1,2 @@\r\n one\r\n+two\r\n"),
          own: updated("dos.txt", "@@ -1,1 +1,2 @@\n one\n+two\n"),
        },
        3: {
          why: "byte-order-marks",
          sdk: updated("mark.txt", "@@ -1,1 +1,1 @@\n-\uFEFFhello\n+x\n"),
          own: updated("mark.txt", "@@ -1,1 +1,1 @@\n-hello\n+x\n"),
        },
      },
      leaves: { "mark.txt": { why: "byte-order-marks", sdk: "x\n", own: "\uFEFFx\n" } },
    },
  ),
  localJob("patches: create, update, delete", [
    patch("made.txt", "+one\n+two\n", "create_file"),
    patch("made/too.txt", "*** Begin\n+x\n+\n", "create_file"),
    patch("a.txt", "@@\n-hello\n+HELLO\n world\n"),
    patch("./src/b.ts", "@@ export const x = 1;\n-export const y = 2;\n+export const y = 3;\n"),
    patch("docs/page.md", "```diff\n@@\n # Page\n \n-export nothing  \n+export all\n*** End of File\n```"),
    remove("src/deep/c.ts"),
    read("made.txt", "a.txt", "src/b.ts", "docs/page.md", "src/deep/c.ts"),
  ]),
  localJob(
    "edits of one file, one after the other",
    [replace("a.txt", ["hello", "HELLO"]), patch("a.txt", "@@\n-world\n+there\n"), write("a.txt", "HELLO\n")],
    {
      differs: {
        2: {
          why: "edits-behind-a-patch",
          sdk: {
            file: "a.txt",
            errorMessage: "Failed to apply patch.",
            patch: "@@ -1,2 +1,1 @@\n HELLO\n-world\n",
          },
          own: updated("a.txt", "@@ -1,2 +1,1 @@\n HELLO\n-there\n"),
        },
      },
      leaves: { "a.txt": { why: "edits-behind-a-patch", sdk: "HELLO\nthere\n", own: "HELLO\n" } },
    },
  ),
  localJob(
    "patches that do not apply",
    [
      patch("a.txt", "@@\n-goodbye\n+x\n"),
      patch("../x", "@@\n-a\n+b\n"),
      patch("/etc/x", "@@\n-a\n+b\n"),
      patch("none.txt", "@@\n-a\n+b\n"),
      patch("bad.txt", "one\n", "create_file"),
      remove("none.txt"),
      remove("src"),
    ],
    {
      differs: {
        0: fails(
          "words-of-failures",
          noPatch("a.txt", "Invalid Context 0:\ngoodbye"),
          "Failed to apply patch to a.txt. The lines of section 1 were not found. Read the file again, and copy its lines exactly:\ngoodbye",
        ),
        3: fails(
          "paths-of-the-machine",
          "ENOENT: no such file or directory, open '<project>/none.txt'",
          "Failed to apply patch to none.txt. The file does not exist. Use create_file to make it.",
        ),
        5: fails(
          "paths-of-the-machine",
          "ENOENT: no such file or directory, unlink '<project>/none.txt'",
          "Failed to apply patch to none.txt. The file does not exist.",
        ),
        6: fails(
          "paths-of-the-machine",
          "EISDIR: illegal operation on a directory, unlink '<project>/src'",
          "Failed to apply patch to src. Path 'src' is not a regular file.",
        ),
      },
    },
  ),
  localJob(
    "patches that differ",
    [
      patch("a.txt", "@@\n hello\n world\n"),
      patch("a.txt", "+x\n", "create_file"),
      patch("docs/page.md", "--- a/docs/page.md\n+++ b/docs/page.md\n@@ -1,1 +1,1 @@\n-# Page\n+# PAGE\n"),
    ],
    {
      differs: {
        0: {
          why: "patches-without-change",
          sdk: patched("a.txt", "update"),
          own: {
            errorMessage: "Failed to apply patch to a.txt. The diff has no line that begins with `-` or `+`.",
          },
        },
        1: {
          why: "create-over-a-file",
          sdk: patched("a.txt", "add"),
          own: {
            errorMessage:
              "Failed to apply patch to a.txt. The file exists already. Use update_file to change it.",
          },
        },
        2: {
          why: "headers-of-diffs",
          sdk: { errorMessage: noPatch("docs/page.md", "Invalid Context 0:\n-- a/docs/page.md") },
          own: patched("docs/page.md", "update"),
        },
      },
      leaves: {
        "a.txt": { why: "create-over-a-file", sdk: "x", own: "hello\nworld\n" },
        "docs/page.md": {
          why: "headers-of-diffs",
          sdk: "# Page\n\nexport nothing\n",
          own: "# PAGE\n\nexport nothing\n",
        },
      },
    },
  ),
  localJob(
    "files of git, of secrets, and ignored ones",
    [write(".git/config", "x\n"), write(".env", "A=1\n"), write("y.log", "x\n"), remove(".env")],
    {
      files: { ".git/HEAD": "x\n", ".env": "S=1\n", ".gitignore": "*.log\n", "y.log": "y\n" },
      differs: {
        0: {
          why: "guarded-files",
          sdk: created(".git/config", "x\n"),
          own: { file: ".git/config", errorMessage: BLOCKED(".git/config") },
        },
        1: {
          why: "guarded-files",
          sdk: updated(".env", "A=1\n"),
          own: { file: ".env", errorMessage: BLOCKED(".env") },
        },
        2: {
          why: "guarded-files",
          sdk: updated("y.log", "x\n"),
          own: { file: "y.log", errorMessage: BLOCKED("y.log") },
        },
        3: {
          why: "guarded-files",
          sdk: patched(".env", "delete"),
          own: { errorMessage: `Failed to apply patch to .env. ${BLOCKED(".env")}` },
        },
      },
      leaves: {
        ".git/config": { why: "guarded-files", sdk: "x\n", own: null },
        ".env": { why: "guarded-files", sdk: null, own: "S=1\n" },
        "y.log": { why: "guarded-files", sdk: "x\n", own: "y\n" },
      },
    },
  ),
  localJob(
    "links within the project",
    [read("link.txt"), replace("way/b.ts", ["const", "let", true]), remove("gone"), write("link.txt", "x\n")],
    {
      links: { "link.txt": "a.txt", way: "src", gone: "docs/page.md" },
      differs: {
        3: {
          why: "links-within",
          sdk: updated("link.txt", "@@ -1,2 +1,1 @@\n-hello\n-world\n+x\n"),
          own: {
            file: "link.txt",
            errorMessage: "Path 'link.txt' is a link. Links are not written through.",
          },
        },
      },
      leaves: { "a.txt": { why: "links-within", sdk: "x\n", own: "hello\nworld\n" } },
    },
  ),
];
