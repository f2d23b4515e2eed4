import {
  CodebuffRun,
  type CodebuffRunOptions,
  type CodebuffRunTool,
  type StandardSchema,
} from "agentwire/codebuff-run";
import { expect, expectTypeOf, test } from "vitest";
import * as z from "zod";
import { AGENT, json } from "./world.ts";

// The type of a handler's `input`. The compiler checks what stands in the handlers; none of them is called.

type Unknown = Readonly<Record<string, unknown>>;

const options: CodebuffRunOptions = { apiKey: "cb-test", agent: AGENT };
const description = "Says the time.";
const object = { type: "object", properties: {} };

const place = z.object({ city: z.string() });
const weather: CodebuffRunTool<typeof place> = {
  description,
  parameters: place,
  execute: ({ input }) => json(input.city.length),
};
const plain: CodebuffRunTool = {
  description,
  parameters: place,
  execute: ({ input }) => [{ type: "json", value: input["city"] }],
};

test("a handler's `input` has the output type of the tool's schema", async () => {
  const some: StandardSchema = place;
  const client: CodebuffRun = new CodebuffRun({
    ...options,
    tools: {
      direct: {
        description,
        parameters: z.object({ count: z.number(), text: z.string().transform((text) => text.length) }),
        execute: ({ input }) => {
          expectTypeOf(input).toEqualTypeOf<{ count: number; text: number }>();
          return json(input.count + input.text);
        },
      },
      beside: {
        // its handler stands before its schema
        execute: async ({ input }, { signal }) => {
          expectTypeOf(input).toEqualTypeOf<{ count: number }>();
          return json(signal.aborted || input.count);
        },
        description,
        parameters: { schema: z.object({ count: z.number() }), parameters: object },
      },
      plain: {
        description,
        parameters: object,
        execute: ({ input }) => {
          expectTypeOf(input).toEqualTypeOf<Unknown>();
          return json(input["count"]);
        },
      },
      unknown: {
        description,
        parameters: { schema: some, parameters: object },
        execute: ({ input }) => {
          expectTypeOf(input).toEqualTypeOf<Unknown>();
          return json(1);
        },
      },
    },
  });
  await client.close();
});

test("tools in constants, lists and options keep their types", async () => {
  const list: Record<string, CodebuffRunTool> = { weather, plain };
  const later: CodebuffRunOptions = { ...options, tools: { weather, plain } };
  for (const given of [{ ...options, tools: list }, later, { ...options, tools: { weather } }])
    await new CodebuffRun(given).close();
  // @ts-expect-error a schema of a city has no count
  const wrong: CodebuffRunTool<typeof place> = { ...weather, execute: ({ input }) => json(input.count) };
  expect(wrong.description).toBe(description);
});
