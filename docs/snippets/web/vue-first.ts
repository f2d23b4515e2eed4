// A program with the function for Vue of docs/frameworks.md, which runs as it stands.
import { type Chat, type ChatSnapshot, createChat, inert, reveal } from "agentwire/chat";
import { agentStep, MockAgent } from "agentwire/testing/agent";
import { createApp, h, onScopeDispose, type ShallowRef, shallowRef } from "vue";

// #region vue-snapshot
/** The newest snapshot of a chat, for the component that calls this. */
function snapshotOf(chat: Chat): ShallowRef<ChatSnapshot> {
  const snapshot = shallowRef(chat.getSnapshot());
  const off = chat.subscribe(() => {
    snapshot.value = chat.getSnapshot();
  });
  onScopeDispose(off);
  return snapshot;
}
// #endregion

const agent = new MockAgent({
  *script({ text }) {
    yield `You said: ${text}. `;
    yield* agentStep.tool({ name: "shell", input: { command: "ls" }, output: "a.txt", approval: true });
    yield "One file.";
  },
});
const chat = createChat(agent); // a backend of yours: createChat(codey({ url, onToolApproval: "manual" }))

const App = {
  setup() {
    const snapshot = snapshotOf(chat);
    const message = shallowRef("");
    const send = () => {
      if (chat.send(message.value).ok) message.value = "";
    };
    return () => [
      snapshot.value.messages.map(({ id, role, parts }) =>
        h("p", { key: id }, [
          `${role}: `,
          parts.map((part) => (part.type === "text" ? h("span", { key: part.id }, inert(part.text)) : null)),
        ]),
      ),
      snapshot.value.pending.map((request) =>
        request.type === "approval"
          ? h("p", { key: request.id }, [
              `${reveal(request.tool)} ${reveal(JSON.stringify(request.input))} `,
              h("button", { onClick: () => chat.decide(request.id, "once") }, "Allow"),
              h("button", { onClick: () => chat.decide(request.id, "reject") }, "Reject"),
            ])
          : null,
      ),
      h("input", {
        "aria-label": "Your message",
        value: message.value,
        onInput: ({ currentTarget }: Event) => {
          if (currentTarget instanceof HTMLInputElement) message.value = currentTarget.value;
        },
      }),
      h("button", { onClick: send }, "Send"),
    ];
  },
};

createApp(App).mount("#root");
