// Strings, so that their types hold the schemas equal to them.

/** The forms of ids and times in events, as regular expressions. */
export const EVENT_ID = "^evt_[1-9]\\d*$";
export const ITEM_ID = "^itm_[1-9]\\d*$";
/** RFC 3339, UTC, with milliseconds. */
export const TIME =
  "^\\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\\d|3[01])T([01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d\\.\\d{3}Z$";
