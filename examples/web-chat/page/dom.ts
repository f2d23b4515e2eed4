/** The one element that `selector` names. @throws TypeError when there is none of that class: page and code disagree */
export function find<Found extends Element>(
  root: ParentNode,
  selector: string,
  kind: abstract new () => Found,
): Found {
  const found = root.querySelector(selector);
  if (found instanceof kind) return found;
  throw new TypeError(`the page has no ${kind.name} at ${selector}`);
}

/** A copy of what the template with this id holds. */
export function fromTemplate<Made extends Element>(id: string, kind: abstract new () => Made): Made {
  const { content } = find(document, `#${id}`, HTMLTemplateElement);
  const made = document.importNode(content, true).firstElementChild;
  if (made instanceof kind) return made;
  throw new TypeError(`the template ${id} holds no ${kind.name}`);
}

/** A small element. Whatever text it gets is text: nothing that a server says is ever read as HTML. */
export function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  className: string,
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[Tag] {
  const made = document.createElement(tag);
  made.className = className;
  made.append(...children);
  return made;
}

/** A button that does one thing. */
export function button(className: string, label: string, onClick: () => void): HTMLButtonElement {
  const made = element("button", className, label);
  made.type = "button";
  made.addEventListener("click", onClick);
  return made;
}
