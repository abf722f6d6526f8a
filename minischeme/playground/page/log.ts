// The log above the prompt: what was typed, what was printed, errors and pictures.

const ROLES = ["", "title", "message", "excerpt", "caret", "hint", "trail"];
// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences begin with one.
const ESCAPE = /\x1b\[(\d?)m/;
const MOST_PARTS = 4_000;

export class Log {
  private role = "";
  private column = 0;
  private waiting: Node[] = [];

  constructor(private readonly element: HTMLElement) {}

  /** Show text of the program, in which escape sequences begin and end the parts of error reports. */
  output(text: string): void {
    const pieces = text.split(ESCAPE);
    for (let index = 0; index < pieces.length; index += 2) {
      if (pieces[index] !== "") this.add(pieces[index], this.role === "" ? "" : `error ${this.role}`);
      if (index + 1 < pieces.length) this.role = ROLES[Number(pieces[index + 1])] ?? "";
    }
  }

  /** Show what a person typed, behind the prompt. */
  typed(text: string, prompt = "> "): void {
    this.freshLine();
    this.add(`${prompt}${text}\n`, "typed");
  }

  /** Show a line that a person typed as an answer to the program. */
  answered(line: string): void {
    this.add(`${line}\n`, "typed");
  }

  /** Show a message of the page. */
  note(text: string, kind = "note"): void {
    this.freshLine();
    this.add(`${text}\n`, kind);
  }

  /** Show a picture that a program has drawn; an image can't run scripts. */
  picture(name: string, svg: string): void {
    this.freshLine();
    const image = document.createElement("img");
    image.src = URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" }));
    image.alt = `Picture ${name}`;
    image.onload = () => caption.scrollIntoView({ block: "nearest" });
    const caption = document.createElement("a");
    caption.href = image.src;
    caption.download = name;
    caption.textContent = `Download ${name}`;
    const figure = document.createElement("figure");
    figure.append(image, caption);
    this.append(figure);
  }

  clear(): void {
    this.element.replaceChildren();
    this.waiting = [];
    this.column = 0;
    this.role = "";
  }

  freshLine(): void {
    if (this.column > 0) this.add("\n", "");
  }

  private add(text: string, kind: string): void {
    const end = text.lastIndexOf("\n");
    this.column = end < 0 ? this.column + text.length : text.length - end - 1;
    const part = document.createElement("span");
    part.className = kind;
    part.textContent = text;
    this.append(part);
  }

  private append(part: Node): void {
    if (this.waiting.length === 0) requestAnimationFrame(() => this.flush());
    this.waiting.push(part);
  }

  /** Show what was added since the last frame. */
  flush(): void {
    if (this.waiting.length === 0) return;
    const { element } = this;
    const isAtEnd = element.scrollHeight - element.scrollTop - element.clientHeight < 40;
    element.append(...this.waiting.slice(-MOST_PARTS));
    this.waiting = [];
    while (element.childNodes.length > MOST_PARTS) element.firstChild?.remove();
    if (isAtEnd) element.scrollTop = element.scrollHeight;
  }
}
