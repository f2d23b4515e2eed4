import { type Checks, checkFields, checks } from "../core/checks.ts";
import { InvalidInputError } from "../core/errors.ts";

/** What `init` sends. */
export interface CodebuffInitInput {
  /** Files of the project, in the form that the server at the other end knows. */
  readonly fileContext: Readonly<Record<string, unknown>>;
  readonly repoUrl?: string;
  /** @default the client's `fingerprintId` */
  readonly fingerprintId?: string;
  /** @default the client's `authToken` */
  readonly authToken?: string;
}

const INIT_FIELDS: Checks<CodebuffInitInput> = {
  fileContext: checks.object,
  repoUrl: checks.string,
  fingerprintId: checks.text,
  authToken: checks.text,
};

/** The `data` of an init action as it goes out. */
export interface InitData extends Omit<CodebuffInitInput, "fingerprintId"> {
  readonly type: "init";
  readonly fingerprintId: string;
}

/** @throws InvalidInputError for what no server could take. */
export function buildInit(input: CodebuffInitInput, usualFingerprintId: string): InitData {
  if (checks.object.holds(input)) checkFields(input, INIT_FIELDS, "init field");
  if (!checks.object.holds(input) || input.fileContext === undefined) {
    throw new InvalidInputError("`fileContext` is missing.", "Pass an object such as { fileContext: {} }.");
  }
  const { fileContext, repoUrl, authToken, fingerprintId = usualFingerprintId } = input;
  return {
    type: "init",
    fingerprintId,
    fileContext,
    ...(repoUrl === undefined ? {} : { repoUrl }),
    ...(authToken === undefined ? {} : { authToken }),
  };
}
