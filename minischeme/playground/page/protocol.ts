// The messages between the page and its worker.

export type Failure = { file: string; from: number; to: number; message: string; hint: string };
export type Outcome = {
  line: number;
  source: string;
  verdict: string;
  fails: boolean;
  difference: string;
  note: string;
};
export type Question = { name: string; passed: boolean; right: number; all: number; difference: string };
export type Name = { label: string; detail: string; info: string };
type Frame = { name: string; procedure: string; variables: [string, string][] };
type Step = { kind: string; text: string; mark: [number, number]; printed: number; frames?: Frame[] };

/** A recorded run: some of what stepping/export.py describes. */
export type Run = { expression: string; steps: Step[]; output: string; result: Record<string, string> };

type Texts = Partial<Record<"fatal" | "transcript" | "failure", string>>;
type Flags = Partial<Record<"unfinished" | "stopped", boolean>>;
type Lists = { names?: Name[]; outcomes?: Outcome[]; questions?: Question[]; pictures?: string[]; errors: Failure[] };

/** The answer to a request: of `Worker.handle` in worker.py. */
export type Answer = Texts & Flags & Lists & { written?: Record<string, string>; run?: Run };

export type Request = { do: string } & Record<string, unknown>;

/** The worker's messages. */
export type Message =
  | { kind: "ready"; seconds: number; failure?: string }
  | { kind: "output"; text: string }
  | { kind: "ask"; question: string }
  | { kind: "answer"; number: number; answer: Answer };

/** The page's messages; `shared` is there where the browser has memory that both can use. */
export type Order =
  | { kind: "begin"; shared: SharedArrayBuffer | null }
  | { kind: "request"; number: number; request: Request };

/** The shared memory: cells of 32 bits, the offset of the typed line, its size, and the states of a question. */
export const SHARED = { signal: 0, state: 1, length: 2, line: 12, bytes: 1 << 16 };
export const STATE = { waiting: 0, typed: 1, ended: 2, stopped: 3 };
export const SIGNAL = { interrupt: 2, alarm: 14 };

/** The address, served by the service worker, where a line is asked for without shared memory. */
export const INPUT = "input-of-the-program";
