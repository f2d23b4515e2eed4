import { expectTypeOf, test } from "vitest";
import type * as z from "zod/mini";
import type { data } from "../../src/schemas/data.ts";
import type { event } from "../../src/schemas/event.ts";
import type { item, part } from "../../src/schemas/item.ts";
import type {
  ContentPart,
  DataOf,
  UniversalEvent,
  UniversalEventType,
  UniversalItem,
} from "../../src/universal/events.ts";

/**
 * A type without what schemas and interfaces write in different ways: unknown fields, and `readonly`. Fields of any value are required in
 * both, and optional in both.
 */
type Bare<T> = T extends readonly (infer Entry)[]
  ? readonly Bare<Entry>[]
  : T extends object
    ? {
        readonly [Name in keyof T as string extends Name ? never : number extends Name ? never : Name]: Bare<
          T[Name]
        >;
      }
    : T;

test("the schema of an event gives the interface, and takes the interface", () => {
  expectTypeOf<z.output<typeof event>>().toExtend<UniversalEvent>();
  expectTypeOf<UniversalEvent>().toExtend<Bare<z.output<typeof event>>>();
  expectTypeOf<Bare<z.output<typeof event>>>().toEqualTypeOf<Bare<UniversalEvent>>();
  expectTypeOf<Bare<z.input<typeof event>>>().toEqualTypeOf<Bare<UniversalEvent>>();
});

test("the schema of each type's data is that of its interface", () => {
  type Given = { [Type in UniversalEventType]: Bare<z.output<(typeof data)[Type]>> };
  type Wanted = { [Type in UniversalEventType]: Bare<DataOf<Type>> };
  expectTypeOf<Given>().toEqualTypeOf<Wanted>();
});

test("the schemas of items and parts are those of their interfaces", () => {
  expectTypeOf<Bare<z.output<typeof item>>>().toEqualTypeOf<Bare<UniversalItem>>();
  expectTypeOf<Bare<z.output<typeof part>>>().toEqualTypeOf<Bare<ContentPart>>();
});

test("a type of event narrows its data", () => {
  const narrow = (read: z.output<typeof event>): string | undefined => {
    expectTypeOf(read.type).toEqualTypeOf<UniversalEventType>();
    if (read.type !== "item.delta") return undefined;
    expectTypeOf(read.data.delta).toEqualTypeOf<string>();
    return read.data.delta;
  };
  expectTypeOf(narrow).returns.toEqualTypeOf<string | undefined>();
});
