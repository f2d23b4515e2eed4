// Steps of an answer, written as JSON: a text, or {"delay": 20} for `step.delay(20)`.
import { checkName } from "../../core/names.ts";
import { wrongCall } from "../failure.ts";

type Make = (...args: never[]) => unknown;

/** The functions that make steps: `step`, `codeyStep`, `cassStep` or `acpStep`. */
export type StepMakers = object;

/** @throws Failure for what is no step */
export function stepsFrom(list: readonly unknown[], makers: StepMakers): readonly unknown[] {
  return list.map((value, at) => stepFrom(value, makers, at + 1));
}

/** A list is the arguments; anything else is the only argument. An object with `kind` is a step already. */
function stepFrom(value: unknown, makers: StepMakers, place: number): unknown {
  if (typeof value === "string") return value;
  const fields = typeof value === "object" && value !== null && !Array.isArray(value) ? value : {};
  if ("kind" in fields) return fields;
  const [entry, ...more] = Object.entries(fields);
  if (!entry || more.length > 0)
    throw wrongCall(
      `Step ${place} of the script is no step.`,
      'Write a text, or an object with the name of a step and its arguments: {"delay": 20}.',
    );
  const [name, given] = entry;
  checkName(name, makers, "step");
  const make: Make = Reflect.get(makers, name);
  const args: readonly unknown[] = Array.isArray(given) ? given : given === true ? [] : [given];
  return make(...(args as never[]));
}
