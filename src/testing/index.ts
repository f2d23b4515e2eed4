// The entry `agentwire/testing`: mock servers, the fake CLI, record and replay, the manual clock.
export { MockAcpAgent } from "./acp/mock.ts";
export type { MockAcpOptions, MockAcpProfile, MockAcpSwitches } from "./acp/options.ts";
export type {
  MockAcpEnd,
  MockAcpLine,
  MockAcpLink,
  MockAcpProcess,
  MockAcpReply,
  MockAcpRequest,
  MockAcpViolation,
  MockAcpViolationKind,
  ReceivedAcpCancel,
  ReceivedAcpMessage,
  ReceivedAcpPrompt,
} from "./acp/record.ts";
export type { MockAcpProgram } from "./acp/relay.ts";
export {
  acpStep,
  acpTool,
  type MockAcpAnswer,
  type MockAcpCall,
  type MockAcpCallOutcome,
  type MockAcpOption,
  type MockAcpScript,
  type MockAcpStep,
} from "./acp/script.ts";
export type { MockAcpStreams } from "./acp/streams.ts";
export * from "./agent/index.ts";
export { MockCass, type NewCassUser } from "./cass/mock.ts";
export type { MockCassOptions } from "./cass/options.ts";
export type { CassConnection, CassViolationKind, ReceivedTurn } from "./cass/record.ts";
export type { CassRoute } from "./cass/routes.ts";
export {
  type CassAnswer,
  type CassScript,
  type CassStep,
  cassStep,
  type ScriptedUsage as CassUsage,
} from "./cass/script.ts";
export { MockCassServer } from "./cass/server.ts";
export type {
  CassProvider,
  StoredConversation as CassConversation,
  StoredUser as CassUser,
} from "./cass/store.ts";
export type { MockCassSwitches } from "./cass/switches.ts";
export type { MockCodebuffOptions } from "./codebuff/backend.ts";
export type {
  FileContents,
  ListedMcpTool as McpTool,
  PromptData,
  SentToolOutput as ToolOutput,
} from "./codebuff/messages.ts";
export { MockCodebuff } from "./codebuff/mock.ts";
export type { MockCodebuffSwitches } from "./codebuff/options.ts";
export type {
  MockConnection,
  PromptMessage,
  ReceivedPrompt,
  RecordedFrame,
  Violation,
  ViolationKind,
} from "./codebuff/record.ts";
export type {
  Asked,
  AskedFiles as ReadFilesRequest,
  AskedMcpConfig as McpConfig,
  AskedToolCall as ToolCallRequest,
  RequestValue,
} from "./codebuff/request-steps.ts";
export {
  type PlainStep,
  type Script,
  type ScriptedAnswer as Answer,
  type Step,
  step,
} from "./codebuff/script.ts";
export { MockCodebuffServer } from "./codebuff/server.ts";
export { exampleSessionState } from "./codebuff/session-state.ts";
export type {
  BackendFreeModeGate,
  BackendUser,
  MockCodebuffBackendOptions,
  MockCodebuffBackendSwitches,
} from "./codebuff-backend/options.ts";
export type {
  BackendEndpoint,
  BackendRequest,
  BackendViolation,
  BackendViolationKind,
} from "./codebuff-backend/record.ts";
export type {
  BackendAnswer,
  BackendAnswerContext,
  BackendFaultOptions,
  BackendReply,
  BackendScript,
  BackendSse,
  BackendToolCall,
} from "./codebuff-backend/script.ts";
export { MockCodebuffBackend } from "./codebuff-backend/server.ts";
export { FakeCodebuffCli } from "./codebuff-cli/cli.ts";
export type { FakeCodebuffRecord } from "./codebuff-cli/record.ts";
export type {
  FakeCodebuffFailure,
  FakeCodebuffProfile,
  FakeCodebuffScenario,
} from "./codebuff-cli/scenario.ts";
export type { FakeCodebuffScript, FakeCodebuffStep } from "./codebuff-cli/script.ts";
export type { WireUsage as CodeyUsage } from "./codey/messages.ts";
export { MockCodey } from "./codey/mock.ts";
export type { MockCodeyOptions, MockCodeySwitches } from "./codey/options.ts";
export type { CodeyConnection, CodeyViolationKind } from "./codey/record.ts";
export {
  type CodeyAnswer,
  type CodeyCall,
  type CodeyCallOutcome,
  type CodeyScript,
  type CodeyStep,
  codeyStep,
  codeyTool,
} from "./codey/script.ts";
export { MockCodeyServer } from "./codey/server.ts";
export { checkEventLog, EventLogCheckError, eventLogPromises } from "./event-log/check-event-log.ts";
export type {
  EventLogCheckOptions,
  EventLogHandles,
  EventLogPromise,
  MakeEventLog,
} from "./event-log/log-test.ts";
export type { RecordingLine } from "./record/line.ts";
export { parseRecording } from "./record/parse.ts";
export { Recorder, type RecorderOptions } from "./record/recorder.ts";
export { Replayer, type ReplayerOptions } from "./record/replayer.ts";
export { type RecordingSink, toFile, toStream } from "./record/sink.ts";
export type { MalformedFrame } from "./server/faults.ts";
export type { UpgradeAttempt, UpgradeRefusal } from "./server/port.ts";
export type { ProtocolMock } from "./server/protocol-mock.ts";
export type { ConnectionFrame as FrameRecord, ServedConnection } from "./server/record.ts";
export type { TestSocket } from "./socket.ts";
