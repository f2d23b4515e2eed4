// What stands for `agentwire/testing` in a page: what needs no Node, and the mock server over the relay. Recording and
// replay need files and ports of their own.

export { MockCodebuff } from "../../src/testing/codebuff/mock.ts";
export { step } from "../../src/testing/codebuff/script.ts";
export { exampleSessionState } from "../../src/testing/codebuff/session-state.ts";
export { ManualClock } from "../../src/testing/manual-clock.ts";
export { MockCodebuffServer } from "./mock-server.ts";
