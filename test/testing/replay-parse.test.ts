import { parseRecording, Replayer } from "agentwire/testing";
import { describe, expect, test } from "vitest";

const open = '{"ms":0,"conn":1,"ev":"open"}';
const said = '{"ms":1,"conn":1,"dir":"s2c","raw":"hi"}';
const close = '{"ms":2,"conn":1,"ev":"close","code":1000,"reason":"bye"}';
const text = (...lines: readonly string[]) => lines.join("\n");

describe("a recording can be parsed", () => {
  test("with both line endings, blank lines, comments and unknown fields", () => {
    const remarks = ['{"ms":1,"ev":"note","note":"a remark"}', '{"ms":1,"conn":1,"ev":"ws-ping"}'];
    const noted = '{"ms":1,"conn":1,"dir":"s2c","raw":"hi","note":"x","jsonParse":"y"}';
    const lines = parseRecording(`${open}\r\n\r\n${text(...remarks, noted, close)}\n\n`);
    expect(lines).toEqual([JSON.parse(open), JSON.parse(said), JSON.parse(close)]);
  });

  test("in the older form, whose messages are JSON values", () => {
    const lines = parseRecording(
      text(
        '{"ms": 0, "conn": 1, "dir": "open", "url": "/ws"}',
        '{"ms": 1, "conn": 1, "dir": "s2c", "frame": {"type": "ack", "txid": 0}}',
        '{"ms": 2, "conn": 1, "dir": "close", "code": 1000, "reason": "bye"}',
      ),
    );
    const ack = { ms: 1, conn: 1, dir: "s2c", raw: '{"type":"ack","txid":0}' };
    expect(lines).toEqual([JSON.parse(open), ack, JSON.parse(close)]);
  });

  test("without a close, as after a crash", () => {
    expect(parseRecording(text(open, said))).toHaveLength(2);
  });

  test("if it is empty", () => {
    expect(parseRecording("")).toEqual([]);
  });
});

describe("an invalid line is named in the error", () => {
  const when = '"ms":1,"conn":1';
  test.each([
    ["garbage", "no JSON", "is not JSON"],
    ["half a line", said.slice(0, -3), "is not JSON"],
    ["an array", "[]", "is not a JSON object"],
    ["null", "null", "is not a JSON object"],
    ["neither event nor direction", `{${when}}`, 'is none of "open", "close", "c2s" and "s2c"'],
    ["an unknown direction", `{${when},"dir":"up","raw":""}`, "is none of"],
    ["no time", '{"conn":1,"dir":"s2c","raw":""}', 'has no "ms"'],
    ["a negative time", '{"ms":-1,"conn":1,"dir":"s2c","raw":""}', 'has no "ms"'],
    ["no connection", '{"ms":1,"dir":"s2c","raw":""}', 'has no "conn"'],
    ["no text", `{${when},"dir":"s2c"}`, 'has neither "raw", a string, nor "frame"'],
    ["a text that is not a string", `{${when},"dir":"s2c","raw":5}`, 'has neither "raw"'],
    ["an invalid binary", `{${when},"dir":"s2c","raw":"","binary":true}`, 'has a "binary"'],
    ["an unknown connection", '{"ms":1,"conn":7,"dir":"s2c","raw":""}', "connection 7, which has not opened"],
    ["a close before its open", '{"ms":1,"conn":7,"ev":"close","code":1000}', "which has not opened"],
    ["a second opening", open, "opens connection 1 a second time"],
    ["no close code", `{${when},"ev":"close"}`, 'has no "code"'],
    ["an undefined close code", `{${when},"ev":"close","code":2000}`, 'has no "code"'],
    ["a fractional close code", `{${when},"ev":"close","code":1000.5}`, 'has no "code"'],
    ["an unknown closer", `{${when},"ev":"close","code":1000,"by":"me"}`, 'has a "by"'],
    [
      "a reason too long for a Close",
      `{${when},"ev":"close","code":1000,"reason":"${"é".repeat(62)}"}`,
      "123 bytes",
    ],
  ])("%s", async (_, line, says) => {
    const bad = text(open, "", line);
    expect(() => parseRecording(bad)).toThrow(TypeError);
    expect(() => parseRecording(bad)).toThrow(/^line 3 of the recording /);
    expect(() => parseRecording(bad)).toThrow(says);
    await expect(Replayer.start({ text: bad })).rejects.toThrow(says);
  });

  test("a message after its connection has closed", () => {
    expect(() => parseRecording(text(open, close, said))).toThrow(
      "line 3 of the recording is of connection 1, which has closed",
    );
  });

  test("by its index, if the source is a list of lines", async () => {
    const start = Replayer.start({ lines: [open, "garbage"] });
    await expect(start).rejects.toThrow("line 2 of the recording is not JSON");
  });
});

describe("a replayer does not start", () => {
  test.each([
    ["on an empty recording", { text: "" }, {}, "the recording holds no connection"],
    ["on comments alone", { text: '{"ev":"note"}' }, {}, "the recording holds no connection"],
    ["for no lines", { lines: [] }, {}, "the recording holds no connection"],
    ["for an unknown connection", { text: open }, { connections: [2] }, "no connection 2, only 1"],
  ])("%s", async (_, source, options, says) => {
    const error: unknown = await Replayer.start(source, options).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(TypeError);
    expect(error).toHaveProperty("message", expect.stringContaining(says));
  });

  test("on a missing file, and rejects with the file system's error", async () => {
    const start = Replayer.start({ file: new URL("none.jsonl", import.meta.url) });
    await expect(start).rejects.toMatchObject({ code: "ENOENT" });
  });
});
