// Checks a tool's input against the parameters that the model sees.
import { describe, isObject } from "../../core/checks.ts";
import { HANDLED } from "../calls/builtins.ts";
import { issuesText, schemaOf } from "../calls/tool-schema.ts";
import type { CheckedTool, LocalTool } from "./job.ts";

type HandledName = keyof typeof HANDLED;

type Checked<Input> = { readonly input: Input } | { readonly errorMessage: string };

/** Makes a check for one tool. Needed for inputs from a server, which nothing has checked. */
export function checkOf<Input>(name: HandledName): (given: unknown) => Promise<Checked<Input>> {
  const schema = schemaOf(HANDLED[name].parameters, name);
  return async (given) => {
    if (!isObject(given))
      return { errorMessage: `Invalid parameters for ${name}: the input is ${describe(given)}.` };
    const checked = await schema.check(given);
    return "issues" in checked
      ? { errorMessage: issuesText(name, checked) }
      : { input: checked.input as Input }; // by the schema
  };
}

export function checkedTool<Input>(name: HandledName, run: LocalTool<Input>): CheckedTool {
  const check = checkOf<Input>(name);
  return async (given, job) => {
    const checked = await check(given);
    return "errorMessage" in checked ? checked : run(checked.input, job);
  };
}
