// Checks a tool's input by the parameters that the model sees.
import { describe, isObject } from "../../core/checks.ts";
import { HANDLED } from "../calls/builtins.ts";
import { invalid, schemaOf } from "../calls/tool-schema.ts";
import type { LocalTool, Tool } from "./job.ts";

type HandledName = keyof typeof HANDLED;

/** An input that fits the parameters of its tool; or the failure for the agent. */
export type Checked<Input> = { readonly input: Input } | { readonly errorMessage: string };

/** Checks inputs by the parameters that a model sees. The input of a server has not been checked before. */
export function checkOf<Input>(name: HandledName): (given: unknown) => Promise<Checked<Input>> {
  const schema = schemaOf(HANDLED[name].parameters, name);
  return async (given) => {
    if (!isObject(given))
      return { errorMessage: `Invalid parameters for ${name}: the input is ${describe(given)}.` };
    const checked = await schema.check(given);
    return "issues" in checked ? { errorMessage: invalid(name, checked) } : { input: checked.input as Input }; // the schema has checked it
  };
}

export function checkedTool<Input>(name: HandledName, run: LocalTool<Input>): Tool {
  const check = checkOf<Input>(name);
  return async (given, job) => {
    const checked = await check(given);
    return "errorMessage" in checked ? checked : run(checked.input, job);
  };
}
