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
  type CassUsage,
  cassStep,
} from "./cass/script.ts";
export { MockCassServer } from "./cass/server.ts";
export type {
  CassConversation,
  CassMessage,
  CassModel,
  CassProvider,
  CassUser,
  NewConversation,
} from "./cass/store.ts";
export type { CassDeath, CassEnd, CassStatusTexts, MockCassSwitches } from "./cass/switches.ts";
export type { CassClaims } from "./cass/tokens.ts";
export type { AccountFigures } from "./codebuff/account.ts";
export type { ActionStep, LogChunkFields, SubAgentChunkFields } from "./codebuff/action-steps.ts";
export type {
  AnswerData,
  CancelUserInputData,
  FileContents,
  McpTool,
  McpToolData,
  PromptData,
  ReadFilesResponseData,
  RequestResult,
  ToolCallResponseData,
  ToolOutput,
  ToolOutputPart,
} from "./codebuff/client-actions.ts";
export { MockCodebuff } from "./codebuff/mock.ts";
export type {
  AuthOutcome,
  FailureKind,
  MockCodebuffOptions,
  MockCodebuffSwitches,
  Oddities,
} from "./codebuff/options.ts";
export type {
  EventStep,
  PrintModeEvent,
  ReasoningEventFields,
  SubAgentEventFields,
  ToolCallEventFields,
  ToolResultEventFields,
} from "./codebuff/print-mode.ts";
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
  AnswerToStep,
  Asked,
  McpConfig,
  McpToolsRequest,
  PlannedToolCallRequest,
  ReadFilesRequest,
  RequestOptions,
  RequestStep,
  ToolCallRequest,
  ValueStep,
  WaitForAnswer,
  WithoutWaiting,
} from "./codebuff/request-steps.ts";
export {
  type ActionErrorFields,
  type Answer,
  type AnswerContext,
  type ChunkStep,
  type PromptErrorFields,
  type PromptResponseFields,
  type Script,
  type SseErrorFields,
  type Step,
  type StepResult,
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
export type { BackendFaultOptions } from "./codebuff-backend/fault.ts";
export type { MockCodebuffBackendOptions } from "./codebuff-backend/options.ts";
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
  BackendGate,
  BackendMatch,
  BackendPart,
  BackendRefusal,
  BackendReply,
  BackendScript,
  BackendScriptFile,
  BackendToolCall,
  BackendUsage,
} from "./codebuff-backend/script.ts";
export { MockCodebuffBackend } from "./codebuff-backend/server.ts";
export type {
  BackendDocsSearch,
  BackendFreeModeGate,
  BackendSse,
  BackendWebSearch,
  MockCodebuffBackendSwitches,
} from "./codebuff-backend/switches.ts";
export type { BackendUser, BackendUserSwitches } from "./codebuff-backend/user.ts";
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
  FakeCodebuffProfile,
  FakeCodebuffScenario,
} from "./codebuff-cli/scenario.ts";
export type { FakeCodebuffEvent, FakeCodebuffScript, FakeCodebuffStep } from "./codebuff-cli/script.ts";
export type {
  FakeCodebuffFailure,
  FakeCodebuffNoise,
  FakeCodebuffQuestion,
  FakeCodebuffSwitches,
} from "./codebuff-cli/switches.ts";
export type { ClientMessage as CodeyClientMessage, CodeyUsage } from "./codey/messages.ts";
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
export type { ConnectionClosed, FrameRecord, ServedConnection, ViolationRecord } from "./server/record.ts";
export type { StepSource } from "./server/script-runner.ts";
export type { TestSocket } from "./socket.ts";
