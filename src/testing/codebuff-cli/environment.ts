// The environment variables between a test and the fake program.

/** The variables that a run reads. The first two are its public interface; the others are internal. */
export const SCENARIO = "FAKE_CODEBUFF_SCENARIO";
export const RECORD = "FAKE_CODEBUFF_RECORD";
/** The address of `FakeCodebuffCli`. A process stays connected while it lives, and dies when the connection ends. */
export const LIFELINE = "FAKE_CODEBUFF_LIFELINE";
/** The role of a process that a run started. */
export const ROLE = "FAKE_CODEBUFF_ROLE";
