import { execFileSync } from "node:child_process";
import { linkSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { fileWorld } from "./world.ts";

const content = (path: string, text: string) => ({ path, content: text });

test("`read_files` returns files in the order of the request, each once", async () => {
  await using world = await fileWorld();
  world.file("a.txt", "a\r\n");
  world.file("b.txt", "\uFEFFb");
  expect(await world.read("b.txt", "a.txt", "./b.txt", "b.txt", "c.txt")).toEqual([
    content("b.txt", "b"),
    content("a.txt", "a\r\n"),
    content("c.txt", "[FILE_DOES_NOT_EXIST]"),
  ]);
});

test("an unreadable file is returned as a marker, and the others are read", async () => {
  await using world = await fileWorld({
    fileFilter: (path) => ({ status: path === "no.txt" ? "blocked" : "allow" }),
  });
  const at = (path: string) => join(world.root, path);
  world.file("a.txt", "a");
  world.file(".env", "KEY=1");
  world.file(".env.example", "KEY=");
  world.file(".gitignore", "ignored.txt");
  world.file("ignored.txt", "x");
  world.file("no.txt", "x");
  mkdirSync(at("folder"));
  execFileSync("mkfifo", [at("pipe")]);
  writeFileSync(at("program"), Uint8Array.of(0x7f, 0x45, 0, 1));
  writeFileSync(at("latin"), Uint8Array.of(0xfc));
  symlinkSync("../outside/secret.txt", at("out"));
  symlinkSync("nothing", at("dangling"));
  symlinkSync("a.txt", at("inside"));
  linkSync(at("a.txt"), at("hard"));
  const markers: Readonly<Record<string, string>> = {
    "../secret.txt": "[FILE_OUTSIDE_PROJECT]",
    "../proj-evil/secret.txt": "[FILE_OUTSIDE_PROJECT]",
    "/etc/passwd": "[FILE_OUTSIDE_PROJECT]",
    out: "[FILE_OUTSIDE_PROJECT]",
    ".env": "[BLOCKED]",
    "ignored.txt": "[BLOCKED]",
    "no.txt": "[BLOCKED]",
    ".env.example": "[TEMPLATE]\nKEY=",
    "nope/a.txt": "[FILE_DOES_NOT_EXIST]",
    dangling: "[FILE_DOES_NOT_EXIST]",
    folder: "[FILE_READ_ERROR]",
    "a.txt/b": "[FILE_READ_ERROR]",
    pipe: "[FILE_READ_ERROR]",
    "a\0b": "[FILE_READ_ERROR]",
    program: "[FILE_READ_ERROR] [not UTF-8 text]",
    latin: "[FILE_READ_ERROR] [not UTF-8 text]",
    inside: "a",
    hard: "a",
    "a.txt": "a",
  };
  const paths = Object.keys(markers);
  expect(await world.read(...paths)).toEqual(paths.map((path) => content(path, markers[path] ?? "")));
});

test("a file over 1 MiB is not read, and its size is reported", async () => {
  await using world = await fileWorld();
  world.file("fits", "x".repeat(1_048_576));
  world.file("large", "x".repeat(1_100_000));
  expect(await world.read("fits", "large")).toEqual([
    content("fits", "x".repeat(1_048_576)),
    content("large", "[FILE_TOO_LARGE] [1.05MB]"),
  ]);
});

test("files beyond the limit of the call are omitted, while smaller later files are read", async () => {
  await using world = await fileWorld();
  for (const name of ["a", "b", "c"]) world.file(name, "x".repeat(1_000_000));
  world.file("small", "s");
  expect(await world.read("a", "b", "c", "small")).toEqual([
    { path: "a", content: expect.stringMatching(/^x+$/) },
    { path: "b", content: expect.stringMatching(/^x+$/) },
    { path: "c", contentOmittedForLength: true },
    content("small", "s"),
  ]);
});

test.each([
  [{ offset: 2 }, "b\r\nc"],
  [{ limit: 2 }, "a\nb\r\n"],
  [{ offset: 2, limit: 1 }, "b\r\n"],
  [{ offset: 3, limit: 9 }, "c"],
  [{ offset: 4 }, ""],
])("`offset` and `limit` select the lines of a file: %j", async (part, expected) => {
  await using world = await fileWorld();
  world.file("a", "a\nb\r\nc");
  const paths = [{ path: "a", ...part }];
  expect(await world.files.tools.read_files({ paths }, world.job())).toEqual([content("a", expected)]);
});

test("some lines of a large file can be read, in several parts of one call", async () => {
  await using world = await fileWorld();
  world.file("large", `first\n${"x".repeat(2_000_000)}\nlast`);
  const paths = [
    { path: "large", limit: 1 },
    { path: "large", offset: 3 },
    { path: "large", offset: 2 },
  ];
  expect(await world.files.tools.read_files({ paths }, world.job())).toEqual([
    content("large", "first\n"),
    content("large", "last"),
    content("large", "[FILE_TOO_LARGE] [1.91MB]"),
  ]);
});

test("a cancelled call reads nothing", async () => {
  await using world = await fileWorld();
  world.file("a", "a");
  const job = world.job({ signal: AbortSignal.abort() });
  expect(await world.files.tools.read_files({ paths: ["a"] }, job)).toEqual([
    content("a", "[FILE_READ_ERROR] [interrupted]"),
  ]);
});
