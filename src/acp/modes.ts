// The modes of a session: which one asks the user, and how a mode or a model is set.

import { fieldsOf } from "../core/checks.ts";
import { InvalidInputError } from "../core/errors.ts";
import type { AcpCore } from "./acp-core.ts";
import type { AgentLink } from "./link.ts";
import { readOptions } from "./messages.ts";
import type { AcpSession } from "./session.ts";

/** Modes in which agents ask, as they name them. */
const ASKING = ["default", "ask", "read-only", "manual"];

/** The id of the mode that a session should have. Undefined: the agent's own. */
export function wantedMode(session: AcpSession, option: string | false, core: AcpCore): string | undefined {
  if (option === false) return undefined;
  const { modes } = session.state;
  const ids = modes?.available.map(({ id }) => id) ?? [];
  if (option !== "ask") {
    // Kimi names no modes when it loads a session: then the agent says whether it has this one.
    if (ids.includes(option) || (!modes && !session.isNew)) return option;
    const has = ids.length === 0 ? "it has no modes" : `it has ${ids.map((id) => `\`${id}\``).join(", ")}`;
    throw new InvalidInputError(
      `the agent has no mode \`${option}\`: ${has}.`,
      "Pass another `mode`, or `false`.",
    );
  }
  const asking = ASKING.find((id) => ids.includes(id));
  if (asking === undefined && !ASKING.includes(modes?.current ?? ""))
    core.warn(
      "agent-decides",
      "the agent has no mode of which this client knows that it asks before it acts: it may decide by itself what it does, without asking you; set `mode` to one that asks, or to `false` if this is meant",
    );
  return asking;
}

/** Sets the mode, if the session has another one. @throws AgentRefusal and the errors of requests */
export async function setMode(
  core: AcpCore,
  link: AgentLink,
  session: AcpSession,
  mode: string,
): Promise<void> {
  const { id: sessionId, wantedMode: before } = session;
  session.wantedMode = mode; // the agent may tell the change before it answers
  if (session.state.modes?.current === mode) return;
  const { outbox, settings } = core;
  try {
    if (session.hasModes || !session.state.modes) {
      await link.request("session/set_mode", { sessionId, modeId: mode }, settings.connectTimeout);
      outbox.run(() => session.setMode(mode));
    } else await setOption(core, link, session, optionOf(session, "mode"), mode);
  } catch (error) {
    session.wantedMode = before;
    throw error;
  }
}

/** @throws InvalidInputError for an unknown model; AgentRefusal and the errors of requests */
export async function setModel(
  core: AcpCore,
  link: AgentLink,
  session: AcpSession,
  model: string,
): Promise<void> {
  const { models } = session.state;
  if (!models?.available.some(({ id }) => id === model))
    throw new InvalidInputError(`the agent has no model \`${model}\`.`, "Pass the id of one in `models`.");
  if (session.hasModels) {
    await link.request(
      "session/set_model",
      { sessionId: session.id, modelId: model },
      core.settings.connectTimeout,
    );
    core.outbox.run(() => session.setModel(model));
  } else await setOption(core, link, session, optionOf(session, "model"), model);
}

/** @throws InvalidInputError for an unknown option or value; AgentRefusal and the errors of requests */
export async function setOption(
  core: AcpCore,
  link: AgentLink,
  session: AcpSession,
  configId: string,
  value: string | boolean,
): Promise<void> {
  const option = session.state.options.find(({ id }) => id === configId);
  const takes =
    option?.type === "boolean"
      ? typeof value === "boolean"
      : option?.available.some(({ id }) => id === value);
  if (!takes)
    throw new InvalidInputError(
      option
        ? `the option \`${configId}\` has no value \`${value}\`.`
        : `the agent has no option \`${configId}\`.`,
      "Pass what `conversation.session.options` lists.",
    );
  const type = typeof value === "boolean" ? { type: "boolean" } : {};
  const params = { sessionId: session.id, configId, value, ...type };
  const answer = await link.request("session/set_config_option", params, core.settings.connectTimeout);
  const { configOptions } = fieldsOf(answer);
  if (configOptions !== undefined) core.outbox.run(() => session.setOptions(readOptions(configOptions)));
}

/** The option of a category. @throws InvalidInputError if the agent has none */
function optionOf({ state }: AcpSession, category: "mode" | "model"): string {
  const option = state.options.find((each) => each.category === category);
  if (option) return option.id;
  throw new InvalidInputError(`the agent lets nobody choose a ${category}.`, "Leave it as it is.");
}
