import { describe, expect, test } from "vitest";
import { Table } from "../../src/core/table.ts";

describe("Table", () => {
  test("is empty at first, and `get` and `delete` find nothing", () => {
    const table = new Table<string, number>();
    expect(table.size).toBe(0);
    expect(table.has("a")).toBe(false);
    expect(table.get("a")).toBeUndefined();
    expect(table.delete("a")).toBe(false);
    expect([...table.keys(), ...table.values(), ...table.entries()]).toEqual([]);
  });

  test("keeps entries in order of insertion", () => {
    const table = new Table<string, number>();
    table.set("a", 1);
    table.set("b", 2);
    table.set("a", 3);
    expect([...table.entries()]).toEqual([
      ["a", 3],
      ["b", 2],
    ]);
    expect([...table.keys()]).toEqual(["a", "b"]);
    expect([...table.values()]).toEqual([3, 2]);
    expect(table.size).toBe(2);
    expect(table.has("b")).toBe(true);
    expect(table.get("b")).toBe(2);
  });

  test("deletes one entry, or all", () => {
    const table = new Table<string, number>();
    table.set("a", 1);
    table.set("b", 2);
    expect(table.delete("a")).toBe(true);
    expect(table.delete("a")).toBe(false);
    table.clear();
    expect(table.size).toBe(0);
    table.set("c", 3);
    expect([...table.keys()]).toEqual(["c"]);
  });
});
