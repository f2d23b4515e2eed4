import { Text } from "ink";
import type { ReactElement } from "react";
import { useAgentChat, useChat } from "../react/index.ts";

export interface ChatProps {
  readonly title?: string;
}

export function Chat({ title = "" }: ChatProps): ReactElement {
  const count = useAgentChat(useChat(), ({ messages }) => messages.length);
  return <Text>{`${title} ${count}`}</Text>;
}
