// Earlier prompts in an empty message field, as in a shell.
import { useState } from "react";
import type { ChatSnapshot } from "../../chat/snapshot.ts";
import { textOfMessage } from "./message-actions.tsx";

/**
 * Up shows the prompt before, Down the one behind it. Returns whether the key did this: the lines of a text of the user's own have the keys.
 */
export function useRecall() {
  const [shown] = useState({ back: 0, text: "" });
  return (field: HTMLTextAreaElement, key: string, messages: ChatSnapshot["messages"]): boolean => {
    const step = key === "ArrowUp" ? 1 : key === "ArrowDown" ? -1 : 0;
    if (field.value === "") shown.back = 0;
    else if (field.value !== shown.text) return false;
    const prompts = messages
      .toArray()
      .filter(({ role }) => role === "user")
      .map(textOfMessage);
    const text = ["", ...prompts.filter((prompt) => prompt !== "").reverse()][shown.back + step];
    if (step === 0 || text === undefined) return false;
    shown.back += step;
    shown.text = field.value = text;
    return true;
  };
}
