// What was typed: it survives a reload and a crash, in the browser's own storage, and travels in the address.

export type File = { name: string; text: string };

export type Work = { files: File[]; current: string; transcript: string; history: string[]; handout: string };

const KEY = "minischeme";
const MOST_ENTRIES = 200;
const LONGEST_TRANSCRIPT = 1_000_000;

export function fresh(): Work {
  const text = ";; Your program. Press Run, or Ctrl-Enter, to load it.\n\n(define (square x)\n  (* x x))\n";
  return { files: [{ name: "program.scm", text }], current: "program.scm", transcript: "", history: [], handout: "" };
}

/** Whatever was stored or sent, as work: nothing in it is trusted but texts. */
function checked(data: unknown): Work | null {
  if (typeof data !== "object" || data === null) return null;
  const given = data as Partial<Record<keyof Work, unknown>>;
  if (!Array.isArray(given.files)) return null;
  const files = given.files
    .filter((each) => typeof each?.name === "string" && typeof each?.text === "string")
    .map((each) => ({ name: properName(each.name), text: each.text as string }))
    .filter((each, index, all) => all.findIndex((other) => other.name === each.name) === index);
  if (files.length === 0) return null;
  const current = files.some((each) => each.name === given.current) ? (given.current as string) : files[0].name;
  const history = Array.isArray(given.history) ? given.history.filter((each) => typeof each === "string") : [];
  const text = (value: unknown): string => (typeof value === "string" ? value : "");
  return { files, current, history, transcript: text(given.transcript), handout: text(given.handout) };
}

/** A name that can be a file's: no folders above, no control characters. */
export function properName(name: string): string {
  const parts = name.split(/[/\\]/).filter((part) => part !== "" && part !== "." && part !== "..");
  const cleaned = parts.join("/").replace(/\p{Cc}/gu, "");
  return cleaned.slice(0, 80) || "program.scm";
}

export function load(key = KEY): Work | null {
  try {
    return checked(JSON.parse(localStorage.getItem(key) ?? "null"));
  } catch {
    return null;
  }
}

export function save(work: Work, key = KEY): void {
  const transcript = work.transcript.length > LONGEST_TRANSCRIPT ? "" : work.transcript;
  try {
    localStorage.setItem(key, JSON.stringify({ ...work, transcript, history: work.history.slice(-MOST_ENTRIES) }));
  } catch {
    // A full or forbidden storage: the page works without.
  }
}

async function through(bytes: Uint8Array, stream: CompressionStream | DecompressionStream): Promise<Uint8Array> {
  const body = new Response(bytes as BodyInit).body as ReadableStream<Uint8Array>;
  return new Uint8Array(await new Response(body.pipeThrough(stream as never)).arrayBuffer());
}

/** The work as the part of an address behind `#`. */
export async function packed(work: Work): Promise<string> {
  const { files, current, transcript, handout } = work;
  const text = new TextEncoder().encode(JSON.stringify({ files, current, transcript, handout }));
  const bytes = await through(text, new CompressionStream("deflate-raw"));
  let characters = "";
  for (const byte of bytes) characters += String.fromCharCode(byte);
  return `1${btoa(characters).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "")}`;
}

export async function unpacked(fragment: string): Promise<Work | null> {
  if (!/^1[\w-]+$/.test(fragment)) return null;
  try {
    const characters = atob(fragment.slice(1).replaceAll("-", "+").replaceAll("_", "/"));
    const bytes = Uint8Array.from(characters, (character) => character.charCodeAt(0));
    return checked(JSON.parse(new TextDecoder().decode(await through(bytes, new DecompressionStream("deflate-raw")))));
  } catch {
    return null;
  }
}
