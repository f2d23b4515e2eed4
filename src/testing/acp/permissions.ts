// The options of a permission request.
import type { AcpAgentFacts } from "./agents.ts";
import type { AcpMockSettings } from "./profiles.ts";
import type { MockAcpOption } from "./script.ts";

const REJECT: MockAcpOption = { optionId: "reject", name: "Reject", kind: "reject_once" };

/** Options that replace those of the profile. */
const ODD: { readonly [how in AcpMockSettings["options"]]?: readonly MockAcpOption[] } = {
  twoOnce: [
    { optionId: "switch_mode", name: "Allow, and stop asking", kind: "allow_once" },
    { optionId: "once", name: "Allow", kind: "allow_once" },
    REJECT,
  ],
  // The id, the name and the place of each say the opposite of its kind.
  oddIds: [
    { optionId: "allow", name: "Yes", kind: "reject_once" },
    { optionId: "cancel", name: "No", kind: "allow_always" },
    { optionId: "reject", name: "Never", kind: "allow_once" },
  ],
  empty: [],
};

/** @param edits whether the call has a `diff` */
export function permissionOptions(
  how: AcpMockSettings["options"],
  { options, editOptions = options }: AcpAgentFacts,
  edits: boolean,
): readonly MockAcpOption[] {
  const odd = ODD[how];
  if (odd) return odd;
  const usual = (edits ? editOptions : options).map(([kind, optionId, name]) => ({ optionId, name, kind }));
  if (how === "noAlways") return usual.filter(({ kind }) => kind !== "allow_always");
  if (how === "unknownKind") return [{ optionId: "later", name: "Ask me later", kind: "defer" }, ...usual];
  if (how === "oneEach") return usual;
  return usual.flatMap((option) => {
    if (option.kind !== "allow_always") return [option];
    return [
      { ...option, optionId: `${option.optionId}_project`, name: `${option.name} in this project` },
      { ...option, optionId: `${option.optionId}_user`, name: `${option.name} in all projects` },
    ];
  });
}
