import * as z from "zod/mini";
import type { UNIVERSAL_SCHEMA } from "../universal/events.ts";
import { event } from "./event.ts";
import { item, part } from "./item.ts";

/** The schemas that have a name in `$defs`. */
const names = z.registry<{ readonly id: string }>();
names.add(item, { id: "UniversalItem" });
names.add(part, { id: "ContentPart" });

/**
 * The JSON Schema (draft 2020-12) of an event, for programs in any language. It accepts and refuses the same values as
 * `universalEventSchema`, from which it is made. Unknown fields are allowed.
 */
export const universalEventJsonSchema: Readonly<Record<string, unknown>> = {
  title: "universal@2026-02+ext" satisfies typeof UNIVERSAL_SCHEMA,
  ...z.toJSONSchema(event, { target: "draft-2020-12", metadata: names }),
};
