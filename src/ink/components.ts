export { Chat, type ChatProps } from "./chat.tsx";
