// `<Approval>`: asks whether a tool may run.
import type { ReactElement } from "react";
import type { Decision } from "../../core/values.ts";
import { withCursor } from "../composer/shown-cursor.ts";
import {
  approvalInput,
  approvalRows,
  fitsApproval,
  isBehindChoice,
  newApproval,
  type PendingApproval,
  stepApproval,
  takesPress,
} from "../dialogs/approval-dialog.ts";
import { Rows } from "../rows/rows.tsx";
import { useAbove, useSpace } from "./space.ts";
import { insteadOf, type KeyProps, useCanType, useKeys, useOffer } from "./use-keys.ts";
import { type Look, useLook } from "./use-look.ts";

export interface ApprovalProps extends Look, KeyProps {
  /** An entry of `snapshot.pending`. Set `key={pending.id}`, so that each request starts fresh. */
  readonly pending: PendingApproval;
  /** Called with the decision, for `chat.decide(pending.id, decision)`. */
  readonly onDecide: (decision: Decision) => void;
  /**
   * Maximum number of rows. Below a `<Transcript>`, a longer input is printed above the dialog. Without a
   * `<Transcript>`, the input is cut, and a row says so: show the input elsewhere first.
   * @default the space in the surrounding `<Transcript>`; without one Infinity: the whole input
   */
  readonly maxRows?: number;
}

/**
 * Asks whether a tool may run. Shows the whole input through `reveal`, so that nothing is hidden. Says what the lasting
 * choices cover; a call without `grant` has none. Keys: `y` once, `t` this turn, `a` always, `n` reject, `r` a reason
 * and Enter, `e` and then `y` every call of the tool, or arrows and Enter. Keys work only after the choices are
 * visible, a moment after the dialog appears.
 */
export function Approval({
  pending,
  onDecide,
  maxRows,
  isActive = true,
  ...props
}: ApprovalProps): ReactElement {
  const { columns, theme } = useLook(props);
  const { maxRows: limit, space } = useSpace(maxRows);
  const fits = fitsApproval(pending, { columns, theme, maxRows: limit });
  const standing = useAbove(
    space,
    pending.id,
    fits ? undefined : () => approvalInput(pending, columns, theme),
  );
  const canType = useCanType();
  const isAsking = isActive && standing !== "printing";
  const offer = useOffer(pending.id, isAsking && canType);
  const [state] = useKeys(newApproval, { ...props, isActive }, (press, now, set) => {
    const isEscape = press.type === "key" && press.key === "escape";
    if (isEscape && !isBehindChoice(now)) {
      props.onEscape?.();
      return;
    }
    if (!offer.takesKeys() || !takesPress(now, press, pending)) {
      offer.withdraw();
      return;
    }
    const step = stepApproval(now, press, pending);
    if (step.type === "open") set(step.state);
    else {
      offer.withdraw(); // drop further keys of the same input
      onDecide(step.decision);
    }
  });
  const instead = insteadOf(isActive, canType, offer.isOffered && standing !== "printing");
  const options = { columns, theme, maxRows: limit, isInputAbove: standing !== "inside", ...instead };
  return <Rows rows={withCursor(approvalRows(pending, state, options))} theme={theme} />;
}
