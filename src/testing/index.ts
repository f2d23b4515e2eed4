// The entry `agentwire/testing`: mock servers, the fake CLI, record and replay, the manual clock.
export * from "./agent/index.ts";
export { MockCass, type NewCassUser } from "./cass/mock.ts";
export type { CassOpening, MockCassOptions } from "./cass/options.ts";
export type {
  CassConnection,
  CassFrame,
  CassReceived,
  CassRequest,
  CassServerFrame,
  CassViolation,
  CassViolationKind,
  ReceivedAuth,
  ReceivedTurn,
} from "./cass/record.ts";
export type { CassRoute } from "./cass/routes.ts";
export {
  type CassAnswer,
  type CassAnswerContext,
  type CassScript,
  type CassStep,
  type CassTool,
  cassStep,
  type ScriptedUsage as CassUsage,
} from "./cass/script.ts";
export { MockCassServer } from "./cass/server.ts";
export type {
  CassMessage,
  CassModel,
  CassProvider,
  NewConversation,
  StoredConversation as CassConversation,
  StoredUser as CassUser,
} from "./cass/store.ts";
export type { CassDeath, CassEnd, CassStatusTexts, MockCassSwitches } from "./cass/switches.ts";
export type { CassClaims } from "./cass/tokens.ts";
export type { MockCodebuffOptions } from "./codebuff/backend.ts";
export type {
  AccountFigures,
  AnswerData,
  CancelUserInputData,
  FileContents,
  ListedMcpTool as McpTool,
  McpToolData,
  PromptData,
  PromptErrorFields,
  PromptResponseFields,
  ReadFilesResponseData,
  RequestResult,
  SentToolOutput as ToolOutput,
  SseErrorFields,
  ToolCallResponseData,
  ToolOutputPart,
} from "./codebuff/messages.ts";
export { MockCodebuff } from "./codebuff/mock.ts";
export type {
  AuthOutcome,
  FailureKind,
  MockCodebuffSwitches,
  Oddities,
} from "./codebuff/options.ts";
export type {
  MockConnection,
  PromptMessage,
  ReceivedAnswer,
  ReceivedCancel,
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
  McpToolsRequest,
  PlannedToolCallRequest,
  RequestOptions,
  RequestStep,
  RequestValue,
} from "./codebuff/request-steps.ts";
export {
  type AnswerContext,
  type ChunkStep,
  type LogChunkFields,
  type PlainStep,
  type Script,
  type ScriptedAnswer as Answer,
  type Step,
  type StepResult,
  type SubAgentChunkFields,
  type SubAgentStep,
  step,
  type TerminalStep,
} from "./codebuff/script.ts";
export { MockCodebuffServer } from "./codebuff/server.ts";
export { type ExampleSessionState, exampleSessionState } from "./codebuff/session-state.ts";
export type {
  BackendChat,
  BackendChatMessage,
  BackendChatToolCall,
} from "./codebuff-backend/chat-request.ts";
export type {
  BackendDocsSearch,
  BackendFreeModeGate,
  BackendUser,
  BackendUserSwitches,
  BackendWebSearch,
  MockCodebuffBackendOptions,
  MockCodebuffBackendSwitches,
} from "./codebuff-backend/options.ts";
export type {
  BackendEndpoint,
  BackendFinish,
  BackendRequest,
  BackendRequestFilter,
  BackendResponse,
  BackendRun,
  BackendStep,
  BackendViolation,
  BackendViolationKind,
} from "./codebuff-backend/record.ts";
export type {
  BackendAnswer,
  BackendAnswerContext,
  BackendAnswerer,
  BackendFaultOptions,
  BackendGate,
  BackendMatch,
  BackendPart,
  BackendRefusal,
  BackendReply,
  BackendScript,
  BackendScriptFile,
  BackendSse,
  BackendToolCall,
  BackendUsage,
} from "./codebuff-backend/script.ts";
export { MockCodebuffBackend } from "./codebuff-backend/server.ts";
export { FakeCodebuffCli } from "./codebuff-cli/cli.ts";
export type {
  FakeCodebuffEnd,
  FakeCodebuffMessage,
  FakeCodebuffRecord,
  FakeCodebuffSignal,
} from "./codebuff-cli/record.ts";
export type {
  FakeCodebuffAnswers,
  FakeCodebuffExit,
  FakeCodebuffFailure,
  FakeCodebuffNoise,
  FakeCodebuffProfile,
  FakeCodebuffQuestion,
  FakeCodebuffScenario,
  FakeCodebuffSwitches,
} from "./codebuff-cli/scenario.ts";
export type { FakeCodebuffEvent, FakeCodebuffScript, FakeCodebuffStep } from "./codebuff-cli/script.ts";
export type { ClientMessage as CodeyClientMessage, WireUsage as CodeyUsage } from "./codey/messages.ts";
export { MockCodey } from "./codey/mock.ts";
export type { MockCodeyOptions, MockCodeySwitches } from "./codey/options.ts";
export type {
  CodeyConnection,
  CodeyFrame,
  CodeyReceived,
  CodeyViolation,
  CodeyViolationKind,
  ReceivedCodeyCancel,
  ReceivedDecision,
  ReceivedSend,
} from "./codey/record.ts";
export {
  type CodeyAnswer,
  type CodeyAnswerContext,
  type CodeyCall,
  type CodeyCallOutcome,
  type CodeyCallResult,
  type CodeyCallsStep,
  type CodeyScript,
  type CodeyStep,
  type CodeyStepResult,
  codeyStep,
  codeyTool,
} from "./codey/script.ts";
export { MockCodeyServer } from "./codey/server.ts";
export type { RecordedClose, RecordedMessage, RecordedOpen, RecordingLine } from "./record/line.ts";
export { parseRecording } from "./record/parse.ts";
export type { ReplayedConnection } from "./record/playing.ts";
export { Recorder, type RecorderOptions } from "./record/recorder.ts";
export { type RecordingSource, Replayer, type ReplayerOptions } from "./record/replayer.ts";
export { type RecordingSink, toFile, toStream } from "./record/sink.ts";
export type { AcceptedConnection } from "./server/accepted-socket.ts";
export type { ConnectionFaults, MalformedFrame } from "./server/faults.ts";
export type { DripPace } from "./server/link.ts";
export type { PortOption } from "./server/listen.ts";
export type { UpgradeAttempt, UpgradeRefusal } from "./server/port.ts";
export type { ProtocolMock } from "./server/protocol-mock.ts";
export type {
  ConnectionClosed,
  ConnectionFrame as FrameRecord,
  ServedConnection,
  ViolationRecord,
} from "./server/record.ts";
export type { StepSource } from "./server/script-runner.ts";
export type { TestSocket } from "./socket.ts";
