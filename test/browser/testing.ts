// What stands for `agentwire/testing` in a page: the mock servers, whose ports are in the relay, and what needs no
// Node. Recording and replay need files and ports of their own.

export { MockCass } from "../../src/testing/cass/mock.ts";
export { cassStep } from "../../src/testing/cass/script.ts";
export { MockCassServer } from "../../src/testing/cass/server.ts";
export { MockCodebuff } from "../../src/testing/codebuff/mock.ts";
export { step } from "../../src/testing/codebuff/script.ts";
export { MockCodebuffServer } from "../../src/testing/codebuff/server.ts";
export { exampleSessionState } from "../../src/testing/codebuff/session-state.ts";
export { MockCodey } from "../../src/testing/codey/mock.ts";
export { codeyStep, codeyTool } from "../../src/testing/codey/script.ts";
export { MockCodeyServer } from "../../src/testing/codey/server.ts";
export { ManualClock } from "../../src/testing/manual-clock.ts";
