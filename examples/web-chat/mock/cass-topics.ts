import { type CassAnswer, type CassScript, cassStep, type MockCassSwitches } from "agentwire/testing";
import { hum } from "./speech.ts";

/** Something to say to the mock, and what it shows. */
export interface Topic {
  readonly say: string;
  readonly shows: string;
  readonly about: RegExp;
  readonly script: (message: string) => CassScript;
  readonly switches?: MockCassSwitches;
}

/** ms that a model takes to think, as long as one likes to watch. */
const THOUGHT = 900;

const MEMORIES = {
  summaries_count: 3,
  details_count: 5,
  project_docs_count: 0,
  user_context_count: 4,
  wiki_pages_count: 2,
  has_context: true,
};

/** What the mock has an answer to; the first that a message is about. */
export const TOPICS: readonly Topic[] = [
  {
    say: "What did we talk about last week?",
    shows: "memories, tools by name, and a title",
    about: /last week|look (it )?up|remember when/i,
    *script() {
      yield cassStep.title("Last week's lighthouse");
      yield cassStep.delay(THOUGHT);
      yield cassStep.tools({ name: "recall_journal", input: { days: 7 } });
      yield cassStep.delay(THOUGHT);
      yield cassStep.tools("search_wiki", "read_page");
      yield cassStep.delay(THOUGHT);
      yield "<gesture:think>The journal says lighthouses, and the wiki has a page on them. Tuesday, then.</gesture:think> ";
      yield "<emote:excited:0.7>Of lighthouses! <gesture:point> On Tuesday you asked why their lamps turn, and I told ";
      yield "you that a sailor knows each one by its rhythm. <gesture:explain>You wanted to draw one. ";
      yield "<emote:happy>Did you?";
      yield cassStep.usage({ input_tokens: 4_210, output_tokens: 96, cache_read_tokens: 3_800 });
    },
  },
  {
    say: "Say something aloud",
    shows: "speech that can be played",
    about: /aloud|sing|hum|speak/i,
    *script() {
      const text =
        "Gladly. These are only tones, since nobody here has a voice, but every word of mine has one.";
      yield cassStep.delay(THOUGHT);
      yield `<gesture:talk>${text} <emote:love:0.6>`;
      yield cassStep.fields({ audio: Buffer.from(hum(text)).toString("base64"), audio_format: "wav" });
    },
  },
  {
    say: "Show me some code",
    shows: "a code block whose indentation survives, and reasoning",
    about: /code|program/i,
    *script() {
      yield cassStep.delay(THOUGHT);
      yield "<gesture:think>Something short, with an indentation that would show if it got lost.</gesture:think>";
      yield "Here is a lighthouse: <gesture:point>\n\n```python\ndef lamp(seconds):\n    for second in range(seconds):\n";
      yield '        if second % 5 == 0:\n            print("flash")\n```\n\nIt flashes every five seconds. <emote:happy:0.5>';
    },
  },
  {
    say: "Take your time",
    shows: "a long turn: cancel it, or press r here to restart the server in the middle of it",
    about: /take your time|slow/i,
    *script() {
      for (const tool of ["recall_journal", "search_wiki", "read_page", "draw_map", "count_stars"]) {
        yield cassStep.delay(2 * THOUGHT);
        yield cassStep.tools(tool);
      }
      yield cassStep.delay(2 * THOUGHT);
      yield "<gesture:shrug>I counted the stars twice, and <emote:thinking>got two numbers. <emote:happy>Both were large.";
    },
  },
  {
    say: "Remember this",
    shows: "what the server says of its memory",
    about: /remember this|memor/i,
    *script() {
      yield cassStep.delay(THOUGHT);
      yield "<gesture:nod>I will. <memory:summarize>";
    },
  },
  {
    say: "Lose this reply",
    shows: "a link that breaks when the reply is stored: it is looked up, and found",
    about: /lose this/i,
    switches: { death: { at: "stored", by: "drop" } },
    *script() {
      yield cassStep.delay(THOUGHT);
      yield "You see this although the link broke before I could send it. <gesture:wave>";
    },
  },
  {
    say: "Forget this",
    shows: "a link that breaks before anything is stored: nobody can tell, and you may send it again",
    about: /forget this/i,
    *script() {
      yield cassStep.delay(THOUGHT);
      yield cassStep.die("drop");
    },
  },
  {
    say: "Fail",
    shows: "an error of the server's own",
    about: /^fail/i,
    switches: { failure: "error" },
    *script() {
      yield cassStep.delay(THOUGHT);
      yield cassStep.fail();
    },
  },
  {
    say: "Hello!",
    shows: "gestures and emotes; and whatever else you say",
    about: /(?:)/,
    *script(message) {
      yield cassStep.delay(THOUGHT);
      if (/^(hello|hi|hey)\b/i.test(message)) {
        yield "<gesture:wave>Hello! <emote:happy:0.8>I am Cass, or rather a mock of her: what I know was written down ";
        yield "beforehand. <gesture:explain>Ask me about last week, or have me say something aloud.";
      } else {
        yield `<gesture:nod>You said: “${message}”. <emote:thinking>I have no script for that, <gesture:shrug>so I `;
        yield "can only say it back to you.";
      }
    },
  },
];

/** Answers as the first topic that the message is about. */
export const answer: CassAnswer = ({ message }) => {
  const topic = TOPICS.find(({ about }) => about.test(message));
  return {
    switches: { memories: MEMORIES, ...topic?.switches },
    script: topic?.script(message) ?? [],
  };
};
