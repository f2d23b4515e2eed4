import type { ReactElement } from "react";
import type { Decision } from "../core/values.ts";
import { withCursor } from "./composer/shown-cursor.ts";
import {
  approvalRows,
  newApproval,
  type PendingApproval,
  stepApproval,
  takesPress,
} from "./dialogs/approval-dialog.ts";
import { Rows } from "./rows/rows.tsx";
import { NO_KEYS, useCanType, useKeys, useOffer } from "./use-keys.ts";
import { type Look, useLook } from "./use-look.ts";

export interface ApprovalProps extends Look {
  /** An entry of `snapshot.pending`. Give the component `key={pending.id}`, so that the next request begins anew. */
  readonly pending: PendingApproval;
  /** Goes to `chat.decide(pending.id, decision)`. */
  readonly onDecide: (decision: Decision) => void;
  /** Rows at most. An input that is longer is cut: show it elsewhere first. @default Infinity: the whole input */
  readonly maxRows?: number;
  /** Whether it takes keys. @default true */
  readonly isActive?: boolean;
}

/**
 * Asks whether a tool may run. Shows its whole input by `reveal`, so that nothing in it is hidden. Keys: `y` once, `a` always, `n` reject,
 * `r` a reason and Enter, or the arrows and Enter. It takes no keys before it shows its choices, which is a moment after it has appeared.
 */
export function Approval({
  pending,
  onDecide,
  maxRows,
  isActive = true,
  ...look
}: ApprovalProps): ReactElement {
  const { columns, theme } = useLook(look);
  const canType = useCanType();
  const offer = useOffer(pending.id, isActive && canType);
  const [state] = useKeys(newApproval, isActive, (press, now, set) => {
    if (!offer.takesKeys() || !takesPress(now, press)) {
      offer.withdraw();
      return;
    }
    const step = stepApproval(now, press);
    if (step.type === "open") set(step.state);
    else {
      offer.withdraw(); // more keys may have come with this one
      onDecide(step.decision);
    }
  });
  const instead = isActive && !canType ? { instead: NO_KEYS } : offer.isOffered ? {} : { instead: "..." };
  const options = { columns, theme, maxRows: maxRows ?? Number.POSITIVE_INFINITY, ...instead };
  return <Rows rows={withCursor(approvalRows(pending, state, options))} theme={theme} />;
}
