import { type Chat, type ChatMessage, type ChatPart, createChat } from "agentwire/chat";
import { ChatProvider, useAgentChat, useChat, useConnection, usePending } from "agentwire/react";
import { agentStep, ManualClock, MockAgent } from "agentwire/testing";
import { Text } from "ink";
import { memo, type ReactElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, test } from "vitest";
import { mount, settled, until } from "./support/mount.ts";

/** Counts the renders of each message and of each part. */
function counted(): {
  readonly renders: Map<string, number>;
  readonly Messages: (props: { readonly chat: Chat }) => ReactElement;
} {
  const renders = new Map<string, number>();
  const count = (id: string): void => {
    renders.set(id, (renders.get(id) ?? 0) + 1);
  };
  const Part = memo(({ part }: { readonly part: ChatPart }) => {
    count(part.id);
    return <Text>{part.type === "text" ? part.text : part.type}</Text>;
  });
  const Message = memo(({ message }: { readonly message: ChatMessage }) => {
    count(message.id);
    return (
      <>
        {message.parts.map((part) => (
          <Part key={part.id} part={part} />
        ))}
      </>
    );
  });
  const Messages = ({ chat }: { readonly chat: Chat }) => (
    <>
      {useAgentChat(chat, ({ messages }) => messages).map((message) => (
        <Message key={message.id} message={message} />
      ))}
    </>
  );
  return { renders, Messages };
}

describe("useAgentChat", () => {
  test("shows the chat, and renders again when the chat changes", async () => {
    const chat = createChat(new MockAgent({ script: ["Hello"] }));
    const Size = () => <Text>{useAgentChat(chat).messages.length} messages</Text>;
    using screen = mount(<Size />);
    expect(screen.shown).toBe("0 messages");
    chat.send("hi");
    await until(() => screen.shown === "2 messages");
    await chat.close();
  });

  test("unchanged messages and parts do not render again while an answer streams", async () => {
    const agent = new MockAgent({
      script: [["One. ", agentStep.reasoning("hm"), "Two."], [agentStep.text("x".repeat(60), { deltas: 1 })]],
    });
    const chat = createChat(agent);
    const { renders, Messages } = counted();
    using _screen = mount(<Messages chat={chat} />);
    chat.send("first");
    await until(() => chat.getSnapshot().messages.length === 2 && !chat.getSnapshot().busy);
    await settled();
    const before = new Map(renders);
    expect(before.size).toBeGreaterThanOrEqual(6); // two messages, and their parts
    chat.send("second");
    await until(() => chat.getSnapshot().messages.length === 4 && !chat.getSnapshot().busy);
    await settled();
    for (const [id, count] of before) expect([id, renders.get(id)]).toEqual([id, count]);
    const last = chat.getSnapshot().messages.at(-1);
    expect(renders.get(last?.id ?? "")).toBeGreaterThan(1);
    await chat.close();
  });

  test("a component that selects `busy` renders twice per turn, however long the answer is", async () => {
    const chat = createChat(new MockAgent({ script: [[agentStep.text("x".repeat(500), { deltas: 1 })]] }));
    const seen: boolean[] = [];
    const Busy = () => {
      const busy = useAgentChat(chat, (snapshot) => snapshot.busy);
      seen.push(busy);
      return <Text>{String(busy)}</Text>;
    };
    using _screen = mount(<Busy />);
    chat.send("go");
    await until(() => chat.getSnapshot().messages.at(-1)?.status === "completed");
    await settled();
    expect(seen).toEqual([false, true, false]);
    await chat.close();
  });

  test("a selector that returns a new object renders again only if `isEqual` returns false", async () => {
    const chat = createChat(new MockAgent({ script: [[agentStep.text("x".repeat(100), { deltas: 1 })]] }));
    let renders = 0;
    const Sizes = () => {
      renders++;
      const { size } = useAgentChat(
        chat,
        ({ messages }) => ({ size: messages.length }),
        (before, now) => before.size === now.size,
      );
      return <Text>{size}</Text>;
    };
    using screen = mount(<Sizes />);
    chat.send("go");
    await until(() => chat.getSnapshot().messages.at(-1)?.status === "completed");
    await until(() => screen.shown === "2");
    expect(renders).toBeLessThanOrEqual(3);
    await chat.close();
  });

  test("a selector that changes between renders takes effect at once", async () => {
    const chat = createChat(new MockAgent());
    const Show = ({ what }: { readonly what: "busy" | "plan" }) => (
      <Text>{String(useAgentChat(chat, (snapshot) => snapshot[what]))}</Text>
    );
    using screen = mount(<Show what="busy" />);
    expect(screen.shown).toBe("false");
    screen.rerender(<Show what="plan" />);
    await until(() => screen.shown === "null");
    await chat.close();
  });

  test("another chat in the same component replaces the first one, whose changes no longer render", async () => {
    const [one, two] = [createChat(new MockAgent()), createChat(new MockAgent({ script: ["x"] }))];
    const Size = ({ chat }: { readonly chat: Chat }) => <Text>{useAgentChat(chat).messages.length}</Text>;
    two.send("hi");
    using screen = mount(<Size chat={one} />);
    expect(screen.shown).toBe("0");
    screen.rerender(<Size chat={two} />);
    await until(() => screen.shown === "2");
    one.send("hi");
    await until(() => one.getSnapshot().messages.length === 2);
    await settled();
    expect(screen.shown).toBe("2");
    await one.close();
    await two.close();
  });

  test("renders the current snapshot on a server", async () => {
    const chat = createChat(new MockAgent());
    chat.send("hi");
    const Size = () => <p>{useAgentChat(chat).messages.length}</p>;
    expect(renderToStaticMarkup(<Size />)).toBe("<p>1</p>");
    await chat.close();
  });
});

describe("the provider", () => {
  test("provides its chat to hooks without one, and a given chat takes precedence", async () => {
    const [provided, given] = [createChat(new MockAgent()), createChat(new MockAgent())];
    const found: Chat[] = [];
    const Find = ({ chat }: { readonly chat?: Chat }) => {
      found.push(useChat(chat));
      return <Text>{useConnection(chat).status}</Text>;
    };
    using screen = mount(
      <ChatProvider chat={provided}>
        <Find />
        <Find chat={given} />
      </ChatProvider>,
    );
    expect(found).toEqual([provided, given]);
    expect(screen.shown).toBe("idle\nidle");
    await provided.close();
    await given.close();
  });

  test.each([
    ["useChat", () => <p>{String(useChat())}</p>],
    ["useAgentChat", () => <p>{useAgentChat().queue.length}</p>],
    ["useConnection", () => <p>{useConnection().status}</p>],
    ["usePending", () => <p>{usePending().length}</p>],
  ])("%s outside a provider throws a typed error with advice", (_name, Component) => {
    expect(() => renderToStaticMarkup(<Component />)).toThrow(
      expect.objectContaining({
        code: "invalid-input",
        message: expect.stringContaining("Put <ChatProvider chat={chat}> around the component"),
      }),
    );
  });
});

describe("useConnection", () => {
  test("shows a lost connection, the attempt, the time of the next one, and the recovery", async () => {
    const clock = new ManualClock();
    const agent = new MockAgent({ clock, reconnect: { delay: 2_500 } });
    const chat = createChat(agent, { clock });
    const Line = () => {
      const { status, attempt, retryAt, reason } = useConnection(chat);
      const wait = retryAt === undefined ? "now" : `in ${retryAt - clock.wallTime()} ms`;
      return <Text>{[status, attempt, wait, reason?.title].join(" ")}</Text>;
    };
    using screen = mount(<Line />);
    chat.send("hi");
    await until(() => screen.shown.startsWith("ready 0 now") && !chat.getSnapshot().busy);
    agent.disconnect({ back: false });
    await until(() => /^reconnecting 1 in [1-9]\d* ms \S/.test(screen.shown));
    agent.set({ refuseConnect: false });
    while (!screen.shown.startsWith("ready")) {
      await clock.advance(1_000);
      await settled();
    }
    expect(screen.shown.trim()).toBe("ready 0 now");
    await chat.close();
  });
});

describe("usePending", () => {
  test("lists pending requests, and renders again only when they change", async () => {
    const agent = new MockAgent({
      script: [[...agentStep.tool({ name: "rm", id: "call_1", approval: true, output: "gone" }), "Done."]],
    });
    const chat = createChat(agent);
    const seen: string[] = [];
    const Pending = () => {
      const names = usePending(chat).map((entry) => (entry.type === "approval" ? entry.tool : "question"));
      seen.push(names.join());
      return <Text>{names.join()}</Text>;
    };
    using _screen = mount(<Pending />);
    chat.send("go");
    await until(() => seen.at(-1) === "rm");
    chat.decide(chat.getSnapshot().pending[0]?.id ?? "", "once");
    await until(() => chat.getSnapshot().messages.at(-1)?.status === "completed");
    await settled();
    expect(seen).toEqual(["", "rm", ""]);
    await chat.close();
  });
});

test("a blank prompt, an unknown message id and a closed chat show a problem, and no render throws", async () => {
  const chat = createChat(new MockAgent());
  const Problem = () => <Text>{useAgentChat(chat).problem?.title ?? "fine"}</Text>;
  using screen = mount(<Problem />);
  chat.send(" ");
  await until(() => screen.shown !== "fine");
  chat.dismiss();
  await until(() => screen.shown === "fine");
  chat.retry("no such message");
  await until(() => screen.shown !== "fine");
  for (const result of [chat.decide("gone", "once"), chat.answer("gone", null)])
    expect(result).toEqual({ ok: true });
  await chat.close();
  chat.send("too late");
  await until(() => screen.shown !== "fine");
});
