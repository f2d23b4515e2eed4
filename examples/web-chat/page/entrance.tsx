import { type FormEvent, type ReactElement, useEffect, useId, useRef, useState } from "react";
import { readPlace, writePlace } from "./address.ts";
import { Avatar } from "./avatar.tsx";
import type { Backend } from "./backend.ts";
import { refusalOf } from "./login.ts";
import type { Session } from "./session.ts";
import type { Theme } from "./theme.ts";

export interface EntranceProps {
  readonly backends: ReadonlyMap<string, Backend>;
  /** What went wrong on the way out. Empty: nothing did. */
  readonly trouble: string;
  readonly theme: Theme | undefined;
  onEnter(session: Session): void;
}

/** The card in front of everything else: which agent, and who is there. */
export function Entrance({ backends, trouble, theme, onEnter }: EntranceProps): ReactElement {
  const [name, setName] = useState(() => {
    const [first = ""] = backends.keys();
    const { backend = first } = readPlace();
    return backends.has(backend) ? backend : first;
  });
  const [problem, setProblem] = useState("");
  const [isWaiting, setWaiting] = useState(false);
  const first = useRef<HTMLSelectElement>(null);
  const about = useId();
  const backend = backends.get(name);
  const logIn = backend?.logIn;
  useEffect(() => {
    document.title = "A chat for every agent";
    first.current?.focus();
  }, []);

  const choose = (chosen: string): void => {
    setName(chosen);
    setProblem("");
    writePlace({ backend: chosen, chat: undefined });
  };
  const enter = (): void => {
    if (backend) onEnter({ backend: name, sourceOf: backend.open });
  };
  const onSubmit = async (event: FormEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    if (!logIn) return enter();
    const fields = new FormData(event.currentTarget);
    const email = String(fields.get("email"));
    setProblem("");
    setWaiting(true);
    try {
      const source = await logIn({ email, password: String(fields.get("password")) });
      onEnter({ backend: name, sourceOf: () => source, user: email });
    } catch (error) {
      setProblem(refusalOf(error));
    } finally {
      setWaiting(false);
    }
  };

  return (
    <main className="aw-root entrance" data-theme={theme}>
      <form className="card" aria-busy={isWaiting} onSubmit={(event) => void onSubmit(event)}>
        <div className="portrait">
          <Avatar look={problem === "" ? { gesture: "wave" } : { emote: "concern" }} />
        </div>
        <h1>Talk with an agent</h1>
        <label>
          Agent
          <select
            ref={first}
            value={name}
            aria-describedby={about}
            onChange={(event) => choose(event.target.value)}
          >
            {[...backends].map(([key, { label }]) => (
              <option key={key} value={key}>
                {label}
              </option>
            ))}
          </select>
        </label>
        <p id={about} className="about">
          {backend?.about}
        </p>
        {logIn && (
          <>
            <label>
              Email <input name="email" type="email" autoComplete="username" required />
            </label>
            <label>
              Password <input name="password" type="password" autoComplete="current-password" required />
            </label>
          </>
        )}
        <p className="aw-problem" role="alert">
          {problem || trouble}
        </p>
        <button className="aw-primary" type="submit" disabled={isWaiting}>
          {logIn ? "Log in" : "Start"}
        </button>
        {logIn && (
          <button className="aw-plain" type="button" disabled={isWaiting} onClick={enter}>
            Continue without an account
          </button>
        )}
      </form>
    </main>
  );
}
