import { ABOUT } from "../about.ts";
import { codebuffAt, codeyAt, mockSource } from "../sources.ts";
import { socketUrl } from "./address.ts";
import type { Backend } from "./backend.ts";
import { enterCass, logInToCass } from "./cass/login.ts";

/** All that the page knows of backends. */
export const BACKENDS: ReadonlyMap<string, Backend> = new Map([
  ["mock", { ...ABOUT.mock, open: mockSource }],
  ["codebuff", { ...ABOUT.codebuff, open: () => codebuffAt(socketUrl("/codebuff")) }],
  ["codey", { ...ABOUT.codey, open: () => codeyAt(socketUrl("/codey")) }],
  ["cass", { ...ABOUT.cass, open: enterCass, logIn: logInToCass }],
] satisfies readonly [string, Backend][]);
