import { useInput } from "ink";
import { useReducer, useRef } from "react";
import { type Press, pressesOf } from "./press.ts";

/**
 * State that keys change. It is read and changed outside of rendering, so that no key is lost when keys come faster than renders.
 * `onPress` gets the state of now, and a function that sets it; what is
 * returned is the state, and a function that changes it.
 */
export function useKeys<State>(
  initial: State,
  isActive: boolean,
  onPress: (press: Press, state: State, set: (next: State) => void) => void,
): readonly [state: State, change: (step: (state: State) => State) => void] {
  const current = useRef(initial);
  const [, render] = useReducer((count: number) => count + 1, 0);
  const set = (next: State): void => {
    current.current = next;
    render();
  };
  useInput(
    (input, key) => {
      for (const press of pressesOf(input, key)) onPress(press, current.current, set);
    },
    { isActive },
  );
  return [current.current, (step) => set(step(current.current))];
}
