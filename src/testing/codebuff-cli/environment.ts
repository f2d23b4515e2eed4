// The environment variables by which a test and the fake program speak.

/** The variables that a run of the fake reads. The first two are its interface, the others are between its parts. */
export const SCENARIO = "FAKE_CODEBUFF_SCENARIO";
export const RECORD = "FAKE_CODEBUFF_RECORD";
/** Where `FakeCodebuffCli` listens: who is connected is alive, and dies when the connection ends. */
export const LIFELINE = "FAKE_CODEBUFF_LIFELINE";
/** What a process is that a run has started. */
export const ROLE = "FAKE_CODEBUFF_ROLE";
