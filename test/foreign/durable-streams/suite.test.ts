import { runConformanceTests } from "@durable-streams/server-conformance-tests";
import { afterAll, beforeAll, describe, expect, TestRunner, test } from "vitest";
import { READ_TESTS } from "./read-tests.ts";
import { DurableShim } from "./shim.ts";

type Collector = ReturnType<typeof TestRunner.getCurrentSuite>;
type Suite = Awaited<ReturnType<Collector["collect"]>>;

const shim = new DurableShim();
const options = { baseUrl: "", longPollTimeoutMs: 5_000 };
const found: Record<string, string[]> = {};

beforeAll(async () => {
  options.baseUrl = await shim.listen();
});
afterAll(() => shim.close());

/** Keeps the tests of the list. */
function filter(suite: Suite): Suite {
  suite.tasks = suite.tasks.filter((task) => {
    if (task.type === "suite") return filter(task).tasks.length > 0;
    const isListed = READ_TESTS[suite.name]?.includes(task.name) === true;
    if (isListed) found[suite.name] = [...(found[suite.name] ?? []), task.name];
    return isListed;
  });
  return suite;
}

describe("R22: the read tests of Durable Streams pass", () => {
  runConformanceTests(options);
  for (const each of TestRunner.getCurrentSuite().tasks) {
    if (each.type !== "collector") continue;
    const collect = each.collect.bind(each);
    each.collect = async (file) => filter(await collect(file));
  }
});

test("the suite has each test of the list", () => {
  expect(found).toEqual(READ_TESTS);
});
