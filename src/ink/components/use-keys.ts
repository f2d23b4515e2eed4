// A hook for components that take keys, also without a terminal.
import { useInput, useStdin } from "ink";
import { useEffect, useReducer, useRef } from "react";
import { type Press, pressesOf } from "../press.ts";
import { SETTLING, TYPING_PAUSE } from "../screen/open-dialog.ts";

/** Shown if keys cannot be read. */
export const NO_KEYS = "There is no terminal to type on.";

/** The props for a component's keys. */
export interface KeyProps {
  /** Whether the component takes keys. @default true */
  readonly isActive?: boolean;
  /** Called on Ctrl-C, if the component does not use it. */
  readonly onInterrupt?: () => void;
  /** Called on Esc, if the component does not use it. */
  readonly onEscape?: () => void;
}

/**
 * State that keys change, outside of rendering, so that no key is lost between renders. `onPress` gets the current
 * state and a setter. Returns the state and a function that changes it. Without a terminal there are no keys. Ctrl-C
 * calls `onInterrupt`, if given.
 */
export function useKeys<State>(
  initial: State,
  { isActive = true, onInterrupt }: Pick<KeyProps, "isActive" | "onInterrupt">,
  onPress: (press: Press, state: State, set: (next: State) => void) => void,
): readonly [state: State, change: (step: (state: State) => State) => void] {
  const current = useRef(initial);
  const [, render] = useReducer((count: number) => count + 1, 0);
  const canType = useCanType();
  const set = (next: State): void => {
    current.current = next;
    render();
  };
  useInput(
    (input, key) => {
      for (const press of pressesOf(input, key)) {
        if (onInterrupt && press.type === "key" && press.key === "ctrl-c") onInterrupt();
        else onPress(press, current.current, set);
      }
    },
    { isActive: isActive && canType },
  );
  return [current.current, (step) => set(step(current.current))];
}

/** Whether keys can be read: not from a pipe or a file. */
export function useCanType(): boolean {
  return useStdin().isRawModeSupported;
}

/** Text in place of a dialog's choices, while the dialog takes no keys. */
export function insteadOf(
  isActive: boolean,
  canType: boolean,
  isOffered: boolean,
): { readonly instead?: string } {
  if (isActive && !canType) return { instead: NO_KEYS };
  return isOffered ? {} : { instead: "..." };
}

export interface Offer {
  readonly isOffered: boolean;
  /** Whether keys are accepted: the choices are on the screen. */
  readonly takesKeys: () => boolean;
  /** Ignores keys until `of` changes, because the same input may contain further keys. */
  readonly pause: () => void;
  /** A key was not for the dialog, or too early: hides the choices until the user pauses. */
  readonly withdraw: () => void;
}

/**
 * Decides when a dialog shows its choices and takes keys: a moment after it appears, and after each change of `of`. The
 * user may have pressed the previous key twice.
 */
export function useOffer(of: string | number, isActive: boolean): Offer {
  const [strays, countStray] = useReducer((count: number) => count + 1, 0);
  const [, render] = useReducer((count: number) => count + 1, 0);
  const offered = useRef<string>(undefined);
  const key = `${strays} ${of}`;
  const wait = strays === 0 ? SETTLING : TYPING_PAUSE;
  useEffect(() => {
    if (!isActive) return;
    const timer = setTimeout(() => {
      offered.current = key;
      render();
    }, wait);
    return () => {
      clearTimeout(timer);
      offered.current = undefined;
    };
  }, [key, wait, isActive]);
  return {
    isOffered: !isActive || offered.current === key,
    takesKeys: () => offered.current === key,
    pause: () => {
      offered.current = undefined;
    },
    withdraw: () => {
      offered.current = undefined;
      countStray();
    },
  };
}
